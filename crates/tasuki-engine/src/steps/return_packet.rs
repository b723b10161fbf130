//! It comes back: the holder returns what was asked for.
//!
//! A return that lacks what packet or contract require is refused and says what is missing. Where
//! neither asks for a return, it is the end; where the contract checks by itself, its verdict is.

use std::sync::Arc;

use serde::Serialize;
use tasuki_packet::id::{HandoffId, ReturnId};
use tasuki_packet::leaf::EventType;

use crate::model::{Change, Context, DocumentKind, Judge, Returned, Scope, State};
use crate::prepare;
use crate::prepare::input::PrepareInput;
use crate::prepare::returns::JudgedReturn;
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::fencing::{self, ClaimProof};
use crate::rules::scopes::RequiredScopes;
use crate::steps::step::{PreparedStep, source_digest};
use crate::steps::{Reads, Step, verify};

/// What is to come back.
#[derive(Debug, Clone, Serialize)]
pub struct Return {
    /// The claim.
    pub claim: ClaimProof,
    /// The return packet in any form.
    #[serde(serialize_with = "source_digest")]
    pub source: Vec<u8>,
}

/// A return whose packet was judged.
#[derive(Debug)]
pub struct PreparedReturn {
    claim: ClaimProof,
    returning: Box<JudgedReturn>,
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
        Ok(PreparedReturn { claim: self.claim, returning })
    }
}

impl PreparedStep for PreparedReturn {
    fn handoff(&self) -> Option<HandoffId> {
        Some(self.claim.handoff)
    }

    fn decide(&self, context: &Context<'_>) -> Result<Change, Refusal> {
        decide(context, self.claim, &self.returning)
    }
}

/// Decides a return.
fn decide(
    context: &Context<'_>,
    claim: ClaimProof,
    returning: &JudgedReturn,
) -> Result<Change, Refusal> {
    let (handoff, claim) = fencing::require_current_claim(context, claim)?;
    let facts = &handoff.facts;
    let judged_by = (returning.revision, &returning.contract, &returning.also_returns);
    if judged_by != (facts.revision, &facts.terms.contract, &facts.terms.also_returns) {
        return Err(Refusal::new(RefusalCode::PolicyChanged, "the packet moved while it was read"));
    }
    if !returning.missing.is_empty() {
        let count = returning.missing.len();
        let message = format!("the return lacks what was asked for: {count} missing");
        return Err(Refusal::new(RefusalCode::ReturnIncomplete, message)
            .hint("add what is named and return again; the claim is still yours")
            .with(returning.missing.clone()));
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
    after.progress.progress_at = context.now;
    after.progress.judging_rung = 0;
    let holder = claim.holder;
    // Nobody judges their own return: where the sender is named in its own place, whoever else may does.
    after.progress.judge = (holder == handoff.facts.sender).then_some(holder);
    after.progress.state =
        State::Returned(Returned { return_packet: id, holder, since: context.now });
    let terms = &handoff.facts.terms;
    // Whoever wants a person's verdict asks for a return, also without saying what must be in it.
    let asks_return =
        terms.asks_return || handoff.facts.summary.asks_return || terms.verify == Judge::Person;
    // What failed or is blocked is for its sender to look at, also where nobody asked for a return.
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
    // What is owed was refused above; what is left is for whoever judges, and its author can add to it.
    let found = &returning.verdict.missing;
    change.answer.notes.extend(found.iter().map(|one| one.message.clone()));
    if is_judged && !returning.is_good {
        let note = "the contract's own check failed this return: `tasuki show` says what it found";
        change.answer.notes.push(note.to_owned());
    }
    change.put(after);
    Ok(change)
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
    fn a_return_is_the_end_where_nobody_asks_for_one() {
        check(&Value::Null, &json!({}), &json!({}), "done");
        check(&json!({}), &json!({}), &json!({}), "done");
        check(&Value::Null, &json!({ "return_required": ["status"] }), &json!({}), "returned");
        check(&json!({ "returns": { "require": ["status"] } }), &json!({}), &json!({}), "returned");
        let completion = json!({ "trigger": { "kind": "completion" } });
        check(&Value::Null, &completion, &json!({}), "returned");
        // Whoever wants a person's verdict asks for a return.
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
        TK-RETURN-INCOMPLETE: the return lacks what was asked for: 2 missing
          add what is named and return again; the claim is still yours
        ");
        assert_eq!(world.standing(), "claimed by ben, fence 1");
        let whole = json!({ "changed_paths": [], "blockers": [] });
        world.check("ben", return_packet(shown, &whole), "returned");
    }

    #[test]
    fn a_contract_may_judge_by_itself() {
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
    fn what_was_found_in_a_return_is_told_whoever_judges_it() {
        let more = json!({ "acceptance": [{ "id": "tests", "text": "npm test passes" }] });
        let back = json!({ "verification": [
            { "criterion": "tests", "result": "fail", "evidence": "log:1" },
            { "criterion": "size", "result": "pass" },
        ] });
        for contract in [json!({ "verify": "sender" }), json!({ "verify": "automatic" })] {
            let mut world = claimed(&contract, &more);
            let answer = world.done("ben", return_packet(world.shown(), &back));
            let told = answer.notes.join("\n");
            assert!(told.contains("criterion `tests` failed"), "{told}");
            assert!(told.contains("`size`"), "{told}");
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
    fn what_failed_is_not_done_although_nobody_asked_for_a_return() {
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
