//! Turns a verb about a handoff into a command, with the version and claim that the caller shows.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use tasuki_engine::command::Command;
use tasuki_engine::model::{
    Directory, Handoff, Hold, PendingAction, PendingKind, State, UndeliverableReason,
};
use tasuki_engine::rules::fencing::ClaimProof;
use tasuki_engine::steps::question::ask;
use tasuki_engine::steps::system::{mark_delivered, undeliverable};
use tasuki_engine::steps::{
    Accept, Adopt, Answer, Attention, Decline, Discard, Edit, Intercept, Park, PassOn, Redrive,
    Reject, Release, Renew, Reroute, Revise, SeenVersion, SignOff, Withdraw, cancel, checkpoint,
    claim, request_approval, return_packet, submit, verify,
};
use tasuki_packet::id::{HandoffId, ReturnId};

use super::verbs::Verb;
use super::{documents, parties};
use crate::random::Random;

/// Returns the people whom a holder asks for approval: usually any.
fn decider(random: &mut Random) -> Option<String> {
    let named = random.chance(40).then(|| *random.pick(&["pia", "quin", "rob", "role:people"]));
    named.map(str::to_owned)
}

/// The subject of a command.
pub(crate) struct Request<'a> {
    pub now: Timestamp,
    pub directory: &'a Directory,
    pub handoff: &'a Handoff,
    /// Its current packet.
    pub packet: &'a Value,
}

impl Request<'_> {
    /// Returns the version that the caller has seen: usually the current one.
    fn seen(&self, random: &mut Random) -> SeenVersion {
        let handoff = self.handoff;
        let there = SeenVersion::at(self.directory, handoff);
        let revision = handoff.facts.revision;
        let attention = Attention { seconds: None, opened: vec!["packet".to_owned()] };
        match random.below(20) {
            0 => SeenVersion { revision: Some(revision + 1), ..there },
            1 => SeenVersion { digest: Some("sha256:00".to_owned()), ..SeenVersion::default() },
            2 => SeenVersion::default(),
            3 => there,
            4 => SeenVersion { receiver: None, attention, ..there },
            _ => SeenVersion { attention, ..there },
        }
    }

    /// Returns the return packet that the verifier has seen: usually the current one.
    fn seen_return(&self, random: &mut Random) -> Option<ReturnId> {
        let State::Returned(returned) = &self.handoff.progress.state else { return None };
        match random.below(20) {
            0 => None,
            1 => Some(ReturnId::new(random.below(99), [9; 10])),
            _ => Some(returned.return_packet),
        }
    }

    /// Returns the claim that the holder shows, sometimes with an invalid or stale fence.
    fn shown(&self, random: &mut Random) -> ClaimProof {
        let handoff = self.handoff;
        let fence = handoff.progress.fence;
        let fence = match random.below(12) {
            0 => fence.saturating_sub(1),
            1 if random.chance(30) => fence + 1,
            _ => fence,
        };
        ClaimProof { handoff: handoff.id, fence }
    }

    pub(crate) fn command(&self, random: &mut Random, verb: Verb) -> Command {
        let (handoff, packet) = (self.handoff, self.packet);
        let is_known = random.chance(98);
        let id = if is_known { handoff.id } else { HandoffId::new(random.below(99), [9; 10]) };
        let reason = documents::reason(random);
        let seen = self.seen(random);
        match verb {
            Verb::Accept => Command::Accept(Accept { handoff: id, seen, reason }),
            Verb::SignOff => Command::SignOff(self.signature(random, seen, reason)),
            Verb::Reject => Command::Reject(Reject { handoff: id, seen, reason }),
            Verb::Intercept => Command::Intercept(Intercept { handoff: id, seen, reason }),
            Verb::Reroute => {
                let to = parties::receiver(random).to_owned();
                Command::Reroute(Reroute { handoff: id, to, seen, reason })
            }
            Verb::Edit => {
                let source = self.edited(random);
                Command::Edit(Edit { handoff: id, source, seen, reason })
            }
            Verb::Revise => {
                let source = documents::revised(random, packet).to_string().into_bytes();
                Command::Revise(Revise { handoff: id, source, seen })
            }
            Verb::Cancel => Command::Cancel(cancel::Cancel {
                handoff: id,
                seen: SeenVersion::default(),
                reason,
            }),
            Verb::Redrive => {
                Command::Redrive(Redrive { handoff: id, reason, attention: Attention::default() })
            }
            Verb::Discard => {
                Command::Discard(Discard { handoff: id, reason, attention: Attention::default() })
            }
            Verb::Decline => Command::Decline(Decline { handoff: id, reason }),
            Verb::Verify => {
                let is_good = random.chance(50);
                let return_packet = self.seen_return(random);
                Command::Verify(verify::Verify {
                    handoff: id,
                    return_packet,
                    is_good,
                    reason,
                    attention: Attention::default(),
                })
            }
            Verb::Deliver => {
                let is_delivery = random.chance(50);
                Command::MarkDelivered(mark_delivered::MarkDelivered { handoff: id, is_delivery })
            }
            Verb::Undeliverable => Command::RecordUndeliverable(self.undeliverable_request(random)),
            Verb::Ask => {
                let text = reason.unwrap_or_default();
                let is_blocking = random.chance(50);
                Command::Ask(ask::Ask { handoff: id, field: None, text, is_blocking })
            }
            Verb::Answer => self.answer(random, reason),
            Verb::Claim => Command::Claim(self.claim(random)),
            Verb::Supersede => {
                let source = documents::revised(random, packet).to_string().into_bytes();
                let supersedes = random.chance(70).then_some(id);
                let request = submit::Submit { source, supersedes, ..submit::Submit::default() };
                Command::Submit(request)
            }
            _ => self.of_holder(random, verb, reason),
        }
    }

    /// Builds a command that only a holder sends.
    fn of_holder(&self, random: &mut Random, verb: Verb, reason: Option<String>) -> Command {
        let packet = self.packet;
        let shown = self.shown(random);
        match verb {
            Verb::Renew => {
                let lease = random.chance(30).then(|| "5m".parse().expect("a duration"));
                Command::Renew(Renew { claim: shown, lease })
            }
            Verb::Adopt => Command::Adopt(Adopt { claim: shown }),
            Verb::Checkpoint => {
                let source = documents::checkpoint(random).to_string().into_bytes();
                Command::Checkpoint(checkpoint::Checkpoint {
                    claim: shown,
                    source,
                    work_tree: None,
                })
            }
            Verb::Hold => {
                let number = random.below(100);
                let action = json!({ "run": format!("deploy {number}") });
                Command::RequestApproval(request_approval::RequestApproval {
                    claim: shown,
                    action,
                    to: decider(random),
                    ends_task: self.handoff.facts.is_begun && random.chance(30),
                })
            }
            Verb::Withdraw => Command::Withdraw(Withdraw { claim: shown, reason }),
            Verb::Park => {
                let seconds = i64::try_from(random.below(7_200)).expect("two hours") - 600;
                let not_before = self.now + SignedDuration::from_secs(seconds);
                Command::Park(Park { claim: shown, not_before, reason })
            }
            Verb::Release => Command::Release(Release { claim: shown, reason }),
            Verb::PassOn => {
                let source = documents::passed_on(random, packet, self.now);
                let source = source.to_string().into_bytes();
                Command::PassOn(PassOn::new(shown, source))
            }
            _ => {
                let source = documents::return_packet(random, self.handoff, packet);
                let source = source.to_string().into_bytes();
                Command::Return(return_packet::Return { claim: shown, source, work_tree: None })
            }
        }
    }

    /// Builds a notification failure: usually of a pending action, sometimes of a past one.
    fn undeliverable_request(&self, random: &mut Random) -> undeliverable::RecordUndeliverable {
        let (handoff, progress) = (self.handoff.id, &self.handoff.progress);
        let question = progress.questions.first().map(|question| question.id);
        let (kind, at) = match &progress.state {
            State::Held(hold) => (PendingKind::Hold, hold.since),
            State::Offered(_) if question.is_some() => (PendingKind::Question, self.now),
            State::Offered(offer) => (PendingKind::Offer, offer.since),
            State::Returned(returned) => (PendingKind::Escalation, returned.since),
            _ => (PendingKind::Offer, self.now),
        };
        let at = if random.chance(90) { at } else { progress.progress_at };
        let because = if random.chance(50) {
            UndeliverableReason::Failed
        } else {
            UndeliverableReason::NoChannel
        };
        let wait = PendingAction { handoff, n: progress.last_n, at, kind, question };
        undeliverable::RecordUndeliverable { wait, because, by_mail: random.chance(50) }
    }

    fn claim(&self, random: &mut Random) -> claim::Claim {
        claim::Claim {
            handoff: Some(self.handoff.id),
            lease: random.chance(30).then(|| "2m".parse().expect("a duration")),
            is_renewed: random.chance(30),
            key: random.chance(40).then(|| "own".to_owned()),
            reads: if random.chance(5) { vec!["work@9.0".to_owned()] } else { Vec::new() },
            read_back: random.chance(10).then(|| json!({ "goal": "as I understand it" })),
            drift: None,
        }
    }

    fn signature(&self, random: &mut Random, seen: SeenVersion, reason: Option<String>) -> SignOff {
        let gate = match random.below(20) {
            0 => Some("nowhere".to_owned()),
            1..10 => Some("release".to_owned()),
            _ => None,
        };
        let meaning = random.chance(30).then(|| "reviewed".to_owned());
        let is_denial = random.chance(8);
        SignOff { handoff: self.handoff.id, gate, meaning, is_denial, seen, reason }
    }

    /// Returns the edited packet, or the action while the holder waits for approval.
    fn edited(&self, random: &mut Random) -> Vec<u8> {
        match &self.handoff.progress.state {
            State::Held(Hold { approval_request: Some(_), .. }) if random.chance(90) => {
                json!({ "run": "deploy nothing" }).to_string().into_bytes()
            }
            _ => documents::revised(random, self.packet).to_string().into_bytes(),
        }
    }

    fn answer(&self, random: &mut Random, reason: Option<String>) -> Command {
        let (handoff, packet) = (self.handoff, self.packet);
        let open = &handoff.progress.questions;
        let question = (random.chance(50) && !open.is_empty()).then(|| random.pick(open).id);
        let source = random.chance(30);
        let source = source.then(|| documents::revised(random, packet).to_string().into_bytes());
        let seen = SeenVersion::default();
        Command::Answer(Answer { handoff: handoff.id, question, text: reason, source, seen })
    }
}
