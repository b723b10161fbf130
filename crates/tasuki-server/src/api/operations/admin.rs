//! Operations for operators: dead letters, halt and the log.

use tasuki_api::{DeadLetterRequest, Finding, Handoff, LogCheckReport, ReasonRequest};
use tasuki_engine::model::Scope::Admin;
use tasuki_engine::rules::scopes::ReadOperation;
use tasuki_engine::rules::scopes::RequiredScopes::All;

use super::{CURSOR, LIMIT, Operation, RequestBody, ResponseBody, Verb, number, text};

/// Lists dead letters.
pub static LIST_DEAD: Operation = Operation::get("list_dead", "/v1/dead", "List dead letters.")
    .reads(ReadOperation::Dead)
    .parameters(&[LIMIT, CURSOR])
    .response(ResponseBody::page::<Handoff>());

/// Restarts a dead letter.
pub static REDRIVE: Operation = Operation::post(
    "redrive",
    "/v1/dead/{id}/redrive",
    "Restart a dead letter with its first receiver.",
)
.requires(All(&[Admin]))
.request(RequestBody::optional::<DeadLetterRequest>());

/// Discards a dead letter.
pub static DISCARD: Operation =
    Operation::post("discard", "/v1/dead/{id}/discard", "Discard a dead letter.")
        .requires(All(&[Admin]))
        .request(RequestBody::document::<DeadLetterRequest>());

/// Halts the project.
pub static HALT: Operation = Operation::post(
    "halt",
    "/v1/halt",
    "Halt the project: every claim ends, and no work can be claimed until the halt is lifted.",
)
.requires(All(&[Admin]))
.request(RequestBody::optional::<ReasonRequest>());

/// Lifts the halt.
pub static LIFT: Operation = Operation::new(Verb::Delete, "lift", "/v1/halt", "Lift the halt.")
    .requires(All(&[Admin]))
    .parameters(&[text("reason", "The reason, which is required.")]);

/// Lists leaves of the log.
pub static LIST_LEAVES: Operation = Operation::get(
    "list_leaves",
    "/v1/log/leaves",
    "List leaves of the log exactly as they were hashed, one per line.",
)
.reads(ReadOperation::Log)
.parameters(&[number("from", "The first leaf."), LIMIT])
.response(ResponseBody::Text("application/jsonl"));

/// Checks the log.
pub static CHECK_LOG: Operation = Operation::get(
    "check_log",
    "/v1/log/check",
    "Check the log, and report the first invalid leaf.",
)
.requires(All(&[Admin]))
.parameters(&[number("from", "The first leaf to check. Earlier leaves are trusted.")])
.response(ResponseBody::document::<LogCheckReport>());

/// Checks the project.
pub static DOCTOR: Operation = Operation::get(
    "doctor",
    "/v1/doctor",
    "Check the project: counters, due times, ladders and the halt. Nothing is changed. `tasuki doctor` checks the files too.",
)
.requires(All(&[Admin]))
.response(ResponseBody::page::<Finding>());
