//! Every offer is decided like the first: does a person have to look before it can be claimed?
//!
//! A hold is a list of reasons. One accept clears all but the gates; each gate is cleared by its
//! own signatures, which count for one revision, one digest and one receiver.

use jiff::Timestamp;
use tasuki_packet::leaf::{Actor, EventType};
use tasuki_packet::trigger::Effect;

use crate::change::Change;
use crate::directory::Directory;
use crate::gate;
use crate::handoff::{Handoff, Hold, HoldReason, Offer, State};
use crate::principal::SYSTEM;

/// Offers a handoff to its receiver, or holds it.
pub fn offer(
    directory: &Directory,
    handoff: &mut Handoff,
    not_before: Option<Timestamp>,
    now: Timestamp,
    actor: Actor,
    change: &mut Change,
) {
    let reasons = reasons(directory, handoff, now);
    if reasons.is_empty() {
        handoff.progress.state = State::Offered(Offer { since: now, not_before });
        return;
    }
    let event = change.happened(EventType::Held, handoff.id, actor);
    event.with("reasons", words(&reasons));
    if reasons == [HoldReason::Asked] && auto_progresses(handoff) {
        change.happened(EventType::Accepted, handoff.id, SYSTEM).with("by", "contract");
        handoff.progress.state = State::Offered(Offer { since: now, not_before });
        return;
    }
    handoff.progress.state = State::Held(Hold { reasons, since: now, asked_by: None });
}

/// Why a person has to look at this revision on its way to this receiver.
pub fn reasons(directory: &Directory, handoff: &Handoff, now: Timestamp) -> Vec<HoldReason> {
    let (facts, progress) = (&handoff.facts, &handoff.progress);
    let accepted = progress.accepted.as_ref().filter(|accepted| {
        accepted.revision == facts.revision && accepted.receiver == facts.receiver
    });
    let is_people = directory.is_people(facts.receiver);
    let mut reasons = Vec::new();
    if accepted.is_none() && (facts.sheet.can_intercept || facts.terms.is_hold_asked) {
        reasons.push(HoldReason::Asked);
    }
    if !is_people && is_uncertain(handoff, accepted.map(|accepted| accepted.checkpoints)) {
        reasons.push(HoldReason::Confidence);
    }
    if !is_people && accepted.is_none() && facts.terms.effect == Effect::Hold {
        reasons.push(HoldReason::Trigger);
    }
    if !is_people && accepted.is_none() && !facts.sheet.demands.is_empty() {
        reasons.push(HoldReason::Label);
    }
    let unsigned =
        facts.terms.gates.iter().filter(|digest| !gate::is_signed(directory, handoff, digest, now));
    reasons.extend(unsigned.map(|digest| HoldReason::Gate(digest.clone())));
    reasons
}

/// Whether the newest word on confidence is under the limit, and nobody has accepted it yet.
fn is_uncertain(handoff: &Handoff, accepted_checkpoints: Option<u32>) -> bool {
    let Some(limit) = handoff.facts.terms.hold_below else { return false };
    let newest = handoff.progress.checkpoint.as_ref();
    let stated = newest.filter(|mark| mark.confidence.is_some());
    let count = stated.map_or(0, |mark| mark.count);
    if accepted_checkpoints.is_some_and(|accepted| accepted >= count) {
        return false;
    }
    let confidence = stated.and_then(|mark| mark.confidence).or(handoff.facts.sheet.confidence);
    confidence.is_none_or(|confidence| confidence < limit)
}

/// From the contract's upper limit on, a hold that only the packet asked for is released at once.
fn auto_progresses(handoff: &Handoff) -> bool {
    let (sheet, terms) = (&handoff.facts.sheet, &handoff.facts.terms);
    !terms.is_hold_asked
        && terms
            .auto_progress_at
            .zip(sheet.confidence)
            .is_some_and(|(limit, confidence)| confidence >= limit)
}

/// The words of these reasons as a leaf has them: each once, in the order of the list.
pub fn words(reasons: &[HoldReason]) -> Vec<&'static str> {
    let mut words: Vec<&'static str> = Vec::new();
    for reason in reasons {
        if !words.contains(&reason.word()) {
            words.push(reason.word());
        }
    }
    words
}
