//! Handoffs: hand over, look, revise, decide, ask, take, return, judge.

use tasuki_engine::events::states;
use tasuki_engine::principal::Scope::{Decide, Receive, Submit, Verify};
use tasuki_engine::scope::Needs::{All, Any};
use tasuki_engine::scope::Question;
use tasuki_packet::read::Form;

use super::{
    CURSOR, Carries, Gives, Kind, LIMIT, Operation, TOKEN, number, parameter, small_number, text,
    yes_or_no,
};
use crate::api::v1::handoffs::packet::RENDERINGS;

/// Hand work over.
pub static SUBMIT: Operation = Operation::post(
    "submit",
    "/v1/handoffs",
    "Hand work over, or pass it on; the body is the packet.",
)
.needs(All(&[Submit]))
.takes(&[
    text("to", "The receiver, if it is another one than the packet names."),
    yes_or_no("hold", "Let a person look at it first."),
    text("supersedes", "The live handoff of the task that this one replaces."),
    text("parent", "The handoff whose work you hold and pass on."),
    TOKEN,
])
.carries(Carries::Packet)
.created();

/// List handoffs.
pub static LIST_HANDOFFS: Operation =
    Operation::get("list_handoffs", "/v1/handoffs", "List handoffs, newest first.")
        .asks(Question::Handoffs)
        .takes(&[
            parameter("state", Kind::Words(states), "Only in these states, separated by commas."),
            text("task", "Only of this task."),
            text("from", "Only from this party."),
            text("to", "Only to this party."),
            yes_or_no("all", "Also those that are over."),
            LIMIT,
            CURSOR,
        ])
        .gives(Gives::Page("Handoff"));

/// Show a handoff.
pub static SHOW_HANDOFF: Operation = Operation::get(
    "show_handoff",
    "/v1/handoffs/{id}",
    "Show a handoff with its packet, what its claimer said, what came back last with its verdict, and the action that its holder asks leave for.",
)
.asks(Question::Card)
.takes(&[yes_or_no(
    "packet",
    "Without it, only the handoff: nothing is delivered, and what a gate keeps back stands in no way.",
)])
.gives(Gives::Document("Shown"));

/// Show a packet.
pub static SHOW_PACKET: Operation = Operation::get(
    "show_packet",
    "/v1/handoffs/{id}/packet",
    "One revision of the packet, in any form or rendered.",
)
.asks(Question::Packet)
.takes(&[
    small_number("rev", "The revision; without it the current one."),
    parameter("as", Kind::Word(forms), "How it shall look, json unless said otherwise."),
    number("budget", "The most tokens, for `as=agent`; too few for what must be said are refused."),
])
.gives(Gives::Packet);

/// Show the audit trail.
pub static SHOW_TRAIL: Operation = Operation::get(
    "show_trail",
    "/v1/handoffs/{id}/trail",
    "The audit trail: every leaf of the log about it, with its hash.",
)
.asks(Question::Handoff)
.gives(Gives::Document("Trail"));

/// Make a revision.
pub static REVISE: Operation = Operation::post(
    "revise",
    "/v1/handoffs/{id}/revisions",
    "Make a new revision as its sender, or with `edit` as a person; the body is the packet, or the action while its holder asks leave.",
)
.needs(Any(&[Submit, Decide]))
.takes(&[
    yes_or_no("edit", "Change it as a person."),
    text("reason", "Why, for an edit."),
])
.carries(Carries::Packet)
.created();

/// Decide.
pub static DECIDE: Operation = Operation::post(
    "decide",
    "/v1/handoffs/{id}/decisions",
    "Accept, sign off, reject, reroute, intercept or cancel.",
)
.needs(Any(&[Submit, Decide]))
.carries(Carries::Document("Decision"))
.created();

/// Ask.
pub static ASK: Operation = Operation::post(
    "ask",
    "/v1/handoffs/{id}/questions",
    "Ask its sender something as a receiver.",
)
.needs(All(&[Receive]))
.carries(Carries::Document("Question"))
.created();

/// Answer.
pub static ANSWER: Operation =
    Operation::post("answer", "/v1/handoffs/{id}/answers", "Answer a question as its sender.")
        .needs(All(&[Submit]))
        .carries(Carries::Document("QuestionAnswer"))
        .created();

/// Claim.
pub static CLAIM: Operation =
    Operation::post("claim", "/v1/handoffs/{id}/claims", "Take this work under a lease.")
        .needs(All(&[Receive]))
        .carries(Carries::Maybe("ClaimRequest"))
        .created();

/// Leave progress.
pub static CHECKPOINT: Operation = Operation::post(
    "checkpoint",
    "/v1/handoffs/{id}/checkpoints",
    "Leave progress behind as its holder; the body is a checkpoint packet.",
)
.needs(All(&[Receive]))
.takes(&[TOKEN])
.carries(Carries::Packet)
.created();

/// Return.
pub static RETURN: Operation = Operation::post(
    "return",
    "/v1/handoffs/{id}/returns",
    "Return what was asked for as its holder; the body is a return packet.",
)
.needs(All(&[Receive]))
.takes(&[TOKEN])
.carries(Carries::Packet)
.created();

/// What came back.
pub static LIST_RETURNS: Operation = Operation::get(
    "list_returns",
    "/v1/handoffs/{id}/returns",
    "What came back with its verdicts, newest first; where the work was passed on, also from whoever went on with it.",
)
.asks(Question::Packet)
.takes(&[
    LIMIT,
    parameter("cursor", Kind::Form("^ret_[0-9a-f]{32}$"), CURSOR.summary),
])
.gives(Gives::Page("Return"));

/// Judge.
pub static VERIFY: Operation =
    Operation::post("verify", "/v1/handoffs/{id}/verdicts", "Judge what came back.")
        .needs(All(&[Verify]))
        .carries(Carries::Document("Verdict"))
        .created();

/// Decline.
pub static DECLINE: Operation =
    Operation::post("decline", "/v1/handoffs/{id}/declines", "Not take it, and say why.")
        .needs(All(&[Receive]))
        .carries(Carries::Document("Reason"))
        .created();

fn forms() -> Vec<&'static str> {
    let written = Form::ALL.iter().map(|form| form.name());
    written.chain(RENDERINGS.iter().copied()).collect()
}
