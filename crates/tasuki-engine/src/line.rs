//! One project's line: commands are decided in sequence, in batches, inside one transaction.
//!
//! Open, settle what the clock has made due, load what the commands touch, decide each, write,
//! commit once, answer all. Many callers share one fsync, so throughput grows with load. There is no
//! optimistic retry, because nobody else writes between load and commit.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use jiff::Timestamp;
use tasuki_packet::api;
use tasuki_packet::id::ProjectId;
use tasuki_packet::leaf::EventType;
use tokio::sync::oneshot;

use crate::change::Change;
use crate::clock::{Clock, microseconds};
use crate::command::Prepared;
use crate::context::{Context, later};
use crate::decide::decide;
use crate::directory::Directory;
use crate::draw::Draw;
use crate::error::{Error, Fault, FaultKind};
use crate::handoff::Handoff;
use crate::lapse;
use crate::limits::{DUE_PER_BATCH, KEY_REMEMBERED, SETTLE_STEPS_MAX};
use crate::principal::{CLOCK, Principal};
use crate::record::Recorder;
use crate::refusal::{Refusal, RefusalCode};
use crate::state::{Head, Key, ProjectState, Remembered, Touched};
use crate::store::{Store, Transaction};

/// One command in the line, and who waits for its answer.
#[derive(Debug)]
pub struct Queued {
    /// Who asks.
    pub principal: Principal,
    /// What is asked.
    pub prepared: Prepared,
    /// The randomness drawn for it.
    pub draw: Draw,
    /// The caller's key, and the digest of the request it stands for.
    pub key: Option<(Key, String)>,
    /// Where the answer goes.
    pub answer: oneshot::Sender<Result<api::Answer, Error>>,
}

/// One project's line.
pub struct Line {
    project: ProjectId,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    directory: Option<Arc<Directory>>,
    has_stepped: bool,
}

/// What one command of a batch hears.
type Decided = Result<api::Answer, Error>;

impl Line {
    /// A line that nobody stands in.
    pub fn new(project: ProjectId, store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        Self { project, store, clock, directory: None, has_stepped: false }
    }

    /// Decides one batch and answers everybody in it.
    ///
    /// This is the only place where a decision becomes durable. If a batch fails before its commit
    /// nothing happened, and its commands are tried one by one, so that only the culprit hears of
    /// it. If the commit itself failed the outcome is unknown, and everybody hears that.
    pub async fn run_batch(&mut self, batch: Vec<Queued>) {
        match self.decide_all(&batch).await {
            Ok(answers) => answer_each(batch, answers),
            Err(fault) if fault.kind == FaultKind::OutcomeUnknown || batch.len() == 1 => {
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

        let mut touched = Touched { claimable_at: Some(now), ..Touched::default() };
        for queued in batch {
            let own_offers = || directory.claims_for(queued.principal.party);
            queued.prepared.touches(own_offers, &mut touched);
            touched.keys.extend(queued.key.as_ref().map(|(key, _)| key.clone()));
        }
        if !head.is_halted {
            let due = transaction.due(now, DUE_PER_BATCH).await?;
            touched.handoffs.extend(due);
        }
        let loaded = transaction.load(&touched).await?;
        let mut state = ProjectState::new(directory, head, loaded.handoffs, loaded.remembered);

        let mut recorder = Recorder::new(now);
        self.note_step(wall, &mut recorder, &mut state, &mut *transaction);
        settle_due(&mut state, &mut recorder, &mut *transaction, now)?;
        let mut answers = Vec::with_capacity(batch.len());
        for queued in batch {
            answers.push(decide_one(queued, &mut state, &mut recorder, &mut *transaction, now)?);
        }
        let is_changed = recorder.has_recorded();
        let directory = Arc::clone(&state.directory);
        if is_changed {
            // INVARIANT: an answer means fsynced. Nothing is answered before this line.
            transaction.commit(state.head).await?;
        }
        self.directory = Some(directory);
        Ok(answers)
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

    /// Says once, as an event, that the wall clock went back.
    fn note_step(
        &mut self,
        wall: Timestamp,
        recorder: &mut Recorder,
        state: &mut ProjectState,
        transaction: &mut dyn Transaction,
    ) {
        let last = state.head.last_at;
        let is_back = last.duration_since(wall).as_secs() >= 1;
        if is_back && !self.has_stepped && state.head.leaves > 0 {
            let mut change = Change::default();
            change
                .happened_here(EventType::ClockStepped, CLOCK)
                .with("from", last)
                .with("until", wall);
            if let Ok(written) = recorder.record(state, &mut change) {
                transaction.write(written);
            }
        }
        self.has_stepped = is_back;
    }

    /// Whose line it is.
    pub fn project(&self) -> ProjectId {
        self.project
    }
}

/// Does what the clock has made due for everything that was loaded.
fn settle_due(
    state: &mut ProjectState,
    recorder: &mut Recorder,
    transaction: &mut dyn Transaction,
    now: Timestamp,
) -> Result<(), Fault> {
    let mut ids: Vec<_> = state.handoffs().filter(|one| one.is_open()).map(|one| one.id).collect();
    ids.sort_unstable();
    for id in ids {
        for _ in 0..SETTLE_STEPS_MAX {
            let handoff: Handoff = match state.handoff(id) {
                Ok(handoff) => handoff.clone(),
                Err(_) => break,
            };
            let Some(mut change) = lapse::settle(state, &handoff, now) else { break };
            let written = recorder.record(state, &mut change)?;
            transaction.write(written);
        }
    }
    Ok(())
}

/// Decides one command. A refusal and a panic are its own; a fault is everybody's.
fn decide_one(
    queued: &Queued,
    state: &mut ProjectState,
    recorder: &mut Recorder,
    transaction: &mut dyn Transaction,
    now: Timestamp,
) -> Result<Decided, Fault> {
    if let Some((key, request)) = &queued.key
        && let Some(remembered) = state.remembered(key)
        && remembered.until.is_none_or(|until| now < until)
    {
        return Ok(again(remembered, request));
    }
    let context = Context { state, principal: &queued.principal, now, draw: &queued.draw };
    // A panic in a rule is a bug of that one command; nothing was changed, because deciding is pure.
    let decided = catch_unwind(AssertUnwindSafe(|| decide(&context, &queued.prepared)));
    let mut change = match decided {
        Ok(Ok(change)) => change,
        Ok(Err(refusal)) => return Ok(Err(refusal.into())),
        Err(_) => return Ok(Err(panicked(&queued.prepared).into())),
    };
    let mut written = match recorder.record(state, &mut change) {
        Ok(written) => written,
        Err(fault) => return Ok(Err(fault.into())),
    };
    if let Some((key, request)) = &queued.key {
        let is_submit = matches!(key.command, "submit" | "pass_on" | "begin");
        let until = (!is_submit).then(|| later(now, KEY_REMEMBERED));
        let answer = change.answer.clone();
        let remembered = Remembered { request: request.clone(), answer, until };
        state.remember(key.clone(), remembered.clone());
        written.remembered = Some((key.clone(), remembered));
        recorder.note_write();
    }
    transaction.write(written);
    Ok(Ok(change.answer))
}

/// The same key and the same request have the same answer.
fn again(remembered: &Remembered, request: &str) -> Decided {
    if remembered.request == *request {
        return Ok(api::Answer { repeated: true, ..remembered.answer.clone() });
    }
    let message = "this idempotency key was used for another request";
    Err(Refusal::new(RefusalCode::KeyReused, message)
        .hint("use a new key for a new request, and the same one only to repeat the same")
        .into())
}

fn panicked(prepared: &Prepared) -> Fault {
    let word = format!("{prepared:?}");
    let word = word.split(['(', ' ']).next().unwrap_or_default().to_lowercase();
    Fault::new(FaultKind::Bug, format!("deciding a `{word}` failed; nothing was changed"))
        .hint("please report it with what you asked for")
}

fn no_answer() -> Fault {
    Fault::new(FaultKind::Bug, "the line gave no answer")
}

fn answer_each(batch: Vec<Queued>, answers: Vec<Decided>) {
    for (queued, decided) in batch.into_iter().zip(answers) {
        answer(queued.answer, decided);
    }
}

/// Whoever has stopped waiting does not hear the answer; it holds all the same.
fn answer(sender: oneshot::Sender<Decided>, decided: Decided) {
    drop(sender.send(decided));
}

impl std::fmt::Debug for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Line").field("project", &self.project).finish_non_exhaustive()
    }
}
