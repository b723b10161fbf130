//! The handle that every door has: run a command, look something up.
//!
//! `Engine::run` is the only way to make a decision durable. Lines open on demand, one thread each,
//! and end when nobody has used them for a while.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::Duration as StdDuration;

use tasuki_packet::id::{HandoffId, PartyId, ProjectId, QuestionId};
use tasuki_packet::{Packet, api, verify};
use tokio::sync::oneshot;

use crate::command::idempotency::{Digests, RequestKey, is_among};
use crate::command::reply::Reply;
use crate::command::{Command, permissions};
use crate::error::{Error, Fault, FaultKind};
use crate::limits::{BATCH_MAX, CHAIN_READ_MAX, KEY_CHARACTERS_MAX, LINE_IDLE, LINE_MAX};
use crate::model::directory::{Directory, Record, Settings};
use crate::model::document::DocumentKind;
use crate::model::handoff::{Facts, Handoff};
use crate::model::principal::Principal;
use crate::model::seed::Draw;
use crate::model::state::{Head, Key, Remembered, empty_head};
use crate::ports::clock::{Clock, Entropy, microseconds};
use crate::ports::store::{Store, Stored, read_packet};
use crate::prepare::{Background, Paper};
use crate::refusal::{Refusal, RefusalCode};
use crate::steps::step::{PreparedStep, Reads};
use crate::steps::system::apply_due::ApplyDue;
use crate::worker::batch::{Line, Queued};
use crate::worker::cache::{Known, Policy, Revision};
use crate::worker::project::first_leaf;
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
    line_idle: StdDuration,
    lines: Mutex<HashMap<ProjectId, OpenLine>>,
    known: Arc<Known>,
}

/// The way into a line, and its thread.
struct OpenLine {
    sender: SyncSender<Box<Queued>>,
    thread: Option<JoinHandle<()>>,
}

/// A command with what goes along with it.
#[derive(Debug, Clone)]
pub struct Call {
    /// In which project.
    pub project: ProjectId,
    /// Who asks.
    pub principal: Principal,
    /// What is asked.
    pub command: Command,
    /// The caller's idempotency key.
    pub key: Option<RequestKey>,
}

impl Engine {
    /// Starts the exchange on a store.
    pub fn start(store: Arc<dyn Store>, clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> Self {
        Self::start_with_idle(store, clock, entropy, LINE_IDLE)
    }

    /// The same, with lines that end when nobody has used them for this long.
    pub fn start_with_idle(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
        line_idle: StdDuration,
    ) -> Self {
        let (lines, known) = (Mutex::new(HashMap::default()), Arc::new(Known::default()));
        Self { shared: Arc::new(Shared { store, clock, entropy, line_idle, lines, known }) }
    }

    /// How many lines are open.
    pub fn open_lines(&self) -> usize {
        self.lock_lines().len()
    }

    /// Answers everybody who stands in line, and waits until the lines have let go of the store:
    /// whoever ends its process next leaves nothing behind. A command that comes later opens its
    /// line again.
    pub fn close(&self) {
        let lines = std::mem::take(&mut *self.lock_lines());
        for (_, OpenLine { sender, thread }) in lines {
            drop(sender);
            // A line whose thread panicked has nothing to wait for.
            drop(thread.map(JoinHandle::join));
        }
    }

    fn lock_lines(&self) -> MutexGuard<'_, HashMap<ProjectId, OpenLine>> {
        self.shared.lines.lock().unwrap_or_else(PoisonError::into_inner)
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
    pub fn draw(&self) -> Draw {
        self.shared.entropy.draw()
    }

    /// Makes a project and writes the first leaf of its log. A project that is there stays as it
    /// is; one whose first leaf never came to be written, because the machine stopped, gets it.
    pub async fn create_project(&self, name: &str, settings: Settings) -> Result<ProjectId, Error> {
        let now = self.now();
        let draw = self.shared.entropy.draw();
        let head = empty_head(draw.id("project", now), now, draw.salt("fingerprint"));
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
        let found = projects.into_iter().find(|(known, _)| known == name).map(|(_, id)| id);
        found.ok_or_else(|| unknown_project(name).into())
    }

    /// Puts one command into its project's line and waits for the answer.
    ///
    /// Every door and every background loop comes through here. An answer means durable.
    pub fn run(&self, call: Call) -> impl Future<Output = Result<api::Answer, Error>> + Send {
        let draw = self.shared.entropy.draw();
        // An `async fn` would have room for the call twice, and so would whoever awaits it.
        async move { self.run_with(&call, draw).await }
    }

    async fn run_with(&self, call: &Call, draw: Draw) -> Result<api::Answer, Error> {
        permissions::require_scopes(&call.principal, &call.command)?;
        let key = key(call)?;
        let mut policy = self.known_policy(call.project).await?;
        let mut attempt = 0;
        loop {
            attempt += 1;
            let may_repeat = attempt < PREPARE_ATTEMPTS;
            let prepared = match self.prepared(call, draw.clone(), &policy).await? {
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
            let brought = prepared.packet().map(Brought::of);
            let (sender, answer) = oneshot::channel();
            self.push(
                call.project,
                Queued {
                    principal: call.principal.clone(),
                    word: call.command.name(),
                    prepared: Arc::clone(&prepared),
                    directory_version: policy.directory.version,
                    draw: draw.clone(),
                    key: key.clone(),
                    answer: sender,
                },
            )?;
            let decided = answer.await.unwrap_or_else(|_| Err(line_ended().into()));
            match decided {
                Err(Error::Refused(refusal))
                    if refusal.code == RefusalCode::DirectoryMoved && may_repeat =>
                {
                    policy = Box::pin(self.policy(call.project)).await?;
                    if let Some(handoff) = call.command.reads().handoff() {
                        self.shared.known.forget_facts(call.project, handoff);
                    }
                }
                Ok(reply) => return Ok(self.told(call, reply, brought)),
                Err(error) => return Err(error),
            }
        }
    }

    /// A command with all that can be known of it before the line, or why it is refused there already.
    async fn prepared(
        &self,
        call: &Call,
        draw: Draw,
        policy: &Policy,
    ) -> Result<Result<Arc<dyn PreparedStep>, Box<Refusal>>, Error> {
        let background = self.background(call, draw, policy).await?;
        Ok(call.command.prepare(&background).map_err(Box::new))
    }

    /// What the caller hears. Of what it brought, that is remembered which will be asked for.
    fn told(&self, call: &Call, reply: Reply, brought: Option<Brought>) -> api::Answer {
        let answer = reply.into_answer();
        self.remember_asked(call.project, &answer, brought);
        if let Reads::ReturnRequirements(handoff) = call.command.reads() {
            self.forget_asked(call.project, handoff, &answer);
        }
        *answer
    }

    /// What was answered to a request whose door can no longer make a command of it, because doing it
    /// has changed what the door looks up: the revision, the claim, the thing itself.
    pub async fn again(
        &self,
        project: ProjectId,
        party: PartyId,
        request: &RequestKey,
    ) -> Result<Option<api::Answer>, Error> {
        let key = |command: &&'static str| Key { party, command, key: request.key.clone() };
        let keys = Command::NAMES.iter().map(key).collect();
        let remembered = self.shared.store.remembered(project, keys).await?;
        let now = self.now();
        let is_it = |(_, remembered): &(Key, Remembered)| {
            request.request.as_ref().is_some_and(|said| is_among(&remembered.request, said))
                && remembered.until.is_none_or(|until| now < until)
        };
        let found = remembered.into_iter().find(is_it);
        Ok(found.map(|(_, kept)| api::Answer { repeated: true, ..kept.answer }))
    }

    /// What was brought is asked for when it is returned.
    fn remember_asked(&self, project: ProjectId, answer: &api::Answer, brought: Option<Brought>) {
        let Some((handoff, brought)) = answer.handoff.as_ref().zip(brought) else { return };
        if let Ok(id) = handoff.id.parse()
            && handoff.digest == brought.digest
        {
            let revision = (project, id, handoff.revision);
            self.shared.known.put_asked(revision, brought.asked, brought.bytes);
        }
    }

    /// What was returned on is seldom judged again.
    fn forget_asked(&self, project: ProjectId, id: HandoffId, answer: &api::Answer) {
        if let Some(handoff) = &answer.handoff {
            self.shared.known.forget_asked((project, id, handoff.revision));
        }
    }

    /// What a command builds on. Nothing of it can change under the command without being noticed.
    async fn background(
        &self,
        call: &Call,
        draw: Draw,
        policy: &Policy,
    ) -> Result<Box<Background>, Error> {
        let mut background = Box::new(Background {
            directory: Arc::clone(&policy.directory),
            caller: call.principal.party,
            authentication: call.principal.authentication,
            fingerprint_key: policy.fingerprint_key,
            draw,
            handoff: None,
            facts: None,
            work: None,
            chain: Vec::new(),
            question: None,
        });
        let reads = call.command.reads();
        if let Reads::ReturnRequirements(id) = reads
            && let Some((facts, asked)) = self.remembered_of(call.project, id)
        {
            (background.facts, background.chain) = (Some(facts), vec![asked]);
        } else if let Some(id) = reads.handoff() {
            // Boxed, because few come here and every call would carry the room for it.
            Box::pin(self.read_background(call.project, id, reads, &mut background)).await?;
        }
        Ok(background)
    }

    /// The facts of a handoff and what it asks of its return, if both are remembered.
    fn remembered_of(
        &self,
        project: ProjectId,
        id: HandoffId,
    ) -> Option<(Arc<Facts>, Arc<Packet>)> {
        let facts = self.shared.known.facts(project, id)?;
        let asked = self.shared.known.asked((project, id, facts.revision))?;
        Some((facts, asked))
    }

    async fn read_background(
        &self,
        project: ProjectId,
        id: HandoffId,
        reads: Reads,
        background: &mut Background,
    ) -> Result<(), Error> {
        if let Reads::ReturnRequirements(_) = reads {
            background.facts = self.shared.known.facts(project, id);
            if let Some(facts) = &background.facts {
                background.chain = vec![self.asked_of(project, id, facts).await?];
                return Ok(());
            }
        }
        let handoff = self.shared.store.handoff(project, id).await?;
        if let Some(handoff) = &handoff {
            background.chain = match reads {
                Reads::Nothing | Reads::Packet(_) | Reads::ReturnRequirements(_) => {
                    vec![self.packet(project, handoff).await?]
                }
                Reads::Parent(_) | Reads::Revision(_) | Reads::Answer(..) => {
                    self.chain(project, handoff).await?
                }
            };
            background.work = self.work(project, handoff, reads).await?;
        }
        background.handoff = handoff;
        if let Reads::Answer(_, question) = reads {
            background.question = self.question(background, project, id, question).await?;
        }
        Ok(())
    }

    /// The handoff whose work a packet passes on: the one that a submit names, or the parent of the one
    /// that is revised.
    async fn work(
        &self,
        project: ProjectId,
        handoff: &Handoff,
        reads: Reads,
    ) -> Result<Option<Arc<Facts>>, Error> {
        let parent = match reads {
            Reads::Parent(_) => return Ok(Some(Arc::clone(&handoff.facts))),
            Reads::Revision(_) | Reads::Answer(..) => handoff.facts.parent,
            Reads::Nothing | Reads::Packet(_) | Reads::ReturnRequirements(_) => None,
        };
        let Some(parent) = parent else { return Ok(None) };
        let parent = self.shared.store.handoff(project, parent).await?;
        Ok(parent.map(|parent| parent.facts))
    }

    /// The packets of a handoff and of those before it, oldest first.
    async fn chain(
        &self,
        project: ProjectId,
        handoff: &Handoff,
    ) -> Result<Vec<Arc<Packet>>, Error> {
        let mut packets = vec![self.packet(project, handoff).await?];
        let mut parent = handoff.facts.parent;
        while let Some(id) = parent.filter(|_| packets.len() < CHAIN_READ_MAX) {
            let Some(above) = self.shared.store.handoff(project, id).await? else { break };
            packets.push(self.packet(project, &above).await?);
            parent = above.facts.parent;
        }
        packets.reverse();
        Ok(packets)
    }

    /// The current packet of a handoff.
    pub async fn packet(
        &self,
        project: ProjectId,
        handoff: &Handoff,
    ) -> Result<Arc<Packet>, Error> {
        let stored = self.stored_packet((project, handoff.id, handoff.facts.revision)).await?;
        Ok(Arc::new(read_packet(&stored)?))
    }

    /// What the current packet of a handoff asks of its return.
    async fn asked_of(
        &self,
        project: ProjectId,
        id: HandoffId,
        facts: &Facts,
    ) -> Result<Arc<Packet>, Error> {
        let revision = (project, id, facts.revision);
        if let Some(asked) = self.shared.known.asked(revision) {
            return Ok(asked);
        }
        let stored = self.stored_packet(revision).await?;
        let asked = Arc::new(verify::asked(read_packet(&stored)?));
        self.shared.known.put_asked(revision, Arc::clone(&asked), facts.sheet.bytes);
        Ok(asked)
    }

    async fn stored_packet(&self, (project, id, revision): Revision) -> Result<Stored, Error> {
        let kind = Some(DocumentKind::Packet);
        let stored = self.shared.store.documents(project, id, kind).await?;
        let number = revision.to_string();
        let stored = stored.into_iter().find(|stored| stored.document.id == number);
        stored.ok_or_else(|| {
            let message = format!("revision {revision} of {id} is missing");
            Fault::new(FaultKind::Corrupt, message).into()
        })
    }

    /// The text of the question that is answered: the named one, or the one that is open.
    async fn question(
        &self,
        background: &Background,
        project: ProjectId,
        handoff: HandoffId,
        question: Option<QuestionId>,
    ) -> Result<Option<String>, Error> {
        let kind = Some(DocumentKind::Question);
        let stored = self.shared.store.documents(project, handoff, kind).await?;
        let open = background.handoff.iter().flat_map(|handoff| &handoff.progress.questions).next();
        let meant = question.or_else(|| open.map(|question| question.id));
        let meant = meant.map(|id| id.to_string());
        let found = stored.iter().find(|stored| meant.as_ref() == Some(&stored.document.id));
        let value: Option<serde_json::Value> =
            found.and_then(|stored| serde_json::from_str(&stored.document.sealed.body).ok());
        Ok(value.and_then(|value| value["question"].as_str().map(str::to_owned)))
    }

    /// The end of a project's log.
    pub async fn head(&self, project: ProjectId) -> Result<Head, Error> {
        let head = self.shared.store.head(project).await?;
        head.ok_or_else(|| unknown_project(&project.to_string()).into())
    }

    /// The directory of a project, as it is now.
    pub async fn directory(&self, project: ProjectId) -> Result<Arc<Directory>, Error> {
        self.policy(project).await.map(|policy| policy.directory)
    }

    /// The policy of a project, as it was lately.
    async fn known_policy(&self, project: ProjectId) -> Result<Policy, Error> {
        match self.shared.known.policy(project) {
            Some(policy) => Ok(policy),
            None => Box::pin(self.policy(project)).await,
        }
    }

    /// The policy of a project, as it is now.
    async fn policy(&self, project: ProjectId) -> Result<Policy, Error> {
        let head = self.head(project).await?;
        let known = self.shared.known.policy(project);
        if let Some(known) = known.filter(|known| known.directory.version == head.directory_version)
        {
            return Ok(known);
        }
        let records: Vec<Record> = self.shared.store.directory(project).await?;
        let directory = Arc::new(Directory::of(project, head.directory_version, records)?);
        let policy = Policy { directory, fingerprint_key: head.fingerprint_key };
        self.shared.known.put_policy(project, policy.clone());
        Ok(policy)
    }

    /// Does all that the clock has made due. Lists are read after this.
    pub async fn settle(&self, project: ProjectId, principal: &Principal) -> Result<(), Error> {
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

    /// INVARIANT: a command is put in while the lines are locked, so that a line that ends for want
    /// of work never leaves one behind.
    fn push(&self, project: ProjectId, queued: Queued) -> Result<(), Error> {
        let mut lines = self.lock_lines();
        let line = lines.entry(project).or_insert_with(|| self.open_line(project));
        // Boxed, because a line's queue has room for all it may hold from the start.
        let queued = match line.sender.try_send(Box::new(queued)) {
            Ok(()) => return Ok(()),
            Err(TrySendError::Full(_)) => return Err(line_full().into()),
            Err(TrySendError::Disconnected(queued)) => queued,
        };
        // The line's thread is gone without having said so. Nobody has seen the command.
        let line = self.open_line(project);
        let is_pushed = line.sender.try_send(queued).is_ok();
        lines.insert(project, line);
        if is_pushed { Ok(()) } else { Err(no_line(project).into()) }
    }

    fn open_line(&self, project: ProjectId) -> OpenLine {
        let (sender, receiver) = sync_channel(LINE_MAX);
        let shared = Arc::clone(&self.shared);
        let (store, clock) = (Arc::clone(&shared.store), Arc::clone(&shared.clock));
        let line = Line::new(project, store, clock, Arc::clone(&shared.known));
        let name = format!("line {project}");
        let (weak, idle) = (Arc::downgrade(&shared), shared.line_idle);
        let started = std::thread::Builder::new().name(name).spawn(move || {
            stand_in_line(line, &receiver, &weak, idle);
        });
        // Without a thread nobody receives: a push finds the line disconnected and says so.
        OpenLine { sender, thread: started.ok() }
    }
}

/// Takes whatever waits, decides it, and ends when nobody has come for a while, or when the last
/// handle is gone and everybody has been answered: the senders are in what the handles share.
fn stand_in_line(
    mut line: Line,
    receiver: &Receiver<Box<Queued>>,
    shared: &Weak<Shared>,
    idle: StdDuration,
) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let Ok(runtime) = runtime else { return };
    loop {
        let first = match receiver.recv_timeout(idle) {
            Ok(first) => first,
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => match last_call(&line, receiver, shared) {
                Some(first) => first,
                None => return,
            },
        };
        let mut batch = vec![*first];
        while batch.len() < BATCH_MAX
            && let Ok(next) = receiver.try_recv()
        {
            batch.push(*next);
        }
        // Whoever was in a batch that panicked hears that its line ended; the others go on.
        drop(catch_unwind(AssertUnwindSafe(|| runtime.block_on(line.run_batch(batch)))));
    }
}

/// Ends the line, unless somebody came in at the last moment.
fn last_call(
    line: &Line,
    receiver: &Receiver<Box<Queued>>,
    shared: &Weak<Shared>,
) -> Option<Box<Queued>> {
    let shared = shared.upgrade()?;
    let mut lines = shared.lines.lock().unwrap_or_else(PoisonError::into_inner);
    let late = receiver.try_recv().ok();
    if late.is_none() {
        lines.remove(&line.project());
    }
    late
}

/// A packet that is about to be decided on.
struct Brought {
    asked: Arc<Packet>,
    digest: String,
    bytes: u64,
}

impl Brought {
    fn of(paper: &Paper) -> Self {
        let (digest, bytes) = (paper.sheet.digest.clone(), paper.sheet.bytes);
        Self { asked: Arc::clone(&paper.asked), digest, bytes }
    }
}

/// What was answered to its key is answered again, whatever has changed since.
fn refused(refusal: Refusal, has_key: bool) -> Result<Arc<dyn PreparedStep>, Refusal> {
    if has_key { Ok(Arc::new(RefusedEarly(refusal))) } else { Err(refusal) }
}

/// The caller's key in its scope, with the digest of the request it stands for.
fn key(call: &Call) -> Result<Option<(Key, Digests)>, Refusal> {
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
    let digests = Digests::of(&call.command, request);
    Ok(Some((Key { party, command, key }, digests)))
}

fn line_full() -> Refusal {
    Refusal::new(RefusalCode::LineFull, format!("{LINE_MAX} commands wait already"))
        .hint("try again in a moment")
}

fn no_line(project: ProjectId) -> Fault {
    let message = format!("the line of {project} has no thread; nothing happened");
    Fault::new(FaultKind::StoreAway, message).hint("the machine may have no threads left")
}

fn line_ended() -> Fault {
    Fault::new(FaultKind::OutcomeUnknown, "the line ended before it answered")
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
