//! A receiver asks the sender a question before it claims, or a person before they decide.
//!
//! A blocking question prevents every claim until it is answered. The answer makes a new revision,
//! whose packet contains question and answer.
//!
//! A person who may decide about a hold asks its sender or, about an action, its holder. The
//! handoff stays held.

use serde::Serialize;
use serde_json::json;
use tasuki_packet::id::{HandoffId, QuestionId};
use tasuki_packet::leaf::EventType;

use crate::limits::QUESTIONS_MAX;
use crate::model::{
    Change, Context, DocumentKind, Handoff, HoldReason, OpenQuestion, Reason, Scope, Sealed, State,
};
use crate::prepare::input::PrepareInput;
use crate::prepare::text;
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::scopes::RequiredScopes;
use crate::rules::{authorization, deciders, deputies};
use crate::steps::step::PreparedStep;
use crate::steps::system::mark_delivered;
use crate::steps::{Step, decision};

/// A question.
#[derive(Debug, Clone, Serialize)]
pub struct Ask {
    /// The handoff.
    pub handoff: HandoffId,
    /// The packet field that the question is about.
    pub field: Option<String>,
    /// The text of the question.
    pub text: String,
    /// `true` if the handoff cannot be claimed before the answer.
    pub is_blocking: bool,
}

/// A question with its text scanned for secrets.
#[derive(Debug)]
pub struct PreparedAsk {
    request: Ask,
    text: Reason,
}

impl Step for Ask {
    const NAME: &'static str = "ask";
    const SCOPES: RequiredScopes = RequiredScopes::Any(&[Scope::Receive, Scope::Decide]);
    type Prepared = PreparedAsk;

    fn prepare(&self, input: &PrepareInput) -> Result<PreparedAsk, Refusal> {
        let settings = &input.directory.settings;
        let field = text::name(self.field.as_deref(), settings)?;
        let text = text::reason(Some(&self.text), settings)?;
        Ok(PreparedAsk { request: Self { field, ..self.clone() }, text })
    }
}

impl PreparedStep for PreparedAsk {
    fn handoff(&self) -> Option<HandoffId> {
        Some(self.request.handoff)
    }

    fn redacted_count(&self) -> usize {
        self.text.redacted_count
    }

    fn decide(&self, context: &Context<'_>) -> Result<Change, Refusal> {
        ask(context, &self.request, &self.text)
    }
}

fn ask(context: &Context<'_>, request: &Ask, text: &Reason) -> Result<Change, Refusal> {
    let handoff = context.state.handoff(request.handoff)?;
    let is_held = may_ask(context, handoff)?;
    if handoff.progress.questions.len() >= QUESTIONS_MAX {
        let message = format!(
            "handoff {} has {QUESTIONS_MAX} open questions, which is the limit",
            handoff.id
        );
        return Err(
            Refusal::new(RefusalCode::StateConflict, message).hint("wait for answers, or decline")
        );
    }
    let Some(text) = text.text.as_deref() else {
        return Err(Refusal::new(RefusalCode::ReasonMissing, "the question is empty")
            .hint("add the question with `-m`"));
    };
    let id: QuestionId = context.seed.id("question", context.now);
    // A held handoff cannot be claimed anyway, and the decision does not need the answer.
    let is_blocking = request.is_blocking && !is_held;
    let document = json!({
        "question": text,
        "field": request.field,
        "blocking": is_blocking,
    });
    let sealed = Sealed::document(&document, context.seed.salt("question"));
    let mut change = Change::default();
    let mut after = handoff.clone();
    if !is_held {
        mark_delivered::read_by(context, &mut after, &mut change);
    }
    change
        .record_event(EventType::Asked, handoff.id, deputies::actor(context, handoff))
        .with("question", id)
        .with("blocking", if is_blocking { "yes" } else { "no" })
        .bringing(sealed.commitment)
        .because(Some(text));
    change.put_document(handoff.id, DocumentKind::Question, id.to_string(), sealed);
    let by = context.principal.party;
    after.progress.questions.push(OpenQuestion { id, by, is_blocking });
    if !is_held {
        after.progress.progress_at = context.now;
    }
    change.answer.document = Some(id.to_string());
    change.show(after.id);
    change.put(after);
    Ok(change)
}

/// Requires the receiver of an offer, or a person who may decide about a hold. Returns `true` for a
/// hold.
fn may_ask(context: &Context<'_>, handoff: &Handoff) -> Result<bool, Refusal> {
    match &handoff.progress.state {
        State::Held(hold) => {
            authorization::person(context)?;
            decision::not_own(context, handoff, hold)?;
            let is_gate = |reason: &HoldReason| matches!(reason, HoldReason::Gate(_));
            if !hold.reasons.iter().any(is_gate) {
                deciders::require(context, handoff, hold)?;
            }
            Ok(true)
        }
        State::Offered(_) => authorization::receiver(context, handoff).map(|()| false),
        State::Claimed(_)
        | State::Returned(_)
        | State::Done
        | State::PassedOn
        | State::Rejected
        | State::Cancelled
        | State::Discarded
        | State::Dead => {
            authorization::receiver(context, handoff)?;
            Err(authorization::wrong_state(handoff, "ask about", "offered or held"))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::command::Command;
    use crate::model::PendingKind;
    use crate::rules::recipients;
    use crate::steps::decision::testing::{accept, hold, people};
    use crate::steps::{Answer, SeenVersion};
    use crate::testing::{World, claim, packet, submit};

    fn ask(world: &World, text: &str, is_blocking: bool) -> Command {
        Command::Ask(Ask {
            handoff: world.newest(),
            field: Some("acceptance".to_owned()),
            text: text.to_owned(),
            is_blocking,
        })
    }

    fn answer(world: &World, question: Option<QuestionId>, text: Option<&str>) -> Command {
        let text = text.map(str::to_owned);
        let seen = SeenVersion::default();
        Command::Answer(Answer { handoff: world.newest(), question, text, source: None, seen })
    }

    fn sent() -> World {
        let mut world = World::new();
        world.run("ana", submit(&json!({}))).unwrap();
        world
    }

    #[test]
    fn a_blocking_question_prevents_claims_until_it_is_answered() {
        let mut world = sent();
        world.check("ben", ask(&world, "which region?", true), "offered to ben");
        insta::assert_snapshot!(world.refusal("ben", claim(world.newest())), @"
        TK-QUESTION-OPEN: question qst_1 on handoff hof_1 waits for an answer
        hint: the sender must answer it with `tasuki answer`
        ");
        world.check("ana", answer(&world, None, Some("eu-west")), "offered to ben");
        world.check("ben", claim(world.newest()), "claimed by ben, fence 1");
        insta::assert_snapshot!(world.story(0), @"
        handoff.submitted by ana
        handoff.delivered by ben
        handoff.asked by ben
        handoff.answered by ana
        handoff.claimed by ben
        ");
        let packet: Value =
            serde_json::from_str(&world.documents.last().unwrap().sealed.body).unwrap();
        assert_eq!(packet["notes"], json!(["asked: what? answered: eu-west"]));
        assert_eq!(world.handoff().facts.revision, 2);
        let kinds: Vec<&str> = world.documents.iter().map(|one| one.kind.as_str()).collect();
        assert_eq!(kinds, ["packet", "question", "answer", "packet"]);
    }

    #[test]
    fn a_plain_question_blocks_no_claim_and_is_progress() {
        let mut world = sent();
        world.advance(5);
        world.run("ben", ask(&world, "by when?", false)).unwrap();
        assert_eq!(world.handoff().progress.progress_at, world.now);
        assert_eq!(world.handoff().progress.delivered_at, Some(world.now));
        world.check("ben", claim(world.newest()), "claimed by ben, fence 1");
        insta::assert_snapshot!(world.refusal("ana", answer(&world, None, Some("soon"))), @"
        TK-STATE-CONFLICT: cannot answer a question on handoff hof_1: it is claimed, but must be open and unclaimed
        hint: `tasuki show` lists the commands that are possible now
        ");
    }

    #[test]
    fn only_the_receiver_asks_and_only_the_sender_answers() {
        let mut world = sent();
        insta::assert_snapshot!(world.refusal("cem", ask(&world, "why?", true)), @"
        TK-NOT-ALLOWED: the receiver of handoff hof_1 is `ben`, not `cem`
        hint: `tasuki show` shows whose turn it is
        ");
        world.check("ana", ask(&world, "why?", true), "refused TK-NOT-ALLOWED");
        world.run("ben", ask(&world, "why?", true)).unwrap();
        world.check("ben", answer(&world, None, Some("so")), "refused TK-NOT-ALLOWED");
        world.check("pia", answer(&world, None, Some("so")), "refused TK-NOT-ALLOWED");

        let mut world = World::new();
        world.run("ana", submit(&json!({"to_agent": "role:team"}))).unwrap();
        world.check("cem", ask(&world, "why?", true), "offered to role:team");
    }

    #[test]
    fn a_question_needs_text_and_an_offer() {
        let mut world = sent();
        insta::assert_snapshot!(world.refusal("ben", ask(&world, "  ", true)), @"
        TK-REASON-MISSING: the question is empty
        hint: add the question with `-m`
        ");
        world.run("ben", claim(world.newest())).unwrap();
        insta::assert_snapshot!(world.refusal("ben", ask(&world, "why?", true)), @"
        TK-STATE-CONFLICT: cannot ask about handoff hof_1: it is claimed, but must be offered or held
        hint: `tasuki show` lists the commands that are possible now
        ");
        let mut world = World::new();
        world.run("ana", submit(&json!({"can_intercept": true}))).unwrap();
        world.check("ben", ask(&world, "why?", true), "refused TK-PERSON-NEEDED");
    }

    #[test]
    fn several_questions_are_answered_one_by_one() {
        let mut world = sent();
        insta::assert_snapshot!(world.refusal("ana", answer(&world, None, Some("x"))), @"
        TK-QUESTION-UNKNOWN: no open question
        hint: use `tasuki revise` to change the packet
        ");
        for text in ["one?", "two?"] {
            world.run("ben", ask(&world, text, true)).unwrap();
        }
        let open: Vec<QuestionId> =
            world.handoff().progress.questions.iter().map(|one| one.id).collect();
        insta::assert_snapshot!(world.refusal("ana", answer(&world, None, Some("x"))), @"
        TK-ARGUMENT-INVALID: 2 questions are open
        hint: name the question to answer: qst_1, qst_2
        ");
        world.check("ana", answer(&world, Some(open[0]), Some("x")), "offered to ben");
        world.check("ben", claim(world.newest()), "refused TK-QUESTION-OPEN");
        let twice = world.refusal("ana", answer(&world, Some(open[0]), Some("x")));
        insta::assert_snapshot!(twice.replace(&open[0].to_string(), "qst_0"), @"
        TK-QUESTION-UNKNOWN: question qst_0 is not open
        hint: open questions: qst_1
        ");
        world.check("ana", answer(&world, None, Some("y")), "offered to ben");
        let none = world.refusal("ana", answer(&world, Some(open[0]), Some("x")));
        insta::assert_snapshot!(none.replace(&open[0].to_string(), "qst_0"), @"
        TK-QUESTION-UNKNOWN: question qst_0 is not open
        hint: no question is open; use `tasuki revise` to change the packet
        ");
        world.check("ben", claim(world.newest()), "claimed by ben, fence 1");
    }

    #[test]
    fn an_answer_may_be_a_packet_and_must_not_be_empty() {
        let mut world = sent();
        world.run("ben", ask(&world, "which region?", true)).unwrap();
        insta::assert_snapshot!(world.refusal("ana", answer(&world, None, None)), @"
        TK-REASON-MISSING: the answer is empty
        hint: add the answer with `-m`, or a revised packet with `--file`
        ");
        let revised = |more: &Value, world: &World| {
            let source = Some(packet(more));
            let (handoff, seen) = (world.newest(), SeenVersion::default());
            Command::Answer(Answer { handoff, question: None, text: None, source, seen })
        };
        let broken = revised(&json!({"status": "somehow"}), &world);
        world.check("ana", broken, "refused TK-PACKET-INVALID");
        let good = revised(&json!({"constraints": ["eu-west only"]}), &world);
        world.check("ana", good, "offered to ben");
        assert!(world.handoff().progress.questions.is_empty());
        assert!(world.documents.last().unwrap().sealed.body.contains("eu-west only"));
    }

    #[test]
    fn an_answer_is_held_like_any_revision() {
        let mut world = World::new();
        world.rules(
            json!({"rules": [{"name": "m", "when": {"words": ["refund"]}, "then": "hold"}]}),
        );
        world.run("ana", submit(&json!({}))).unwrap();
        world.run("ben", ask(&world, "what is it about?", true)).unwrap();
        world.check("ana", answer(&world, None, Some("a refund")), "held for label");
    }

    #[test]
    fn the_number_of_open_questions_is_limited() {
        let mut world = sent();
        for number in 0..QUESTIONS_MAX {
            world.run("ben", ask(&world, &format!("question {number}?"), false)).unwrap();
        }
        insta::assert_snapshot!(world.refusal("ben", ask(&world, "one more?", false)), @"
        TK-STATE-CONFLICT: handoff hof_1 has 32 open questions, which is the limit
        hint: wait for answers, or decline
        ");
    }

    #[test]
    fn the_longest_question_has_the_longest_answer() {
        let mut world = sent();
        let long = "long word ".repeat(400);
        world.run("ben", ask(&world, &long, true)).unwrap();
        world.check("ana", answer(&world, None, Some(&long)), "offered to ben");
        let longer = format!("{}…", "a".repeat(4_000));
        insta::assert_snapshot!(world.refusal("ben", ask(&world, &longer, true)), @"
        TK-ARGUMENT-INVALID: the text has 4001 characters, the limit is 4000
        hint: put long texts into a checkpoint or an artifact
        ");
        let field = Command::Ask(Ask {
            handoff: world.newest(),
            field: Some("f".repeat(201)),
            text: "why?".to_owned(),
            is_blocking: true,
        });
        insta::assert_snapshot!(world.refusal("ben", field), @"
        TK-ARGUMENT-INVALID: the name has 201 characters, the limit is 200
        hint: use the name of one packet field, such as `acceptance`
        ");
    }

    #[test]
    fn a_packet_of_another_dialect_is_answered_as_well() {
        let mut world = World::new();
        let source = "packet_type: handoff\ntarget_agent: ben\ngoal: Fix the build\n\
            constraints: [no network]\nacceptance: [build passes]\n\
            failure_boundary: [stop at deploy]\nreturn_required: [status]\n\
            human_brief: Please fix it.\n";
        let request = crate::steps::Submit { source: source.into(), ..Default::default() };
        world.check("ana", Command::Submit(request), "offered to ben");
        world.run("ben", ask(&world, "which build?", true)).unwrap();
        world.check("ana", answer(&world, None, Some("nightly")), "offered to ben");
    }

    #[test]
    fn a_person_asks_the_sender_of_a_held_handoff_and_it_stays_held() {
        let mut world = people();
        world.check("ana", submit(&json!({ "can_intercept": true })), "held for asked");
        world.check("ben", ask(&world, "why?", true), "refused TK-PERSON-NEEDED");
        world.check("pia", ask(&world, "which cluster?", true), "held for asked");
        assert!(world.handoff().awaits_sender());
        let asked = world.handoff().progress.questions[0].clone();
        assert!(!asked.is_blocking);
        let told = |world: &World| {
            let directory = &world.state.directory;
            recipients::addressee(world.handoff(), PendingKind::Question)
                .map(|party| directory.name(party))
        };
        assert_eq!(told(&world).as_deref(), Some("ana"));
        world.check("ben", answer(&world, None, Some("no")), "refused TK-NOT-ALLOWED");
        world.check("ana", answer(&world, None, Some("the blue one")), "held for asked");
        assert!(world.handoff().progress.questions.is_empty());
        assert_eq!(world.handoff().facts.revision, 2);
        world.check("pia", accept(&world), "offered to ben");
        world.check("ben", claim(world.newest()), "claimed by ben, fence 1");
    }

    #[test]
    fn a_person_who_decides_needs_no_answer() {
        let mut world = people();
        world.check("ana", submit(&json!({ "can_intercept": true })), "held for asked");
        world.done("pia", ask(&world, "which cluster?", true));
        world.check("pia", accept(&world), "offered to ben");
        assert!(world.handoff().progress.questions.is_empty());
    }

    #[test]
    fn the_holder_answers_about_its_action_and_the_action_stays_as_it_was() {
        let mut world = people();
        world.done("ana", submit(&json!({})));
        world.done("ben", claim(world.newest()));
        world.done("ben", hold(&world, json!({ "run": "deploy" })));
        let shown = world.handoff().progress.state.clone();
        world.check("pia", ask(&world, "to which cluster?", false), "held for action, by ben");
        let told = recipients::addressee(world.handoff(), PendingKind::Question);
        assert_eq!(told, Some(world.id("ben")));
        world.check("cem", answer(&world, None, Some("blue")), "refused TK-NOT-ALLOWED");
        let mut by_sender = world.clone();
        by_sender.check("ana", answer(&world, None, Some("blue")), "held for action, by ben");
        world.check("ben", answer(&world, None, Some("blue")), "held for action, by ben");
        assert_eq!(world.handoff().progress.state, shown);
        assert_eq!(world.handoff().facts.revision, 1);
        world.check("pia", accept(&world), "claimed by ben, fence 1");
    }

    #[test]
    fn only_a_person_who_may_decide_asks_about_a_hold() {
        let mut world = people();
        world.contract(&json!({ "decide": "role:safety" }));
        world.check("ana", submit(&json!({ "can_intercept": true })), "held for asked");
        world.check("tia", ask(&world, "why?", false), "refused TK-NOT-ALLOWED");
        world.check("rex", ask(&world, "why?", false), "held for asked");
    }
}
