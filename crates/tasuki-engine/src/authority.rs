//! Who may ask for what. Every step asks here, and nowhere else.

use jiff::Timestamp;
use tasuki_packet::chain;
use tasuki_packet::id::{HandoffId, PartyId};

use crate::context::Context;
use crate::directory::Directory;
use crate::gate;
use crate::handoff::{Claim, Handoff, State};
use crate::principal::{Principal, Scope};
use crate::refusal::{Refusal, RefusalCode};

/// The claim that a holder shows with every write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shown {
    /// The handoff.
    pub handoff: HandoffId,
    /// The fencing token.
    pub token: u64,
}

/// Whether the caller's credential is good for this at all.
pub fn scope(context: &Context<'_>, scope: Scope) -> Result<(), Refusal> {
    if context.principal.scopes.has(scope) {
        return Ok(());
    }
    Err(lacks(scope))
}

fn lacks(scope: Scope) -> Refusal {
    let message = format!("this credential lacks the scope `{}`", scope.as_str());
    Refusal::new(RefusalCode::NotAllowed, message).hint("ask an operator for a token with it")
}

/// The caller is the sender, or may send for it.
pub fn is_sender(context: &Context<'_>, handoff: &Handoff) -> bool {
    may_send_for(&context.state.directory, context.principal.party, handoff.facts.sender)
}

/// Whether a party may send in the name of another.
pub fn may_send_for(directory: &Directory, party: PartyId, sender: PartyId) -> bool {
    let sends_for = || directory.party(party).is_some_and(|own| own.sends_for.contains(&sender));
    directory.is_or_is_in(party, sender) || sends_for()
}

/// The caller is the sender, or it is refused.
pub fn sender(context: &Context<'_>, handoff: &Handoff) -> Result<(), Refusal> {
    scope(context, Scope::Submit)?;
    if is_sender(context, handoff) {
        return Ok(());
    }
    Err(not_you(context, handoff, "sender", handoff.facts.sender))
}

/// The caller is the receiver or a member of the receiving role, or it is refused.
pub fn receiver(context: &Context<'_>, handoff: &Handoff) -> Result<(), Refusal> {
    scope(context, Scope::Receive)?;
    let receiver = handoff.facts.receiver;
    if context.state.directory.is_or_is_in(context.principal.party, receiver) {
        return Ok(());
    }
    Err(not_you(context, handoff, "receiver", receiver))
}

/// The caller is a person who may decide, or it is refused.
pub fn person(context: &Context<'_>) -> Result<(), Refusal> {
    scope(context, Scope::Decide)?;
    if context.principal.is_human() {
        return Ok(());
    }
    let name = context.state.directory.name(context.principal.party);
    let message = format!("only a person decides, and `{name}` is an agent");
    Err(Refusal::new(RefusalCode::PersonNeeded, message)
        .hint("a person decides in the console, or with `--as` and their own name"))
}

/// The caller runs the project, or it is refused.
pub fn operator(context: &Context<'_>) -> Result<(), Refusal> {
    scope(context, Scope::Admin)
}

/// The caller may read a revision of the packet, or it is refused.
///
/// INVARIANT: every door reads packets through here. Before a gate is signed its body is for people,
/// who must read it to sign, and for its own sender; a claimer gets it with the claim. An older
/// revision was never released, unless it is the caller's own.
pub fn reader(
    directory: &Directory,
    principal: &Principal,
    handoff: &Handoff,
    revision: u32,
    now: Timestamp,
) -> Result<(), Refusal> {
    if !principal.scopes.has(Scope::Read) {
        return Err(lacks(Scope::Read));
    }
    let own = principal.party;
    let is_free = handoff.facts.terms.gates.is_empty()
        || principal.is_human()
        || may_send_for(directory, own, handoff.facts.sender);
    let is_current = revision == handoff.facts.revision;
    let has_claimed = handoff.claim().is_some_and(|claim| claim.holder == own);
    let is_over =
        matches!(handoff.progress.state, State::Returned(_) | State::Done | State::PassedOn);
    if is_free || is_current && (has_claimed || is_over) {
        return Ok(());
    }
    if is_current {
        return gate::all_signed(directory, handoff, now);
    }
    let message = format!("revision {revision} of handoff {} was not released", handoff.id);
    Err(Refusal::new(RefusalCode::GateUnsigned, message)
        .hint("only people and its sender read revisions that a gate kept back"))
}

/// The claim that the caller shows, if it is still the one that counts.
///
/// INVARIANT: every write of a holder comes through here. A token that is not the newest, a claim
/// of an older epoch, and a claim that was passed on are refused.
pub fn holder<'a>(
    context: &'a Context<'_>,
    shown: Shown,
) -> Result<(&'a Handoff, &'a Claim), Refusal> {
    let (handoff, claim) = holder_even_if_halted(context, shown)?;
    if claim.epoch < context.state.head.claim_epoch {
        return Err(halted(context));
    }
    Ok((handoff, claim))
}

/// The same, but a claim that a halt has ended still counts: for a last checkpoint.
pub fn holder_even_if_halted<'a>(
    context: &'a Context<'_>,
    shown: Shown,
) -> Result<(&'a Handoff, &'a Claim), Refusal> {
    scope(context, Scope::Receive)?;
    let handoff = context.state.handoff(shown.handoff)?;
    let State::Claimed(claim) = &handoff.progress.state else {
        return Err(stale(context, handoff, shown));
    };
    if claim.token != shown.token || claim.holder != context.principal.party {
        return Err(stale(context, handoff, shown));
    }
    if let Some(child) = handoff.progress.child {
        let message = format!("handoff {} was passed on with {child}", handoff.id);
        return Err(Refusal::new(RefusalCode::ClaimStale, message)
            .hint("it comes back if the other one ends without being claimed")
            .naming(child));
    }
    Ok((handoff, claim))
}

/// The refusal of everything that a halt forbids.
pub fn halted(context: &Context<'_>) -> Refusal {
    let message = match context.state.head.is_halted {
        true => "the project is halted: nobody claims, renews, returns or passes on",
        false => "the project was halted and this claim ended with it",
    };
    let hint = match context.state.head.is_halted {
        true => "leave a last checkpoint; an operator lifts the halt with `tasuki halt --lift`",
        false => "claim it again",
    };
    Refusal::new(RefusalCode::ProjectHalted, message).hint(hint)
}

fn stale(context: &Context<'_>, handoff: &Handoff, shown: Shown) -> Refusal {
    let now = match &handoff.progress.state {
        State::Claimed(claim) => {
            let holder = context.state.directory.name(claim.holder);
            format!("claimed by `{holder}` with token {}", claim.token)
        }
        other => other.word().as_str().to_owned(),
    };
    let message =
        format!("token {} does not hold handoff {}, which is {now}", shown.token, handoff.id);
    Refusal::new(RefusalCode::ClaimStale, message)
        .hint("stop working on it: what you did is in your checkpoints; `tasuki inbox` shows what is yours")
}

fn not_you(context: &Context<'_>, handoff: &Handoff, role: &str, party: PartyId) -> Refusal {
    let directory = &context.state.directory;
    let message = format!(
        "the {role} of handoff {} is `{}`, not `{}`",
        handoff.id,
        directory.name(party),
        directory.name(context.principal.party)
    );
    Refusal::new(RefusalCode::NotAllowed, message).hint("`tasuki show` says whose turn it is")
}

/// The handoff is in another state than the step needs.
pub fn wrong_state(handoff: &Handoff, verb: &str, needed: &str) -> Refusal {
    let state = handoff.progress.state.word().as_str();
    let message = format!("handoff {} is {state}; to {verb} it must be {needed}", handoff.id);
    Refusal::new(RefusalCode::StateConflict, message)
        .hint("`tasuki show` says what can be done with it now")
}

/// What a claimer may do: what packet, sender and receiver all allow. Nothing limited is nothing.
pub fn granted(directory: &Directory, handoff: &Handoff, holder: PartyId) -> Option<Vec<String>> {
    let limit = |party: PartyId| directory.party(party).and_then(|own| own.authority.clone());
    let stated = handoff.facts.sheet.authority.clone();
    let all = [stated, limit(handoff.facts.sender), limit(holder)];
    all.into_iter().flatten().reduce(|one, other| {
        let mut both = covered(&one, &other);
        both.extend(covered(&other, &one).into_iter().filter(|entry| !one.contains(entry)));
        both.sort();
        both.dedup();
        both
    })
}

/// The entries that an entry of the limit covers.
fn covered(entries: &[String], limit: &[String]) -> Vec<String> {
    let is_covered = |entry: &&String| limit.iter().any(|wide| chain::covers(wide, entry));
    entries.iter().filter(is_covered).cloned().collect()
}

/// Entries of a packet's authority that its sender or its receiver may not do.
pub fn surplus(
    directory: &Directory,
    stated: &[String],
    parties: [PartyId; 2],
) -> Vec<(String, String)> {
    let mut surplus = Vec::new();
    for party in parties.into_iter().filter_map(|id| directory.party(id)) {
        let Some(limit) = &party.authority else { continue };
        let is_beyond = |entry: &&String| !limit.iter().any(|wide| chain::covers(wide, entry));
        surplus.extend(
            stated.iter().filter(is_beyond).map(|entry| (entry.clone(), party.name.clone())),
        );
    }
    surplus
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::command::Command;
    use crate::decision::{Looked, SignOff};
    use crate::revise::Revise;
    use crate::testing::{World, claim, packet, submit};

    /// A handoff from `ana` to `ben` behind a gate that `pia` signs.
    fn gated() -> World {
        let mut world = World::new();
        world.gate(json!({
            "gate": "release", "version": "1.0",
            "factors": [{ "name": "people", "roles": ["people"], "approvals": 1 }],
        }));
        world.contract(&json!({ "gates": ["release"] }));
        world.run("ana", submit(&json!({}))).unwrap();
        world
    }

    fn sign(world: &mut World) {
        let looked = Looked::at(world.handoff());
        let (gate, meaning, is_denial, reason) = (None, None, false, None);
        let handoff = world.newest();
        let request = SignOff { handoff, gate, meaning, is_denial, looked, reason };
        world.run_as(&world.signed_in("pia"), Command::SignOff(request)).unwrap();
    }

    /// Who of these may read a revision of the newest handoff.
    #[track_caller]
    fn check(world: &World, revision: u32, expected: &[&str]) {
        let may_read = |name: &&str| {
            let (directory, principal) = (&world.state.directory, world.principal(name));
            reader(directory, &principal, world.handoff(), revision, world.now).is_ok()
        };
        let readers: Vec<&str> =
            ["ana", "ben", "cem", "pia"].into_iter().filter(may_read).collect();
        assert_eq!(readers, expected);
        let system = Principal::system();
        let unnamed = reader(&world.state.directory, &system, world.handoff(), revision, world.now);
        assert_eq!(unnamed.is_ok(), expected.contains(&"cem"));
    }

    #[test]
    fn before_its_gate_is_signed_a_packet_is_for_its_sender_and_for_people() {
        let mut world = gated();
        assert_eq!(world.standing(), "held for gate:release");
        check(&world, 1, &["ana", "pia"]);
        sign(&mut world);
        assert_eq!(world.standing(), "offered to ben");
        check(&world, 1, &["ana", "ben", "cem", "pia"]);
    }

    #[test]
    fn a_new_revision_is_kept_back_and_the_old_one_too() {
        let mut world = gated();
        let source = packet(&json!({ "goal": "Another" }));
        let (handoff, looked) = (world.newest(), Looked::default());
        world.run("ana", Command::Revise(Revise { handoff, source, looked })).unwrap();
        sign(&mut world);
        check(&world, 1, &["ana", "pia"]);
        check(&world, 2, &["ana", "ben", "cem", "pia"]);
    }

    #[test]
    fn who_holds_the_work_reads_it_also_when_the_signature_has_expired() {
        let mut world = gated();
        sign(&mut world);
        let id = world.newest();
        world.check("ben", claim(id), "claimed by ben, token 1");
        let mut handoff = world.handoff().clone();
        handoff.progress.approvals.clear();
        let may_read = |name: &str| {
            let (directory, principal) = (&world.state.directory, world.principal(name));
            reader(directory, &principal, &handoff, 1, world.now).is_ok()
        };
        assert!(may_read("ben") && !may_read("cem"));
    }

    #[test]
    fn without_a_gate_everybody_in_the_project_reads() {
        let mut world = World::new();
        world.run("ana", submit(&json!({}))).unwrap();
        check(&world, 1, &["ana", "ben", "cem", "pia"]);
        let blind =
            Principal { scopes: crate::principal::Scopes::none(), ..world.principal("ben") };
        let refused = reader(&world.state.directory, &blind, world.handoff(), 1, world.now);
        assert_eq!(refused.unwrap_err().code, RefusalCode::NotAllowed);
    }
}
