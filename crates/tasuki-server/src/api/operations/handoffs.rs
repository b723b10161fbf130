//! Handoffs: submit, show, revise, decide, ask, claim, return, verify.

use tasuki_api::{
    ActionVersion, AnswerRequest, AuditTrail, CheckpointRecord, ClaimRequest, DecisionRequest,
    Handoff, HandoffDetails, QuestionRequest, ReasonRequest, Return, VerdictRequest,
};
use tasuki_engine::model::Scope::{Decide, Receive, Submit, Verify};
use tasuki_engine::model::event_filter::states;
use tasuki_engine::rules::scopes::ReadOperation;
use tasuki_engine::rules::scopes::RequiredScopes::{All, Any};
use tasuki_packet::policy::gate::Opened;
use tasuki_packet::read::Form;

use super::{
    CURSOR, FENCE, LIMIT, Operation, ParameterKind, RequestBody, ResponseBody, flag, number,
    parameter, small_number, text,
};
use crate::api::v1::handoffs::packet::RENDERINGS;

/// Submits a handoff.
pub static SUBMIT: Operation = Operation::post(
    "submit",
    "/v1/handoffs",
    "Submit a handoff, or pass claimed work on. The body is the packet.",
)
.requires(All(&[Submit]))
.parameters(&[
    text("to", "The receiver, if it is not the one that the packet names."),
    flag("hold", "Holds the handoff for a person."),
    text("supersedes", "The live handoff of the same task that this one replaces."),
    text("parent", "The handoff whose claimed work is passed on."),
    FENCE,
])
.request(RequestBody::PacketWithWorkTree)
.created();

/// Lists handoffs.
pub static LIST_HANDOFFS: Operation =
    Operation::get("list_handoffs", "/v1/handoffs", "List handoffs, newest first.")
        .reads(ReadOperation::Handoffs)
        .parameters(&[
            parameter("state", ParameterKind::ListOf(states), "The states, separated by commas."),
            text("task", "The task."),
            text("from", "The sender."),
            text("to", "The receiver."),
            flag("all", "Includes finished handoffs."),
            LIMIT,
            CURSOR,
        ])
        .response(ResponseBody::page::<Handoff>());

/// Shows a handoff.
pub static SHOW_HANDOFF: Operation = Operation::get(
    "show_handoff",
    "/v1/handoffs/{id}",
    "Show a handoff with its packet, the statement of its claimer, the last return with its verdict, and the action that waits for approval.",
)
.reads(ReadOperation::Card)
.parameters(&[flag(
    "packet",
    "`false` leaves the packet out. The handoff then does not count as delivered, and a gate that hides the packet does not matter.",
)])
.response(ResponseBody::document::<HandoffDetails>());

/// Shows a packet.
pub static SHOW_PACKET: Operation = Operation::get(
    "show_packet",
    "/v1/handoffs/{id}/packet",
    "Show a revision of the packet, in any form or rendering.",
)
.reads(ReadOperation::Packet)
.parameters(&[
    small_number("rev", "The revision. The default is the current one."),
    parameter("as", ParameterKind::OneOf(forms), "The form or rendering. The default is `json`."),
    number("budget", "The most tokens, for `as=agent`. A budget that is too small is refused."),
])
.response(ResponseBody::Packet);

/// Shows the audit trail.
pub static SHOW_TRAIL: Operation = Operation::get(
    "show_trail",
    "/v1/handoffs/{id}/trail",
    "Show the audit trail: every leaf of the log about the handoff, with its hash.",
)
.reads(ReadOperation::Handoff)
.response(ResponseBody::document::<AuditTrail>());

/// Creates a revision.
pub static REVISE: Operation = Operation::post(
    "revise",
    "/v1/handoffs/{id}/revisions",
    "Create a revision as the sender or, with `edit`, as a person. The body is the packet, or the action that waits for approval.",
)
.requires(Any(&[Submit, Decide]))
.parameters(&[
    flag("edit", "Edits as a person."),
    text("reason", "The reason for an edit."),
    number("seconds", "The number of seconds that the person looked at the handoff, for an edit."),
    parameter("opened", ParameterKind::ListOf(opened), "The parts that the person opened, for an edit."),
])
.request(RequestBody::Packet)
.created();

/// Records a decision.
pub static DECIDE: Operation = Operation::post(
    "decide",
    "/v1/handoffs/{id}/decisions",
    "Accept, sign off, reject, reroute, intercept or cancel. Accepting and signing off name what was seen, with `If-Match`, or with `revision` and `digest`.",
)
.requires(Any(&[Submit, Decide]))
.request(RequestBody::document::<DecisionRequest>())
.created();

/// Asks a question.
pub static ASK: Operation = Operation::post(
    "ask",
    "/v1/handoffs/{id}/questions",
    "Ask the sender a question, as a receiver.",
)
.requires(All(&[Receive]))
.request(RequestBody::document::<QuestionRequest>())
.created();

/// Answers a question.
pub static ANSWER: Operation =
    Operation::post("answer", "/v1/handoffs/{id}/answers", "Answer a question, as the sender.")
        .requires(All(&[Submit]))
        .request(RequestBody::document::<AnswerRequest>())
        .created();

/// Claims a handoff.
pub static CLAIM: Operation =
    Operation::post("claim", "/v1/handoffs/{id}/claims", "Claim a handoff under a lease.")
        .requires(All(&[Receive]))
        .request(RequestBody::optional::<ClaimRequest>())
        .created();

/// Records progress.
pub static CHECKPOINT: Operation = Operation::post(
    "checkpoint",
    "/v1/handoffs/{id}/checkpoints",
    "Record progress, as the holder. The body is a checkpoint packet.",
)
.requires(All(&[Receive]))
.parameters(&[FENCE])
.request(RequestBody::PacketWithWorkTree)
.created();

/// Lists checkpoints.
pub static LIST_CHECKPOINTS: Operation = Operation::get(
    "list_checkpoints",
    "/v1/handoffs/{id}/checkpoints",
    "List checkpoints with their packets, oldest first.",
)
.reads(ReadOperation::Packet)
.parameters(&[LIMIT, number("cursor", CURSOR.summary)])
.response(ResponseBody::page::<CheckpointRecord>());

/// Lists the versions of actions.
pub static LIST_ACTIONS: Operation = Operation::get(
    "list_actions",
    "/v1/handoffs/{id}/actions",
    "List every version of the actions that the holder wanted approved, oldest first.",
)
.reads(ReadOperation::Packet)
.parameters(&[LIMIT, number("cursor", CURSOR.summary)])
.response(ResponseBody::page::<ActionVersion>());

/// Returns the work.
pub static RETURN: Operation = Operation::post(
    "return",
    "/v1/handoffs/{id}/returns",
    "Return the work, as the holder. The body is a return packet.",
)
.requires(All(&[Receive]))
.parameters(&[FENCE])
.request(RequestBody::PacketWithWorkTree)
.created();

/// Lists return packets.
pub static LIST_RETURNS: Operation = Operation::get(
    "list_returns",
    "/v1/handoffs/{id}/returns",
    "List return packets with their verdicts, newest first, including those of handoffs that the work was passed on to.",
)
.reads(ReadOperation::Packet)
.parameters(&[
    LIMIT,
    parameter("cursor", ParameterKind::Pattern("^ret_[0-9a-f]{32}$"), CURSOR.summary),
])
.response(ResponseBody::page::<Return>());

/// Verifies a return packet.
pub static VERIFY: Operation = Operation::post(
    "verify",
    "/v1/handoffs/{id}/verdicts",
    "Verify the return packet that `return` names.",
)
.requires(All(&[Verify]))
.request(RequestBody::document::<VerdictRequest>())
.created();

/// Declines a handoff.
pub static DECLINE: Operation =
    Operation::post("decline", "/v1/handoffs/{id}/declines", "Decline a handoff.")
        .requires(All(&[Receive]))
        .request(RequestBody::document::<ReasonRequest>())
        .created();

fn opened() -> Vec<&'static str> {
    Opened::ALL.iter().map(|part| part.as_str()).collect()
}

fn forms() -> Vec<&'static str> {
    let written = Form::ALL.iter().map(|form| form.name());
    written.chain(RENDERINGS.iter().copied()).collect()
}
