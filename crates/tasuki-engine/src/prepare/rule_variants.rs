//! The variants that rules of the project require of a packet, besides its own.
//!
//! They are evaluated with the risk before any rule, and only if a rule chooses a variant at all.

use tasuki_packet::leaf::Hash;
use tasuki_packet::policy::rules::RuleVariant;
use tasuki_packet::{Packet, Variant};

use super::contract::gates;
use crate::model::handoff::push_new;
use crate::model::{Directory, PacketSummary, Published};
use crate::rules::edge_policy::{self, Edge, stake};

/// Returns the variants, each with the rule that chose it.
pub(super) fn chosen(
    directory: &Directory,
    packet: &Packet,
    contract: Option<&Published>,
    edge: &Edge,
    kept: &[String],
) -> Vec<(RuleVariant, Variant)> {
    let Some(rules) = &directory.rules else { return Vec::new() };
    if rules.stated.entries.iter().all(|rule| rule.variant.is_none()) {
        return Vec::new();
    }
    let mut summary = PacketSummary::of(packet, String::new(), Hash::ZERO, 0);
    summary.found = edge_policy::found_in(directory, packet);
    let stated = contract.map(|published| published.compiled.contract());
    let by_contract = stated.map_or(&[][..], |contract| &contract.gates);
    // An unknown gate is refused later, with its own code.
    let mut gates = gates(directory, by_contract, &summary, edge).unwrap_or_default();
    push_new(&mut gates, kept.iter().cloned());
    let risk = stake(&summary, &gates, stated);
    let chosen = edge_policy::variants(directory, &summary, edge, risk).into_iter();
    chosen.filter_map(|one| Variant::named(&one.variant).map(|variant| (one, variant))).collect()
}

/// Returns the sentence that names the rules, for the hint of a refusal.
pub(super) fn reason(chosen: &[RuleVariant]) -> Option<String> {
    let [first, rest @ ..] = chosen else { return None };
    let mut text = format!("rule `{}` chose the variant `{}`", first.rule, first.variant);
    for one in rest {
        text.push_str(&format!(", rule `{}` chose `{}`", one.rule, one.variant));
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::command::Command;
    use crate::model::PartyKind;
    use crate::steps::{Reroute, SeenVersion};
    use crate::testing::{World, claim, pass_on_with, submit};

    /// Returns a world in which handoffs to `dan` must satisfy a variant.
    fn world(when: &Value, variant: &str) -> World {
        let mut world = World::new();
        world.add("dan", PartyKind::Agent);
        world.change("role:team", |party, id| party.members = vec![id("dan")]);
        let rule = json!({ "name": "clinic", "when": when, "variant": variant });
        world.rules(json!({ "rules": [rule] }));
        world
    }

    #[test]
    fn a_packet_is_checked_against_the_variant_that_a_rule_chooses() {
        let mut world = world(&json!({ "classification": ["SECRET"] }), "regulated");
        world.check("ana", submit(&json!({ "task_id": "a" })), "offered to ben");
        world.advance(1);
        let secret = json!({ "task_id": "b", "classification": "SECRET" });
        insta::assert_snapshot!(world.refusal("ana", submit(&secret)), @"
        TK-PACKET-INVALID: the packet has 3 violations
        hint: rule `clinic` chose the variant `regulated`; fix every violation and send the packet again
        /regulation_refs 1:1: TK-FIELD-MISSING: missing required field `regulation_refs` (variant `regulated`); allowed: a list in which each item is text or an object with `scheme` and `ref`
        /sign_off_gates 1:1: TK-FIELD-MISSING: missing required field `sign_off_gates` (variant `regulated`); allowed: a list in which each item is text or an object with `gate`
        /retention 1:1: TK-FIELD-MISSING: missing required field `retention` (variant `regulated`); allowed: an ISO 8601 period such as `P5Y`, or an object
        ");
    }

    #[test]
    fn a_rule_that_chooses_a_variant_holds_nothing() {
        let mut world = world(&json!({ "words": ["exporter"] }), "coding");
        let packet = json!({ "goal": "Port the exporter", "failed_approaches": [] });
        world.check("ana", submit(&packet), "offered to ben");
        assert_eq!(world.handoff().facts.summary.demands, [""; 0]);
    }

    #[test]
    fn no_member_author_or_revision_leads_around_the_variant_of_a_rule() {
        let mut world = world(&json!({ "edge": [{ "to": "dan" }] }), "regulated");
        let by_rule = "hint: rule `clinic` chose the variant `regulated`; fix every violation";
        for to in ["dan", "role:team"] {
            let refusal = world.refusal("ana", submit(&json!({ "to_agent": to })));
            assert!(refusal.contains(by_rule), "{to}: {refusal}");
        }
        world.check("ana", submit(&json!({})), "offered to ben");
        world.check("ben", claim(world.newest()), "claimed by ben, fence 1");
        let onward = pass_on_with(&world, &json!({ "to_agent": "dan", "from_agent": "ben" }));
        let refusal = world.refusal("ben", onward);
        assert!(refusal.contains(by_rule), "{refusal}");
    }

    #[test]
    fn an_agent_cannot_reroute_a_packet_around_the_variant_of_a_rule() {
        let mut world = world(&json!({ "edge": [{ "to": "dan" }] }), "regulated");
        world.check("ana", submit(&json!({})), "offered to ben");
        let reroute = Reroute {
            handoff: world.newest(),
            seen: SeenVersion::default(),
            to: "dan".to_owned(),
            reason: Some("dan is free".to_owned()),
        };
        let refusal = world.refusal("ana", Command::Reroute(reroute));
        assert!(refusal.starts_with("TK-PACKET-INVALID"), "{refusal}");
        assert!(refusal.contains("/retention"), "{refusal}");
    }
}
