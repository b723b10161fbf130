//! One run: things happen step by step, and after each everything is checked.

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;
use tasuki_engine::command::Command;
use tasuki_engine::engine::Call;
use tasuki_engine::error::{Error, FaultKind};
use tasuki_engine::handoff::Handoff;
use tasuki_engine::principal::Principal;
use tasuki_engine::store::Store as _;
use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::{ActorKind, EventType};

use super::checks::history::{Checked, History, Violation, must};
use super::checks::invariants::{self, Found};
use super::checks::ledger::{
    Acknowledged, Ledger, is_stopped_by_a_halt, same_answer, shown, shows_what_is_stored,
};
use super::engines::{Heard, Stage};
use super::faults::faulty_store::Sabotage;
use super::faults::restore::Backup;
use super::store_fixture::Ground;
use super::transcript;
use super::workload::intents::Scene;
use super::workload::parties;
use crate::memory::FaultPoint;
use crate::random::Random;

/// A run under way.
pub(super) struct Play<'s> {
    pub stage: Stage<'s>,
    pub history: History,
    pub ledger: Ledger,
    pub events: BTreeSet<EventType>,
    pub backup: Option<Backup<'s>>,
    sabotage: Option<Sabotage>,
    pub story: &'s mut Vec<String>,
}

impl<'s> Play<'s> {
    /// Everybody is there and has agreed on something.
    pub(super) async fn begin(
        seed: u64,
        ground: &'s dyn Ground,
        sabotage: Option<Sabotage>,
        story: &'s mut Vec<String>,
    ) -> Result<Self, Violation> {
        let random = &mut Random::new(seed);
        let settings = parties::settings(random);
        let stage = Stage::new(seed, ground, settings, sabotage).await.map_err(failed)?;
        let mut play = Self {
            stage,
            history: History::new(),
            ledger: Ledger::default(),
            events: BTreeSet::new(),
            backup: None,
            sabotage,
            story,
        };
        for commands in [parties::parties(), parties::policy(random)] {
            let call = |command: Command| {
                let (project, principal) = (play.stage.project, operator());
                Call { project, principal, command, key: None }
            };
            let calls = commands.into_iter().map(call).collect();
            for heard in play.stage.ask_together(calls, Vec::new()).await {
                heard.map_err(failed)?;
            }
        }
        play.look().await?;
        Ok(play)
    }

    /// One thing happens, and then everything is checked.
    pub(super) async fn step(&mut self, random: &mut Random) -> Checked {
        self.stage.clock.advance(Duration::from_millis(random.below(20_000)));
        match random.below(100) {
            0..66 => self.somebody(random, &[]).await,
            66..72 => {
                let faults = faults(random);
                self.somebody(random, &faults).await
            }
            72..82 => self.several(random).await,
            82..84 => self.crash("all engines").await,
            84..88 => self.crash_within(random).await,
            88..94 => self.time_passes(random).await,
            94..96 => self.again(random).await,
            96..99 => self.back_up_or_restore(random).await,
            _ => self.be_away(random).await,
        }
    }

    /// What somebody asks for, knowing what is there.
    async fn call(&self, random: &mut Random, found: &Found) -> Result<Call, Violation> {
        let scene = Scene {
            project: self.stage.project,
            now: self.stage.now(found.head.last_at),
            directory: &found.directory,
            handoffs: &found.handoffs,
        };
        let Some(intent) = scene.intent(random) else { return Ok(scene.other(random)) };
        let packet = self.stage.engine(0).packet(self.stage.project, intent.handoff).await;
        let packet: Value = packet.map_err(failed)?.to_value();
        Ok(scene.about(random, &intent, &packet))
    }

    /// Somebody asks for something; if they do not hear the answer they mostly ask again.
    async fn somebody(&mut self, random: &mut Random, faults: &[FaultPoint]) -> Checked {
        let before = Found::new(&self.stage).await?;
        let mut call = self.call(random, &before).await?;
        let now = self.stage.now(before.head.last_at);
        let asked = self.sabotaged(&mut call, &before);
        let heard = match faults {
            [] => self.stage.ask(usize::from(random.chance(20)), asked).await,
            faults => self.stage.ask_with(asked, faults).await,
        };
        self.tell(&call, &heard, faults, &before);
        self.ledger.hear(&call, &heard, now, faults)?;
        self.is_stopped(&call, &heard)?;
        self.changes_nothing_in_vain(&heard, &before).await?;
        let from = self.history.leaves.len();
        self.look_after(Some((&call, &heard))).await?;
        if is_unknown(&heard) && call.key.is_some() && random.chance(80) {
            let own = self.trace_of(&call, from);
            return self.ask_again(call, now, own).await;
        }
        Ok(())
    }

    /// What failed has changed nothing. What was refused in a halt has changed no handoff, because the
    /// clock rests then too.
    async fn changes_nothing_in_vain(&self, heard: &Heard, before: &Found) -> Checked {
        let is_failed = match heard {
            Err(Error::Failed(fault)) if fault.kind != FaultKind::OutcomeUnknown => true,
            Err(Error::Refused(_)) if self.history.is_halted => false,
            _ => return Ok(()),
        };
        let after = Found::new(&self.stage).await?;
        let is_same_head = !is_failed || after.head == before.head;
        let is_same = is_same_head && after.handoffs == before.handoffs;
        must(is_same, "what failed has changed nothing", || transcript::heard(heard))
    }

    /// In a halt nobody goes on. A renewal leaves no leaf, so that its answer alone tells. `history`
    /// stands right before the command.
    fn is_stopped(&self, call: &Call, heard: &Heard) -> Checked {
        let accepted = heard.as_ref().is_ok_and(|answer| !answer.repeated);
        let goes_on = self.history.is_halted && accepted && is_stopped_by_a_halt(&call.command);
        must(!goes_on, "a halt stops everything", || call.command.word().to_owned())
    }

    /// The last leaf from `from` on, if the caller left any there.
    fn trace_of(&self, call: &Call, from: usize) -> Option<u64> {
        let new = &self.history.leaves[from..];
        let is_there = new.iter().any(|row| is_by(&row.leaf, call.principal.party));
        new.last().filter(|_| is_there).map(|row| row.n)
    }

    /// A caller that did not hear the answer asks again with the same key. If its trace ends at
    /// leaf `own`, all of it must have happened.
    async fn ask_again(&mut self, call: Call, at: Timestamp, own: Option<u64>) -> Checked {
        const RULE: &str = "what was not heard is there wholly or not at all";
        let heard = self.stage.ask(1, call.clone()).await;
        self.story.push(format!("    again: {}", transcript::heard(&heard)));
        if let (Some(n), Ok(answer)) = (own, &heard) {
            let is_whole = answer.repeated && answer.n == Some(n);
            must(is_whole, RULE, || format!("leaf {n} was its last, the answer is {answer:?}"))?;
        }
        must(own.is_none() || heard.is_ok(), RULE, || transcript::heard(&heard))?;
        self.is_stopped(&call, &heard)?;
        self.ledger.hear(&call, &heard, at, &[])?;
        self.look().await
    }

    /// Several ask at once, and share a batch.
    async fn several(&mut self, random: &mut Random) -> Checked {
        let before = Found::new(&self.stage).await?;
        let mut calls = Vec::new();
        for _ in 0..2 + random.below(3) {
            calls.push(self.call(random, &before).await?);
        }
        let is_twice = random.chance(30);
        if is_twice {
            // As a caller that is impatient sends it.
            calls.push(calls[0].clone());
        }
        let faults = if random.chance(25) { faults(random) } else { Vec::new() };
        let now = self.stage.now(before.head.last_at);
        let heard = self.stage.ask_together(calls.clone(), faults.clone()).await;
        self.story.push(format!("{} at once{}", calls.len(), transcript::with(&faults)));
        let is_lifted = calls.iter().any(|call| matches!(call.command, Command::Halt(_)));
        for (call, heard) in calls.iter().zip(&heard) {
            self.tell(call, heard, &[], &before);
            self.ledger.hear(call, heard, now, &faults)?;
            self.is_not_stale(call, heard)?;
            if !is_lifted {
                self.is_stopped(call, heard)?;
            }
        }
        if let (Some(Ok(first)), true) = (heard.first(), is_twice && calls[0].key.is_some()) {
            same_answer(first, &heard[calls.len() - 1])?;
        }
        self.look().await
    }

    /// A token that was stale before cannot be good now. `history` is not yet past this step.
    fn is_not_stale(&self, call: &Call, heard: &Heard) -> Checked {
        let accepted = heard.as_ref().is_ok_and(|answer| !answer.repeated);
        let Some(shown) = shown(&call.command).filter(|_| accepted) else { return Ok(()) };
        let highest = self.history.life(shown.handoff).map_or(0, |life| life.token);
        must(shown.token >= highest, "no stale token is ever accepted", || {
            format!("token {} of {}, the highest is {highest}", shown.token, shown.handoff)
        })
    }

    async fn crash(&mut self, what: &str) -> Checked {
        self.story.push(format!("crash: {what}"));
        self.stage.crash();
        self.recover().await
    }

    /// After a crash everything is there that anybody was told.
    async fn recover(&mut self) -> Checked {
        self.look().await?;
        invariants::whole_log(&self.stage, &self.history).await?;
        let now = self.stage.now(Found::new(&self.stage).await?.head.last_at);
        let repeatable = self.ledger.repeatable(now);
        let last: Vec<Acknowledged> = repeatable.into_iter().rev().take(2).cloned().collect();
        for known in last {
            self.repeat(&known).await?;
        }
        Ok(())
    }

    /// The engines crash with commands in their lines.
    async fn crash_within(&mut self, random: &mut Random) -> Checked {
        let found = Found::new(&self.stage).await?;
        let now = self.stage.now(found.head.last_at);
        let from = self.history.leaves.len();
        let call = self.call(random, &found).await?;
        let faults = if random.chance(60) { faults(random) } else { Vec::new() };
        let mut calls = vec![call.clone()];
        if random.chance(50) {
            calls.push(self.call(random, &found).await?);
            self.stage.ask_together_and_crash(calls.clone(), faults.clone()).await;
        } else {
            self.stage.ask_and_crash(call.clone(), &faults).await;
        }
        self.story.push(format!("crash within{}:", transcript::with(&faults)));
        for call in &calls {
            self.story.push(format!("    {}", transcript::call(call, &found.directory)));
            self.ledger.not_hear(call);
        }
        self.look().await?;
        let own = self.trace_of(&call, from).filter(|_| calls.len() == 1);
        self.recover().await?;
        if call.key.is_none() {
            return Ok(());
        }
        self.ask_again(call, now, own).await
    }

    async fn time_passes(&mut self, random: &mut Random) -> Checked {
        let seconds = match random.below(10) {
            0..4 => 60 * (1 + random.below(15)),
            4..7 => 3_600 * (1 + random.below(4)),
            7 => 86_400 * (1 + random.below(9)),
            _ => 0,
        };
        if seconds == 0 {
            let back = 1 + random.below(7_200);
            self.stage.clock.step_back(Duration::from_secs(back));
            self.story.push(format!("the clock goes back {back} s"));
        } else {
            self.stage.clock.advance(Duration::from_secs(seconds));
            self.story.push(format!("{seconds} s pass"));
        }
        let settled = self.stage.engine(0).settle(self.stage.project, &operator()).await;
        settled.map_err(failed)?;
        self.look().await?;
        invariants::nothing_is_due(&self.stage).await
    }

    /// A caller asks again for what it was told before.
    async fn again(&mut self, random: &mut Random) -> Checked {
        let now = self.stage.now(Found::new(&self.stage).await?.head.last_at);
        let repeatable = self.ledger.repeatable(now);
        if repeatable.is_empty() {
            return Ok(());
        }
        let known = (*random.pick(&repeatable)).clone();
        self.repeat(&known).await?;
        let mut other = known.call;
        other.command = match other.command {
            Command::Submit(mut request) => {
                request.hold = !request.hold;
                Command::Submit(request)
            }
            other => other,
        };
        let heard = self.stage.ask(0, other.clone()).await;
        self.ledger.hear(&other, &heard, now, &[])?;
        self.look().await
    }

    async fn repeat(&mut self, known: &Acknowledged) -> Checked {
        let heard = self.stage.ask(0, known.call.clone()).await;
        let found = Found::new(&self.stage).await?;
        let line = transcript::call(&known.call, &found.directory);
        self.story.push(format!("again: {line}: {}", transcript::heard(&heard)));
        same_answer(&known.answer, &heard)?;
        self.look().await
    }

    fn tell(&mut self, call: &Call, heard: &Heard, faults: &[FaultPoint], found: &Found) {
        let line = transcript::call(call, &found.directory);
        self.story.push(format!(
            "{line}{}: {}",
            transcript::with(faults),
            transcript::heard(heard)
        ));
    }

    pub(super) async fn look(&mut self) -> Checked {
        self.look_after(None).await
    }

    /// Follows the log to its end and checks everything. What one caller did is looked at closely.
    async fn look_after(&mut self, last: Option<(&Call, &Heard)>) -> Checked {
        let from = self.history.leaves.len() as u64;
        let rows = self.stage.eyes.leaves(self.stage.project, from, u32::MAX).await;
        let rows = rows.map_err(|fault| failed(fault.into()))?;
        let found = Found::new(&self.stage).await?;
        let mut is_checked = false;
        let mut rows = rows.into_iter();
        while let Some(row) = rows.next() {
            if let Some((call, heard)) = last
                && !is_checked
                && is_by(&row.leaf, call.principal.party)
            {
                is_checked = true;
                self.may_act(call, heard, true)?;
            }
            let leaf = self.history.follow(row, &found.directory)?;
            self.events.insert(leaf.event);
            invariants::documents(&self.stage, &leaf).await?;
            invariants::signed(&found, &leaf, rows.as_slice())?;
            invariants::decided(&found, &leaf)?;
        }
        if let Some((call, heard)) = last {
            if !is_checked {
                self.may_act(call, heard, false)?;
            }
            if let Ok(answer) = heard {
                shows_what_is_stored(&found, answer)?;
            }
        }
        must(found.head.leaves == self.history.leaves.len() as u64, "the head counts", || {
            format!("{} leaves", found.head.leaves)
        })?;
        self.ledger.check(&self.history)?;
        invariants::store(&self.stage, &found, &self.history).await
    }

    /// Whether what is about to be seen may be: only what was accepted leaves a trace, and only the
    /// newest token was accepted. `history` stands right before the command.
    fn may_act(&self, call: &Call, heard: &Heard, is_seen: bool) -> Checked {
        let is_refused = matches!(heard, Err(Error::Refused(_)));
        must(!is_refused || !is_seen, "what was refused leaves no trace", || {
            transcript::heard(heard)
        })?;
        let is_by_now = heard.as_ref().is_ok_and(|answer| !answer.repeated);
        let Some(shown) = shown(&call.command).filter(|_| is_by_now) else { return Ok(()) };
        let life = self.history.life(shown.handoff);
        let live = life.and_then(|life| life.live);
        let highest = life.map_or(0, |life| life.token);
        let is_newest = live == Some(shown.token) && shown.token == highest;
        must(is_newest, "no stale token is ever accepted", || {
            format!("token {} of {}, live {live:?}", shown.token, shown.handoff)
        })
    }

    /// With fencing switched off, whoever shows a token is let in as the holder.
    fn sabotaged(&self, call: &mut Call, found: &Found) -> Call {
        let is_open = self.sabotage == Some(Sabotage::FencingOff);
        let Some(shown) = shown(&call.command).filter(|_| is_open) else { return call.clone() };
        // The disguise must not be given away by a key that is somebody else's.
        call.key = None;
        let mut asked = call.clone();
        let handoff = found.handoffs.iter().find(|one| one.id == shown.handoff);
        if let Some(claim) = handoff.and_then(Handoff::claim) {
            asked.principal.party = claim.holder;
            set_token(&mut asked.command, claim.token);
        }
        asked
    }
}

/// Whoever runs the exchange.
pub(super) fn operator() -> Principal {
    Principal::local(PartyId::new(1, [1; 10]), ActorKind::Human)
}

fn set_token(command: &mut Command, token: u64) {
    match command {
        Command::Checkpoint(request) => request.shown.token = token,
        Command::Release(request) => request.shown.token = token,
        Command::Return(request) => request.shown.token = token,
        Command::Renew(request) => request.shown.token = token,
        _ => {}
    }
}

/// One or two faults at one point.
fn faults(random: &mut Random) -> Vec<FaultPoint> {
    let points = [FaultPoint::Open, FaultPoint::Load, FaultPoint::Commit, FaultPoint::AfterCommit];
    let point = *random.pick(&points);
    let times = if random.chance(20) { 2 } else { 1 };
    vec![point; times]
}

fn is_unknown(heard: &Heard) -> bool {
    matches!(heard, Err(Error::Failed(fault)) if fault.kind == FaultKind::OutcomeUnknown)
}

/// Whether a leaf was made by this party. Only an actor has an `id`, so nothing has to be parsed.
fn is_by(leaf: &str, party: PartyId) -> bool {
    leaf.contains(&format!("\"id\":\"{party}\""))
}

#[expect(clippy::needless_pass_by_value, reason = "handed to `map_err`")]
pub(super) fn failed(error: Error) -> Violation {
    Violation { rule: "the exchange works without faults", found: format!("{error:?}") }
}
