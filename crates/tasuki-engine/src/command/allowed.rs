//! The commands that a caller may give about a handoff.
//!
//! Deciding is pure, so each command is tried on a copy of the state, and nothing is recorded. The
//! result is that of the command itself, for a caller who states a reason, has opened everything
//! and types the password. A command that needs a document or a receiver is judged by the check
//! that it begins with.

use std::sync::Arc;

use jiff::Timestamp;
use tasuki_api::Verb;
use tasuki_packet::id::ReturnId;
use tasuki_packet::leaf::Authentication;
use tasuki_packet::policy::gate::Opened;

use crate::command::{Command, permissions};
use crate::model::{CommandSeed, Context, Handoff, Principal, ProjectState, Reason, State};
use crate::prepare::input::PrepareInput;
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::fencing::{self, ClaimProof};
use crate::rules::scopes;
use crate::steps::{
    Accept, Answer, Ask, Attention, Cancel, Claim, Decline, Discard, Edit, Intercept, Redrive,
    Reject, Release, Reroute, SeenVersion, SignOff, Step as _, Verify, decision, question,
};

/// A trial of commands by one caller on one handoff.
struct Trial<'a> {
    state: &'a ProjectState,
    principal: Principal,
    handoff: &'a Handoff,
    now: Timestamp,
    seed: CommandSeed,
}

/// Returns the commands that the caller may give about a handoff of this state.
pub fn allowed(
    state: &ProjectState,
    principal: &Principal,
    handoff: &Handoff,
    now: Timestamp,
    seed: CommandSeed,
) -> Vec<Verb> {
    let mut principal = principal.clone();
    // A person types the password with a signature. A token cannot.
    if principal.is_human() && principal.authentication != Authentication::Token {
        principal.authentication = Authentication::Password;
    }
    let trial = Trial { state, principal, handoff, now, seed };
    Verb::ALL.into_iter().filter(|verb| trial.admits(*verb)).collect()
}

impl Trial<'_> {
    fn admits(&self, verb: Verb) -> bool {
        let (handoff, seen) = (self.handoff.id, self.seen());
        let reason = || Some("a reason".to_owned());
        let claim = self.proof();
        let command = match verb {
            Verb::Accept => Accept { handoff, seen, reason: None }.into(),
            Verb::SignOff => return self.signs(false),
            Verb::Deny => return self.signs(true),
            Verb::Reject => Reject { handoff, seen, reason: reason() }.into(),
            Verb::Intercept => Intercept { handoff, seen, reason: reason() }.into(),
            Verb::Cancel => Cancel { handoff, seen, reason: reason() }.into(),
            Verb::Claim => Claim { handoff: Some(handoff), ..Claim::default() }.into(),
            Verb::Decline => Decline { handoff, reason: reason() }.into(),
            Verb::Ask => {
                let text = "a question".to_owned();
                Ask { handoff, field: None, text, is_blocking: false }.into()
            }
            Verb::Release => Release { claim, reason: reason() }.into(),
            Verb::Verify => {
                let return_packet = self.waiting_return();
                Verify {
                    handoff,
                    return_packet,
                    is_good: false,
                    reason: reason(),
                    attention: Attention::default(),
                }
                .into()
            }
            Verb::Redrive => {
                Redrive { handoff, reason: reason(), attention: Attention::default() }.into()
            }
            Verb::Discard => {
                Discard { handoff, reason: reason(), attention: Attention::default() }.into()
            }
            Verb::Edit => return self.check(Edit::SCOPES, decision::may_edit),
            Verb::Reroute => {
                let reason = Reason { text: reason(), ..Reason::default() };
                return self.check(Reroute::SCOPES, |context, handoff| {
                    decision::may_reroute(context, handoff, &reason)
                });
            }
            Verb::Answer => return self.check(Answer::SCOPES, question::answer::may_answer),
            Verb::Return => {
                return self.check(Release::SCOPES, |context, _| {
                    fencing::require_current_claim(context, claim).map(drop)
                });
            }
        };
        self.runs(&command)
    }

    /// Returns `true` if a command would be done.
    fn runs(&self, command: &Command) -> bool {
        if permissions::require_scopes(&self.principal, command).is_err() {
            return false;
        }
        let prepared = command.prepare(&self.input());
        let decided = prepared.and_then(|prepared| prepared.decide(&self.context()));
        match decided {
            Ok(_) => true,
            // The meaning of a signature is the only argument that is left out.
            Err(refusal) => {
                matches!(command, Command::SignOff(_))
                    && refusal.code == RefusalCode::ArgumentInvalid
            }
        }
    }

    /// Returns `true` if the caller has the scopes of a command and passes its first check.
    fn check(
        &self,
        needs: scopes::RequiredScopes,
        check: impl Fn(&Context<'_>, &Handoff) -> Result<(), Refusal>,
    ) -> bool {
        scopes::require(&self.principal, needs).is_ok()
            && check(&self.context(), self.handoff).is_ok()
    }

    /// Returns `true` if the caller may sign, or refuse to sign, at any gate of the handoff.
    fn signs(&self, is_denial: bool) -> bool {
        let gates = self.handoff.facts.terms.gates.iter();
        let mut open = gates.filter_map(|digest| self.state.directory.gate(digest));
        open.any(|gate| {
            let (handoff, seen) = (self.handoff.id, self.seen());
            let (gate, reason) = (Some(gate.identity().to_string()), Some("a reason".to_owned()));
            self.runs(&SignOff { handoff, gate, meaning: None, is_denial, seen, reason }.into())
        })
    }

    /// Returns the current version, with everything opened.
    fn seen(&self) -> SeenVersion {
        let opened = Opened::ALL.iter().map(|part| part.as_str().to_owned()).collect();
        let attention = Attention { seconds: None, opened };
        SeenVersion { attention, ..SeenVersion::at(&self.state.directory, self.handoff) }
    }

    fn waiting_return(&self) -> Option<ReturnId> {
        let State::Returned(returned) = &self.handoff.progress.state else { return None };
        Some(returned.return_packet)
    }

    fn proof(&self) -> ClaimProof {
        let fence = self.handoff.claim().map_or(0, |claim| claim.fence);
        ClaimProof { handoff: self.handoff.id, fence }
    }

    fn context(&self) -> Context<'_> {
        let Self { state, principal, now, seed, .. } = self;
        Context { state, principal, now: *now, seed }
    }

    fn input(&self) -> PrepareInput {
        PrepareInput {
            directory: Arc::clone(&self.state.directory),
            caller: self.principal.party,
            authentication: self.principal.authentication,
            receivers: self.principal.receivers.clone(),
            fingerprint_key: self.state.head.fingerprint_key,
            seed: self.seed.clone(),
            handoff: Some(self.handoff.clone()),
            facts: None,
            work: None,
            chain: Vec::new(),
            question: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::{World, claim, return_packet, submit, verdict};

    fn verbs(world: &World, name: &str) -> Vec<Verb> {
        let principal = world.principal(name);
        let seed = CommandSeed::new([7; 32]);
        allowed(&world.state, &principal, world.handoff(), world.now, seed)
    }

    #[test]
    fn a_return_is_judged_by_all_but_its_holder_and_only_while_it_waits() {
        let mut world = World::new();
        world.done("ana", submit(&json!({ "return_required": ["status"] })));
        assert!(!verbs(&world, "ana").contains(&Verb::Verify));
        world.done("ben", claim(world.newest()));
        assert_eq!(verbs(&world, "ben"), [Verb::Return, Verb::Release]);
        let shown = world.shown();
        world.done("ben", return_packet(shown, &json!({})));
        assert!(verbs(&world, "ana").contains(&Verb::Verify));
        assert!(verbs(&world, "pia").contains(&Verb::Verify));
        assert!(verbs(&world, "ben").is_empty());
        let verdict = verdict(&world, world.newest(), true);
        world.done("ana", verdict);
        assert!(verbs(&world, "ana").is_empty() && verbs(&world, "pia").is_empty());
    }

    #[test]
    fn trying_a_command_changes_nothing() {
        let mut world = World::new();
        world.done("ana", submit(&json!({})));
        let before = (world.handoff().clone(), world.leaves.len());
        assert_eq!(verbs(&world, "ben"), [Verb::Claim, Verb::Decline, Verb::Ask]);
        assert_eq!((world.handoff().clone(), world.leaves.len()), before);
    }
}
