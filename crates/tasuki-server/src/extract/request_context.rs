//! The context of an admitted request: its caller, and the ways to run commands and read as that caller.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use tasuki_engine::command::Command;
use tasuki_engine::engine::{Call, Engine};
use tasuki_engine::error::{Fault, FaultKind};
use tasuki_engine::model::{Directory, Handoff, Principal, RequestKey};
use tasuki_engine::ports::{Store, cost};
use tasuki_engine::query::continuation::Reader;
use tasuki_engine::query::resolve;
use tasuki_engine::rules::authorization;
use tasuki_engine::rules::fencing::ClaimProof;
use tasuki_engine::steps::system::mark_delivered;
use tasuki_packet::id::{HandoffId, ProjectId};
use tokio::runtime::Handle;

use crate::auth::{Caller, authenticate};
use crate::extract::idempotency;
use crate::extract::idempotency::replay::EngineReached;
use crate::middleware::client_address::ClientAddress;
use crate::middleware::request_log::RequestLog;
use crate::respond::command_response::CommandResponse;
use crate::respond::problem::Problem;
use crate::state::Shared;
use crate::state::project_concurrency::Permit;
use crate::state::readers::as_reader;

/// An admitted request: its caller, and the permit it holds.
#[derive(Debug, Clone)]
pub(crate) struct Admitted {
    pub(crate) caller: Caller,
    /// The permit that counts it against the concurrency limit of its project.
    pub(crate) permit: Arc<Permit>,
}

/// The context that handlers of operations take.
#[derive(Debug, Clone)]
pub(crate) struct RequestContext {
    pub(crate) app: Shared,
    pub(crate) caller: Caller,
    pub(crate) client: ClientAddress,
    key: Option<RequestKey>,
    /// Set when the command reaches the engine.
    engine_reached: Option<EngineReached>,
    log: RequestLog,
    _permit: Arc<Permit>,
}

impl FromRequestParts<Shared> for RequestContext {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self, Problem> {
        let admitted =
            parts.extensions.remove::<Admitted>().ok_or_else(authenticate::credential_missing)?;
        let (key, engine_reached) = match parts.extensions.remove::<(RequestKey, EngineReached)>() {
            Some((key, engine_reached)) => (Some(key), Some(engine_reached)),
            None => (idempotency::key(&parts.headers)?.map(RequestKey::from), None),
        };
        let client = parts.extensions.get::<ClientAddress>().copied().unwrap_or_default();
        let log = parts.extensions.get::<RequestLog>().cloned().unwrap_or_default();
        let Admitted { caller, permit } = admitted;
        Ok(Self { app: app.clone(), caller, client, key, engine_reached, log, _permit: permit })
    }
}

impl RequestContext {
    pub(crate) fn engine(&self) -> &Engine {
        &self.app.engine
    }

    pub(crate) fn store(&self) -> &dyn Store {
        self.app.engine.store().as_ref()
    }

    pub(crate) fn project(&self) -> ProjectId {
        self.caller.project
    }

    pub(crate) fn principal(&self) -> &Principal {
        &self.caller.principal
    }

    /// Runs one command.
    pub(crate) fn run(
        &self,
        command: Command,
    ) -> impl Future<Output = Result<CommandResponse, Problem>> {
        self.run_as(self.principal().clone(), command)
    }

    /// Runs one command as a principal that has proved more than the request did.
    pub(crate) fn run_as(
        &self,
        principal: Principal,
        command: Command,
    ) -> impl Future<Output = Result<CommandResponse, Problem>> {
        // The future of an `async fn` would hold the command twice, and so would every caller's.
        let call = Call { project: self.project(), principal, command, key: self.key.clone() };
        async move {
            self.engine_reached.iter().for_each(EngineReached::set);
            let answer = self.engine().run(call).await;
            // Deadlines may have been applied even if the command was refused.
            let answer = answer.inspect_err(|_| self.app.change_watch.wake(self.project()))?;
            self.log.trace_from_handoff(answer.trace.as_deref());
            self.app.change_watch.committed(self.project(), &answer);
            if answer.token.is_some() || answer.party.is_some() {
                self.app.policy_cache.invalidate(self.project());
            }
            Ok(CommandResponse { answer, has_key: self.key.is_some(), is_created: false })
        }
    }

    /// Runs one command on the handoff that the caller names.
    ///
    /// A full id is not resolved first, because the command finds it. After a refusal it is resolved, so
    /// that a caller that may not know of the handoff learns nothing else.
    pub(crate) async fn run_on(
        &self,
        written: &str,
        command: impl FnOnce(HandoffId) -> Command,
    ) -> Result<CommandResponse, Problem> {
        let whole = written.parse().ok();
        let id = match whole {
            Some(id) => id,
            None => Box::pin(self.find_id(written)).await?,
        };
        let response = self.run(command(id)).await;
        if whole.is_some() && response.is_err() {
            Box::pin(self.find_id(written)).await?;
        }
        response
    }

    /// Runs a read on the threads for reads, and charges its rows to the caller. Handlers of reads run
    /// there as a whole, unless they may wait.
    pub(crate) async fn read<T, F>(
        &self,
        read: impl FnOnce(Self) -> F + Send + 'static,
    ) -> Result<T, Problem>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Problem>> + Send + 'static,
    {
        let reading = read(self.clone());
        self.app.run_read(&self.caller.rate_key(), self.project(), reading).await?
    }

    /// Runs a read of the whole log on a blocking thread, where it delays no other read. A project has
    /// one at a time.
    pub(crate) async fn run_long_read<T, F>(
        &self,
        work: impl FnOnce(Self) -> F + Send + 'static,
    ) -> Result<T, Problem>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Problem>>,
    {
        let _permit = self.app.limits.acquire_long_read(self.project()).await;
        let (context, runtime) = (self.clone(), Handle::current());
        let done = tokio::task::spawn_blocking(move || {
            as_reader(|| cost::measured(|| runtime.block_on(work(context))))
        });
        let Ok((result, rows)) = done.await else {
            return Err(Fault::new(FaultKind::Bug, "a long read ended without a result").into());
        };
        self.app.limits.charge_rows(&self.caller.rate_key(), self.project(), rows);
        result
    }

    /// Applies due deadlines, so that the next read shows the current state.
    pub(crate) async fn apply_due(&self) -> Result<(), Problem> {
        Ok(self.engine().apply_due_before_read(self.project(), self.principal()).await?)
    }

    /// Resolves a handoff by id, id ending or task.
    pub(crate) async fn find(&self, written: &str) -> Result<Handoff, Problem> {
        let found = if written.parse::<HandoffId>().is_ok() {
            self.resolve(written).await?
        } else {
            // Only a whole id is a single row.
            let written = written.to_owned();
            self.read(move |context| async move { context.resolve(&written).await }).await?
        };
        self.log.trace_from_handoff(found.facts.summary.trace.as_deref());
        Ok(found)
    }

    async fn resolve(&self, written: &str) -> Result<Handoff, Problem> {
        let directory = self.directory().await?;
        let may_know = |one: &Handoff| authorization::may_know(&directory, self.principal(), one);
        Ok(resolve::handoff(self.store(), self.project(), written, may_know).await?)
    }

    async fn find_id(&self, written: &str) -> Result<HandoffId, Problem> {
        self.find(written).await.map(|found| found.id)
    }

    /// Returns the claim that its holder proves with its fence.
    pub(crate) async fn claim_proof(
        &self,
        written: &str,
        fence: Option<u64>,
    ) -> Result<ClaimProof, Problem> {
        let fence = fence.ok_or_else(no_fence)?;
        Ok(ClaimProof { handoff: self.find(written).await?.id, fence })
    }

    /// Runs one command of a holder on the handoff that it means.
    pub(crate) async fn run_as_holder(
        &self,
        written: &str,
        fence: Option<u64>,
        command: impl FnOnce(ClaimProof) -> Command,
    ) -> Result<CommandResponse, Problem> {
        let fence = fence.ok_or_else(no_fence)?;
        self.run_on(written, |handoff| command(ClaimProof { handoff, fence })).await
    }

    /// Returns the current directory: parties, contracts, gates and settings.
    pub(crate) async fn directory(&self) -> Result<Arc<Directory>, Problem> {
        Ok(self.engine().directory(self.project()).await?)
    }

    /// Returns a reader with the caller's permissions.
    pub(crate) async fn reader(&self) -> Result<Reader<'_>, Problem> {
        Ok(self.engine().reader(self.project(), self.principal()).await?)
    }

    /// Records in the background that the receiver has seen a handoff.
    pub(crate) fn mark_delivered(&self, handoff: &Handoff) {
        if handoff.progress.delivered_at.is_some() {
            return;
        }
        let request = mark_delivered::MarkDelivered { handoff: handoff.id, is_delivery: false };
        let command = Command::MarkDelivered(request);
        let call = Call {
            project: self.project(),
            principal: self.principal().clone(),
            command,
            key: None,
        };
        let (app, project) = (self.app.clone(), self.project());
        tokio::spawn(async move {
            // A failure is ignored: reading must not fail because the writer is unavailable.
            let is_posted = app.engine.run(call).await.is_ok();
            tracing::trace!(is_posted, "delivered");
            app.change_watch.wake(project);
        });
    }
}

fn no_fence() -> Problem {
    Problem::argument("missing fence of your claim")
        .hint("the response to your claim contains it; send it as `?fence=N`")
}
