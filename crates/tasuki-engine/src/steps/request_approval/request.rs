//! A holder asks a person to approve an exact action.
//!
//! The handoff is held, the holder and the fence stay, and the lease is paused. The decision gives
//! it back to the holder and is bound to the bytes of the action that the person saw. A task that
//! was begun for the request ends with the decision instead.

use serde::Serialize;
use serde_json::Value;
use tasuki_packet::chain::DueSignOff;
use tasuki_packet::id::{DecisionId, HandoffId};
use tasuki_packet::leaf::EventType;

use crate::model::{
    ApprovalRequest, Change, Context, Decider, DocumentKind, Hold, HoldReason, Scope, Sealed, State,
};
use crate::prepare::input::PrepareInput;
use crate::prepare::text;
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::fencing::{self, ClaimProof};
use crate::rules::scopes::RequiredScopes;
use crate::rules::{deciders, edge_policy, review, sign_offs};
use crate::steps::step::PreparedStep;
use crate::steps::{Reads, Step};

/// Asks a person to approve an action.
#[derive(Debug, Clone, Serialize)]
pub struct RequestApproval {
    /// The claim.
    pub claim: ClaimProof,
    /// The exact action to be run, sent or changed.
    pub action: Value,
    /// The person or role that should decide. It narrows who may, and never widens it.
    pub to: Option<String>,
    /// `true` if the holder began the task for this request; the task ends with it.
    pub ends_task: bool,
}

/// A request for approval whose action is sealed.
#[derive(Debug)]
pub struct PreparedApprovalRequest {
    request: RequestApproval,
    action: Sealed,
    /// The names of the rules whose words or patterns occur in the action.
    found: Vec<String>,
    /// The due sign-off that the action asks for.
    sign_off: Option<DueSignOff>,
}

impl Step for RequestApproval {
    const NAME: &'static str = "request_approval";
    const SCOPES: RequiredScopes = RequiredScopes::All(&[Scope::Receive]);
    type Prepared = PreparedApprovalRequest;

    fn reads(&self) -> Reads {
        Reads::ReturnRequirements(self.claim.handoff)
    }

    fn prepare(&self, input: &PrepareInput) -> Result<PreparedApprovalRequest, Refusal> {
        text::within_limits("action", &self.action)?;
        // Redacting a secret would approve different bytes than the holder means.
        text::must_have_no_secrets(&self.action)?;
        let action = Sealed::document(&self.action, input.seed.salt("action"));
        let found = edge_policy::found_in_action(&input.directory, &self.action);
        let sign_off = sign_offs::asked_for(input.packet(), &self.action)?;
        Ok(PreparedApprovalRequest { request: self.clone(), action, found, sign_off })
    }
}

impl PreparedStep for PreparedApprovalRequest {
    fn handoff(&self) -> Option<HandoffId> {
        Some(self.request.claim.handoff)
    }

    fn decide(&self, context: &Context<'_>) -> Result<Change, Refusal> {
        decide(context, self)
    }
}

fn decide(context: &Context<'_>, prepared: &PreparedApprovalRequest) -> Result<Change, Refusal> {
    let PreparedApprovalRequest { request, action, found, sign_off } = prepared;
    let (handoff, claim) = fencing::require_current_claim(context, request.claim)?;
    if is_nothing(&request.action) {
        return Err(Refusal::new(RefusalCode::ArgumentInvalid, "`action` is empty")
            .hint("state exactly what will be run, sent or changed"));
    }
    if request.ends_task && !handoff.facts.is_begun {
        let message = "only a task that its holder began can end with a decision";
        return Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
            .hint("remove `ends_task`, and return the work after the decision"));
    }
    let mut handoff = handoff.clone();
    let directory = &context.state.directory;
    let policy = edge_policy::of_action(directory, &handoff, found);
    let mut deciders = deciders::of(directory, &handoff, &policy.rules, context.now);
    deciders.extend(narrower(context, request.to.as_deref(), "holder")?);
    let signer = sign_off.as_ref().and_then(|due| due.by.as_deref());
    deciders.extend(narrower(context, signer, "packet")?);
    let id: DecisionId = context.seed.id("action", context.now);
    let asked = ApprovalRequest {
        claim: claim.clone(),
        action: id,
        digest: action.digest.clone(),
        version: 1,
        ends_task: request.ends_task,
        sign_off: sign_off.as_ref().map(DueSignOff::digest),
        rules: policy.rules,
        risk: policy.risk,
    };
    let mut change = Change::default();
    change
        .record_event(EventType::Held, handoff.id, context.actor())
        .with("reasons", vec!["action"])
        .bringing(action.commitment);
    let document = format!("{id}.1");
    change.put_document(handoff.id, DocumentKind::Action, document.clone(), action.clone());
    handoff.progress.progress_at = context.now;
    review::await_approval_of_action(&mut handoff, context.now);
    handoff.progress.state = State::Held(Hold {
        reasons: vec![HoldReason::Action],
        since: context.now,
        approval_request: Some(Box::new(asked)),
        not_before: None,
        deciders,
        escalated_at: None,
    });
    change.answer.document = Some(document);
    change.show(handoff.id);
    change.put(handoff);
    Ok(change)
}

/// Returns the decider that the holder or the packet names, which must include a person.
fn narrower(
    context: &Context<'_>,
    to: Option<&str>,
    named_by: &str,
) -> Result<Option<Decider>, Refusal> {
    let Some(to) = to else { return Ok(None) };
    let party = deciders::named(&context.state.directory, to)?;
    let (by, named_by) = (party.name.clone(), named_by.to_owned());
    Ok(Some(Decider { by, named_by, until: None }))
}

/// Returns `true` if there is nothing to approve.
fn is_nothing(action: &Value) -> bool {
    match action {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::command::Command;
    use crate::model::{Record, Settings};
    use crate::steps::decision::testing::{
        accept, edit, hold, people, refusal_text, reject, seen_now,
    };
    use crate::steps::{Accept, SeenVersion};
    use crate::testing::{World, checkpoint, claim, halt, release, return_packet, submit};

    fn claimed() -> World {
        let mut world = people();
        world.contract(&json!({ "deadlines": { "return": "2h", "progress": "1h" } }));
        world.check("ana", submit(&json!({})), "offered to ben");
        let id = world.newest();
        world.check("ben", claim(id), "claimed by ben, fence 1");
        world
    }

    fn asking() -> World {
        let mut world = claimed();
        let command = hold(&world, json!({ "run": "make publish" }));
        world.check("ben", command, "held for action, by ben");
        world
    }

    #[test]
    fn the_lease_is_paused_while_a_holder_waits_for_approval() {
        let mut world = asking();
        world.advance(24 * 3600);
        world.apply_due();
        assert_eq!(world.standing(), "held for action, by ben");
        let command = accept(&world);
        world.check("pia", command, "claimed by ben, fence 1");
        let until = world.now + jiff::SignedDuration::from_mins(30);
        assert_eq!(world.handoff().claim().unwrap().until, until);
        // Deadlines that passed meanwhile do not count against the holder.
        world.advance(60);
        world.apply_due();
        assert_eq!(world.standing(), "claimed by ben, fence 1");
        world.advance(30 * 60);
        world.apply_due();
        assert_eq!(world.standing(), "offered to ben");
    }

    #[test]
    fn only_the_holder_requests_approval_and_waits_for_it() {
        let mut world = claimed();
        let command = hold(&world, json!("publish"));
        world.check("cem", command.clone(), "refused TK-CLAIM-STALE");
        world.check("ben", command.clone(), "held for action, by ben");
        let id = world.newest();
        world.check("ben", claim(id), "refused TK-STATE-CONFLICT");
        let shown = world.shown();
        let renew = Command::Renew(crate::steps::Renew { claim: shown, lease: None });
        let progress = checkpoint(shown, &json!({}));
        let back = return_packet(shown, &json!({}));
        for command in [command, renew.clone(), progress, back, release(shown)] {
            insta::allow_duplicates! {
                insta::assert_snapshot!(world.refusal("ben", command), @"
                TK-STATE-CONFLICT: handoff hof_1 waits for a person to approve your action
                hint: your claim is kept and its lease is paused; wait with `tasuki wait hof_1 --until decided`
                ");
            }
        }
        // For other parties nothing changes, and a halt ends this claim like any other.
        world.check("cem", renew.clone(), "refused TK-CLAIM-STALE");
        world.done("pia", halt(false));
        world.check("ben", renew, "refused TK-PROJECT-HALTED");
    }

    #[test]
    fn an_action_must_not_be_empty() {
        for action in [json!(null), json!(" "), json!([]), json!({})] {
            let mut world = claimed();
            let command = hold(&world, action);
            world.check("ben", command, "refused TK-ARGUMENT-INVALID");
        }
        let mut world = claimed();
        let (command, principal) = (hold(&world, json!({})), world.principal("ben"));
        insta::assert_snapshot!(refusal_text(&mut world, &principal, command), @"
        TK-ARGUMENT-INVALID: `action` is empty
        hint: state exactly what will be run, sent or changed
        ");
    }

    #[test]
    fn an_action_has_the_limits_of_a_packet() {
        let deep = (0..40).fold(json!("publish"), |inner, _| json!([inner]));
        for action in [json!({ "run": "x".repeat(1 << 20) }), deep, json!(vec![0; 20_001])] {
            let mut world = claimed();
            let command = hold(&world, action);
            world.check("ben", command, "refused TK-DOCUMENT-INVALID");
        }
        let mut world = claimed();
        let command = hold(&world, json!("x".repeat(1 << 20)));
        insta::assert_snapshot!(world.refusal("ben", command), @"
        TK-DOCUMENT-INVALID: the action cannot be parsed
        hint: use JSON within the limits of a packet, and put large content into an artifact
         TK-PACKET-TOO-LARGE: the input is too large; allowed: at most 1048576 bytes
        ");
        // An edited action is checked as strictly.
        let mut world = asking();
        let twice = edit(&world, r#"{ "run": "one", "run": "two" }"#.into());
        insta::assert_snapshot!(world.refusal("pia", twice), @"
        TK-DOCUMENT-INVALID: the action cannot be parsed
        hint: the holder asks for approval of an action: edit the action, as JSON
         1:17: TK-JSON-DUPLICATE: duplicate key `run`
        ");
    }

    #[test]
    fn a_secret_in_an_action_is_refused() {
        // Redacting would make the approval one for other bytes.
        for redacts_secrets in [false, true] {
            let mut world = claimed();
            let settings = Settings { redacts_secrets, ..Settings::default() };
            world.put(&Record::Settings(settings));
            let key = format!("AKIA{}", "IOSFODNN7QXMPLE2");
            let command = hold(&world, json!({ "run": format!("export AWS_ACCESS_KEY_ID={key}") }));
            world.check("ben", command, "refused TK-SECRET-FOUND");
            assert_eq!(world.standing(), "claimed by ben, fence 1");
        }
    }

    #[test]
    fn a_redacted_secret_is_reported_to_its_author() {
        let secret = format!("the key is AKIA{}", "IOSFODNN7QXMPLE2");
        let mut world = claimed();
        let settings = Settings { redacts_secrets: true, ..Settings::default() };
        world.put(&Record::Settings(settings));
        let reason = Some(secret.clone());
        let shown = world.shown();
        let release = crate::steps::Release { claim: shown, reason };
        let answer = world.done("ben", Command::Release(release));
        assert_eq!(answer.notes, ["1 secret was redacted; rotate it"]);
        let again = crate::steps::Claim {
            handoff: Some(world.newest()),
            read_back: Some(json!({ "goal": secret })),
            ..Default::default()
        };
        let answer = world.done("ben", Command::Claim(again));
        assert_eq!(answer.notes, ["1 secret was redacted; rotate it"]);
    }

    #[test]
    fn an_approval_is_for_one_action_only() {
        let mut world = asking();
        let seen = seen_now(&world);
        let command = reject(&world, "not on a Friday");
        world.check("quin", command, "claimed by ben, fence 1");
        let command = hold(&world, json!({ "run": "rm -rf build" }));
        world.check("ben", command, "held for action, by ben");
        let handoff = world.newest();
        let accept = |seen| Command::Accept(Accept { handoff, seen, reason: None });
        world.check("pia", accept(seen.clone()), "refused TK-REVISION-CHANGED");
        let only_revision = SeenVersion { digest: None, receiver: None, ..seen.clone() };
        let only_receiver = SeenVersion { digest: None, revision: None, ..seen };
        for unnamed in [only_revision, only_receiver] {
            insta::allow_duplicates! {
                insta::assert_snapshot!(world.refusal("pia", accept(unnamed)), @"
                TK-REVISION-MISSING: the decision does not name the revision and the action's digest that you saw
                hint: run `tasuki show hof_1` and pass the reference that it prints
                ");
            }
        }
        let now = seen_now(&world);
        // A holder could find a second action whose digest begins with the same digits.
        let prefix = now.digest.as_deref().map(|digest| digest[..32].to_owned());
        let abbreviated = SeenVersion { digest: prefix, ..now.clone() };
        world.check("pia", accept(abbreviated), "refused TK-REVISION-CHANGED");
        world.check("pia", accept(now), "claimed by ben, fence 1");
    }

    #[test]
    fn an_edit_changes_the_action_and_not_the_packet() {
        let mut world = asking();
        let facts = world.handoff().facts.clone();
        let command = edit(&world, json!({ "run": "make publish DRY=1" }).to_string().into_bytes());
        world.check("pia", command, "claimed by ben, fence 1");
        assert_eq!(world.handoff().facts, facts);
        let actions = world.documents.iter().filter(|one| one.kind == DocumentKind::Action);
        let bodies: Vec<&str> = actions.map(|one| one.sealed.body.as_str()).collect();
        assert_eq!(bodies, [r#"{"run":"make publish"}"#, r#"{"run":"make publish DRY=1"}"#]);
        let newest = |kind| world.documents.iter().rfind(|one| one.kind == kind).unwrap();
        let (decision, edited) = (newest(DocumentKind::Decision), newest(DocumentKind::Action));
        assert!(decision.sealed.body.contains(&edited.sealed.digest), "{}", decision.sealed.body);
    }

    #[test]
    fn the_response_names_the_stored_document() {
        let mut world = claimed();
        let command = hold(&world, json!("publish"));
        let answer = world.run("ben", command).unwrap();
        let kept = world.documents.iter().find(|one| one.kind == DocumentKind::Action).unwrap();
        assert_eq!(answer.document.as_deref(), Some(kept.id.as_str()));
        let shown = answer.handoff.unwrap();
        assert_eq!(shown.holder.as_deref(), Some("ben"));
        assert_eq!(shown.held_for, ["action"]);
    }
}
