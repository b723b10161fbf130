//! A holder withdraws its request for approval.
//!
//! The holder goes on with its claim, fence and a full lease, but may not run the action. A task
//! that was begun for the request is cancelled.

use serde::Serialize;
use serde_json::json;
use tasuki_packet::id::HandoffId;
use tasuki_packet::leaf::EventType;

use crate::model::{Change, Context, DocumentKind, Reason, Scope};
use crate::refusal::Refusal;
use crate::rules::fencing::{self, ClaimProof};
use crate::rules::scopes::RequiredScopes;
use crate::steps::ReasonedStep;
use crate::steps::decision::{Outcome, conclude};

/// Withdraws a request for approval.
#[derive(Debug, Clone, Serialize)]
pub struct Withdraw {
    /// The claim.
    pub claim: ClaimProof,
    /// The reason.
    pub reason: Option<String>,
}

impl ReasonedStep for Withdraw {
    const NAME: &'static str = "withdraw";
    const SCOPES: RequiredScopes = RequiredScopes::All(&[Scope::Receive]);

    fn handoff(&self) -> Option<HandoffId> {
        Some(self.claim.handoff)
    }

    fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    fn decide(&self, context: &Context<'_>, reason: &Reason) -> Result<Change, Refusal> {
        withdraw(context, self, reason)
    }
}

fn withdraw(context: &Context<'_>, request: &Withdraw, reason: &Reason) -> Result<Change, Refusal> {
    let (handoff, asked) = fencing::require_own_request(context, request.claim)?;
    let mut change = Change::default();
    let sealed =
        reason.text.as_ref().map(|_| reason.sealed(context, json!({ "step": "withdraw" })));
    let event = change.record_event(EventType::Withdrawn, handoff.id, context.actor());
    event
        .with("fence", asked.claim.fence)
        .because(reason.text.as_deref())
        .about(Some(asked.digest.as_str()));
    if let Some(sealed) = sealed {
        event.bringing(sealed.commitment);
        let id = format!("withdraw-{}", asked.action);
        change.put_document(handoff.id, DocumentKind::Reason, id, sealed);
    }
    let mut after = handoff.clone();
    conclude(context, &mut after, asked, Outcome::Refused, &mut change);
    change.show(after.id);
    change.put(after);
    Ok(change)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::command::Command;
    use crate::model::StateWord;
    use crate::steps::decision::testing::{accept, edit, hold, people, reject};
    use crate::steps::{Begin, RequestApproval};
    use crate::testing::{World, claim, halt, packet, submit};

    fn asking() -> World {
        let mut world = people();
        world.check("ana", submit(&json!({})), "offered to ben");
        let id = world.newest();
        world.check("ben", claim(id), "claimed by ben, fence 1");
        let command = hold(&world, json!({ "run": "make publish" }));
        world.check("ben", command, "held for action, by ben");
        world
    }

    fn withdraw(world: &World) -> Command {
        let reason = Some("timed out".to_owned());
        Command::Withdraw(Withdraw { claim: world.shown(), reason })
    }

    /// Returns a world in which `ben` began a task to ask for an approval.
    fn begun() -> World {
        let mut world = people();
        let source = packet(&json!({ "from_agent": "ben", "to_agent": "ben" }));
        world.done("ben", Command::Begin(Begin { source, ..Begin::default() }));
        let action = json!({ "run": "make publish" });
        let request = RequestApproval { claim: world.shown(), action, to: None, ends_task: true };
        world.check("ben", Command::RequestApproval(request), "held for action, by ben");
        world
    }

    #[test]
    fn a_withdrawn_request_gives_the_work_back_and_cannot_be_approved() {
        let mut world = asking();
        let (late, command) = (accept(&world), withdraw(&world));
        let from = world.leaves.len();
        world.check("cem", command.clone(), "refused TK-CLAIM-STALE");
        world.check("pia", command.clone(), "refused TK-CLAIM-STALE");
        world.check("ben", command.clone(), "claimed by ben, fence 1");
        assert_eq!(world.story(from), "handoff.withdrawn by ben");
        world.check("pia", late, "refused TK-STATE-CONFLICT");
        world.check("ben", command, "refused TK-STATE-CONFLICT");
    }

    #[test]
    fn a_request_that_a_halt_has_ended_is_withdrawn_to_an_offer() {
        let mut world = asking();
        let command = withdraw(&world);
        world.done("pia", halt(false));
        world.check("ben", command, "offered to ben");
    }

    #[test]
    fn a_task_begun_for_a_request_ends_with_its_decision() {
        let check = |who: &str, command: fn(&World) -> Command, end: StateWord, story: &str| {
            let mut world = begun();
            let (from, command) = (world.leaves.len(), command(&world));
            world.done(who, command);
            assert_eq!(world.handoff().progress.state.word(), end);
            assert_eq!(world.story(from), story);
        };
        check("pia", accept, StateWord::Done, "handoff.accepted by pia\nhandoff.done by pia");
        let edited = |world: &World| edit(world, br#"{ "run": "make check" }"#.to_vec());
        let story = "handoff.edited by pia\nhandoff.accepted by pia\nhandoff.done by pia";
        check("pia", edited, StateWord::Done, story);
        let rejected = |world: &World| reject(world, "not today");
        let story = "handoff.rejected by pia\nhandoff.cancelled by pia";
        check("pia", rejected, StateWord::Cancelled, story);
        let story = "handoff.withdrawn by ben\nhandoff.cancelled by ben";
        check("ben", withdraw, StateWord::Cancelled, story);
    }

    #[test]
    fn only_a_task_of_the_holders_own_ends_with_a_decision() {
        let mut world = people();
        world.done("ana", submit(&json!({ "return_required": ["status"] })));
        world.done("ben", claim(world.newest()));
        let (action, to) = (json!("publish"), None);
        let request = RequestApproval { claim: world.shown(), action, to, ends_task: true };
        world.check("ben", Command::RequestApproval(request), "refused TK-ARGUMENT-INVALID");
    }

    #[test]
    fn a_request_has_medium_risk_while_it_waits() {
        let mut world = asking();
        assert_eq!(world.handoff().risk().as_str(), "medium");
        let command = accept(&world);
        world.done("pia", command);
        assert_eq!(world.handoff().risk().as_str(), "low");
    }
}
