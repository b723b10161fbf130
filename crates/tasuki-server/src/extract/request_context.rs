//! One request of somebody who may make it: who came, for which operation, and how they ask the engine.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use tasuki_engine::authority::{self, Shown};
use tasuki_engine::command::Command;
use tasuki_engine::deliver;
use tasuki_engine::directory::Directory;
use tasuki_engine::engine::{Call, Engine};
use tasuki_engine::error::{Fault, FaultKind};
use tasuki_engine::find;
use tasuki_engine::handoff::Handoff;
use tasuki_engine::principal::Principal;
use tasuki_engine::resume::Reader;
use tasuki_engine::same_request::RequestKey;
use tasuki_engine::store::Store;
use tasuki_packet::id::{HandoffId, ProjectId};
use tokio::runtime::Handle;

use crate::auth::{Caller, authenticate};
use crate::extract::idempotency;
use crate::extract::idempotency::replay::Reached;
use crate::middleware::client_address::Peer;
use crate::middleware::request_log::Note;
use crate::respond::command_response::Answered;
use crate::respond::problem::Problem;
use crate::state::Shared;
use crate::state::project_concurrency::Place;

/// What the door gives to whoever answers.
#[derive(Debug, Clone)]
pub(crate) struct Entered {
    pub(crate) caller: Caller,
    /// The place that the request takes in its project's share.
    pub(crate) share: Arc<Place>,
}

/// Somebody who came in.
#[derive(Debug, Clone)]
pub(crate) struct Visitor {
    pub(crate) app: Shared,
    pub(crate) caller: Caller,
    pub(crate) peer: Peer,
    key: Option<RequestKey>,
    /// Whom it is told that the command came as far as the engine.
    reached: Option<Reached>,
    note: Note,
    _share: Arc<Place>,
}

impl FromRequestParts<Shared> for Visitor {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self, Problem> {
        let entered = parts.extensions.remove::<Entered>().ok_or_else(authenticate::missing)?;
        let (key, reached) = match parts.extensions.remove::<(RequestKey, Reached)>() {
            Some((key, reached)) => (Some(key), Some(reached)),
            None => (idempotency::key(&parts.headers)?.map(RequestKey::from), None),
        };
        let peer = parts.extensions.get::<Peer>().copied().unwrap_or_default();
        let note = parts.extensions.get::<Note>().cloned().unwrap_or_default();
        let Entered { caller, share } = entered;
        Ok(Self { app: app.clone(), caller, peer, key, reached, note, _share: share })
    }
}

impl Visitor {
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
    pub(crate) fn run(&self, command: Command) -> impl Future<Output = Result<Answered, Problem>> {
        self.run_as(self.principal().clone(), command)
    }

    /// Runs one command as somebody who has proved more than the request did.
    pub(crate) fn run_as(
        &self,
        principal: Principal,
        command: Command,
    ) -> impl Future<Output = Result<Answered, Problem>> {
        // An `async fn` would have room for the command twice, and so would whoever calls it.
        let call = Call { project: self.project(), principal, command, key: self.key.clone() };
        async move {
            self.reached.iter().for_each(Reached::note);
            let answer = self.engine().run(call).await;
            // What was refused may have let the clock do something.
            let answer = answer.inspect_err(|_| self.app.watch.nudge(self.project()))?;
            self.note.about(answer.trace.as_deref());
            self.app.watch.answered(self.project(), &answer);
            if answer.token.is_some() || answer.party.is_some() {
                self.app.policies.forget(self.project());
            }
            Ok(Answered { answer, has_key: self.key.is_some(), is_made: false })
        }
    }

    /// Runs one command on the handoff that the caller means. A whole id is not looked up first, because
    /// the command itself finds it; whoever is refused and may not know of it hears only that.
    pub(crate) async fn run_on(
        &self,
        written: &str,
        command: impl FnOnce(HandoffId) -> Command,
    ) -> Result<Answered, Problem> {
        let whole = written.parse().ok();
        let id = match whole {
            Some(id) => id,
            None => Box::pin(self.find_id(written)).await?,
        };
        let answered = self.run(command(id)).await;
        if whole.is_some() && answered.is_err() {
            Box::pin(self.find_id(written)).await?;
        }
        answered
    }

    /// Does what may take long where it keeps nobody else from being answered.
    pub(crate) async fn at_length<T, F>(
        &self,
        work: impl FnOnce(Self) -> F + Send + 'static,
    ) -> Result<T, Problem>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Problem>>,
    {
        // One project's long reads take no thread from the others.
        let _place = self.app.limits.long_read(self.project()).await;
        let (visitor, runtime) = (self.clone(), Handle::current());
        let done = tokio::task::spawn_blocking(move || runtime.block_on(work(visitor)));
        done.await.unwrap_or_else(|_| {
            Err(Fault::new(FaultKind::Bug, "a long read ended without an answer").into())
        })
    }

    /// Does what the clock has made due, so that what is read next is true now.
    pub(crate) async fn settle(&self) -> Result<(), Problem> {
        Ok(self.engine().settle(self.project(), self.principal()).await?)
    }

    /// The handoff that the caller means: by id, ending or task.
    pub(crate) async fn find(&self, written: &str) -> Result<Handoff, Problem> {
        let directory = self.directory().await?;
        let may_know = |one: &Handoff| authority::may_know(&directory, self.principal(), one);
        let found = find::handoff(self.store(), self.project(), written, may_know).await?;
        self.note.about(found.facts.sheet.trace.as_deref());
        Ok(found)
    }

    async fn find_id(&self, written: &str) -> Result<HandoffId, Problem> {
        self.find(written).await.map(|found| found.id)
    }

    /// The claim on a handoff that its holder shows.
    pub(crate) async fn shown(&self, written: &str, token: Option<u64>) -> Result<Shown, Problem> {
        let token = token.ok_or_else(no_token)?;
        Ok(Shown { handoff: self.find(written).await?.id, token })
    }

    /// Runs one command of a holder on the handoff that it means.
    pub(crate) async fn run_as_holder(
        &self,
        written: &str,
        token: Option<u64>,
        command: impl FnOnce(Shown) -> Command,
    ) -> Result<Answered, Problem> {
        let token = token.ok_or_else(no_token)?;
        self.run_on(written, |handoff| command(Shown { handoff, token })).await
    }

    /// Parties, contracts, gates and settings as they are now.
    pub(crate) async fn directory(&self) -> Result<Arc<Directory>, Problem> {
        Ok(self.engine().directory(self.project()).await?)
    }

    /// Reads what the caller may read.
    pub(crate) fn reader(&self) -> Reader<'_> {
        Reader { engine: self.engine(), project: self.project(), principal: self.principal() }
    }

    /// The receiver has seen it. This is posted afterwards and nobody waits for it.
    pub(crate) fn delivered(&self, handoff: &Handoff) {
        if handoff.progress.delivered_at.is_some() {
            return;
        }
        let request = deliver::Request { handoff: handoff.id, is_delivery: false };
        let command = Command::Deliver(request);
        let call = Call {
            project: self.project(),
            principal: self.principal().clone(),
            command,
            key: None,
        };
        let (app, project) = (self.app.clone(), self.project());
        tokio::spawn(async move {
            // Its failure is nobody's: reading must not fail because the writer is away.
            let is_posted = app.engine.run(call).await.is_ok();
            tracing::trace!(is_posted, "delivered");
            app.watch.nudge(project);
        });
    }
}

fn no_token() -> Problem {
    Problem::argument("the fencing token of your claim is missing")
        .hint("the answer to your claim has it; say `?token=` and the number")
}
