//! Decides who may verify a return.

use tasuki_packet::id::PartyId;

use crate::model::{Directory, Handoff, Judge, Party, Principal, Returned, State};
use crate::refusal::{Refusal, RefusalCode};

/// Returns `true` if the caller may verify the return in the sender's place.
///
/// Either a missed deadline assigned the verification to the caller, or the sender may not judge it
/// and the caller may verify any return.
pub fn judges_in_place(directory: &Directory, principal: &Principal, handoff: &Handoff) -> bool {
    let State::Returned(returned) = &handoff.progress.state else { return false };
    let is_any = || handoff.is_left_to_others() && judges_any(directory, principal);
    (is_put_in(directory, principal.party, handoff) || is_any())
        && must_be_free_to_judge(principal, handoff, returned).is_ok()
}

/// Returns `true` if the caller may verify any return: a person or a reviewer.
pub fn judges_any(directory: &Directory, principal: &Principal) -> bool {
    let is_in = |role: &Party| role.members.contains(&principal.party);
    principal.is_human() || directory.find(REVIEWERS).is_ok_and(is_in)
}

pub(crate) fn is_put_in(directory: &Directory, party: PartyId, handoff: &Handoff) -> bool {
    handoff.judge().is_some_and(|judge| directory.is_or_is_in(party, judge))
}

/// Refuses a verifier that returned the work itself, or an agent where a person is required.
pub(crate) fn must_be_free_to_judge(
    principal: &Principal,
    handoff: &Handoff,
    returned: &Returned,
) -> Result<(), Refusal> {
    if returned.holder == principal.party {
        let message = format!("you returned handoff {} and cannot verify it yourself", handoff.id);
        return Err(Refusal::new(RefusalCode::OwnHandoff, message)
            .hint("its sender, a reviewer or a person can verify it"));
    }
    if handoff.facts.terms.verify == Judge::Person && !principal.is_human() {
        let message = format!("the contract of handoff {} requires a person's verdict", handoff.id);
        return Err(Refusal::new(RefusalCode::PersonNeeded, message).hint(
            "ask a person to verify it, in the console or with the command line under their own name",
        ));
    }
    Ok(())
}

/// The role whose members may verify any return.
pub(crate) const REVIEWERS: &str = "role:reviewer";
