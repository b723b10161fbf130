//! Decides whether a person must accept an offer before it can be claimed.
//!
//! Every offer is decided like the first. A hold is a list of reasons. One accept clears all of
//! them except gates. Each gate is cleared by its own signatures, which count for one revision,
//! digest and receiver.

use jiff::Timestamp;
use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::{Actor, EventType};
use tasuki_packet::policy::trigger::Effect;

use crate::model::handoff::push_new;
use crate::model::{Change, Directory, Handoff, Hold, HoldReason, Offer, RiskWord, SYSTEM, State};
use crate::rules::edge_policy::{self, Edge, recompute_policy, stake};
use crate::rules::{deciders, gate, review};

/// Offers a handoff to its receiver, or holds it.
#[expect(clippy::too_many_arguments, reason = "the clock offers too, and has no context")]
pub fn offer(
    directory: &Directory,
    handoff: &mut Handoff,
    not_before: Option<Timestamp>,
    now: Timestamp,
    actor: Actor,
    change: &mut Change,
) {
    bind(directory, handoff);
    gate::bind_roles(directory, handoff);
    let pending_reasons = pending_reasons(directory, handoff, handoff.facts.receiver);
    let reasons = joined(&pending_reasons, reasons(directory, handoff, now));
    if reasons.is_empty() {
        handoff.progress.state = State::Offered(Offer { since: now, not_before });
        return;
    }
    let event = change.record_event(EventType::Held, handoff.id, actor);
    event.with("reasons", words(&reasons));
    if let Some(earlier) = handoff.progress.changed {
        event.with("earlier", earlier);
    }
    if reasons == [HoldReason::Asked] && pending_reasons.is_empty() && auto_progresses(handoff) {
        change.record_event(EventType::Accepted, handoff.id, SYSTEM).with("by", "contract");
        handoff.progress.state = State::Offered(Offer { since: now, not_before });
        return;
    }
    review::await_person(handoff, now);
    let deciders = deciders::of(directory, handoff, &[], now);
    handoff.progress.state = State::Held(Hold {
        reasons,
        since: now,
        approval_request: None,
        not_before,
        deciders,
        escalated_at: None,
    });
}

/// Binds the handoff to the gates that its checkpoints' statements require, and raises its risk.
fn bind(directory: &Directory, handoff: &mut Handoff) {
    if handoff.progress.checkpoint.as_ref().is_none_or(|mark| mark.triggers.is_empty()) {
        return;
    }
    let summaries = handoff.said();
    let [known, stated @ ..] = summaries.as_slice() else { return };
    let edge = Edge::to(directory, &handoff.facts, handoff.facts.receiver);
    let known = edge_policy::gates(directory, known, &edge);
    let mut gates: Vec<String> =
        stated.iter().flat_map(|summary| edge_policy::gates(directory, summary, &edge)).collect();
    gates.retain(|digest| {
        !known.contains(digest) && !gate::is_bound(directory, &handoff.facts, digest)
    });
    let terms = &mut handoff.facts_mut().terms;
    push_new(&mut terms.gates, gates);
    let stakes = stated.iter().map(|summary| RiskWord::from(stake(summary, &terms.gates, None)));
    terms.risk = stakes.fold(terms.risk, RiskWord::max);
    recompute_policy(directory, handoff.facts_mut(), &[]);
}

/// Returns a hold with these remaining reasons. Its time starts anew if a reason is new, such as a
/// gate whose signatures expired.
pub fn still_held(hold: &Hold, left: Vec<HoldReason>, now: Timestamp) -> State {
    let has_new = left.iter().any(|reason| !hold.reasons.contains(reason));
    let since = if has_new { now } else { hold.since };
    State::Held(Hold { reasons: left, since, ..hold.clone() })
}

/// Returns the reasons for which the handoff already waits for a person, on the edge to this
/// receiver.
///
/// Neither a revision nor a reroute clears them. Otherwise a sender could free held work by
/// removing the content that held it.
pub fn pending_reasons(
    directory: &Directory,
    handoff: &Handoff,
    receiver: PartyId,
) -> Vec<HoldReason> {
    let State::Held(Hold { reasons, approval_request: None, .. }) = &handoff.progress.state else {
        return Vec::new();
    };
    let is_people = directory.is_people(receiver);
    let stays = |reason: &&HoldReason| match reason {
        HoldReason::Asked => true,
        HoldReason::Confidence | HoldReason::Trigger | HoldReason::Label => !is_people,
        // The progress has what makes the packet a changed one.
        HoldReason::Action | HoldReason::Changed(_) | HoldReason::Gate(_) => false,
    };
    reasons.iter().filter(stays).cloned().collect()
}

/// Merges the reasons that stay with those that were found, in list order.
fn joined(pending_reasons: &[HoldReason], found: Vec<HoldReason>) -> Vec<HoldReason> {
    if pending_reasons.is_empty() {
        return found;
    }
    let plain = [HoldReason::Asked, HoldReason::Confidence, HoldReason::Trigger, HoldReason::Label];
    let is_there = |reason: &HoldReason| pending_reasons.contains(reason) || found.contains(reason);
    let others = found.iter().filter(|reason| !plain.contains(reason)).cloned();
    plain.iter().filter(|reason| is_there(reason)).cloned().chain(others).collect()
}

/// Returns the reasons for which a person must look at this revision for this receiver.
pub fn reasons(directory: &Directory, handoff: &Handoff, now: Timestamp) -> Vec<HoldReason> {
    let (facts, progress) = (&handoff.facts, &handoff.progress);
    let accepted = progress.accepted.as_ref().filter(|accepted| {
        accepted.revision == facts.revision && accepted.receiver == facts.receiver
    });
    let is_people = directory.is_people(facts.receiver);
    // Statements of later checkpoints are not covered by the acceptance.
    let looked_at = accepted.map_or(0, |accepted| accepted.checkpoints);
    let mark = progress.checkpoint.as_ref();
    let mut reasons = Vec::new();
    if accepted.is_none() && (facts.summary.can_intercept || facts.terms.is_hold_asked) {
        reasons.push(HoldReason::Asked);
    }
    if !is_people && is_uncertain(handoff, accepted.map(|accepted| accepted.checkpoints)) {
        reasons.push(HoldReason::Confidence);
    }
    let is_triggered = mark.is_some_and(|mark| mark.holds_in > looked_at);
    if !is_people && (is_triggered || accepted.is_none() && facts.terms.effect == Effect::Hold) {
        reasons.push(HoldReason::Trigger);
    }
    let is_demanded = mark.is_some_and(|mark| mark.demanded_in > looked_at);
    if !is_people && (is_demanded || accepted.is_none() && !facts.summary.demands.is_empty()) {
        reasons.push(HoldReason::Label);
    }
    reasons.extend(progress.changed.map(HoldReason::Changed));
    let unsigned =
        facts.terms.gates.iter().filter(|digest| !gate::is_signed(directory, handoff, digest, now));
    reasons.extend(unsigned.map(|digest| HoldReason::Gate(digest.clone())));
    reasons
}

/// Returns the reasons for which a person must look before an agent may take the offer. An offer to
/// people is not held for them, but the members of a role may change.
pub fn reasons_for_agents(
    directory: &Directory,
    handoff: &Handoff,
    now: Timestamp,
) -> Vec<HoldReason> {
    let State::Offered(_) = handoff.progress.state else { return Vec::new() };
    let mut reasons = reasons(directory, handoff, now);
    reasons.retain(|reason| {
        matches!(reason, HoldReason::Confidence | HoldReason::Trigger | HoldReason::Label)
    });
    reasons
}

/// Returns the latest stated confidence: that of the last checkpoint, else the packet's.
fn newest_confidence(handoff: &Handoff) -> Option<f64> {
    let mark = handoff.progress.checkpoint.as_ref();
    mark.and_then(|mark| mark.confidence).or(handoff.facts.summary.confidence)
}

/// Returns `true` if the latest confidence is below the limit and not yet accepted.
fn is_uncertain(handoff: &Handoff, accepted_checkpoints: Option<u32>) -> bool {
    let Some(limit) = handoff.facts.terms.hold_below else { return false };
    let stated_in = handoff.progress.checkpoint.as_ref().map_or(0, |mark| mark.stated_in);
    if accepted_checkpoints.is_some_and(|accepted| accepted >= stated_in) {
        return false;
    }
    newest_confidence(handoff).is_none_or(|confidence| confidence < limit)
}

/// Returns `true` if the confidence reaches the contract's limit for releasing a hold that only the
/// packet asked for.
fn auto_progresses(handoff: &Handoff) -> bool {
    let terms = &handoff.facts.terms;
    !terms.is_hold_asked
        && terms
            .auto_progress_at
            .zip(newest_confidence(handoff))
            .is_some_and(|(limit, confidence)| confidence >= limit)
}

/// Returns the words of these reasons for a leaf: each once, in list order.
pub fn words(reasons: &[HoldReason]) -> Vec<&'static str> {
    let mut words: Vec<&'static str> = Vec::new();
    for reason in reasons {
        if !words.contains(&reason.word()) {
            words.push(reason.word());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::command::Command;
    use crate::steps::submit;
    use crate::testing::{World, claim, packet, submit};

    fn held(more: &Value) -> Command {
        Command::Submit(submit::Submit { source: packet(more), hold: true, ..Default::default() })
    }

    fn gate(name: &str, applies: &Value) -> Value {
        let mut gate = json!({
            "gate": name, "version": "1.0",
            "factors": [{ "name": "eyes", "roles": ["people"], "approvals": 1 }],
        });
        if applies != &json!([]) {
            gate["applies"] = applies.clone();
        }
        gate
    }

    /// Submits under a contract with these members and checks the resulting state.
    #[track_caller]
    fn check(contract: &Value, more: &Value, expected: &str) {
        let mut world = World::new();
        world.gate(gate("release", &json!([])));
        world.contract(contract);
        world.check("ana", submit(more), expected);
    }

    #[test]
    fn a_packet_without_conditions_is_offered_with_and_without_a_contract() {
        World::new().check("ana", submit(&json!({})), "offered to ben");
        check(&json!({}), &json!({}), "offered to ben");
    }

    #[test]
    fn the_packet_or_its_sender_asks_for_a_person() {
        let mut world = World::new();
        world.check("ana", submit(&json!({"can_intercept": true})), "held for asked");
        let mut world = World::new();
        world.check("ana", held(&json!({})), "held for asked");
        let mut world = World::new();
        world.check("ana", held(&json!({"to_agent": "pia"})), "held for asked");
        let mut world = World::new();
        world.check("ana", submit(&json!({"can_intercept": false})), "offered to ben");
    }

    #[test]
    fn confidence_is_held_below_the_limit_and_offered_from_it_on() {
        let contract = json!({"confidence": {"hold_below": 0.7}});
        check(&contract, &json!({"confidence": 0.69}), "held for confidence");
        check(&contract, &json!({"confidence": 0.7}), "offered to ben");
        check(&contract, &json!({"confidence": 1}), "offered to ben");
        check(&contract, &json!({}), "held for confidence");
        check(&json!({}), &json!({"confidence": 0.01}), "offered to ben");
        let required = json!({"confidence": {"required": true, "hold_below": 0.7}});
        check(&required, &json!({}), "refused TK-PACKET-INVALID");
    }

    #[test]
    fn each_trigger_has_its_default_effect() {
        for kind in
            ["critical_action", "sensitive_topic", "required_step", "error", "stuck", "misrouted"]
        {
            check(&json!({}), &json!({"trigger": {"kind": kind}}), "held for trigger");
        }
        for kind in [
            "completion",
            "session_ended",
            "context_limit",
            "no_progress",
            "manual",
            "confidence_below",
        ] {
            check(&json!({}), &json!({"trigger": {"kind": kind}}), "offered to ben");
        }
    }

    #[test]
    fn completion_asks_for_verification_and_effects_may_be_changed() {
        let mut world = World::new();
        world.run("ana", submit(&json!({"trigger": {"kind": "completion"}}))).unwrap();
        assert!(world.handoff().facts.terms.asks_return);

        let error = json!({"trigger": {"kind": "error"}});
        check(&json!({"triggers": {"error": "offer"}}), &error, "offered to ben");
        check(&json!({"triggers": {"manual": "hold"}}), &error, "held for trigger");
        let manual = json!({"trigger": {"kind": "manual"}});
        check(&json!({"triggers": {"manual": "hold"}}), &manual, "held for trigger");

        let mut world = World::new();
        world.rules(json!({"triggers": {"error": "offer", "manual": "hold"}}));
        world.check("ana", submit(&error), "offered to ben");
        let mut world = World::new();
        world.rules(json!({"triggers": {"error": "offer"}}));
        world.contract(&json!({"triggers": {"error": "hold"}}));
        world.check("ana", submit(&error), "held for trigger");
    }

    #[test]
    fn rules_of_the_project_demand_a_person_by_words_patterns_and_circumstances() {
        let rules = json!({"rules": [
            {"name": "money", "when": {"words": ["wire transfer"]}, "then": "sensitive_topic"},
            {"name": "damage", "when": {"patterns": ["rm -[a-z]*[rf]"]}, "then": "hold"},
            {"name": "secret", "when": {"classification": ["SECRET"]}, "then": "hold"},
            {"name": "dear", "when": {"risk": "high"}, "then": "hold"},
            {"name": "from-cem", "when": {"edge": [{"from": "cem"}]}, "then": "hold"},
        ]});
        let check = |more: Value, expected: &str, demands: &[&str], risk: &str| {
            let mut world = World::new();
            world.rules(rules.clone());
            world.check("ana", submit(&more), expected);
            assert_eq!(world.handoff().facts.summary.demands, demands);
            assert_eq!(world.handoff().facts.terms.risk.as_str(), risk);
        };
        check(json!({}), "offered to ben", &[], "low");
        let wire = json!({"summary": "Confirm the Wire Transfer"});
        check(wire, "held for label", &["money"], "high");
        check(json!({"remaining": ["run rm -rf build"]}), "held for label", &["damage"], "low");
        check(json!({"confidence": 0.3}), "held for label", &["dear"], "high");
        check(
            json!({"goal": "wire transfer", "to_agent": "pia"}),
            "offered to pia",
            &["money"],
            "high",
        );
        let mut world = World::new();
        world.rules(rules.clone());
        world.check("cem", submit(&json!({})), "held for label");
    }

    #[test]
    fn a_contract_cannot_lift_the_demand_of_a_rule() {
        let mut world = World::new();
        world.rules(json!({
            "rules": [{"name": "m", "when": {"words": ["refund"]}, "then": "sensitive_topic"}],
        }));
        world.contract(&json!({
            "triggers": {"sensitive_topic": "offer"},
            "confidence": {"auto_progress_at": 0.1},
        }));
        let refund = json!({"goal": "refund", "confidence": 0.9, "can_intercept": true});
        world.check("ana", submit(&refund), "held for asked, label");
    }

    #[test]
    fn a_topic_that_a_rule_calls_sensitive_meets_the_gates_for_it() {
        let mut world = World::new();
        world.gate(gate("topics", &json!([{"trigger": ["sensitive_topic"]}])));
        world.rules(json!({
            "rules": [{"name": "m", "when": {"words": ["refund"]}, "then": "sensitive_topic"}],
        }));
        world.check("ana", submit(&json!({"goal": "refund"})), "held for label, gate:topics");
        assert_eq!(world.handoff().facts.summary.trigger.as_deref(), Some("sensitive_topic"));
    }

    #[test]
    fn gates_apply_by_contract_by_packet_and_by_condition() {
        check(&json!({"gates": ["release"]}), &json!({}), "held for gate:release");
        check(&json!({}), &regulated(&json!({})), "held for gate:release");
        let both = regulated(&json!({"sign_off_gates": [{"gate": "release"}]}));
        check(&json!({"gates": ["release"]}), &both, "held for gate:release");
        check(&json!({"gates": ["other"]}), &json!({}), "refused TK-GATE-UNKNOWN");

        let by_itself = |applies: Value, more: &Value, expected: &str| {
            let mut world = World::new();
            world.gate(gate("release", &json!([])));
            world.gate(gate("other", &json!([applies])));
            world.check("ana", submit(more), expected);
        };
        let official = json!({"classification": {"tier": "OFFICIAL", "sensitive": true}});
        by_itself(
            json!({"classification": ["OFFICIAL-SENSITIVE"]}),
            &regulated(&official),
            "held for gate:release, gate:other",
        );
        // A whole scheme includes each of its clauses.
        for (stated, expected) in [
            (json!("UK-DCB0129"), "held for gate:release, gate:other"),
            (json!({"scheme": "UK-DCB0129", "ref": "4.2"}), "held for gate:release, gate:other"),
            (json!({"scheme": "UK-DCB0129", "ref": "9"}), "held for gate:release"),
        ] {
            let more = regulated(&json!({"regulation_refs": [stated]}));
            by_itself(json!({"regulation": ["UK-DCB0129:4.2"]}), &more, expected);
        }
        let to_people = json!({"edge": [{"to": "role:people"}]});
        by_itself(to_people.clone(), &json!({"to_agent": "pia"}), "held for gate:other");
        by_itself(to_people, &json!({}), "offered to ben");
    }

    fn regulated(more: &Value) -> Value {
        let mut packet = json!({
            "classification": "PUBLIC", "regulation_refs": ["none"], "retention": "P1Y",
            "sign_off_gates": ["release"],
        });
        more.as_object().unwrap().iter().for_each(|(name, value)| packet[name] = value.clone());
        packet
    }

    #[test]
    fn all_reasons_together_are_listed_in_their_order() {
        let mut world = World::new();
        world.gate(gate("release", &json!([])));
        world.rules(json!({"rules": [{"name": "w", "when": {"words": ["ship"]}, "then": "hold"}]}));
        world.contract(&json!({"confidence": {"hold_below": 0.7}, "gates": ["release"]}));
        let more = json!({"can_intercept": true, "confidence": 0.5, "trigger": {"kind": "error"}});
        world.check(
            "ana",
            submit(&more),
            "held for asked, confidence, trigger, label, gate:release",
        );
        let leaf: Value = serde_json::from_str(&world.leaves[1].leaf).unwrap();
        assert!(leaf.to_string().contains(r#"["asked","confidence","trigger","label","gate"]"#));
    }

    #[test]
    fn people_are_not_held_for_confidence_or_trigger() {
        for to in ["pia", "role:people"] {
            let mut world = World::new();
            world.contract(&json!({
                "to": ["pia", "role:people"],
                "confidence": {"hold_below": 0.7},
            }));
            let more =
                json!({"to_agent": to, "confidence": 0.2, "trigger": {"kind": "critical_action"}});
            world.check("ana", submit(&more), &format!("offered to {to}"));
        }
        let mut world = World::new();
        world.change("role:people", |party, id| party.members.push(id("ben")));
        let more = json!({"to_agent": "role:people", "trigger": {"kind": "error"}});
        world.check("ana", submit(&more), "held for trigger");
    }

    const LIMITS: &str = r#"{"confidence": {"auto_progress_at": 0.8, "hold_below": 0.7}}"#;

    #[test]
    fn high_confidence_releases_what_only_the_packet_asked_for() {
        let limits: Value = serde_json::from_str(LIMITS).unwrap();
        let asked = |confidence: f64| json!({"can_intercept": true, "confidence": confidence});
        check(&limits, &asked(0.8), "offered to ben");
        check(&limits, &asked(0.79), "held for asked");
        check(&limits, &asked(0.6), "held for asked, confidence");
        check(&limits, &json!({"can_intercept": true}), "held for asked, confidence");

        let mut world = World::new();
        world.contract(&limits);
        world.run("ana", submit(&asked(0.9))).unwrap();
        insta::assert_snapshot!(world.story(0), @"
        handoff.submitted by ana
        handoff.held by ana
        handoff.accepted by system
        ");
        let accepted: Value = serde_json::from_str(&world.leaves[2].leaf).unwrap();
        assert!(accepted.to_string().contains(r#""by":"contract""#), "{accepted}");
    }

    #[test]
    fn high_confidence_skips_no_gate_rule_or_trigger_and_no_hold_of_the_sender() {
        let mut limits: Value = serde_json::from_str(LIMITS).unwrap();
        let sure = json!({"can_intercept": true, "confidence": 1});
        let mut world = World::new();
        world.contract(&limits);
        world.check("ana", held(&sure), "held for asked");
        let mut error = sure.clone();
        error["trigger"] = json!({"kind": "error"});
        check(&limits, &error, "held for asked, trigger");
        limits["gates"] = json!(["release"]);
        check(&limits, &sure, "held for asked, gate:release");
    }

    #[test]
    fn a_later_offer_uses_the_latest_confidence() {
        let limits: Value = serde_json::from_str(LIMITS).unwrap();
        let check = |confidence: f64, expected: &str| {
            let mut world = World::new();
            world.contract(&limits);
            world.run("ana", submit(&json!({"can_intercept": true, "confidence": 0.9}))).unwrap();
            world.run("ben", claim(world.newest())).unwrap();
            let source = json!({"packet_type": "checkpoint", "confidence": confidence});
            let source = source.to_string().into_bytes();
            let shown = world.shown();
            let left = Command::Checkpoint(crate::steps::Checkpoint {
                claim: shown,
                source,
                work_tree: None,
            });
            world.run("ben", left).unwrap();
            let release =
                crate::steps::Release { claim: world.shown(), reason: Some("tired".to_owned()) };
            world.check("ben", Command::Release(release), expected);
        };
        check(0.85, "offered to ben");
        check(0.75, "held for asked");
        check(0.3, "held for asked, confidence");
    }
}
