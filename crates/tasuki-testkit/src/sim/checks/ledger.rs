//! The responses of callers, which must stay true.
//!
//! A response means durable: the same request with the same key has the same response until the key
//! expires, whatever crashed in between.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use tasuki_api::CommandResponse;
use tasuki_engine::command::Command;
use tasuki_engine::engine::Call;
use tasuki_engine::error::{Error, FaultKind};
use tasuki_engine::refusal::RefusalCode;
use tasuki_engine::rules::fencing::ClaimProof;
use tasuki_engine::view;
use tasuki_packet::id::HandoffId;

use super::history::{Checked, History, Violation, must};
use super::invariants::StoreSnapshot;
use crate::memory::FaultPoint;
use crate::sim::engines::Response;

/// The documented lifetime of a key, without the time by which clocks may differ.
const REMEMBERED: SignedDuration = SignedDuration::from_mins(7 * 24 * 60 - 20);

/// All responses so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ledger {
    /// Acknowledged handoffs; `true` if begun.
    made: BTreeMap<HandoffId, bool>,
    /// Calls without a response that may have created a handoff.
    unanswered_count: usize,
    kept: Vec<Acknowledged>,
    pub refusals: BTreeSet<RefusalCode>,
    /// The commands that a halt has refused.
    pub stopped: BTreeSet<&'static str>,
}

/// A call with a key, and its response.
#[derive(Debug, Clone)]
pub(crate) struct Acknowledged {
    pub call: Call,
    pub answer: CommandResponse,
    at: Timestamp,
}

impl Ledger {
    /// Records a response, and checks that it is allowed.
    pub(crate) fn record(
        &mut self,
        call: &Call,
        response: &Response,
        at: Timestamp,
        faults: &[FaultPoint],
    ) -> Checked {
        match response {
            Ok(answer) => {
                self.acknowledge(call, answer, at);
                Ok(())
            }
            Err(Error::Refused(refusal)) => {
                self.refusals.insert(refusal.code);
                if refusal.code == RefusalCode::ProjectHalted {
                    self.stopped.insert(call.command.name());
                }
                Ok(())
            }
            Err(Error::Failed(fault)) => {
                let is_injected = faults.iter().any(|point| kind_of(*point) == fault.kind);
                must(is_injected, "a fault was injected", || format!("{fault:?}"))?;
                if fault.kind == FaultKind::OutcomeUnknown {
                    self.record_unanswered(call);
                }
                Ok(())
            }
        }
    }

    fn acknowledge(&mut self, call: &Call, answer: &CommandResponse, at: Timestamp) {
        let made =
            matches!(call.command, Command::Begin(_) | Command::Submit(_) | Command::PassOn(_));
        let id = answer.handoff.as_ref().and_then(|handoff| handoff.id.parse().ok());
        if made && let Some(id) = id {
            self.made.insert(id, matches!(call.command, Command::Begin(_)));
        }
        if call.key.is_some() && !answer.repeated {
            let (call, answer) = (call.clone(), answer.clone());
            self.kept.push(Acknowledged { call, answer, at });
        }
    }

    /// Records a call without a response.
    pub(crate) fn record_unanswered(&mut self, call: &Call) {
        let makes_one =
            matches!(call.command, Command::Begin(_) | Command::Submit(_) | Command::PassOn(_));
        self.unanswered_count += usize::from(makes_one);
    }

    /// Goes back to the responses before a backup; later ones are no longer guaranteed.
    pub(crate) fn roll_back_to(&mut self, kept: &Self) {
        self.made = kept.made.clone();
        self.unanswered_count = kept.unanswered_count;
        self.kept.clone_from(&kept.kept);
    }

    /// Returns the calls whose keys have not expired.
    pub(crate) fn replayable(&self, now: Timestamp) -> Vec<&Acknowledged> {
        let is_kept = |kept: &&Acknowledged| {
            let word = kept.call.command.name();
            matches!(word, "submit" | "pass_on" | "begin") || now < kept.at + REMEMBERED
        };
        self.kept.iter().filter(is_kept).collect()
    }

    /// Checks that every acknowledged handoff exists, and that unanswered calls explain all others.
    pub(crate) fn check(&self, history: &History) -> Checked {
        const RULE: &str = "acknowledged handoffs exist";
        for (id, is_begun) in &self.made {
            let is_there = history.handoff(*id).is_some_and(|logged| logged.is_begun == *is_begun);
            must(is_there, RULE, || format!("{id} is missing"))?;
        }
        let unknown = history.handoffs.keys().filter(|id| !self.made.contains_key(id)).count();
        must(unknown <= self.unanswered_count, "every handoff has a call", || {
            format!("{unknown} handoffs for {} unanswered calls", self.unanswered_count)
        })
    }
}

/// Checks that the same request with the same key has the same response. Of two concurrent calls,
/// either may have been first.
pub(crate) fn same_answer(first: &CommandResponse, response: &Response) -> Checked {
    const RULE: &str = "the same key has the same response";
    let repeated = |answer: &CommandResponse| CommandResponse { repeated: true, ..answer.clone() };
    match response {
        Ok(answer) => {
            let is_same = repeated(answer) == repeated(first);
            let is_decided_once = answer.repeated || first.repeated;
            must(is_same && is_decided_once, RULE, || format!("{answer:?}\nexpected {first:?}"))
        }
        Err(error) => Err(Violation { rule: RULE, found: error.to_string() }),
    }
}

/// Checks that a response shows the stored handoff.
pub(crate) fn answer_matches_store(found: &StoreSnapshot, answer: &CommandResponse) -> Checked {
    const RULE: &str = "a response shows the stored state";
    let Some(shown) = answer.handoff.as_deref().filter(|_| !answer.repeated) else { return Ok(()) };
    let stored = found.handoffs.iter().find(|one| one.id.to_string() == shown.id);
    let Some(stored) = stored else {
        return Err(Violation { rule: RULE, found: format!("{} is missing", shown.id) });
    };
    let mut stored_view = view::handoff(&found.directory, stored);
    if !stored.facts.terms.gates.is_empty() && shown.goal.is_empty() {
        // A gate hides the goal and the steps from this caller.
        stored_view.goal.clear();
        stored_view.steps = stored_view.steps.filter(|_| shown.steps.is_some());
    }
    // Only a deputy is shown in whose place they act.
    stored_view.in_place_of.clone_from(&shown.in_place_of);
    must(stored_view == *shown, RULE, || format!("{shown:?}\nexpected {stored_view:?}"))?;
    let is_held = answer.claim.as_ref().is_none_or(|claim| {
        stored.claim().is_some_and(|own| own.fence == claim.fence && own.until == claim.until)
    });
    must(is_held, RULE, || format!("{:?}", answer.claim))
}

/// Returns the claim of a holder's command.
pub(crate) fn shown(command: &Command) -> Option<ClaimProof> {
    match command {
        Command::PassOn(request) => Some(request.parent),
        Command::Renew(request) => Some(request.claim),
        Command::Adopt(request) => Some(request.claim),
        Command::Checkpoint(request) => Some(request.claim),
        Command::RequestApproval(request) => Some(request.claim),
        Command::Withdraw(request) => Some(request.claim),
        Command::Park(request) => Some(request.claim),
        Command::Release(request) => Some(request.claim),
        Command::Return(request) => Some(request.claim),
        _ => None,
    }
}

/// Returns `true` if a halt refuses the command: claims are neither taken, extended, released nor
/// used.
pub(crate) fn is_stopped_by_a_halt(command: &Command) -> bool {
    match command {
        Command::Claim(_) | Command::Begin(_) | Command::Intercept(_) => true,
        // A final checkpoint of an ended claim is still accepted, and so is a withdrawal.
        Command::Checkpoint(_) | Command::Withdraw(_) => false,
        other => shown(other).is_some(),
    }
}

/// Returns the fault that callers get at this point.
fn kind_of(point: FaultPoint) -> FaultKind {
    match point {
        FaultPoint::Open => FaultKind::StoreUnavailable,
        FaultPoint::Load => FaultKind::Io,
        FaultPoint::Commit => FaultKind::DiskFull,
        FaultPoint::AfterCommit => FaultKind::OutcomeUnknown,
    }
}
