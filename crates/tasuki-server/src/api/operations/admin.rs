//! Operations for operators: dead letters, halt and the log.

use tasuki_api::{Handoff, LogCheckReport, ReasonRequest};
use tasuki_engine::model::Scope::Admin;
use tasuki_engine::rules::scopes::ReadOperation;
use tasuki_engine::rules::scopes::RequiredScopes::All;

use super::{CURSOR, LIMIT, Operation, RequestBody, ResponseBody, Verb, number, text};

/// Dead letters.
pub static LIST_DEAD: Operation =
    Operation::get("list_dead", "/v1/dead", "List work that nobody could go on with.")
        .reads(ReadOperation::Dead)
        .parameters(&[LIMIT, CURSOR])
        .response(ResponseBody::page::<Handoff>());

/// Redrive.
pub static REDRIVE: Operation = Operation::post(
    "redrive",
    "/v1/dead/{id}/redrive",
    "Start a dead letter again, with its first receiver.",
)
.requires(All(&[Admin]))
.request(RequestBody::optional::<ReasonRequest>());

/// Discard.
pub static DISCARD: Operation =
    Operation::post("discard", "/v1/dead/{id}/discard", "Give a dead letter up for good.")
        .requires(All(&[Admin]))
        .request(RequestBody::document::<ReasonRequest>());

/// Halt.
pub static HALT: Operation = Operation::post(
    "halt",
    "/v1/halt",
    "Stop the project: every claim ends, and nobody claims until it is lifted.",
)
.requires(All(&[Admin]))
.request(RequestBody::optional::<ReasonRequest>());

/// Lift the halt.
pub static LIFT: Operation =
    Operation::new(Verb::Delete, "lift", "/v1/halt", "Let work go on, and say why.")
        .requires(All(&[Admin]))
        .parameters(&[text("reason", "Why; required.")]);

/// The log.
pub static LIST_LEAVES: Operation = Operation::get(
    "list_leaves",
    "/v1/log/leaves",
    "The leaves of the log, exactly as they were hashed, one per line.",
)
.reads(ReadOperation::Log)
.parameters(&[number("from", "Begin with this leaf."), LIMIT])
.response(ResponseBody::Text("application/jsonl"));

/// Check the log.
pub static CHECK_LOG: Operation = Operation::get(
    "check_log",
    "/v1/log/check",
    "Recompute everything, and name the first leaf that is wrong.",
)
.requires(All(&[Admin]))
.parameters(&[number("from", "Begin with this leaf; those before it are believed.")])
.response(ResponseBody::document::<LogCheckReport>());
