//! One project's worker: commands are decided in sequence, in batches, inside one transaction.
//!
//! Open, settle what the clock has made due, load what the commands touch, decide each, write,
//! commit once, answer all. Many callers share one fsync, so throughput grows with load. There is no
//! optimistic retry, because nobody else writes between load and commit.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use jiff::Timestamp;
use tasuki_api as api;
use tasuki_packet::id::{HandoffId, ProjectId};
use tasuki_packet::leaf::EventType;
use tokio::sync::oneshot;

use crate::command::idempotency::RequestDigest;
use crate::command::reply::Reply;
use crate::error::{Error, Fault, FaultKind};
use crate::limits::{DUE_PER_BATCH, KEY_REMEMBERED, SETTLE_STEPS_MAX};
use crate::model::context::later;
use crate::model::{
    CLOCK, Change, CommandSeed, Context, Directory, Head, IdempotencyKey, IdempotencyRecord,
    LoadSet, Principal, ProjectState,
};
use crate::ports::clock::microseconds;
use crate::ports::{Clock, LeafRow, Loaded, Store, Transaction, WriteSet};
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::deadlines;
use crate::steps::step::PreparedStep;
use crate::steps::{Begin, PassOn, Step as _, Submit};
use crate::worker::cache::{Cache, Policy};
use crate::worker::decide::decide;
use crate::worker::recorder::Recorder;

/// LIMIT: how many of the newest leaves are looked at for a note that the clock went back.
const STEP_LOOKED_FOR: u32 = 256;

/// One command in the worker, and who waits for its answer.
#[derive(Debug)]
pub struct Queued {
    /// Who asks.
    pub principal: Principal,
    /// The word of the command.
    pub word: &'static str,
    /// What is asked. Its caller has it too, and takes it apart in its own time.
    pub prepared: Arc<dyn PreparedStep>,
    /// The version of the directory that it was prepared with.
    pub directory_version: u64,
    /// The randomness drawn for it.
    pub seed: CommandSeed,
    /// The caller's key, and the digests of the request it stands for.
    pub key: Option<(IdempotencyKey, RequestDigest)>,
    /// Where the answer goes.
    pub answer: oneshot::Sender<Result<Reply, Error>>,
}

/// One project's worker.
pub struct ProjectWorker {
    project: ProjectId,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    cache: Arc<Cache>,
    directory: Option<Arc<Directory>>,
    has_stepped: bool,
}

/// What one command of a batch hears.
type Decided = Result<Reply, Error>;

impl ProjectWorker {
    /// A worker that nobody stands in.
    pub(crate) fn new(
        project: ProjectId,
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        cache: Arc<Cache>,
    ) -> Self {
        Self { project, store, clock, cache, directory: None, has_stepped: false }
    }

    /// Decides one batch and answers everybody in it.
    ///
    /// This is the only place where a decision becomes durable. If a batch fails before its commit
    /// nothing happened, and its commands are tried one by one, so that only the culprit hears of
    /// it. If the commit itself failed the outcome is unknown, and everybody hears that.
    pub async fn run_batch(&mut self, batch: Vec<Queued>) {
        match self.decide_all(&batch).await {
            Ok(answers) => answer_each(batch, answers),
            Err(fault) if is_everybodys(fault.kind) || batch.len() == 1 => {
                self.directory = None;
                for queued in batch {
                    answer(queued.answer, Err(fault.clone().into()));
                }
            }
            Err(_) => {
                self.directory = None;
                for queued in batch {
                    let one = self.decide_all(std::slice::from_ref(&queued)).await;
                    let decided = one.map_err(Error::from).and_then(|mut answers| {
                        answers.pop().unwrap_or_else(|| Err(no_answer().into()))
                    });
                    answer(queued.answer, decided);
                }
            }
        }
    }

    async fn decide_all(&mut self, batch: &[Queued]) -> Result<Vec<Decided>, Fault> {
        let mut transaction = self.store.open(self.project).await?;
        let head = transaction.head().clone();
        let directory = self.directory(&mut *transaction, &head).await?;
        let wall = microseconds(self.clock.now());
        // One clock per project: never before the last leaf, the same for every process.
        let now = wall.max(head.last_at);

        let (loaded, due) = load(batch, &directory, &head, now, &mut *transaction).await?;
        let mut state =
            ProjectState::new(directory, head.clone(), loaded.handoffs, loaded.remembered);
        state.open = loaded.open;

        let mut recorder = Recorder::new(now);
        let has_stepped = last_at_of(&state).duration_since(wall).as_secs() >= 1;
        if has_stepped && !self.has_stepped && !self.is_noted(&state.head).await? {
            note_step(wall, &mut recorder, &mut state, &mut *transaction)?;
        }
        let mut early = Vec::new();
        for queued in batch.iter().filter(|queued| queued.prepared.runs_before_deadlines()) {
            early.push(decide_one(queued, &mut state, &mut recorder, &mut *transaction, now));
        }
        apply_due_deadlines(&mut state, &due, &mut recorder, &mut *transaction, now)?;
        let (mut early, mut answers) = (early.into_iter(), Vec::with_capacity(batch.len()));
        for queued in batch {
            let is_early = queued.prepared.runs_before_deadlines();
            answers.push(match is_early.then(|| early.next()).flatten() {
                Some(decided) => decided,
                None => decide_one(queued, &mut state, &mut recorder, &mut *transaction, now),
            });
        }
        let is_changed = recorder.has_recorded();
        let directory = Arc::clone(&state.directory);
        let fingerprint_key = state.head.fingerprint_key;
        if is_changed {
            // INVARIANT: an answer means fsynced. Nothing is answered before this line.
            transaction.commit(state.head.clone()).await?;
        }
        self.cache.put_facts(self.project, state.handoffs());
        self.keep(directory, fingerprint_key);
        self.has_stepped = has_stepped;
        Ok(answers)
    }

    /// Keeps the directory for the next batch and, if it is another one, for whoever prepares.
    fn keep(&mut self, directory: Arc<Directory>, fingerprint_key: [u8; 32]) {
        if !self.directory.as_ref().is_some_and(|known| Arc::ptr_eq(known, &directory)) {
            let policy = Policy { directory: Arc::clone(&directory), fingerprint_key };
            self.cache.put_policy(self.project, policy);
        }
        self.directory = Some(directory);
    }

    /// The directory of the head's version, kept from the last batch where it is still the same.
    async fn directory(
        &mut self,
        transaction: &mut dyn Transaction,
        head: &Head,
    ) -> Result<Arc<Directory>, Fault> {
        if let Some(known) = &self.directory
            && known.version == head.directory_version
        {
            return Ok(Arc::clone(known));
        }
        let records = transaction.directory().await?;
        let directory = Directory::of(self.project, head.directory_version, records)?;
        Ok(Arc::new(directory))
    }

    /// Whether another process, or this one before it rested, has said that the clock went back.
    /// As long as it is back, time stands still, and all leaves since are of the same instant.
    async fn is_noted(&self, head: &Head) -> Result<bool, Fault> {
        let from = head.leaves.saturating_sub(u64::from(STEP_LOOKED_FOR));
        let newest = self.store.leaves(self.project, from, STEP_LOOKED_FOR).await?;
        let is_note = |row: &LeafRow| row.kind == EventType::ClockStepped && row.at == head.last_at;
        Ok(newest.iter().any(is_note))
    }

    /// Returns its project.
    pub fn project(&self) -> ProjectId {
        self.project
    }
}

/// Whether a fault has nothing to do with what was asked, so that asking one by one is no help.
fn is_everybodys(kind: FaultKind) -> bool {
    match kind {
        FaultKind::OutcomeUnknown
        | FaultKind::StoreUnavailable
        | FaultKind::StoreBusy
        | FaultKind::NewerStore => true,
        FaultKind::DiskFull | FaultKind::Io | FaultKind::Corrupt | FaultKind::Bug => false,
    }
}

/// Everything that the batch touches, what that leads to, and what the store has noted as due.
async fn load(
    batch: &[Queued],
    directory: &Directory,
    head: &Head,
    now: Timestamp,
    transaction: &mut dyn Transaction,
) -> Result<(Loaded, Vec<HandoffId>), Fault> {
    let mut touched = LoadSet { claimable_at: Some(now), ..LoadSet::default() };
    for queued in batch {
        let caller = queued.principal.party;
        touched.handoffs.extend(queued.prepared.handoff());
        queued.prepared.load(directory, caller, &mut touched);
        touched.keys.extend(queued.key.as_ref().map(|(key, _)| key.clone()));
        touched.keys.extend(queued.prepared.claim_key(caller));
    }
    let due = if head.is_halted { Vec::new() } else { transaction.due(now, DUE_PER_BATCH).await? };
    touched.handoffs.extend(&due);
    let mut loaded = transaction.load(&touched).await?;
    let mut further = LoadSet::default();
    for queued in batch {
        queued.prepared.load_further(queued.principal.party, &loaded, &mut further);
    }
    if further != LoadSet::default() {
        loaded.handoffs.extend(transaction.load(&further).await?.handoffs);
    }
    Ok((loaded, due))
}

/// The time of the last leaf; a log without one has none that could be too late.
fn last_at_of(state: &ProjectState) -> Timestamp {
    if state.head.leaves == 0 { Timestamp::MIN } else { state.head.last_at }
}

/// Says, as an event, that the wall clock went back.
fn note_step(
    wall: Timestamp,
    recorder: &mut Recorder,
    state: &mut ProjectState,
    transaction: &mut dyn Transaction,
) -> Result<(), Fault> {
    let mut change = Change::default();
    change
        .record_project_event(EventType::ClockStepped, CLOCK)
        .with("from", state.head.last_at)
        .with("until", wall);
    transaction.write(recorder.record(state, &mut change)?);
    Ok(())
}

/// Does what the clock has made due for everything that was loaded. What was noted as due and is
/// not, because a halt does not count, is noted anew.
fn apply_due_deadlines(
    state: &mut ProjectState,
    noted: &[HandoffId],
    recorder: &mut Recorder,
    transaction: &mut dyn Transaction,
    now: Timestamp,
) -> Result<(), Fault> {
    let mut ids: Vec<_> = state.handoffs().filter(|one| one.is_open()).map(|one| one.id).collect();
    ids.sort_unstable();
    for id in ids {
        for step in 0..SETTLE_STEPS_MAX {
            let Some(handoff) = state.known(id) else { break };
            // A panic here is a bug that must not stop everybody: the handoff stays where it is.
            let settled =
                catch_unwind(AssertUnwindSafe(|| deadlines::apply_due(state, handoff, now)));
            let mut change = match settled {
                Ok(Some(change)) => change,
                Ok(None) if step == 0 && noted.contains(&id) => Change::keeping(handoff.clone()),
                _ => break,
            };
            let written = recorder.record(state, &mut change)?;
            transaction.write(written);
        }
    }
    Ok(())
}

/// Decides one command. A refusal, a panic and a change that cannot be written are its own.
fn decide_one(
    queued: &Queued,
    state: &mut ProjectState,
    recorder: &mut Recorder,
    transaction: &mut dyn Transaction,
    now: Timestamp,
) -> Decided {
    if let Some((key, request)) = &queued.key
        && let Some(remembered) = state.remembered(key)
        && remembered.until.is_none_or(|until| now < until)
    {
        return replay(remembered, request);
    }
    if queued.directory_version != state.directory.version && queued.prepared.depends_on_policy() {
        return Err(moved().into());
    }
    let context = Context { state, principal: &queued.principal, now, seed: &queued.seed };
    // A panic in a rule is a bug of that one command; nothing was changed, because deciding is pure.
    let decided = catch_unwind(AssertUnwindSafe(|| decide(&context, &*queued.prepared)));
    let mut change = match decided {
        Ok(Ok(change)) => change,
        Ok(Err(refusal)) => return Err(refusal.into()),
        Err(_) => return Err(panicked(queued.word).into()),
    };
    let mut written = recorder.record(state, &mut change)?;
    let reply = Reply::of(state, change, &queued.principal, now);
    if let Some((key, request)) = &queued.key {
        let is_submit = matches!(key.command, Submit::NAME | PassOn::NAME | Begin::NAME);
        let until = (!is_submit).then(|| later(now, KEY_REMEMBERED));
        let answer = reply.clone().into_answer().without_secrets();
        let remembered = IdempotencyRecord { request: request.to_keep(), answer, until };
        state.remember(key.clone(), remembered.clone());
        written.remembered = Some(Box::new((key.clone(), remembered)));
        recorder.note_write();
    }
    transaction.write(written);
    if let Some(key) = queued.prepared.claim_key(queued.principal.party)
        && !reply.is_repeated()
    {
        let answer = *reply.clone().into_answer();
        let until = Some(later(now, KEY_REMEMBERED));
        let remembered = IdempotencyRecord { request: String::new(), answer, until };
        let remembered = Some(Box::new((key, remembered)));
        transaction.write(WriteSet { remembered, ..WriteSet::default() });
    }
    Ok(reply)
}

/// The same key and the same request have the same answer.
fn replay(remembered: &IdempotencyRecord, request: &RequestDigest) -> Decided {
    if request.are_of(&remembered.request) {
        let answer = api::CommandResponse { repeated: true, ..remembered.answer.clone() };
        return Ok(answer.into());
    }
    let message = "this idempotency key was used for another request";
    Err(Refusal::new(RefusalCode::KeyReused, message)
        .hint("use a new key for a new request, and the same one only to repeat the same")
        .into())
}

fn moved() -> Refusal {
    let message = "the project's policy moved while the command was prepared";
    Refusal::new(RefusalCode::PolicyChanged, message).hint("try again")
}

fn panicked(word: &str) -> Fault {
    Fault::new(FaultKind::Bug, format!("deciding a `{word}` failed; nothing was changed"))
        .hint("please report it with what you asked for")
}

fn no_answer() -> Fault {
    Fault::new(FaultKind::Bug, "the worker gave no answer")
}

fn answer_each(batch: Vec<Queued>, answers: Vec<Decided>) {
    for (queued, decided) in batch.into_iter().zip(answers) {
        // So that its caller is the last who has it.
        drop(queued.prepared);
        answer(queued.answer, decided);
    }
}

/// Whoever has stopped waiting does not hear the answer; it holds all the same.
fn answer(sender: oneshot::Sender<Decided>, decided: Decided) {
    drop(sender.send(decided));
}

impl std::fmt::Debug for ProjectWorker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProjectWorker").field("project", &self.project).finish_non_exhaustive()
    }
}
