//! One run of a plan: a random step at a time, with all checks after each step.

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;
use tasuki_engine::command::Command;
use tasuki_engine::engine::Call;
use tasuki_engine::error::{Error, FaultKind};
use tasuki_engine::model::{Handoff, Principal};
use tasuki_engine::ports::Store as _;
use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::{ActorKind, EventType, Leaf};

use super::checks::absences::OwnWork;
use super::checks::history::{Checked, History, Violation, must};
use super::checks::invariants::{self, StoreSnapshot};
use super::checks::ledger::{
    Acknowledged, Ledger, answer_matches_store, is_stopped_by_a_halt, same_answer, shown,
};
use super::engines::{Engines, Response};
use super::faults::faulty_store::Sabotage;
use super::faults::restore::Backup;
use super::store_fixture::StoreFixture;
use super::transcript;
use super::workload::intents::IntentContext;
use super::workload::parties;
use crate::memory::FaultPoint;
use crate::random::Random;

pub(super) struct Run<'s> {
    pub engines: Engines<'s>,
    pub history: History,
    pub ledger: Ledger,
    pub events: BTreeSet<EventType>,
    pub occurrences: BTreeSet<&'static str>,
    pub backup: Option<Backup<'s>>,
    sabotage: Option<Sabotage>,
    pub transcript: &'s mut Vec<String>,
}

impl<'s> Run<'s> {
    /// Adds the parties and publishes their policy.
    pub(super) async fn begin(
        seed: u64,
        ground: &'s dyn StoreFixture,
        sabotage: Option<Sabotage>,
        transcript: &'s mut Vec<String>,
    ) -> Result<Self, Violation> {
        let random = &mut Random::new(seed);
        let settings = parties::settings(random);
        let engines = Engines::new(seed, ground, settings, sabotage).await.map_err(failed)?;
        let mut run = Self {
            engines,
            history: History::new(),
            ledger: Ledger::default(),
            events: BTreeSet::new(),
            occurrences: BTreeSet::new(),
            backup: None,
            sabotage,
            transcript,
        };
        for commands in [parties::parties(), parties::policy(random)] {
            let call = |command: Command| {
                let (project, principal) = (run.engines.project, operator());
                Call { project, principal, command, key: None }
            };
            let calls = commands.into_iter().map(call).collect();
            for response in run.engines.call_batch(calls, Vec::new()).await {
                response.map_err(failed)?;
            }
        }
        run.check_all().await?;
        Ok(run)
    }

    /// Runs one random step and all checks.
    pub(super) async fn step(&mut self, random: &mut Random) -> Checked {
        self.engines.clock.advance(Duration::from_millis(random.below(20_000)));
        match random.below(100) {
            0..64 => self.single_call(random, &[]).await,
            64..70 => {
                let faults = faults(random);
                self.single_call(random, &faults).await
            }
            70..80 => self.concurrent_calls(random).await,
            80..82 => self.crash("all engines").await,
            82..86 => self.crash_mid_call(random).await,
            86..92 => self.advance_time(random).await,
            92..94 => self.clock_fault(random).await,
            94..96 => self.replay_earlier(random).await,
            96..99 => self.back_up_or_restore(random).await,
            _ => self.outage(random).await,
        }
    }

    /// Records that something happened which the log does not show.
    pub(super) fn occurred(&mut self, what: &'static str) {
        self.occurrences.insert(what);
    }

    /// Returns a random call that fits the stored state.
    pub(super) async fn call(
        &self,
        random: &mut Random,
        found: &StoreSnapshot,
    ) -> Result<Call, Violation> {
        let scene = IntentContext {
            project: self.engines.project,
            now: self.engines.now(found.head.last_at),
            directory: &found.directory,
            handoffs: &found.handoffs,
        };
        let Some(intent) = scene.intent(random) else { return Ok(scene.other(random)) };
        let packet = self.engines.engine(0).packet(self.engines.project, intent.handoff).await;
        let packet: Value = packet.map_err(failed)?.to_value();
        Ok(scene.about(random, &intent, &packet))
    }

    /// Sends one command to either engine.
    async fn single_call(&mut self, random: &mut Random, faults: &[FaultPoint]) -> Checked {
        let number = usize::from(faults.is_empty() && random.chance(20));
        self.single_call_with(number, random, faults).await
    }

    /// Sends one command to this engine.
    pub(super) async fn single_call_by(&mut self, number: usize, random: &mut Random) -> Checked {
        self.single_call_with(number, random, &[]).await
    }

    /// Sends one command. A caller without a response usually retries.
    async fn single_call_with(
        &mut self,
        number: usize,
        random: &mut Random,
        faults: &[FaultPoint],
    ) -> Checked {
        let before = StoreSnapshot::new(&self.engines).await?;
        let mut call = self.call(random, &before).await?;
        let now = self.engines.now(before.head.last_at);
        let asked = self.sabotaged(&mut call, &before);
        let response = match faults {
            [] => self.engines.call(number, asked).await,
            faults => self.engines.call_with_faults(asked, faults).await,
        };
        self.record(&call, &response, faults, &before);
        self.ledger.record(&call, &response, now, faults)?;
        self.check_halt(&call, &response)?;
        self.failed_calls_change_nothing(&response, &before).await?;
        let from = self.history.leaves.len();
        self.check_after(Some((&call, &response))).await?;
        if is_unknown(&response) && call.key.is_some() && random.chance(80) {
            let own = self.last_leaf_of(&call, from);
            return self.retry(call, now, own).await;
        }
        Ok(())
    }

    /// Checks that a failed command changed nothing. A command refused in a halt changed no
    /// handoff, because deadlines are not applied then.
    async fn failed_calls_change_nothing(
        &self,
        response: &Response,
        before: &StoreSnapshot,
    ) -> Checked {
        let is_failed = match response {
            Err(Error::Failed(fault)) if fault.kind != FaultKind::OutcomeUnknown => true,
            Err(Error::Refused(_)) if self.history.is_halted => false,
            _ => return Ok(()),
        };
        let after = StoreSnapshot::new(&self.engines).await?;
        let is_same_head = !is_failed || after.head == before.head;
        let is_same = is_same_head && after.handoffs == before.handoffs;
        must(is_same, "a failed command changes nothing", || transcript::response(response))
    }

    /// Checks that a halt stops holders. A renewal leaves no leaf, so only its response shows it.
    /// `history` is at the state before the command.
    fn check_halt(&self, call: &Call, response: &Response) -> Checked {
        let accepted = response.as_ref().is_ok_and(|answer| !answer.repeated);
        let is_still_pending =
            self.history.is_halted && accepted && is_stopped_by_a_halt(&call.command);
        must(!is_still_pending, "a halt stops everything", || call.command.name().to_owned())
    }

    /// Returns the last leaf of this caller from `from` on.
    fn last_leaf_of(&self, call: &Call, from: usize) -> Option<u64> {
        let new = &self.history.leaves[from..];
        let is_there = new.iter().any(|row| is_by(&row.leaf, call.principal.party));
        new.last().filter(|_| is_there).map(|row| row.n)
    }

    /// Retries a call without a response, with the same key. If its leaves end at `own`, the whole
    /// command must have been applied.
    async fn retry(&mut self, call: Call, at: Timestamp, own: Option<u64>) -> Checked {
        const RULE: &str = "an unanswered command is applied fully or not at all";
        let response = self.engines.call(1, call.clone()).await;
        self.transcript.push(format!("    retry: {}", transcript::response(&response)));
        if let (Some(n), Ok(answer)) = (own, &response) {
            let is_whole = answer.repeated && answer.n == Some(n);
            must(is_whole, RULE, || format!("leaf {n} was its last, the response is {answer:?}"))?;
        }
        must(own.is_none() || response.is_ok(), RULE, || transcript::response(&response))?;
        self.check_halt(&call, &response)?;
        self.ledger.record(&call, &response, at, &[])?;
        self.check_all().await
    }

    /// Sends several commands at once, in one batch.
    async fn concurrent_calls(&mut self, random: &mut Random) -> Checked {
        let before = StoreSnapshot::new(&self.engines).await?;
        let mut calls = Vec::new();
        for _ in 0..2 + random.below(3) {
            calls.push(self.call(random, &before).await?);
        }
        let is_twice = random.chance(30);
        if is_twice {
            // A duplicate, as an impatient caller sends it.
            calls.push(calls[0].clone());
        }
        let faults = if random.chance(25) { faults(random) } else { Vec::new() };
        let now = self.engines.now(before.head.last_at);
        let response = self.engines.call_batch(calls.clone(), faults.clone()).await;
        self.transcript.push(format!(
            "{} at once{}",
            calls.len(),
            transcript::with_faults(&faults)
        ));
        let is_lifted = calls.iter().any(|call| matches!(call.command, Command::Halt(_)));
        for (call, response) in calls.iter().zip(&response) {
            self.record(call, response, &[], &before);
            self.ledger.record(call, response, now, &faults)?;
            self.check_fence(call, response)?;
            if !is_lifted {
                self.check_halt(call, response)?;
            }
        }
        if let (Some(Ok(first)), true) = (response.first(), is_twice && calls[0].key.is_some()) {
            same_answer(first, &response[calls.len() - 1])?;
        }
        self.check_all().await
    }

    /// Checks that no stale fence was accepted. `history` is at the state before the step.
    fn check_fence(&self, call: &Call, response: &Response) -> Checked {
        let accepted = response.as_ref().is_ok_and(|answer| !answer.repeated);
        let Some(shown) = shown(&call.command).filter(|_| accepted) else { return Ok(()) };
        let highest = self.history.handoff(shown.handoff).map_or(0, |logged| logged.fence);
        must(shown.fence >= highest, "no stale fence is ever accepted", || {
            format!("fence {} of {}, the highest is {highest}", shown.fence, shown.handoff)
        })
    }

    async fn crash(&mut self, what: &str) -> Checked {
        self.transcript.push(format!("crash: {what}"));
        self.engines.crash();
        self.recover().await
    }

    /// Checks that everything acknowledged survived a crash.
    async fn recover(&mut self) -> Checked {
        self.check_all().await?;
        invariants::whole_log(&self.engines, &self.history).await?;
        let now = self.engines.now(StoreSnapshot::new(&self.engines).await?.head.last_at);
        let repeatable = self.ledger.replayable(now);
        let last: Vec<Acknowledged> = repeatable.into_iter().rev().take(2).cloned().collect();
        for known in last {
            self.replay(&known).await?;
        }
        Ok(())
    }

    /// Crashes the engines with queued commands.
    async fn crash_mid_call(&mut self, random: &mut Random) -> Checked {
        let found = StoreSnapshot::new(&self.engines).await?;
        let now = self.engines.now(found.head.last_at);
        let from = self.history.leaves.len();
        let call = self.call(random, &found).await?;
        let faults = if random.chance(60) { faults(random) } else { Vec::new() };
        let mut calls = vec![call.clone()];
        if random.chance(50) {
            calls.push(self.call(random, &found).await?);
            self.engines.call_batch_and_crash(calls.clone(), faults.clone()).await;
        } else {
            self.engines.call_and_crash(call.clone(), &faults).await;
        }
        self.transcript.push(format!("crash within{}:", transcript::with_faults(&faults)));
        for call in &calls {
            self.transcript.push(format!("    {}", transcript::call(call, &found.directory)));
            self.ledger.record_unanswered(call);
        }
        self.check_all().await?;
        let own = self.last_leaf_of(&call, from).filter(|_| calls.len() == 1);
        self.recover().await?;
        if call.key.is_none() {
            return Ok(());
        }
        self.retry(call, now, own).await
    }

    async fn advance_time(&mut self, random: &mut Random) -> Checked {
        let seconds = match random.below(10) {
            0..4 => 60 * (1 + random.below(15)),
            4..7 => 3_600 * (1 + random.below(4)),
            7 => 86_400 * (1 + random.below(9)),
            _ => 0,
        };
        if seconds == 0 {
            return self.small_step(random).await;
        }
        self.engines.clock.advance(Duration::from_secs(seconds));
        self.transcript.push(format!("clock advanced by {seconds} s"));
        self.works(0).await
    }

    /// Replays an earlier call, then uses its key with another command.
    async fn replay_earlier(&mut self, random: &mut Random) -> Checked {
        let now = self.engines.now(StoreSnapshot::new(&self.engines).await?.head.last_at);
        let repeatable = self.ledger.replayable(now);
        if repeatable.is_empty() {
            return Ok(());
        }
        let known = (*random.pick(&repeatable)).clone();
        self.replay(&known).await?;
        let mut other = known.call;
        other.command = match other.command {
            Command::Submit(mut request) => {
                request.hold = !request.hold;
                Command::Submit(request)
            }
            Command::PassOn(mut request) => {
                request.hold = !request.hold;
                Command::PassOn(request)
            }
            other => other,
        };
        let response = self.engines.call(0, other.clone()).await;
        self.ledger.record(&other, &response, now, &[])?;
        self.check_all().await
    }

    async fn replay(&mut self, known: &Acknowledged) -> Checked {
        let response = self.engines.call(0, known.call.clone()).await;
        let found = StoreSnapshot::new(&self.engines).await?;
        let line = transcript::call(&known.call, &found.directory);
        self.transcript.push(format!("replay: {line}: {}", transcript::response(&response)));
        same_answer(&known.answer, &response)?;
        self.check_all().await
    }

    pub(super) fn record(
        &mut self,
        call: &Call,
        response: &Response,
        faults: &[FaultPoint],
        found: &StoreSnapshot,
    ) {
        let line = transcript::call(call, &found.directory);
        self.transcript.push(format!(
            "{line}{}: {}",
            transcript::with_faults(faults),
            transcript::response(response)
        ));
    }

    pub(super) async fn check_all(&mut self) -> Checked {
        self.check_after(None).await
    }

    /// Follows the log to its end and checks everything. The last call is checked in detail.
    async fn check_after(&mut self, last: Option<(&Call, &Response)>) -> Checked {
        let from = self.history.leaves.len() as u64;
        let rows = self.engines.observer.leaves(self.engines.project, from, u32::MAX).await;
        let rows = rows.map_err(|fault| failed(fault.into()))?;
        let found = StoreSnapshot::new(&self.engines).await?;
        let mut is_checked = false;
        let mut rows = rows.into_iter();
        while let Some(row) = rows.next() {
            if let Some((call, response)) = last
                && !is_checked
                && is_by(&row.leaf, call.principal.party)
            {
                is_checked = true;
                self.check_may_act(call, response, true)?;
            }
            let leaf = self.history.follow(row, &found.directory)?;
            self.events.insert(leaf.event);
            invariants::documents(&self.engines, &leaf).await?;
            self.follow_review(&found, &leaf).await?;
            invariants::signed(&found, &leaf, rows.as_slice())?;
            invariants::decided(&found, &leaf)?;
            self.follow_deputy(&found, &leaf)?;
        }
        if let Some((call, response)) = last {
            if !is_checked {
                self.check_may_act(call, response, false)?;
            }
            if let Ok(answer) = response {
                answer_matches_store(&found, answer)?;
            }
        }
        must(
            found.head.leaves == self.history.leaves.len() as u64,
            "the head counts all leaves",
            || format!("{} leaves", found.head.leaves),
        )?;
        self.ledger.check(&self.history)?;
        invariants::store(&self.engines, &found, &self.history).await
    }

    /// Checks the decision of a deputy.
    fn follow_deputy(&mut self, found: &StoreSnapshot, leaf: &Leaf) -> Checked {
        let id = leaf.subject.map(|subject| subject.handoff);
        let handoff = found.handoffs.iter().find(|one| Some(one.id) == id);
        let work = OwnWork {
            sender: handoff.map(|handoff| handoff.facts.sender),
            returned_by: id.and_then(|id| self.history.handoff(id)?.returned_by),
        };
        if self.history.absences.follow(leaf, &found.directory, work)? {
            self.occurred("deputy decided");
        }
        Ok(())
    }

    /// Checks that no packet is claimed that a person should have seen.
    async fn follow_review(&mut self, found: &StoreSnapshot, leaf: &Leaf) -> Checked {
        let Some(subject) = leaf.subject else { return Ok(()) };
        let handoff = found.handoffs.iter().find(|one| one.id == subject.handoff);
        let digest = invariants::packet_digest(&self.engines, subject).await?;
        match (handoff, digest) {
            (Some(handoff), Some(digest)) => {
                self.history.reviews.follow(leaf, &handoff.facts, handoff.id, &digest)
            }
            _ => Ok(()),
        }
    }

    /// Checks that only accepted commands leave a trace, and only with the newest fence. `history`
    /// is at the state before the command.
    fn check_may_act(&self, call: &Call, response: &Response, is_seen: bool) -> Checked {
        let is_refused = matches!(response, Err(Error::Refused(_)));
        must(!is_refused || !is_seen, "a refused command leaves no trace", || {
            transcript::response(response)
        })?;
        let is_by_now = response.as_ref().is_ok_and(|answer| !answer.repeated);
        let Some(shown) = shown(&call.command).filter(|_| is_by_now) else { return Ok(()) };
        let logged = self.history.handoff(shown.handoff);
        let live = logged.and_then(|logged| logged.live);
        let highest = logged.map_or(0, |logged| logged.fence);
        let is_newest = live == Some(shown.fence) && shown.fence == highest;
        must(is_newest, "no stale fence is ever accepted", || {
            format!("fence {} of {}, live {live:?}", shown.fence, shown.handoff)
        })
    }

    /// Disables fencing: a caller with any fence acts as the holder.
    fn sabotaged(&self, call: &mut Call, found: &StoreSnapshot) -> Call {
        let is_open = self.sabotage == Some(Sabotage::FencingOff);
        let Some(shown) = shown(&call.command).filter(|_| is_open) else { return call.clone() };
        // Without a key, so that the key of another party does not reveal the sabotage.
        call.key = None;
        let mut asked = call.clone();
        let handoff = found.handoffs.iter().find(|one| one.id == shown.handoff);
        if let Some(claim) = handoff.and_then(Handoff::claim) {
            asked.principal.party = claim.holder;
            set_fence(&mut asked.command, claim.fence);
        }
        asked
    }
}

pub(super) fn operator() -> Principal {
    Principal::local(PartyId::new(1, [1; 10]), ActorKind::Human)
}

fn set_fence(command: &mut Command, fence: u64) {
    match command {
        Command::Checkpoint(request) => request.claim.fence = fence,
        Command::Release(request) => request.claim.fence = fence,
        Command::Return(request) => request.claim.fence = fence,
        Command::Renew(request) => request.claim.fence = fence,
        Command::Adopt(request) => request.claim.fence = fence,
        _ => {}
    }
}

/// Returns one or two faults at one point.
fn faults(random: &mut Random) -> Vec<FaultPoint> {
    let points = [FaultPoint::Open, FaultPoint::Load, FaultPoint::Commit, FaultPoint::AfterCommit];
    let point = *random.pick(&points);
    let times = if random.chance(20) { 2 } else { 1 };
    vec![point; times]
}

fn is_unknown(response: &Response) -> bool {
    matches!(response, Err(Error::Failed(fault)) if fault.kind == FaultKind::OutcomeUnknown)
}

/// Returns `true` if this party made the leaf. Only an actor has an `id`, so parsing is not needed.
fn is_by(leaf: &str, party: PartyId) -> bool {
    leaf.contains(&format!("\"id\":\"{party}\""))
}

#[expect(clippy::needless_pass_by_value, reason = "passed to `map_err`")]
pub(super) fn failed(error: Error) -> Violation {
    Violation { rule: "the exchange works without faults", found: format!("{error:?}") }
}
