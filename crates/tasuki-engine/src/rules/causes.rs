//! The causes of a hold: the rule, gate, limit, trigger or earlier handoff behind each reason.
//!
//! They are derived from the facts of the handoff. A reason that a revision has removed still holds
//! the handoff; its cause is then an earlier revision.

use tasuki_api::HoldCause;

use crate::model::{Directory, Handoff, HoldReason, State};

/// Returns the causes of a hold, in the order of its reasons.
pub fn causes(directory: &Directory, handoff: &Handoff) -> Vec<HoldCause> {
    let State::Held(hold) = &handoff.progress.state else { return Vec::new() };
    hold.reasons.iter().flat_map(|reason| of(directory, handoff, reason)).collect()
}

fn of(directory: &Directory, handoff: &Handoff, reason: &HoldReason) -> Vec<HoldCause> {
    let cause =
        |by: String, text: String| vec![HoldCause { reason: reason.word().to_owned(), by, text }];
    match reason {
        HoldReason::Asked if handoff.facts.summary.can_intercept => {
            cause("packet".to_owned(), "the packet asks for a person".to_owned())
        }
        HoldReason::Asked => cause(
            "sender".to_owned(),
            "the sender or an earlier revision asks for a person".to_owned(),
        ),
        HoldReason::Confidence => {
            let (by, text) = confidence(handoff);
            cause(by, text)
        }
        HoldReason::Trigger => named(reason, "trigger", &triggers(handoff)),
        HoldReason::Label => named(reason, "rule", &rules(handoff)),
        HoldReason::Action => {
            let text = "the holder asks for approval of an action".to_owned();
            let mut causes = cause("holder".to_owned(), text);
            let rules = action_rules(handoff);
            if !rules.is_empty() {
                causes.extend(named(reason, "rule", rules));
            }
            causes
        }
        HoldReason::Changed(earlier) => cause(
            format!("handoff:{earlier}"),
            format!("no person has approved these bytes since {earlier}"),
        ),
        HoldReason::Gate(digest) => {
            let gate = directory.gate(digest).map(|gate| gate.name.clone());
            named(reason, "gate", &[gate.unwrap_or_else(|| digest.clone())])
        }
    }
}

/// Returns one cause for each name, or an earlier revision if there is none.
fn named(reason: &HoldReason, kind: &str, names: &[String]) -> Vec<HoldCause> {
    let reason = reason.word().to_owned();
    if names.is_empty() {
        let text = format!("held by a {kind} of an earlier revision");
        return vec![HoldCause { reason, by: "earlier_revision".to_owned(), text }];
    }
    let cause = |name: &String| HoldCause {
        reason: reason.clone(),
        by: format!("{kind}:{name}"),
        text: format!("held by {kind} {name}"),
    };
    names.iter().map(cause).collect()
}

/// Returns the contract whose limit the confidence does not reach, and how it differs.
fn confidence(handoff: &Handoff) -> (String, String) {
    let terms = &handoff.facts.terms;
    let mark = handoff.progress.checkpoint.as_ref();
    let stated = mark.and_then(|mark| mark.confidence).or(handoff.facts.summary.confidence);
    let limit = terms.hold_below.map_or_else(String::new, |limit| format!(" {limit}"));
    let by = terms.contract.as_ref().map_or("limit".to_owned(), |own| format!("contract:{own}"));
    let text = match stated {
        Some(stated) => format!("held by the confidence limit{limit}; the confidence is {stated}"),
        None => format!("held by the confidence limit{limit}; no confidence is stated"),
    };
    (by, text)
}

/// Returns the triggers that packet and checkpoints state.
fn triggers(handoff: &Handoff) -> Vec<String> {
    let stated = handoff.progress.checkpoint.as_ref().map_or(&[][..], |mark| &mark.triggers);
    handoff.facts.summary.trigger.iter().chain(stated).cloned().collect()
}

/// Returns the rules that require a person for the packet or for checkpoints.
fn rules(handoff: &Handoff) -> Vec<String> {
    let mark = handoff.progress.checkpoint.as_ref().filter(|mark| mark.demanded_in > 0);
    let found = mark.map_or(&[][..], |mark| &mark.found);
    let demands = &handoff.facts.summary.demands;
    let later = found.iter().filter(|name| !demands.contains(name));
    demands.iter().chain(later).cloned().collect()
}

/// Returns the rules that apply to the action which waits for approval.
fn action_rules(handoff: &Handoff) -> &[String] {
    let State::Held(hold) = &handoff.progress.state else { return &[] };
    hold.approval_request.as_ref().map_or(&[], |asked| &asked.rules)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::steps::decision::testing::{accept, hold, people, release_gate};
    use crate::testing::{World, claim, submit};

    fn shown(world: &World) -> String {
        let causes = causes(&world.state.directory, world.handoff());
        let line = |one: &HoldCause| format!("{} {}: {}", one.reason, one.by, one.text);
        world.without_ids(causes.iter().map(line).collect::<Vec<_>>().join("\n"))
    }

    #[test]
    fn every_reason_names_its_cause() {
        let mut world = people();
        world.gate(release_gate(&json!({})));
        world.rules(json!({ "rules": [
            { "name": "money-movement", "when": { "words": ["wire"] }, "then": "hold" },
        ] }));
        world.contract(&json!({ "confidence": { "hold_below": 0.7 }, "gates": ["release"] }));
        let more: Value = json!({
            "goal": "wire it", "can_intercept": true, "confidence": 0.5,
            "trigger": { "kind": "error" },
        });
        world.done("ana", submit(&more));
        insta::assert_snapshot!(shown(&world), @"
        asked packet: the packet asks for a person
        confidence contract:work@1.0: held by the confidence limit 0.7; the confidence is 0.5
        trigger trigger:error: held by trigger error
        label rule:money-movement: held by rule money-movement
        gate gate:release: held by gate release
        ");
    }

    #[test]
    fn a_changed_packet_and_an_action_name_what_came_before() {
        let mut world = people();
        world.done("ana", submit(&json!({ "can_intercept": true })));
        world.done("pia", accept(&world));
        world.done("ana", crate::steps::decision::testing::revise(&world, &json!({ "goal": "x" })));
        insta::assert_snapshot!(shown(&world), @"
        asked sender: the sender or an earlier revision asks for a person
        changed handoff:hof_1: no person has approved these bytes since hof_1
        ");
        world.done("pia", accept(&world));
        assert_eq!(shown(&world), "");
        world.done("ben", claim(world.newest()));
        world.done("ben", hold(&world, json!({ "run": "it" })));
        insta::assert_snapshot!(shown(&world), @"action holder: the holder asks for approval of an action");
    }
}
