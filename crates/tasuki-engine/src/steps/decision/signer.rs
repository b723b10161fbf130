//! Who may sign at a gate, in the name of which factor, and what they hear if they may not.

use tasuki_packet::id::PartyId;
use tasuki_packet::policy::gate::{Factor, Gate};

use crate::model::{Context, Handoff};
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::gate::AtGate;
use crate::steps::SeenVersion;

/// Nobody signs, or refuses to, what they wrote or what was written for them.
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
    let message = format!(
        "at gate `{}` nobody signs what they wrote or what was written for them",
        gate.name
    );
    Err(Refusal::new(RefusalCode::GateForbidden, message).hint("somebody else signs"))
}

/// Who signs has opened what the gate asks for; who refuses to sign need not.
pub(super) fn has_opened(gate: &Gate, seen: &SeenVersion) -> Result<(), Refusal> {
    let asked = gate.requires_opened.iter().map(|opened| opened.as_str());
    let missing: Vec<String> = asked
        .filter(|part| !seen.opened.iter().any(|opened| opened == part))
        .map(|part| format!("`{part}`"))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let message =
        format!("gate `{}` asks that you have opened {} first", gate.name, missing.join(" and "));
    Err(Refusal::new(RefusalCode::GateForbidden, message).hint("open it, then sign"))
}

/// The first factor that a signature with this meaning counts for.
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

/// The factor in whose name somebody refuses to sign, which may have its signatures already.
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
            format!("gate `{name}` asks what your signature means"),
            format!("say it with `--meaning`: {}", allowed.join(", ")),
        ),
        Some(meaning) if allowed.is_empty() => (
            format!("gate `{name}` does not ask what your signature means, found `{meaning}`"),
            "leave `--meaning` out".to_owned(),
        ),
        Some(meaning) => (
            format!("your signature at gate `{name}` cannot mean `{meaning}`"),
            format!("say one of these with `--meaning`: {}", allowed.join(", ")),
        ),
    };
    Refusal::new(RefusalCode::ArgumentInvalid, message).hint(hint)
}

/// Why nothing that this person says at the gate would count.
fn no_factor(at: &AtGate<'_>, person: PartyId) -> Refusal {
    let name = &at.gate.name;
    let missing = at.gate.factors.iter().filter(|factor| at.lacks(factor) > 0);
    let missing: Vec<String> = missing.map(|factor| by_whom(factor, at.lacks(factor))).collect();
    let hint = format!("still to sign: {}", missing.join("; "));
    if let Some(word) = at.word_of(person) {
        let done = if word.is_denial { "refused to sign" } else { "signed" };
        let message = format!("you have {done} at gate `{name}`: one person counts once");
        return Refusal::new(RefusalCode::GateSigned, message).hint(hint);
    }
    if let Some(full) = at.gate.factors.iter().find(|factor| at.admits(factor, person)) {
        let message = format!("factor `{}` of gate `{name}` has all its signatures", full.name);
        return Refusal::new(RefusalCode::GateSigned, message).hint(hint);
    }
    let message = format!("you are in no role that signs at gate `{name}`");
    Refusal::new(RefusalCode::GateForbidden, message).hint(hint)
}

/// `2 of role:reviewer`.
fn by_whom(factor: &Factor, lacking: usize) -> String {
    let roles: Vec<String> =
        factor.roles.iter().map(|role| format!("`{}`", role.as_str())).collect();
    format!("{lacking} of {}", roles.join(" or "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{
        all_sign, check_as, check_signed, denial, edit, gated, people, release_gate, revise,
        signature, told,
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

    fn told_signed(world: &mut World, name: &str, signature: SignOff) -> String {
        let principal = world.signed_in(name);
        told(world, &principal, Command::SignOff(signature))
    }

    #[test]
    fn only_members_of_the_named_roles_sign() {
        let mut world = gated(&json!({}));
        check(&mut world, "tia", "refused TK-GATE-FORBIDDEN");
        let signature = signature(&world);
        insta::assert_snapshot!(told_signed(&mut world, "tia", signature), @"
        TK-GATE-FORBIDDEN: you are in no role that signs at gate `release`
        hint: still to sign: 1 of `role:safety`; 2 of `role:reviewer`
        ");
        all_sign(&mut world, &["quin", "sam"]);
        // Rex is a reviewer too, but the reviewers have signed: his counts for safety.
        check(&mut world, "rex", "offered to ben");
    }

    #[test]
    fn a_factor_takes_no_more_signatures_than_it_asks_for() {
        let mut world = gated(&json!({}));
        world.change("role:reviewer", |party, id| party.members.push(id("tia")));
        all_sign(&mut world, &["quin", "sam"]);
        let signature = signature(&world);
        insta::assert_snapshot!(told_signed(&mut world, "tia", signature), @"
        TK-GATE-SIGNED: factor `eyes` of gate `release` has all its signatures
        hint: still to sign: 1 of `role:safety`
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
        insta::assert_snapshot!(told_signed(&mut world, "rex", signature), @"
        TK-GATE-SIGNED: you have signed at gate `release`: one person counts once
        hint: still to sign: 2 of `role:reviewer`
        ");
        let denial = denial(&world);
        check_signed(&mut world, "rex", denial, "refused TK-GATE-SIGNED");
    }

    #[test]
    fn one_person_counts_for_each_factor_where_the_gate_says_so() {
        let mut world = gated(&json!({ "distinct": { "across_factors": false } }));
        check(&mut world, "rex", "held for gate:release");
        check(&mut world, "rex", "held for gate:release");
        check(&mut world, "rex", "refused TK-GATE-SIGNED");
        check(&mut world, "quin", "offered to ben");
    }

    #[test]
    fn nobody_signs_what_they_wrote() {
        let mut world = gated(&json!({}));
        let command = edit(&world, packet(&json!({ "goal": "Ship it better" })));
        world.check("pia", command, "held for gate:release");
        check(&mut world, "pia", "refused TK-GATE-FORBIDDEN");
        let signature = signature(&world);
        insta::assert_snapshot!(told_signed(&mut world, "pia", signature), @"
        TK-GATE-FORBIDDEN: at gate `release` nobody signs what they wrote or what was written for them
        hint: somebody else signs
        ");
        let command = revise(&world, &json!({ "goal": "Ship it well" }));
        world.check("ana", command, "held for gate:release");
        check(&mut world, "pia", "refused TK-GATE-FORBIDDEN");
        let denial = denial(&world);
        check_signed(&mut world, "pia", denial, "refused TK-GATE-FORBIDDEN");
    }

    #[test]
    fn nobody_signs_what_was_written_for_them_or_for_whom_they_act() {
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
    fn a_signature_says_what_it_means() {
        let mut world = with_meanings();
        let silent = signature(&world);
        insta::assert_snapshot!(told_signed(&mut world, "rex", silent), @"
        TK-ARGUMENT-INVALID: gate `release` asks what your signature means
        hint: say it with `--meaning`: `reviewed`, `read`, `safe`
        ");
        let other = SignOff { meaning: Some("fine".to_owned()), ..signature(&world) };
        insta::assert_snapshot!(told_signed(&mut world, "quin", other), @"
        TK-ARGUMENT-INVALID: your signature at gate `release` cannot mean `fine`
        hint: say one of these with `--meaning`: `reviewed`, `read`
        ");
        // The meaning says for which of his two roles Rex signs.
        let safe = SignOff { meaning: Some("safe".to_owned()), ..signature(&world) };
        check_signed(&mut world, "quin", safe.clone(), "refused TK-ARGUMENT-INVALID");
        check_signed(&mut world, "rex", safe, "held for gate:release");
        assert_eq!(world.handoff().progress.signatures[0].factor, "safety");
        let reviewed = SignOff { meaning: Some("reviewed".to_owned()), ..signature(&world) };
        check_signed(&mut world, "quin", reviewed, "offered to ben");
    }

    #[test]
    fn a_meaning_that_nobody_asked_for_is_refused() {
        let mut world = gated(&json!({}));
        let meant = SignOff { meaning: Some("fine".to_owned()), ..signature(&world) };
        insta::assert_snapshot!(told_signed(&mut world, "pia", meant), @"
        TK-ARGUMENT-INVALID: gate `release` does not ask what your signature means, found `fine`
        hint: leave `--meaning` out
        ");
    }

    #[test]
    fn who_signs_has_opened_what_the_gate_asks_for() {
        let mut world = gated(&json!({ "requires_opened": ["packet", "evidence"] }));
        let mut unseen = signature(&world);
        unseen.seen.opened = vec!["packet".to_owned()];
        check_signed(&mut world, "pia", unseen.clone(), "refused TK-GATE-FORBIDDEN");
        insta::assert_snapshot!(told_signed(&mut world, "pia", unseen), @"
        TK-GATE-FORBIDDEN: gate `release` asks that you have opened `evidence` first
        hint: open it, then sign
        ");
        check(&mut world, "pia", "held for gate:release");
        let mut denial = denial(&world);
        denial.seen.opened.clear();
        check_signed(&mut world, "quin", denial, "rejected");
    }
}
