//! The handle that the server and the command line use: runs commands and reads state.
//!
//! [`Engine::run`] is the only way to make a decision durable; the project's worker decides.

use std::sync::Arc;
use std::time::Duration as StdDuration;

use tasuki_api as api;
use tasuki_packet::Packet;
use tasuki_packet::id::{HandoffId, PartyId, ProjectId};
use tokio::sync::oneshot;

use crate::command::allowed::allowed;
use crate::command::reply::Reply;
use crate::command::{Command, permissions};
use crate::error::{Error, Fault, FaultKind};
use crate::limits::WORKER_IDLE;
use crate::model::idempotency::check_key;
use crate::model::state::empty_head;
use crate::model::{
    CommandSeed, Directory, Handoff, Head, IdempotencyKey, Principal, ProjectState, Record,
    RequestKey, Settings, failure,
};
use crate::ports::clock::microseconds;
use crate::ports::{Clock, Entropy, Store};
use crate::prepare::PreparedPacket;
use crate::query::continuation::Reader;
use crate::query::inbox::{InboxPage, inbox};
use crate::refusal::{Refusal, RefusalCode};
use crate::steps::step::PreparedStep;
use crate::steps::{ApplyDue, Reads};
use crate::worker::batch::Queued;
use crate::worker::cache::{Cache, Policy};
use crate::worker::input::InputReader;
use crate::worker::project::first_leaf;
use crate::worker::queue::Workers;
use crate::worker::refused_early::RefusedEarly;

/// The maximum number of times a command is prepared because the policy keeps changing.
const PREPARE_ATTEMPTS: usize = 5;

/// The exchange.
#[derive(Clone)]
pub struct Engine {
    shared: Arc<Shared>,
}

struct Shared {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    cache: Arc<Cache>,
    workers: Arc<Workers>,
}

/// A request to the engine: a command with its caller and its idempotency key.
#[derive(Debug, Clone)]
pub struct Call {
    /// The project.
    pub project: ProjectId,
    /// The caller.
    pub principal: Principal,
    /// The command.
    pub command: Command,
    /// The caller's idempotency key.
    pub key: Option<RequestKey>,
}

impl Engine {
    /// Starts the exchange on a store.
    pub fn start(store: Arc<dyn Store>, clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> Self {
        Self::start_with_idle(store, clock, entropy, WORKER_IDLE)
    }

    /// Starts the exchange on a store, with workers that stop after being idle for this long.
    pub fn start_with_idle(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
        idle: StdDuration,
    ) -> Self {
        let cache = Arc::new(Cache::default());
        let shared_cache = Arc::clone(&cache);
        let workers = Workers::new(Arc::clone(&store), Arc::clone(&clock), shared_cache, idle);
        Self { shared: Arc::new(Shared { store, clock, entropy, cache, workers }) }
    }

    /// Returns how many workers are running.
    pub fn running_workers(&self) -> usize {
        self.shared.workers.count()
    }

    /// Answers every queued command and waits until the workers have released the store, so that
    /// the process can exit. A later command starts its worker again.
    pub fn close(&self) {
        self.shared.workers.close();
    }

    /// Returns the store, for reading only.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.shared.store
    }

    /// Returns the current time of the exchange.
    pub fn now(&self) -> jiff::Timestamp {
        microseconds(self.shared.clock.now())
    }

    /// Refuses a process whose clock is wrong. Every command does this too.
    pub async fn check_clock(&self) -> Result<(), Error> {
        Ok(self.shared.workers.check_clock().await?)
    }

    /// Returns a fresh seed, for ids that the caller creates.
    pub fn command_seed(&self) -> CommandSeed {
        self.shared.entropy.command_seed()
    }

    /// Creates a project and writes the first leaf of its log. An existing project is left as it
    /// is. If a crash prevented its first leaf from being written, this writes it.
    pub async fn create_project(&self, name: &str, settings: Settings) -> Result<ProjectId, Error> {
        let now = self.now();
        let seed = self.shared.entropy.command_seed();
        let head = empty_head(seed.id("project", now), now, seed.salt("fingerprint"));
        let is_new = self.shared.store.create(head.clone(), name.to_owned()).await?;
        let project = if is_new { head.project } else { self.project(name).await? };
        let mut transaction = self.shared.store.open(project).await?;
        if transaction.head().leaves == 0 {
            let (written, head) = first_leaf(transaction.head(), now, settings)?;
            transaction.write(written);
            transaction.commit(head).await?;
        }
        Ok(project)
    }

    /// Returns the project with this name.
    pub async fn project(&self, name: &str) -> Result<ProjectId, Error> {
        let projects = self.shared.store.projects().await?;
        let found = projects.into_iter().find(|(known, _)| known == name).map(|(_, id)| id);
        found.ok_or_else(|| unknown_project(name).into())
    }

    /// Queues one command and waits for its response.
    ///
    /// Every command goes through this function. A response means that the change is durable.
    pub fn run(
        &self,
        call: Call,
    ) -> impl Future<Output = Result<api::CommandResponse, Error>> + Send {
        let seed = self.shared.entropy.command_seed();
        // An `async fn` would store `call` twice, and so would the future that awaits it.
        async move { self.run_with(&call, seed).await }
    }

    async fn run_with(
        &self,
        call: &Call,
        seed: CommandSeed,
    ) -> Result<api::CommandResponse, Error> {
        permissions::require_scopes(&call.principal, &call.command)?;
        let key = key(call)?;
        let mut policy = self.known_policy(call.project).await?;
        let mut attempt = 0;
        loop {
            attempt += 1;
            let may_repeat = attempt < PREPARE_ATTEMPTS;
            let prepared = match self.prepared(call, seed.clone(), &policy).await? {
                Err(refusal) => {
                    // Another command may have published the missing entry since.
                    let newer = Box::pin(self.policy(call.project)).await?;
                    if newer.directory.version != policy.directory.version && may_repeat {
                        policy = newer;
                        continue;
                    }
                    refused(*refusal, key.is_some())?
                }
                Ok(prepared) => prepared,
            };
            let submitted = prepared.packet().map(SubmittedPacket::of);
            let (sender, answer) = oneshot::channel();
            self.shared.workers.push(
                call.project,
                Queued {
                    principal: call.principal.clone(),
                    command: call.command.name(),
                    prepared: Arc::clone(&prepared),
                    directory_version: policy.directory.version,
                    seed: seed.clone(),
                    key: key.clone(),
                    answer: sender,
                },
            )?;
            let decided = answer.await.unwrap_or_else(|_| Err(worker_ended().into()));
            match decided {
                Err(Error::Refused(refusal))
                    if refusal.code == RefusalCode::PolicyChanged && may_repeat =>
                {
                    policy = Box::pin(self.policy(call.project)).await?;
                    if let Some(handoff) = call.command.reads().handoff() {
                        self.shared.cache.forget_facts(call.project, handoff);
                    }
                }
                Ok(reply) => {
                    let answer = self.finish_reply(call, reply, submitted);
                    self.acknowledge_own_rejection(call, &answer).await?;
                    return Ok(answer);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Prepares a command, or returns the refusal that preparing it met.
    async fn prepared(
        &self,
        call: &Call,
        seed: CommandSeed,
        policy: &Policy,
    ) -> Result<Result<Arc<dyn PreparedStep>, Box<Refusal>>, Error> {
        let reads = call.command.reads();
        let input = self.input(call.project).read(&call.principal, reads, seed, policy).await?;
        Ok(call.command.prepare(&input).map_err(Box::new))
    }

    /// Completes the reply, and caches the packet's requirements for a later return.
    fn finish_reply(
        &self,
        call: &Call,
        reply: Reply,
        submitted: Option<SubmittedPacket>,
    ) -> api::CommandResponse {
        let answer = reply.into_answer();
        self.remember_return_requirements(call.project, &answer, submitted);
        if let Reads::ReturnRequirements(handoff) = call.command.reads() {
            self.forget_return_requirements(call.project, handoff, &answer);
        }
        *answer
    }

    /// Acknowledges a rejection for the person who made it, who needs no reminder.
    async fn acknowledge_own_rejection(
        &self,
        call: &Call,
        answer: &api::CommandResponse,
    ) -> Result<(), Error> {
        let (Command::Reject(_) | Command::SignOff(_)) = &call.command else { return Ok(()) };
        let rejected = answer.handoff.as_ref().filter(|one| one.state == "rejected");
        let Some(id) = rejected.and_then(|one| one.id.parse().ok()) else { return Ok(()) };
        let (project, party) = (call.project, call.principal.party);
        let Some(handoff) = self.shared.store.handoff(project, id).await? else { return Ok(()) };
        let seen = failure::of(&handoff).map(|failure| (id, failure.n)).into_iter().collect();
        Ok(self.shared.store.acknowledge(project, party, seen).await?)
    }

    /// Returns the recorded response to a request that can no longer be turned into a command.
    ///
    /// Running the command may have changed the revision, claim or object that the request names.
    pub async fn replay(
        &self,
        project: ProjectId,
        party: PartyId,
        request: &RequestKey,
    ) -> Result<Option<api::CommandResponse>, Error> {
        let key =
            |command: &&'static str| IdempotencyKey { party, command, key: request.key.clone() };
        let keys = Command::NAMES.iter().map(key).collect();
        let Some(digest) = &request.digest else { return Ok(None) };
        let recorded = self.shared.store.remembered(project, keys).await?;
        let now = self.now();
        let mut valid = recorded.iter().filter(|(_, record)| record.is_valid(now));
        Ok(valid.find_map(|(_, record)| record.replay(digest).ok()))
    }

    /// Caches what a new packet requires of its return.
    fn remember_return_requirements(
        &self,
        project: ProjectId,
        answer: &api::CommandResponse,
        submitted: Option<SubmittedPacket>,
    ) {
        let Some((handoff, submitted)) = answer.handoff.as_ref().zip(submitted) else { return };
        if let Ok(id) = handoff.id.parse()
            && handoff.digest == submitted.digest
        {
            let revision = (project, id, handoff.revision);
            self.shared.cache.put_return_requirements(
                revision,
                submitted.requirements,
                submitted.bytes,
            );
        }
    }

    /// Drops the cached requirements after a return: few handoffs are returned twice.
    fn forget_return_requirements(
        &self,
        project: ProjectId,
        id: HandoffId,
        answer: &api::CommandResponse,
    ) {
        if let Some(handoff) = &answer.handoff {
            self.shared.cache.forget_return_requirements((project, id, handoff.revision));
        }
    }

    /// Returns the current packet of a handoff.
    pub async fn packet(
        &self,
        project: ProjectId,
        handoff: &Handoff,
    ) -> Result<Arc<Packet>, Error> {
        self.input(project).packet(handoff).await
    }

    fn input(&self, project: ProjectId) -> InputReader<'_> {
        InputReader { store: &*self.shared.store, cache: &self.shared.cache, project }
    }

    /// Returns the end of a project's log.
    pub async fn head(&self, project: ProjectId) -> Result<Head, Error> {
        let head = self.shared.store.head(project).await?;
        head.ok_or_else(|| unknown_project(&project.to_string()).into())
    }

    /// Returns a reader for what a caller may read, as of now.
    pub async fn reader<'a>(
        &'a self,
        project: ProjectId,
        principal: &'a Principal,
    ) -> Result<Reader<'a>, Error> {
        let head = self.head(project).await?;
        self.reader_at(&head, principal).await
    }

    async fn reader_at<'a>(
        &'a self,
        head: &Head,
        principal: &'a Principal,
    ) -> Result<Reader<'a>, Error> {
        let (store, project) = (&*self.shared.store, head.project);
        let directory = self.directory(project).await?;
        Ok(Reader { store, project, directory, principal, now: self.now().max(head.last_at) })
    }

    /// Returns a handoff with a revision of its packet, and the commands that the caller may give.
    pub async fn details(
        &self,
        project: ProjectId,
        principal: &Principal,
        handoff: &Handoff,
        revision: u32,
    ) -> Result<api::HandoffDetails, Error> {
        let head = self.head(project).await?;
        let reader = self.reader_at(&head, principal).await?;
        let details = reader.details(handoff, revision).await?;
        let known = [Arc::new(handoff.clone())];
        let state = ProjectState::new(Arc::clone(&reader.directory), head, known, []);
        let seed = self.command_seed();
        let allowed = allowed(&state, principal, handoff, reader.now, seed);
        Ok(api::HandoffDetails { allowed, ..details })
    }

    /// Returns a page of a caller's inbox, after applying everything that is due.
    pub async fn inbox(
        &self,
        project: ProjectId,
        principal: &Principal,
        page: InboxPage,
    ) -> Result<api::Inbox, Error> {
        self.apply_due_before_read(project, principal).await?;
        let head = self.head(project).await?;
        let reader = self.reader_at(&head, principal).await?;
        inbox(&reader, &head, page).await
    }

    /// Records that a caller has seen these failures of its inbox, by handoff and number. Returns how
    /// many they were. The log is not written.
    pub async fn acknowledge(
        &self,
        project: ProjectId,
        principal: &Principal,
        seen: &[(HandoffId, u64)],
    ) -> Result<u64, Error> {
        self.reader(project, principal).await?.acknowledge(seen).await
    }

    /// Returns the current directory of a project.
    pub async fn directory(&self, project: ProjectId) -> Result<Arc<Directory>, Error> {
        self.policy(project).await.map(|policy| policy.directory)
    }

    /// Returns the cached policy of a project, which may be outdated.
    async fn known_policy(&self, project: ProjectId) -> Result<Policy, Error> {
        match self.shared.cache.policy(project) {
            Some(policy) => Ok(policy),
            None => Box::pin(self.policy(project)).await,
        }
    }

    /// Returns the current policy of a project.
    async fn policy(&self, project: ProjectId) -> Result<Policy, Error> {
        let head = self.head(project).await?;
        let known = self.shared.cache.policy(project);
        if let Some(known) = known.filter(|known| known.directory.version == head.directory_version)
        {
            return Ok(known);
        }
        let records: Vec<Record> = self.shared.store.directory(project).await?;
        let directory = Arc::new(Directory::of(project, head.directory_version, records)?);
        let policy = Policy { directory, fingerprint_key: head.fingerprint_key };
        self.shared.cache.put_policy(project, policy.clone());
        Ok(policy)
    }

    /// Applies every deadline that has passed, as lists are read after this. Without space on the
    /// disk, readers get what is stored.
    pub async fn apply_due_before_read(
        &self,
        project: ProjectId,
        principal: &Principal,
    ) -> Result<(), Error> {
        match self.apply_due(project, principal).await {
            Err(Error::Failed(fault)) if fault.kind == FaultKind::DiskFull => Ok(()),
            applied => applied,
        }
    }

    /// Applies every deadline that has passed.
    pub async fn apply_due(&self, project: ProjectId, principal: &Principal) -> Result<(), Error> {
        if self.shared.store.is_read_only() {
            return Ok(());
        }
        let mut seen = None;
        loop {
            let head = self.head(project).await?;
            let now = self.now().max(head.last_at);
            let due_at = self.shared.store.next_due(project).await?;
            // One batch applies a limited number. A batch that changes nothing was the last one.
            let position = Some((head.leaves, due_at));
            if seen == position || head.is_halted || due_at.is_none_or(|due_at| now < due_at) {
                return Ok(());
            }
            seen = position;
            let principal = principal.clone();
            self.run(Call { project, principal, command: ApplyDue.into(), key: None }).await?;
        }
    }
}

/// The cached parts of a packet that is about to be decided on.
struct SubmittedPacket {
    requirements: Arc<Packet>,
    digest: String,
    bytes: u64,
}

impl SubmittedPacket {
    fn of(prepared: &PreparedPacket) -> Self {
        let (digest, bytes) = (prepared.summary.digest.clone(), prepared.summary.bytes);
        Self { requirements: Arc::clone(&prepared.return_requirements), digest, bytes }
    }
}

/// Queues a refused request that has a key, so that the worker can replay an earlier response.
fn refused(refusal: Refusal, has_key: bool) -> Result<Arc<dyn PreparedStep>, Refusal> {
    if has_key { Ok(Arc::new(RefusedEarly(refusal))) } else { Err(refusal) }
}

/// Validates the caller's key and returns it with its scope and the digest of the request.
fn key(call: &Call) -> Result<Option<(IdempotencyKey, String)>, Refusal> {
    let Some(RequestKey { key, digest }) = call.key.clone() else { return Ok(None) };
    check_key(&key)?;
    let (party, command) = (call.principal.party, call.command.name());
    let digest = digest.unwrap_or_else(|| call.command.digest());
    Ok(Some((IdempotencyKey { party, command, key }, digest)))
}

fn worker_ended() -> Fault {
    Fault::new(FaultKind::OutcomeUnknown, "the worker stopped before it responded")
        .hint("retry with the same idempotency key")
}

fn unknown_project(name: &str) -> Refusal {
    Refusal::new(RefusalCode::ProjectUnknown, format!("unknown project `{name}`"))
        .hint("create one with `tasuki init`")
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Engine")
    }
}
