//! Authorization: the part that a caller must have in a handoff. Every step checks it here.

use jiff::Timestamp;
use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::Authentication;

use crate::model::{Context, Directory, Handoff, Principal, Scope, Scopes, State};
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::gate;
use crate::rules::scopes::{ReadOperation, must_have_all, person_needed, require};

/// Requires a scope of the caller's credential.
pub fn scope(context: &Context<'_>, scope: Scope) -> Result<(), Refusal> {
    must_have_all(context.principal, Scopes::none().with(scope))
}

/// Returns `true` if the caller is the sender or may send on its behalf.
pub fn is_sender(context: &Context<'_>, handoff: &Handoff) -> bool {
    may_send_for(&context.state.directory, context.principal.party, handoff.facts.sender)
}

/// Returns `true` if a party may send on behalf of another.
pub fn may_send_for(directory: &Directory, party: PartyId, sender: PartyId) -> bool {
    let sends_for = || directory.party(party).is_some_and(|own| own.sends_for.contains(&sender));
    directory.is_or_is_in(party, sender) || sends_for()
}

/// Requires the caller to be the sender.
pub fn sender(context: &Context<'_>, handoff: &Handoff) -> Result<(), Refusal> {
    scope(context, Scope::Submit)?;
    if is_sender(context, handoff) {
        return Ok(());
    }
    Err(not_you(context, handoff, "sender", handoff.facts.sender))
}

/// Requires the caller to be the receiver or a member of the receiving role.
pub fn receiver(context: &Context<'_>, handoff: &Handoff) -> Result<(), Refusal> {
    scope(context, Scope::Receive)?;
    let receiver = handoff.facts.receiver;
    if context.state.directory.is_or_is_in(context.principal.party, receiver) {
        return Ok(());
    }
    Err(not_you(context, handoff, "receiver", receiver))
}

/// Requires a person to hand work that a person has taken over back to an agent.
pub fn may_reach(context: &Context<'_>, handoff: &Handoff, to: PartyId) -> Result<(), Refusal> {
    let directory = &context.state.directory;
    let Some(person) = handoff.taken_over_by() else { return Ok(()) };
    if context.principal.is_human() || directory.is_people(to) {
        return Ok(());
    }
    let name = directory.name(person);
    let message =
        format!("`{name}` took over handoff {}; only a person can give it back", handoff.id);
    Err(Refusal::new(RefusalCode::PersonNeeded, message)
        .hint(format!("ask `{name}` or another person to release or reroute it")))
}

/// Requires the caller to be a person with the scope `decide`.
pub fn person(context: &Context<'_>) -> Result<(), Refusal> {
    if context.principal.is_human() {
        return scope(context, Scope::Decide);
    }
    Err(person_needed())
}

/// Requires a caller that may register people or issue credentials for them. An agent's token may
/// not, whatever its scopes: the agent could make itself a person.
pub fn require_may_create_humans(context: &Context<'_>) -> Result<(), Refusal> {
    let principal = context.principal;
    let is_token = principal.authentication == Authentication::Token;
    if principal.is_human() || !is_token {
        return Ok(());
    }
    let name = context.state.directory.name(principal.party);
    let message =
        format!("`{name}` is an agent and cannot register people or issue their credentials");
    Err(Refusal::new(RefusalCode::PersonNeeded, message)
        .hint("ask a person with the scope `admin`, or the operator"))
}

/// Requires the caller to be an operator of the project.
pub fn operator(context: &Context<'_>) -> Result<(), Refusal> {
    scope(context, Scope::Admin)
}

/// Returns `true` if a principal manages the subscriptions of a party: an operator those of all
/// parties, and a person who may read the events their own.
pub fn manages_subscriptions_of(principal: &Principal, party: PartyId) -> bool {
    let is_own = principal.is_human() && principal.party == party;
    principal.scopes.has(Scope::Admin) || is_own && principal.scopes.has(Scope::Read)
}

/// Requires the caller to manage the subscriptions of a party.
pub fn subscription(context: &Context<'_>, party: PartyId) -> Result<(), Refusal> {
    if manages_subscriptions_of(context.principal, party) {
        return Ok(());
    }
    require(context.principal, ReadOperation::Subscriptions.required_scopes())?;
    let name = context.state.directory.name(context.principal.party);
    let message = format!("`{name}` manages only subscriptions to themselves");
    Err(Refusal::new(RefusalCode::NotAllowed, message)
        .hint("an operator manages those of other parties"))
}

/// Returns `true` if a principal may know of a handoff: by the scope `read` or a part in it.
pub fn may_know(directory: &Directory, principal: &Principal, handoff: &Handoff) -> bool {
    let own = principal.party;
    // A write-only token knows nothing, not even what it sent.
    if principal.is_write_only() {
        return false;
    }
    principal.scopes.has(Scope::Read)
        || may_send_for(directory, own, handoff.facts.sender)
        || directory.is_or_is_in(own, handoff.facts.receiver)
        || handoff.claim().is_some_and(|claim| claim.holder == own)
}

/// Returns `true` if the caller of a step may know that a handoff exists.
pub fn is_known(context: &Context<'_>, handoff: &Handoff) -> bool {
    may_know(&context.state.directory, context.principal, handoff)
}

/// Requires read access to a revision of the packet.
///
/// INVARIANT: every read of a packet goes through here. Before a gate is signed, only people, who
/// must read the packet to sign, and its sender may read it. A claimer gets it with the claim. An
/// older revision was never released, except to its sender.
pub fn reader(
    directory: &Directory,
    principal: &Principal,
    handoff: &Handoff,
    revision: u32,
    now: Timestamp,
) -> Result<(), Refusal> {
    require(principal, ReadOperation::Packet.required_scopes())?;
    released_to(directory, principal, handoff, revision, now)
}

/// Requires that no gate hides a revision from the caller.
///
/// This is `reader` without the check of the credential. Cards use it, because a receiver without
/// the scope `read` sees the handoffs that it may claim.
pub fn released_to(
    directory: &Directory,
    principal: &Principal,
    handoff: &Handoff,
    revision: u32,
    now: Timestamp,
) -> Result<(), Refusal> {
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
    let message = format!("revision {revision} of handoff {} is hidden by a gate", handoff.id);
    Err(Refusal::new(RefusalCode::GateUnsigned, message)
        .hint("only people and the sender can read it"))
}

/// Requires read access to the return of a handoff. Everyone who may read the packet has it, and
/// every earlier party of the chain, even behind a gate: it is the result of their work.
pub fn return_reader(
    directory: &Directory,
    principal: &Principal,
    handoff: &Handoff,
    now: Timestamp,
) -> Result<(), Refusal> {
    require(principal, ReadOperation::Packet.required_scopes())?;
    let had_it = |party: &PartyId| may_send_for(directory, principal.party, *party);
    if handoff.facts.lineage.iter().any(had_it) {
        return Ok(());
    }
    reader(directory, principal, handoff, handoff.facts.revision, now)
}

fn not_you(context: &Context<'_>, handoff: &Handoff, role: &str, party: PartyId) -> Refusal {
    let directory = &context.state.directory;
    let message = format!(
        "the {role} of handoff {} is `{}`, not `{}`",
        handoff.id,
        directory.name(party),
        directory.name(context.principal.party)
    );
    Refusal::new(RefusalCode::NotAllowed, message).hint("`tasuki show` shows whose turn it is")
}

/// Returns the refusal for a handoff in the wrong state.
pub fn wrong_state(handoff: &Handoff, verb: &str, needed: &str) -> Refusal {
    let state = handoff.progress.state.word().as_str();
    let message =
        format!("cannot {verb} handoff {}: it is {state}, but must be {needed}", handoff.id);
    Refusal::new(RefusalCode::StateConflict, message)
        .hint("`tasuki show` lists the commands that are possible now")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::command::Command;
    use crate::rules::fencing::ClaimProof;
    use crate::rules::grants::granted;
    use crate::testing::{World, claim, submit};

    #[test]
    fn a_party_sends_for_itself_its_roles_and_its_principals() {
        let mut world = World::new();
        world.change("pia", |party, id| party.sends_for = vec![id("ana")]);
        let may = |own: &str, other: &str| {
            may_send_for(&world.state.directory, world.id(own), world.id(other))
        };
        assert!(may("ben", "ben") && may("ben", "role:team") && may("pia", "ana"));
        assert!(!may("ana", "pia") && !may("ben", "cem") && !may("ana", "role:team"));
    }

    #[test]
    fn every_refusal_names_the_missing_part_or_scope() {
        let mut world = World::new();
        world.run("ana", submit(&json!({}))).unwrap();
        let id = world.newest();
        insta::assert_snapshot!(world.refusal("cem", claim(id)), @"
        TK-NOT-ALLOWED: the receiver of handoff hof_1 is `ben`, not `cem`
        hint: `tasuki show` shows whose turn it is
        ");
        world.run("ben", claim(id)).unwrap();
        let shown = world.shown();
        let renew = |shown| Command::Renew(crate::steps::Renew { claim: shown, lease: None });
        insta::assert_snapshot!(world.refusal("cem", renew(shown)), @"
        TK-CLAIM-STALE: handoff hof_1 is claimed by `ben` with fence 1, not by you
        hint: stop working on it; your checkpoints are kept, and `tasuki inbox` shows your work
        ");
        insta::assert_snapshot!(world.refusal("ben", renew(ClaimProof { fence: 9, ..shown })), @"
        TK-CLAIM-STALE: your claim has expired (fence 9; the handoff is claimed by `ben` with fence 1)
        hint: stop working on it; your checkpoints are kept, and `tasuki inbox` shows your work
        ");
        let mut principal = world.principal("ben");
        principal.scopes = Scopes::none().with(Scope::Submit);
        insta::assert_snapshot!(world.refusal_as(&principal, renew(shown)), @"
        TK-SCOPE-MISSING: this credential lacks the scope `receive`
        hint: an operator creates a token with `tasuki token create --as NAME --scope submit,receive`
        ");
        let halt = crate::steps::Halt { is_lift: false, reason: None };
        world.run("pia", Command::Halt(halt)).unwrap();
        insta::assert_snapshot!(world.refusal("ben", renew(shown)), @"
        TK-PROJECT-HALTED: the project is halted
        hint: you can still record a checkpoint; an operator lifts the halt with `tasuki halt --lift`
        ");
        let lift = crate::steps::Halt { is_lift: true, reason: Some("fixed".to_owned()) };
        world.run("pia", Command::Halt(lift)).unwrap();
        insta::assert_snapshot!(world.refusal("ben", renew(shown)), @"
        TK-CLAIM-STALE: your claim has expired (fence 1; the handoff is offered again)
        hint: stop working on it; your checkpoints are kept, and `tasuki inbox` shows your work
        ");
    }

    #[test]
    fn the_authority_of_a_role_limits_its_members_only() {
        let mut world = World::new();
        world.change("role:team", |role, _| role.authority = Some(vec!["read:*".to_owned()]));
        world.run("ana", submit(&json!({"to_agent": "role:team"}))).unwrap();
        let granted = |name: &str| granted(&world.state.directory, world.handoff(), world.id(name));
        assert_eq!(granted("ben").unwrap(), ["read:*"]);
        assert_eq!(granted("pia"), None);
    }

    #[test]
    fn the_granted_authority_is_the_intersection_of_all_limits() {
        let mut world = World::new();
        world.run("ana", submit(&json!({}))).unwrap();
        let check = |stated: Option<&[&str]>,
                     sender: Option<&[&str]>,
                     holder: Option<&[&str]>,
                     expected: Option<&[&str]>| {
            let owned = |list: Option<&[&str]>| {
                list.map(|list| list.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>())
            };
            let mut world = World::new();
            world.run("ana", submit(&json!({}))).unwrap();
            world.change("ana", |party, _| party.authority = owned(sender));
            world.change("ben", |party, _| party.authority = owned(holder));
            let mut handoff = world.handoff().clone();
            handoff.facts_mut().summary.authority = owned(stated);
            let granted = granted(&world.state.directory, &handoff, world.id("ben"));
            assert_eq!(granted, owned(expected));
        };
        check(None, None, None, None);
        check(Some(&["write:src/"]), None, None, Some(&["write:src/"]));
        check(Some(&["write:*"]), Some(&["write:src/*", "read:*"]), None, Some(&["write:src/*"]));
        check(None, Some(&["write:*"]), Some(&["write:src/*"]), Some(&["write:src/*"]));
        check(Some(&["a"]), Some(&["b"]), None, Some(&[]));
        check(Some(&[]), None, Some(&["*"]), Some(&[]));
        check(
            Some(&["*"]),
            Some(&["read:*", "write:*"]),
            Some(&["read:docs/*", "write:*"]),
            Some(&["read:docs/*", "write:*"]),
        );
    }
}
