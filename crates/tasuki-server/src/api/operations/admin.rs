//! What an operator does: dead letters, the halt, the log.

use tasuki_engine::principal::Scope::Admin;
use tasuki_engine::scope::Needs::All;
use tasuki_engine::scope::Question;

use super::{CURSOR, Carries, Gives, LIMIT, Operation, Verb, number, text};

/// Dead letters.
pub static LIST_DEAD: Operation =
    Operation::get("list_dead", "/v1/dead", "List work that nobody could go on with.")
        .asks(Question::Dead)
        .takes(&[LIMIT, CURSOR])
        .gives(Gives::Page("Handoff"));

/// Redrive.
pub static REDRIVE: Operation = Operation::post(
    "redrive",
    "/v1/dead/{id}/redrive",
    "Start a dead letter again, with its first receiver.",
)
.needs(All(&[Admin]))
.carries(Carries::Maybe("Reason"));

/// Discard.
pub static DISCARD: Operation =
    Operation::post("discard", "/v1/dead/{id}/discard", "Give a dead letter up for good.")
        .needs(All(&[Admin]))
        .carries(Carries::Document("Reason"));

/// Halt.
pub static HALT: Operation = Operation::post(
    "halt",
    "/v1/halt",
    "Stop the project: every claim ends, and nobody claims until it is lifted.",
)
.needs(All(&[Admin]))
.carries(Carries::Maybe("Reason"));

/// Lift the halt.
pub static LIFT: Operation =
    Operation::new(Verb::Delete, "lift", "/v1/halt", "Let work go on, and say why.")
        .needs(All(&[Admin]))
        .takes(&[text("reason", "Why; required.")]);

/// The log.
pub static LIST_LEAVES: Operation = Operation::get(
    "list_leaves",
    "/v1/log/leaves",
    "The leaves of the log, exactly as they were hashed, one per line.",
)
.asks(Question::Log)
.takes(&[number("from", "Begin with this leaf."), LIMIT])
.gives(Gives::Text("application/jsonl"));

/// Check the log.
pub static CHECK_LOG: Operation = Operation::get(
    "check_log",
    "/v1/log/check",
    "Recompute everything, and name the first leaf that is wrong.",
)
.needs(All(&[Admin]))
.takes(&[number("from", "Begin with this leaf; those before it are believed.")])
.gives(Gives::Document("LogChecked"));
