//! Decides the commands of one project in order, in batches, each inside one transaction.
//!
//! A batch opens the transaction, loads what its commands need, applies deadlines, decides each
//! command, writes, commits once and answers all callers. Many callers share one fsync, so
//! throughput grows with load. There is no optimistic retry, because the transaction excludes other
//! writers between load and commit.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use jiff::Timestamp;
use tasuki_packet::id::{HandoffId, ProjectId};
use tasuki_packet::leaf::EventType;
use tokio::sync::oneshot;

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
use crate::worker::clock_guard::ClockGuard;
use crate::worker::decide::decide;
use crate::worker::recorder::Recorder;

/// LIMIT: leaves that are searched for a record of the clock going backwards.
const CLOCK_STEP_SEARCH_MAX: u32 = 256;

/// A queued command.
#[derive(Debug)]
pub struct Queued {
    /// The caller.
    pub principal: Principal,
    /// The name of the command.
    pub command: &'static str,
    /// The prepared command, shared with its caller so that it is dropped in the caller's task.
    pub prepared: Arc<dyn PreparedStep>,
    /// The version of the directory that it was prepared with.
    pub directory_version: u64,
    /// The seed.
    pub seed: CommandSeed,
    /// The idempotency key, and the digest of its request.
    pub key: Option<(IdempotencyKey, String)>,
    /// The channel for the response.
    pub answer: oneshot::Sender<Result<Reply, Error>>,
}

/// One project's worker.
pub struct ProjectWorker {
    project: ProjectId,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    cache: Arc<Cache>,
    guard: Arc<ClockGuard>,
    directory: Option<Arc<Directory>>,
    has_stepped: bool,
}

/// The result of one command of a batch.
type Decided = Result<Reply, Error>;

impl ProjectWorker {
    /// Creates the worker of a project.
    pub(crate) fn new(
        project: ProjectId,
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        cache: Arc<Cache>,
        guard: Arc<ClockGuard>,
    ) -> Self {
        Self { project, store, clock, cache, guard, directory: None, has_stepped: false }
    }

    /// Decides one batch and answers every caller.
    ///
    /// This is the only place where a decision becomes durable. If a batch fails before its commit,
    /// nothing was written, and its commands are retried one by one, so that only the failing
    /// command gets the error. If the commit itself fails, the outcome is unknown, and every caller
    /// gets that error.
    pub async fn run_batch(&mut self, batch: Vec<Queued>) {
        match self.decide_all(&batch).await {
            Ok(answers) => answer_each(batch, answers),
            Err(fault) if affects_every_command(fault.kind) || batch.len() == 1 => {
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
        let resets_clock = batch.iter().any(|queued| queued.prepared.resets_clock());
        let step =
            if resets_clock { None } else { self.guard.check(&*self.store, &*self.clock).await? };
        let mut transaction = self.store.open(self.project).await?;
        let head = transaction.head().clone();
        let directory = self.directory(&mut *transaction, &head).await?;
        let wall = microseconds(self.clock.now());
        // Time never moves before the last leaf, so that all processes of a project agree.
        // Only an operator sets it back.
        let now = if resets_clock { wall } else { wall.max(head.last_at) };

        let (loaded, due) = load(batch, &directory, &head, now, &mut *transaction).await?;
        let mut state =
            ProjectState::new(directory, head.clone(), loaded.handoffs, loaded.remembered);
        state.open = loaded.open;

        let mut recorder = Recorder::new(now);
        let has_stepped = !resets_clock && last_at_of(&state).duration_since(wall).as_secs() >= 1;
        if has_stepped && !self.has_stepped && !self.is_step_recorded(&state.head).await? {
            let step = (state.head.last_at, wall);
            record_clock_step(step, &mut recorder, &mut state, &mut *transaction)?;
        }
        // Each log has the step once: after it, the last leaf is not earlier than its end.
        if let Some(step) = step.filter(|(_, until)| last_at_of(&state) < *until) {
            record_clock_step(step, &mut recorder, &mut state, &mut *transaction)?;
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
            // INVARIANT: a response means fsynced. No caller is answered before this line.
            transaction.commit(state.head.clone()).await?;
        }
        if resets_clock {
            self.guard.reset(&*self.store, &*self.clock).await?;
        }
        self.cache.put_facts(self.project, state.handoffs());
        self.keep(directory, fingerprint_key);
        self.has_stepped = has_stepped;
        Ok(answers)
    }

    /// Keeps the directory for the next batch, and caches it for preparing if it changed.
    fn keep(&mut self, directory: Arc<Directory>, fingerprint_key: [u8; 32]) {
        if !self.directory.as_ref().is_some_and(|known| Arc::ptr_eq(known, &directory)) {
            let policy = Policy { directory: Arc::clone(&directory), fingerprint_key };
            self.cache.put_policy(self.project, policy);
        }
        self.directory = Some(directory);
    }

    /// Returns the directory of the head's version, reusing that of the last batch.
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

    /// Returns `true` if the backward step of the clock is already recorded, by another process or
    /// by an earlier worker. While the clock is behind, time stands still, so all leaves since have
    /// the same time.
    async fn is_step_recorded(&self, head: &Head) -> Result<bool, Fault> {
        let from = head.leaves.saturating_sub(u64::from(CLOCK_STEP_SEARCH_MAX));
        let newest = self.store.leaves(self.project, from, CLOCK_STEP_SEARCH_MAX).await?;
        let is_record =
            |row: &LeafRow| row.kind == EventType::ClockStepped && row.at == head.last_at;
        Ok(newest.iter().any(is_record))
    }

    /// Returns the project.
    pub fn project(&self) -> ProjectId {
        self.project
    }
}

/// Returns `true` for a fault that retrying the commands one by one cannot avoid.
fn affects_every_command(kind: FaultKind) -> bool {
    match kind {
        FaultKind::OutcomeUnknown
        | FaultKind::StoreUnavailable
        | FaultKind::StoreBusy
        | FaultKind::NewerStore
        | FaultKind::ClockOff => true,
        FaultKind::DiskFull | FaultKind::Io | FaultKind::Corrupt | FaultKind::Bug => false,
    }
}

/// Loads everything that the batch needs, and the handoffs that the store considers due.
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

/// Returns the time of the last leaf, or the minimum for an empty log.
fn last_at_of(state: &ProjectState) -> Timestamp {
    if state.head.leaves == 0 { Timestamp::MIN } else { state.head.last_at }
}

/// Records that the wall clock went from one time to another.
fn record_clock_step(
    (from, until): (Timestamp, Timestamp),
    recorder: &mut Recorder,
    state: &mut ProjectState,
    transaction: &mut dyn Transaction,
) -> Result<(), Fault> {
    let mut change = Change::default();
    change
        .record_project_event(EventType::ClockStepped, CLOCK)
        .with("from", from)
        .with("until", until);
    transaction.write(recorder.record(state, &mut change)?);
    Ok(())
}

/// Applies the deadlines of all loaded handoffs. A handoff that the store considers due too early,
/// because a halt does not count, gets its due time updated.
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
        for round in 0..SETTLE_STEPS_MAX {
            let Some(handoff) = state.known(id) else { break };
            // A panic here is a bug, but must not block the project: the handoff stays as it is.
            let settled =
                catch_unwind(AssertUnwindSafe(|| deadlines::apply_due(state, handoff, now)));
            let mut change = match settled {
                Ok(Some(change)) => change,
                Ok(None) if round == 0 && noted.contains(&id) => Change::keeping(handoff.clone()),
                _ => break,
            };
            let written = recorder.record(state, &mut change)?;
            transaction.write(written);
        }
    }
    Ok(())
}

/// Decides one command. A refusal, a panic or an unwritable change affects only this command.
fn decide_one(
    queued: &Queued,
    state: &mut ProjectState,
    recorder: &mut Recorder,
    transaction: &mut dyn Transaction,
    now: Timestamp,
) -> Decided {
    if let Some((key, digest)) = &queued.key
        && let Some(record) = state.remembered(key).filter(|record| record.is_valid(now))
    {
        return Ok(record.replay(digest)?.into());
    }
    if queued.directory_version != state.directory.version && queued.prepared.depends_on_policy() {
        return Err(policy_changed().into());
    }
    let context = Context { state, principal: &queued.principal, now, seed: &queued.seed };
    // A panic in a rule is a bug in this one command. Deciding is pure, so nothing was changed.
    let decided = catch_unwind(AssertUnwindSafe(|| decide(&context, &*queued.prepared)));
    let mut change = match decided {
        Ok(Ok(change)) => change,
        Ok(Err(refusal)) => return Err(refusal.into()),
        Err(_) => return Err(panicked(queued.command).into()),
    };
    let mut written = recorder.record(state, &mut change)?;
    let reply = Reply::of(state, change, &queued.principal, now);
    if let Some((key, digest)) = &queued.key {
        let is_submit = matches!(key.command, Submit::NAME | PassOn::NAME | Begin::NAME);
        let until = (!is_submit).then(|| later(now, KEY_REMEMBERED));
        let answer = reply.clone().into_answer().without_secrets();
        let remembered = IdempotencyRecord { digest: digest.clone(), answer, until };
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
        let remembered = IdempotencyRecord { digest: String::new(), answer, until };
        let remembered = Some(Box::new((key, remembered)));
        transaction.write(WriteSet { remembered, ..WriteSet::default() });
    }
    Ok(reply)
}

fn policy_changed() -> Refusal {
    let message = "the policy of the project changed while the command was prepared";
    Refusal::new(RefusalCode::PolicyChanged, message).hint("retry the command")
}

fn panicked(command: &str) -> Fault {
    Fault::new(
        FaultKind::Bug,
        format!("internal error while deciding `{command}`; nothing was changed"),
    )
    .hint("report it together with the request")
}

fn no_answer() -> Fault {
    Fault::new(FaultKind::Bug, "the worker returned no response")
}

fn answer_each(batch: Vec<Queued>, answers: Vec<Decided>) {
    for (queued, decided) in batch.into_iter().zip(answers) {
        // The caller then drops the last reference in its own task.
        drop(queued.prepared);
        answer(queued.answer, decided);
    }
}

/// A caller that stopped waiting misses the response; the change is durable regardless.
fn answer(sender: oneshot::Sender<Decided>, decided: Decided) {
    drop(sender.send(decided));
}

impl std::fmt::Debug for ProjectWorker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProjectWorker").field("project", &self.project).finish_non_exhaustive()
    }
}
