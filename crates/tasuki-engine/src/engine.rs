//! The handle that every door has: run a command, look something up.
//!
//! `Engine::run` is the only way to make a decision durable. The project's worker decides; see `worker`.

use std::sync::Arc;
use std::time::Duration as StdDuration;

use tasuki_api as api;
use tasuki_packet::Packet;
use tasuki_packet::id::{HandoffId, PartyId, ProjectId};
use tokio::sync::oneshot;

use crate::command::idempotency::{RequestDigest, RequestKey, is_among};
use crate::command::reply::Reply;
use crate::command::{Command, permissions};
use crate::error::{Error, Fault, FaultKind};
use crate::limits::{KEY_CHARACTERS_MAX, WORKER_IDLE};
use crate::model::state::empty_head;
use crate::model::{
    CommandSeed, Directory, Handoff, Head, IdempotencyKey, IdempotencyRecord, Principal, Record,
    Settings, Urgency,
};
use crate::ports::clock::microseconds;
use crate::ports::{Clock, Entropy, Store};
use crate::prepare::PreparedPacket;
use crate::query::continuation::Reader;
use crate::query::inbox::inbox;
use crate::refusal::{Refusal, RefusalCode};
use crate::steps::step::PreparedStep;
use crate::steps::{ApplyDue, Reads};
use crate::worker::batch::Queued;
use crate::worker::cache::{Cache, Policy};
use crate::worker::input::InputReader;
use crate::worker::project::first_leaf;
use crate::worker::queue::Workers;
use crate::worker::refused_early::RefusedEarly;

/// How often a command is prepared anew because the policy moved under it.
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

/// A command with what goes along with it.
#[derive(Debug, Clone)]
pub struct Call {
    /// In which project.
    pub project: ProjectId,
    /// Who asks.
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

    /// Starts the exchange on a store, with workers that end when they have been idle for this long.
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

    /// Answers every queued command and waits until the workers have let go of the store, so that a
    /// process that ends next leaves nothing behind. A later command starts its worker again.
    pub fn close(&self) {
        self.shared.workers.close();
    }

    /// The store, for what is only read.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.shared.store
    }

    /// The wall clock of the exchange.
    pub fn now(&self) -> jiff::Timestamp {
        microseconds(self.shared.clock.now())
    }

    /// Fresh randomness, for what a door makes up itself.
    pub fn command_seed(&self) -> CommandSeed {
        self.shared.entropy.command_seed()
    }

    /// Makes a project and writes the first leaf of its log. A project that is there stays as it
    /// is; one whose first leaf never came to be written, because the machine stopped, gets it.
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

    /// The project of this name.
    pub async fn project(&self, name: &str) -> Result<ProjectId, Error> {
        let projects = self.shared.store.projects().await?;
        let found = projects.into_iter().find(|(cache, _)| cache == name).map(|(_, id)| id);
        found.ok_or_else(|| unknown_project(name).into())
    }

    /// Puts one command into its project's queue and waits for the answer.
    ///
    /// Every door and every input loop comes through here. An answer means durable.
    pub fn run(
        &self,
        call: Call,
    ) -> impl Future<Output = Result<api::CommandResponse, Error>> + Send {
        let seed = self.shared.entropy.command_seed();
        // An `async fn` would have room for the call twice, and so would whoever awaits it.
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
                    // Somebody else may have published what is missing.
                    let newer = Box::pin(self.policy(call.project)).await?;
                    if newer.directory.version != policy.directory.version && may_repeat {
                        policy = newer;
                        continue;
                    }
                    refused(*refusal, key.is_some())?
                }
                Ok(prepared) => prepared,
            };
            let brought = prepared.packet().map(SubmittedPacket::of);
            let (sender, answer) = oneshot::channel();
            self.shared.workers.push(
                call.project,
                Queued {
                    principal: call.principal.clone(),
                    word: call.command.name(),
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
                Ok(reply) => return Ok(self.finish_reply(call, reply, brought)),
                Err(error) => return Err(error),
            }
        }
    }

    /// A command with all that can be cache of it before the worker, or why it is refused there already.
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

    /// Finishes the reply, and caches what a later return will need of the packet.
    fn finish_reply(
        &self,
        call: &Call,
        reply: Reply,
        brought: Option<SubmittedPacket>,
    ) -> api::CommandResponse {
        let answer = reply.into_answer();
        self.remember_return_requirements(call.project, &answer, brought);
        if let Reads::ReturnRequirements(handoff) = call.command.reads() {
            self.forget_return_requirements(call.project, handoff, &answer);
        }
        *answer
    }

    /// What was answered to a request whose door can no longer make a command of it, because doing it
    /// has changed what the door looks up: the revision, the claim, the thing itself.
    pub async fn replay(
        &self,
        project: ProjectId,
        party: PartyId,
        request: &RequestKey,
    ) -> Result<Option<api::CommandResponse>, Error> {
        let key =
            |command: &&'static str| IdempotencyKey { party, command, key: request.key.clone() };
        let keys = Command::NAMES.iter().map(key).collect();
        let remembered = self.shared.store.remembered(project, keys).await?;
        let now = self.now();
        let is_it = |(_, remembered): &(IdempotencyKey, IdempotencyRecord)| {
            request.request.as_ref().is_some_and(|said| is_among(&remembered.request, said))
                && remembered.until.is_none_or(|until| now < until)
        };
        let found = remembered.into_iter().find(is_it);
        Ok(found.map(|(_, kept)| api::CommandResponse { repeated: true, ..kept.answer }))
    }

    /// Caches the requirements of a new packet on its return.
    fn remember_return_requirements(
        &self,
        project: ProjectId,
        answer: &api::CommandResponse,
        brought: Option<SubmittedPacket>,
    ) {
        let Some((handoff, brought)) = answer.handoff.as_ref().zip(brought) else { return };
        if let Ok(id) = handoff.id.parse()
            && handoff.digest == brought.digest
        {
            let revision = (project, id, handoff.revision);
            self.shared.cache.put_return_requirements(
                revision,
                brought.requirements,
                brought.bytes,
            );
        }
    }

    /// What was returned on is seldom judged again.
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

    /// The current packet of a handoff.
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

    /// The end of a project's log.
    pub async fn head(&self, project: ProjectId) -> Result<Head, Error> {
        let head = self.shared.store.head(project).await?;
        head.ok_or_else(|| unknown_project(&project.to_string()).into())
    }

    /// Returns a reader of what a caller may read, as of now.
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

    /// Returns a page of what waits for a caller, after everything that is due has been applied.
    pub async fn inbox(
        &self,
        project: ProjectId,
        principal: &Principal,
        behind: Option<Urgency>,
        limit: u32,
    ) -> Result<api::Inbox, Error> {
        self.apply_due(project, principal).await?;
        let head = self.head(project).await?;
        let reader = self.reader_at(&head, principal).await?;
        inbox(&reader, &head, behind, limit).await
    }

    /// The directory of a project, as it is now.
    pub async fn directory(&self, project: ProjectId) -> Result<Arc<Directory>, Error> {
        self.policy(project).await.map(|policy| policy.directory)
    }

    /// The policy of a project, as it was lately.
    async fn known_policy(&self, project: ProjectId) -> Result<Policy, Error> {
        match self.shared.cache.policy(project) {
            Some(policy) => Ok(policy),
            None => Box::pin(self.policy(project)).await,
        }
    }

    /// The policy of a project, as it is now.
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

    /// Does all that the clock has made due. Lists are read after this.
    pub async fn apply_due(&self, project: ProjectId, principal: &Principal) -> Result<(), Error> {
        let mut seen = None;
        loop {
            let head = self.head(project).await?;
            let now = self.now().max(head.last_at);
            let due_at = self.shared.store.next_due(project).await?;
            // One batch settles only so many; one that settles nothing has nothing more to do.
            let stands = Some((head.leaves, due_at));
            if seen == stands || head.is_halted || due_at.is_none_or(|due_at| now < due_at) {
                return Ok(());
            }
            seen = stands;
            let principal = principal.clone();
            self.run(Call { project, principal, command: ApplyDue.into(), key: None }).await?;
        }
    }
}

/// A packet that is about to be decided on.
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

/// What was answered to its key is answered again, whatever has changed since.
fn refused(refusal: Refusal, has_key: bool) -> Result<Arc<dyn PreparedStep>, Refusal> {
    if has_key { Ok(Arc::new(RefusedEarly(refusal))) } else { Err(refusal) }
}

/// The caller's key in its scope, with the digest of the request it stands for.
fn key(call: &Call) -> Result<Option<(IdempotencyKey, RequestDigest)>, Refusal> {
    let Some(RequestKey { key, request }) = call.key.clone() else { return Ok(None) };
    let is_key =
        key.chars().all(|c| c.is_ascii_graphic()) && (1..=KEY_CHARACTERS_MAX).contains(&key.len());
    if !is_key {
        let message =
            format!("an idempotency key is 1 to {KEY_CHARACTERS_MAX} visible ASCII characters");
        return Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
            .hint("a random number of 128 bits in hex is a good one"));
    }
    let (party, command) = (call.principal.party, call.command.name());
    let digests = RequestDigest::of(&call.command, request);
    Ok(Some((IdempotencyKey { party, command, key }, digests)))
}

fn worker_ended() -> Fault {
    Fault::new(FaultKind::OutcomeUnknown, "the worker ended before it answered")
        .hint("ask again with the same key")
}

fn unknown_project(name: &str) -> Refusal {
    Refusal::new(RefusalCode::ProjectUnknown, format!("there is no project `{name}`"))
        .hint("`tasuki init` makes one")
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Engine")
    }
}
