//! Handoffs: hand over, look, revise, decide, ask, take, return, judge.

use tasuki_api::{
    AnswerRequest, AuditTrail, ClaimRequest, DecisionRequest, Handoff, HandoffDetails,
    QuestionRequest, ReasonRequest, Return, VerdictRequest,
};
use tasuki_engine::model::Scope::{Decide, Receive, Submit, Verify};
use tasuki_engine::model::event_filter::states;
use tasuki_engine::rules::scopes::ReadOperation;
use tasuki_engine::rules::scopes::RequiredScopes::{All, Any};
use tasuki_packet::read::Form;

use super::{
    CURSOR, LIMIT, Operation, ParameterKind, RequestBody, ResponseBody, TOKEN, flag, number,
    parameter, small_number, text,
};
use crate::api::v1::handoffs::packet::RENDERINGS;

/// Hand work over.
pub static SUBMIT: Operation = Operation::post(
    "submit",
    "/v1/handoffs",
    "Hand work over, or pass it on; the body is the packet.",
)
.requires(All(&[Submit]))
.parameters(&[
    text("to", "The receiver, if it is another one than the packet names."),
    flag("hold", "Let a person look at it first."),
    text("supersedes", "The live handoff of the task that this one replaces."),
    text("parent", "The handoff whose work you hold and pass on."),
    TOKEN,
])
.request(RequestBody::Packet)
.created();

/// List handoffs.
pub static LIST_HANDOFFS: Operation =
    Operation::get("list_handoffs", "/v1/handoffs", "List handoffs, newest first.")
        .reads(ReadOperation::Handoffs)
        .parameters(&[
            parameter(
                "state",
                ParameterKind::ListOf(states),
                "Only in these states, separated by commas.",
            ),
            text("task", "Only of this task."),
            text("from", "Only from this party."),
            text("to", "Only to this party."),
            flag("all", "Also those that are over."),
            LIMIT,
            CURSOR,
        ])
        .response(ResponseBody::page::<Handoff>());

/// Show a handoff.
pub static SHOW_HANDOFF: Operation = Operation::get(
    "show_handoff",
    "/v1/handoffs/{id}",
    "Show a handoff with its packet, what its claimer said, what came back last with its verdict, and the action that its holder asks leave for.",
)
.reads(ReadOperation::Card)
.parameters(&[flag(
    "packet",
    "Without it, only the handoff: nothing is delivered, and what a gate keeps back stands in no way.",
)])
.response(ResponseBody::document::<HandoffDetails>());

/// Show a packet.
pub static SHOW_PACKET: Operation = Operation::get(
    "show_packet",
    "/v1/handoffs/{id}/packet",
    "One revision of the packet, in any form or rendered.",
)
.reads(ReadOperation::Packet)
.parameters(&[
    small_number("rev", "The revision; without it the current one."),
    parameter("as", ParameterKind::OneOf(forms), "How it shall look, json unless said otherwise."),
    number("budget", "The most tokens, for `as=agent`; too few for what must be said are refused."),
])
.response(ResponseBody::Packet);

/// Show the audit trail.
pub static SHOW_TRAIL: Operation = Operation::get(
    "show_trail",
    "/v1/handoffs/{id}/trail",
    "The audit trail: every leaf of the log about it, with its hash.",
)
.reads(ReadOperation::Handoff)
.response(ResponseBody::document::<AuditTrail>());

/// Make a revision.
pub static REVISE: Operation = Operation::post(
    "revise",
    "/v1/handoffs/{id}/revisions",
    "Make a new revision as its sender, or with `edit` as a person; the body is the packet, or the action while its holder asks leave.",
)
.requires(Any(&[Submit, Decide]))
.parameters(&[
    flag("edit", "Change it as a person."),
    text("reason", "Why, for an edit."),
])
.request(RequestBody::Packet)
.created();

/// Decide.
pub static DECIDE: Operation = Operation::post(
    "decide",
    "/v1/handoffs/{id}/decisions",
    "Accept, sign off, reject, reroute, intercept or cancel.",
)
.requires(Any(&[Submit, Decide]))
.request(RequestBody::document::<DecisionRequest>())
.created();

/// Ask.
pub static ASK: Operation = Operation::post(
    "ask",
    "/v1/handoffs/{id}/questions",
    "Ask its sender something as a receiver.",
)
.requires(All(&[Receive]))
.request(RequestBody::document::<QuestionRequest>())
.created();

/// Answer.
pub static ANSWER: Operation =
    Operation::post("answer", "/v1/handoffs/{id}/answers", "Answer a question as its sender.")
        .requires(All(&[Submit]))
        .request(RequestBody::document::<AnswerRequest>())
        .created();

/// Claim.
pub static CLAIM: Operation =
    Operation::post("claim", "/v1/handoffs/{id}/claims", "Take this work under a lease.")
        .requires(All(&[Receive]))
        .request(RequestBody::optional::<ClaimRequest>())
        .created();

/// Leave progress.
pub static CHECKPOINT: Operation = Operation::post(
    "checkpoint",
    "/v1/handoffs/{id}/checkpoints",
    "Leave progress behind as its holder; the body is a checkpoint packet.",
)
.requires(All(&[Receive]))
.parameters(&[TOKEN])
.request(RequestBody::Packet)
.created();

/// Return.
pub static RETURN: Operation = Operation::post(
    "return",
    "/v1/handoffs/{id}/returns",
    "Return what was asked for as its holder; the body is a return packet.",
)
.requires(All(&[Receive]))
.parameters(&[TOKEN])
.request(RequestBody::Packet)
.created();

/// What came back.
pub static LIST_RETURNS: Operation = Operation::get(
    "list_returns",
    "/v1/handoffs/{id}/returns",
    "What came back with its verdicts, newest first; where the work was passed on, also from whoever went on with it.",
)
.reads(ReadOperation::Packet)
.parameters(&[
    LIMIT,
    parameter("cursor", ParameterKind::Pattern("^ret_[0-9a-f]{32}$"), CURSOR.summary),
])
.response(ResponseBody::page::<Return>());

/// Judge.
pub static VERIFY: Operation =
    Operation::post("verify", "/v1/handoffs/{id}/verdicts", "Judge what came back.")
        .requires(All(&[Verify]))
        .request(RequestBody::document::<VerdictRequest>())
        .created();

/// Decline.
pub static DECLINE: Operation =
    Operation::post("decline", "/v1/handoffs/{id}/declines", "Not take it, and say why.")
        .requires(All(&[Receive]))
        .request(RequestBody::document::<ReasonRequest>())
        .created();

fn forms() -> Vec<&'static str> {
    let written = Form::ALL.iter().map(|form| form.name());
    written.chain(RENDERINGS.iter().copied()).collect()
}
