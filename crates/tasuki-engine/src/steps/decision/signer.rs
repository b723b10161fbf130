//! Decides who may sign at a gate and for which factor, and explains refusals.

use tasuki_packet::id::PartyId;
use tasuki_packet::policy::gate::{Factor, Gate};

use crate::model::{Context, Handoff};
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::gate::AtGate;
use crate::steps::SeenVersion;

/// Refuses a signer that wrote the packet or on whose behalf it was written.
pub(super) fn may_sign(
    context: &Context<'_>,
    handoff: &Handoff,
    gate: &Gate,
) -> Result<(), Refusal> {
    let contributors = &handoff.facts.contributors;
    let caller = std::iter::once(context.principal.party).chain(context.principal.on_behalf_of);
    if !caller.into_iter().any(|party| contributors.contains(&party)) {
        return Ok(());
    }
    let message = format!("you contributed to this packet and cannot sign at gate `{}`", gate.name);
    Err(Refusal::new(RefusalCode::GateForbidden, message).hint("ask another person to sign"))
}

/// Requires that the signer has opened the parts that the gate names. A denial does not need this.
pub(super) fn has_opened(gate: &Gate, seen: &SeenVersion) -> Result<(), Refusal> {
    let asked = gate.requires_opened.iter().map(|opened| opened.as_str());
    let missing: Vec<String> = asked
        .filter(|part| !seen.attention.opened.iter().any(|opened| opened == part))
        .map(|part| format!("`{part}`"))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let message =
        format!("gate `{}` requires that you open {} first", gate.name, missing.join(" and "));
    Err(Refusal::new(RefusalCode::GateForbidden, message).hint("open it, then sign"))
}

/// Returns the first factor that a signature with this meaning counts for.
pub(super) fn signing<'a>(
    at: &AtGate<'a>,
    person: PartyId,
    meaning: Option<&str>,
) -> Result<&'a Factor, Refusal> {
    let factors = at.factors_for(person);
    if factors.is_empty() {
        return Err(no_factor(at, person));
    }
    let fitting = factors.iter().find(|factor| factor.allows_meaning(meaning));
    fitting.copied().ok_or_else(|| wrong_meaning(at.gate, &factors, meaning))
}

/// Returns the factor for which a person may refuse to sign. It may be complete already.
pub(super) fn denying<'a>(at: &AtGate<'a>, person: PartyId) -> Result<&'a Factor, Refusal> {
    let admitting = at.gate.factors.iter().find(|factor| at.admits(factor, person));
    match admitting.filter(|_| at.word_of(person).is_none()) {
        Some(factor) => Ok(factor),
        None => Err(no_factor(at, person)),
    }
}

fn wrong_meaning(gate: &Gate, factors: &[&Factor], meaning: Option<&str>) -> Refusal {
    let allowed: Vec<String> = factors
        .iter()
        .flat_map(|factor| factor.meaning.iter().map(|word| format!("`{word}`")))
        .collect();
    let name = &gate.name;
    let (message, hint) = match meaning {
        None => (
            format!("gate `{name}` requires a meaning for your signature"),
            format!("pass `--meaning` with one of: {}", allowed.join(", ")),
        ),
        Some(meaning) if allowed.is_empty() => (
            format!("gate `{name}` takes no meaning, found `{meaning}`"),
            "remove `--meaning`".to_owned(),
        ),
        Some(meaning) => (
            format!("`{meaning}` is not a meaning that gate `{name}` allows you"),
            format!("pass `--meaning` with one of: {}", allowed.join(", ")),
        ),
    };
    Refusal::new(RefusalCode::ArgumentInvalid, message).hint(hint)
}

/// Returns the refusal for a person whose signature or denial would not count.
fn no_factor(at: &AtGate<'_>, person: PartyId) -> Refusal {
    let name = &at.gate.name;
    let missing = at.gate.factors.iter().filter(|factor| at.lacks(factor) > 0);
    let missing: Vec<String> = missing.map(|factor| by_whom(factor, at.lacks(factor))).collect();
    let hint = format!("missing signatures: {}", missing.join("; "));
    if let Some(word) = at.word_of(person) {
        let done = if word.is_denial { "refused to sign" } else { "signed" };
        let message = format!("you already {done} at gate `{name}`; one person counts once");
        return Refusal::new(RefusalCode::GateSigned, message).hint(hint);
    }
    if let Some(full) = at.gate.factors.iter().find(|factor| at.admits(factor, person)) {
        let message = format!("factor `{}` of gate `{name}` has all its signatures", full.name);
        return Refusal::new(RefusalCode::GateSigned, message).hint(hint);
    }
    let message = format!("none of your roles may sign at gate `{name}`");
    Refusal::new(RefusalCode::GateForbidden, message).hint(hint)
}

/// Formats the missing signatures of a factor, such as `2 of role:reviewer`.
fn by_whom(factor: &Factor, lacking: usize) -> String {
    let roles: Vec<String> =
        factor.roles.iter().map(|role| format!("`{}`", role.as_str())).collect();
    format!("{lacking} of {}", roles.join(" or "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{
        all_sign, check_as, check_signed, denial, edit, gated, people, refusal_text, release_gate,
        revise, signature,
    };
    use crate::command::Command;
    use crate::model::Principal;
    use crate::steps::SignOff;
    use crate::testing::{World, packet, submit};

    #[track_caller]
    fn check(world: &mut World, name: &str, expected: &str) {
        let signature = signature(world);
        check_signed(world, name, signature, expected);
    }

    fn refused_signature(world: &mut World, name: &str, signature: SignOff) -> String {
        let principal = world.signed_in(name);
        refusal_text(world, &principal, Command::SignOff(signature))
    }

    #[test]
    fn only_members_of_the_named_roles_sign() {
        let mut world = gated(&json!({}));
        check(&mut world, "tia", "refused TK-GATE-FORBIDDEN");
        let signature = signature(&world);
        insta::assert_snapshot!(refused_signature(&mut world, "tia", signature), @"
        TK-GATE-FORBIDDEN: none of your roles may sign at gate `release`
        hint: missing signatures: 1 of `role:safety`; 2 of `role:reviewer`
        ");
        all_sign(&mut world, &["quin", "sam"]);
        // Rex is a reviewer too, but the reviewers are complete: he counts for safety.
        check(&mut world, "rex", "offered to ben");
    }

    #[test]
    fn a_factor_takes_no_more_signatures_than_it_needs() {
        let mut world = gated(&json!({}));
        world.change("role:reviewer", |party, id| party.members.push(id("tia")));
        all_sign(&mut world, &["quin", "sam"]);
        let signature = signature(&world);
        insta::assert_snapshot!(refused_signature(&mut world, "tia", signature), @"
        TK-GATE-SIGNED: factor `eyes` of gate `release` has all its signatures
        hint: missing signatures: 1 of `role:safety`
        ");
        let denial = denial(&world);
        check_signed(&mut world, "tia", denial, "rejected");
    }

    #[test]
    fn one_person_counts_once() {
        let mut world = gated(&json!({}));
        check(&mut world, "rex", "held for gate:release");
        check(&mut world, "rex", "refused TK-GATE-SIGNED");
        let signature = signature(&world);
        insta::assert_snapshot!(refused_signature(&mut world, "rex", signature), @"
        TK-GATE-SIGNED: you already signed at gate `release`; one person counts once
        hint: missing signatures: 2 of `role:reviewer`
        ");
        let denial = denial(&world);
        check_signed(&mut world, "rex", denial, "refused TK-GATE-SIGNED");
    }

    #[test]
    fn one_person_counts_for_each_factor_where_the_gate_allows_it() {
        let mut world = gated(&json!({ "distinct": { "across_factors": false } }));
        check(&mut world, "rex", "held for gate:release");
        check(&mut world, "rex", "held for gate:release");
        check(&mut world, "rex", "refused TK-GATE-SIGNED");
        check(&mut world, "quin", "offered to ben");
    }

    #[test]
    fn an_author_cannot_sign() {
        let mut world = gated(&json!({}));
        let command = edit(&world, packet(&json!({ "goal": "Ship it better" })));
        world.check("pia", command, "held for gate:release");
        check(&mut world, "pia", "refused TK-GATE-FORBIDDEN");
        let signature = signature(&world);
        insta::assert_snapshot!(refused_signature(&mut world, "pia", signature), @"
        TK-GATE-FORBIDDEN: you contributed to this packet and cannot sign at gate `release`
        hint: ask another person to sign
        ");
        let command = revise(&world, &json!({ "goal": "Ship it well" }));
        world.check("ana", command, "held for changed, gate:release");
        check(&mut world, "pia", "refused TK-GATE-FORBIDDEN");
        let denial = denial(&world);
        check_signed(&mut world, "pia", denial, "refused TK-GATE-FORBIDDEN");
    }

    #[test]
    fn a_person_cannot_sign_a_packet_written_on_their_behalf() {
        let mut world = people();
        world.gate(release_gate(&json!({})));
        world.contract(&json!({ "gates": ["release"] }));
        let for_pia = Some(world.id("pia"));
        let agent = Principal { on_behalf_of: for_pia, ..world.principal("ana") };
        check_as(&mut world, &agent, submit(&json!({})), "held for gate:release");
        check(&mut world, "pia", "refused TK-GATE-FORBIDDEN");
        let command = Command::SignOff(signature(&world));
        let rex_for_pia = Principal { on_behalf_of: for_pia, ..world.signed_in("rex") };
        check_as(&mut world, &rex_for_pia, command, "refused TK-GATE-FORBIDDEN");
        check(&mut world, "rex", "held for gate:release");
    }

    fn with_meanings() -> World {
        gated(&json!({ "factors": [
            { "name": "eyes", "roles": ["reviewer"], "meaning": ["reviewed", "read"] },
            { "name": "safety", "roles": ["safety"], "meaning": ["safe"] },
        ]}))
    }

    #[test]
    fn a_signature_has_a_meaning() {
        let mut world = with_meanings();
        let silent = signature(&world);
        insta::assert_snapshot!(refused_signature(&mut world, "rex", silent), @"
        TK-ARGUMENT-INVALID: gate `release` requires a meaning for your signature
        hint: pass `--meaning` with one of: `reviewed`, `read`, `safe`
        ");
        let other = SignOff { meaning: Some("fine".to_owned()), ..signature(&world) };
        insta::assert_snapshot!(refused_signature(&mut world, "quin", other), @"
        TK-ARGUMENT-INVALID: `fine` is not a meaning that gate `release` allows you
        hint: pass `--meaning` with one of: `reviewed`, `read`
        ");
        // The meaning decides for which of his two roles Rex signs.
        let safe = SignOff { meaning: Some("safe".to_owned()), ..signature(&world) };
        check_signed(&mut world, "quin", safe.clone(), "refused TK-ARGUMENT-INVALID");
        check_signed(&mut world, "rex", safe, "held for gate:release");
        assert_eq!(world.handoff().progress.signatures[0].factor, "safety");
        let reviewed = SignOff { meaning: Some("reviewed".to_owned()), ..signature(&world) };
        check_signed(&mut world, "quin", reviewed, "offered to ben");
    }

    #[test]
    fn an_unexpected_meaning_is_refused() {
        let mut world = gated(&json!({}));
        let meant = SignOff { meaning: Some("fine".to_owned()), ..signature(&world) };
        insta::assert_snapshot!(refused_signature(&mut world, "pia", meant), @"
        TK-ARGUMENT-INVALID: gate `release` takes no meaning, found `fine`
        hint: remove `--meaning`
        ");
    }

    #[test]
    fn a_signer_must_open_the_required_parts() {
        let mut world = gated(&json!({ "requires_opened": ["packet", "evidence"] }));
        let mut pending_reasons = signature(&world);
        pending_reasons.seen.attention.opened = vec!["packet".to_owned()];
        check_signed(&mut world, "pia", pending_reasons.clone(), "refused TK-GATE-FORBIDDEN");
        insta::assert_snapshot!(refused_signature(&mut world, "pia", pending_reasons), @"
        TK-GATE-FORBIDDEN: gate `release` requires that you open `evidence` first
        hint: open it, then sign
        ");
        check(&mut world, "pia", "held for gate:release");
        let mut denial = denial(&world);
        denial.seen.attention.opened.clear();
        check_signed(&mut world, "quin", denial, "rejected");
    }
}
