//! A holder returns the work.
//!
//! A return that lacks required parts is refused, with a list of them. The return ends the handoff
//! if neither packet nor contract asks for one, or if the contract verifies automatically and
//! passes it.

use std::sync::Arc;

use serde::Serialize;
use tasuki_api::WorkTree;
use tasuki_packet::id::{HandoffId, PartyId, ReturnId};
use tasuki_packet::leaf::EventType;

use crate::model::{
    Change, Context, DocumentKind, Handoff, Judge, PartyKind, Returned, Scope, State,
};
use crate::prepare;
use crate::prepare::input::PrepareInput;
use crate::prepare::returns::JudgedReturn;
use crate::prepare::work_tree::PreparedWorkTree;
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::fallback;
use crate::rules::fencing::{self, ClaimProof};
use crate::rules::scopes::RequiredScopes;
use crate::rules::sign_offs;
use crate::steps::step::{PreparedStep, source_digest};
use crate::steps::{Reads, Step, verify};

/// Returns work.
#[derive(Debug, Clone, Serialize)]
pub struct Return {
    /// The claim.
    pub claim: ClaimProof,
    /// The return packet in any form.
    #[serde(serialize_with = "source_digest")]
    pub source: Vec<u8>,
    /// The work tree that the command was sent from. A repeated command may come from another one.
    #[serde(skip)]
    pub work_tree: Option<WorkTree>,
}

/// A return with its packet read and checked against the requirements.
#[derive(Debug)]
pub struct PreparedReturn {
    claim: ClaimProof,
    returning: Box<JudgedReturn>,
    work_tree: Option<PreparedWorkTree>,
}

impl Step for Return {
    const NAME: &'static str = "return";
    const SCOPES: RequiredScopes = RequiredScopes::All(&[Scope::Receive]);
    type Prepared = PreparedReturn;

    fn reads(&self) -> Reads {
        Reads::ReturnRequirements(self.claim.handoff)
    }

    fn prepare(&self, input: &PrepareInput) -> Result<PreparedReturn, Refusal> {
        let returning = Box::new(prepare::returns::returning(input, &self.source)?);
        let work_tree = prepare::work_tree::work_tree(input, self.work_tree.as_ref())?;
        Ok(PreparedReturn { claim: self.claim, returning, work_tree })
    }
}

impl PreparedStep for PreparedReturn {
    fn handoff(&self) -> Option<HandoffId> {
        Some(self.claim.handoff)
    }

    fn decide(&self, context: &Context<'_>) -> Result<Change, Refusal> {
        decide(context, self.claim, &self.returning, self.work_tree.as_ref())
    }
}

fn decide(
    context: &Context<'_>,
    claim: ClaimProof,
    returning: &JudgedReturn,
    work_tree: Option<&PreparedWorkTree>,
) -> Result<Change, Refusal> {
    let (handoff, claim) = fencing::require_current_claim(context, claim)?;
    let facts = &handoff.facts;
    let judged_by = (returning.revision, &returning.contract, &returning.also_returns);
    if judged_by != (facts.revision, &facts.terms.contract, &facts.terms.also_returns) {
        return Err(Refusal::new(
            RefusalCode::PolicyChanged,
            "the handoff changed while the return was prepared",
        ));
    }
    require_complete(returning)?;
    // Work that was denied a sign-off can still be returned as blocked or failed.
    if !returning.is_unfinished {
        sign_offs::require(&handoff.progress, &returning.due)?;
    }
    let id: ReturnId = context.seed.id("return", context.now);
    let mut change = Change::default();
    change
        .record_event(EventType::Returned, handoff.id, context.actor())
        .with("return_packet", id)
        .with("fence", claim.fence)
        .bringing(returning.sealed.commitment);
    change.put_document(
        handoff.id,
        DocumentKind::Return,
        id.to_string(),
        Arc::clone(&returning.sealed),
    );
    let mut after = handoff.clone();
    if let Some(work_tree) = work_tree {
        work_tree.record(id.to_string(), &mut after, context.now, &mut change);
    }
    after.progress.progress_at = context.now;
    after.progress.judging_rung = 0;
    let holder = claim.holder;
    let sender = handoff.facts.sender;
    // With the sender named here, another verifier decides.
    after.progress.judge = (!sender_may_judge(context, handoff, holder)).then_some(sender);
    after.progress.state = State::Returned(Returned {
        return_packet: id,
        holder,
        since: context.now,
        verify: None,
        unsigned: sign_offs::unsigned(&handoff.progress, &returning.due),
    });
    fallback::start_verification(&context.state.directory, &mut after, context.now);
    let terms = &handoff.facts.terms;
    // A contract that requires a person's verdict asks for a return.
    let asks_return =
        terms.asks_return || handoff.facts.summary.asks_return || terms.verify == Judge::Person;
    // A failed or blocked return is for the sender to verify, even if no return was asked for.
    let is_over = !asks_return && !returning.is_unfinished;
    let is_judged = !is_over && terms.verify == Judge::Automatic;
    if is_over {
        change.record_event(EventType::Done, handoff.id, context.actor()).with("by", "no_return");
        after.progress.state = State::Done;
    } else if is_judged {
        verify::automatic(context, &mut after, returning, &mut change);
    }
    change.answer.document = Some(id.to_string());
    change.show(after.id);
    change.answer.notes.clone_from(&returning.notes);
    // Missing required parts were refused above. The verifier sees the rest.
    let found = &returning.verdict.missing;
    change.answer.notes.extend(found.iter().map(|one| one.message.clone()));
    if is_judged && !returning.is_good {
        let note = "the contract's automatic verification failed; `tasuki show` lists its findings";
        change.answer.notes.push(note.to_owned());
    }
    change.put(after);
    Ok(change)
}

/// Refuses a return that lacks required parts.
fn require_complete(returning: &JudgedReturn) -> Result<(), Refusal> {
    if returning.missing.is_empty() {
        return Ok(());
    }
    let count = returning.missing.len();
    let message = format!("the return is incomplete: {count} missing");
    Err(Refusal::new(RefusalCode::ReturnIncomplete, message)
        .hint("add the missing parts and return again; you still hold the claim")
        .with(returning.missing.clone()))
}

/// Returns `true` if the sender may verify a return by this holder. No party verifies its own
/// return, and a contract may require a person.
fn sender_may_judge(context: &Context<'_>, handoff: &Handoff, holder: PartyId) -> bool {
    let sender = handoff.facts.sender;
    let is_person = || {
        let party = context.state.directory.party(sender);
        party.is_some_and(|party| party.kind == PartyKind::Human)
    };
    holder != sender && (handoff.facts.terms.verify != Judge::Person || is_person())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::testing::{World, claim, return_packet, submit};

    fn claimed(contract: &Value, more: &Value) -> World {
        let mut world = World::new();
        if !contract.is_null() {
            world.contract(contract);
        }
        world.done("ana", submit(more));
        world.done("ben", claim(world.newest()));
        world
    }

    #[track_caller]
    fn check(contract: &Value, more: &Value, returned: &Value, expected: &str) {
        let mut world = claimed(contract, more);
        let shown = world.shown();
        world.check("ben", return_packet(shown, returned), expected);
    }

    #[test]
    fn a_return_ends_the_handoff_where_none_was_asked_for() {
        check(&Value::Null, &json!({}), &json!({}), "done");
        check(&json!({}), &json!({}), &json!({}), "done");
        check(&Value::Null, &json!({ "return_required": ["status"] }), &json!({}), "returned");
        check(&json!({ "returns": { "require": ["status"] } }), &json!({}), &json!({}), "returned");
        let completion = json!({ "trigger": { "kind": "completion" } });
        check(&Value::Null, &completion, &json!({}), "returned");
        // A contract that requires a person's verdict asks for a return.
        check(&json!({ "verify": "person" }), &json!({}), &json!({}), "returned");
    }

    #[test]
    fn everything_that_is_missing_is_named_at_once_and_the_claim_stays() {
        let contract = json!({ "returns": { "require": ["blockers"] } });
        let more = json!({ "return_required": ["status", "changed_paths"] });
        let mut world = claimed(&contract, &more);
        let shown = world.shown();
        let refusal = world.run("ben", return_packet(shown, &json!({}))).unwrap_err();
        let missing: Vec<String> = refusal
            .violations
            .iter()
            .map(|found| format!("{} {}", found.code, found.pointer))
            .collect();
        insta::assert_snapshot!(missing.join("\n"), @"
        TK-RETURN-MISSING /changed_paths
        TK-RETURN-MISSING /blockers
        ");
        insta::assert_snapshot!(world.refused("ben", return_packet(shown, &json!({}))), @"
        TK-RETURN-INCOMPLETE: the return is incomplete: 2 missing
          add the missing parts and return again; you still hold the claim
        ");
        assert_eq!(world.standing(), "claimed by ben, fence 1");
        let whole = json!({ "changed_paths": [], "blockers": [] });
        world.check("ben", return_packet(shown, &whole), "returned");
    }

    #[test]
    fn a_contract_may_verify_automatically() {
        let contract = json!({ "verify": "automatic", "returns": { "require": ["verification"] } });
        let more = json!({ "acceptance": [{ "id": "tests", "text": "npm test passes" }] });
        let verification = |result: &str| {
            json!({ "verification": [
                { "criterion": "tests", "result": result, "evidence": "log:1" },
            ] })
        };
        check(&contract, &more, &verification("pass"), "done");
        let mut world = claimed(&contract, &more);
        let shown = world.shown();
        world.check("ben", return_packet(shown, &verification("fail")), "offered to ben");
        insta::assert_snapshot!(world.story(3), @"
        handoff.returned by ben
        handoff.failed_verification by system
        ");
        let verdict = world.document(DocumentKind::Verdict).unwrap();
        assert_eq!((&verdict["result"], &verdict["by"]), (&json!("fail"), &json!("contract")));
    }

    #[test]
    fn findings_of_a_return_are_reported_for_every_kind_of_verifier() {
        let more = json!({ "acceptance": [{ "id": "tests", "text": "npm test passes" }] });
        let back = json!({ "verification": [
            { "criterion": "tests", "result": "fail", "evidence": "log:1" },
            { "criterion": "size", "result": "pass" },
        ] });
        for contract in [json!({ "verify": "sender" }), json!({ "verify": "automatic" })] {
            let mut world = claimed(&contract, &more);
            let answer = world.done("ben", return_packet(world.shown(), &back));
            let notes = answer.notes.join("\n");
            assert!(notes.contains("criterion `tests` failed"), "{notes}");
            assert!(notes.contains("`size`"), "{notes}");
        }
    }

    #[test]
    fn a_return_under_an_old_fence_is_refused_and_changes_nothing() {
        let mut world = claimed(&Value::Null, &json!({}));
        let stale = world.shown();
        world.advance(30 * 60);
        world.check("ben", claim(stale.handoff), "claimed by ben, fence 2");
        world.check("ben", return_packet(stale, &json!({})), "refused TK-CLAIM-STALE");
        assert_eq!(world.standing(), "claimed by ben, fence 2");
    }

    #[test]
    fn a_failed_return_is_not_done_even_if_none_was_asked_for() {
        for (status, expected) in [("failed", "returned"), ("blocked", "returned")] {
            let mut world = claimed(&Value::Null, &json!({}));
            let shown = world.shown();
            world.check("ben", return_packet(shown, &json!({ "status": status })), expected);
        }
        let mut world = claimed(&Value::Null, &json!({}));
        let shown = world.shown();
        world.check("ben", return_packet(shown, &json!({ "status": "completed" })), "done");
    }
}
