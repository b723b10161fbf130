//! What waits and what happened: inbox, events, search, stats, decisions.

use tasuki_api::{DecisionRecord, EdgeStats, Event, Inbox, SearchHit};
use tasuki_engine::model::event_filter::{risks, states, triggers};
use tasuki_engine::rules::scopes::ReadOperation;
use tasuki_packet::leaf::EventType;

use super::{
    CURSOR, LIMIT, Operation, ParameterKind, ResponseBody, limit, number, parameter, text,
};

/// The form of a place in an inbox.
const PLACE: &str = "^[0-9]{1,2}-[0-9]{1,18}-hof_[0-9a-f]{32}$";

/// Inbox.
pub static INBOX: Operation = Operation {
    may_wait: true,
    ..Operation::get(
        "inbox",
        "/v1/inbox",
        "What waits for you: offers, what you hold, returns to verify, questions to answer, and for \
         people what is held. With `Prefer: wait=30` it answers when something does.",
    )
    .reads(ReadOperation::Inbox)
    .parameters(&[LIMIT, parameter("cursor", ParameterKind::Pattern(PLACE), CURSOR.summary)])
    .response(ResponseBody::document::<Inbox>())
};

/// Events.
pub static EVENTS: Operation = Operation {
    may_wait: true,
    ..Operation::get(
        "events",
        "/v1/events",
        "What happened, oldest first; a stream to whoever accepts `text/event-stream`.",
    )
    .reads(ReadOperation::Events)
    .parameters(&[
        number(
            "since",
            "Go on after this event, as `next` of the page before says it; without it, the last ones, or what is to come.",
        ),
        number("after", "The same as `since`."),
        number("from", "Begin with this event; 0 is the first of all."),
        number("to", "End before this event; without a beginning, the last ones before it."),
        text("task", "Only of this task."),
        text("party", "Only by, from or to this party."),
        parameter("type", ParameterKind::ListOf(types), "Only of these types, separated by commas."),
        text("handoff", "Only of this handoff."),
        text("sender", "Only from this party."),
        text("receiver", "Only to this party."),
        text("contract", "Only under this contract, or this version of it."),
        parameter("state", ParameterKind::OneOf(states), "Only what leaves the handoff in this state."),
        parameter("before", ParameterKind::OneOf(states), "Only what found the handoff in this state."),
        text("actor", "Only what this party did, `clock` or `system`."),
        parameter("trigger", ParameterKind::OneOf(triggers), "Only with this trigger."),
        parameter("risk", ParameterKind::OneOf(risks), "Only with this risk."),
        text("reason", "Only with a reason that has this text in it, in any case."),
        parameter("earliest", ParameterKind::Timestamp, "Only from this instant on."),
        parameter("latest", ParameterKind::Timestamp, "Only up to this instant."),
        limit("At most so many, 50 unless said otherwise, and no more than 500; a stream takes none."),
    ])
    .response(ResponseBody::stream::<Event>())
};

/// Search.
pub static SEARCH: Operation =
    Operation::get("search", "/v1/search", "Find packets and events by words, newest first.")
        .reads(ReadOperation::Search)
        .parameters(&[
            text("q", "The words; each is the beginning of a word, in any case."),
            LIMIT,
            parameter(
                "cursor",
                ParameterKind::Pattern("^[0-9]{1,15}-[0-9]{1,3}$"),
                "`next` of the page before.",
            ),
        ])
        .response(ResponseBody::page::<SearchHit>());

/// Stats.
pub static STATS: Operation =
    Operation::get("stats", "/v1/stats", "Where work waits, edge by edge.")
        .reads(ReadOperation::Stats)
        .response(ResponseBody::page::<EdgeStats>());

/// Decisions.
pub static LIST_DECISIONS: Operation = Operation::get(
    "list_decisions",
    "/v1/decisions",
    "What people decided, with the packet that was shown.",
)
.reads(ReadOperation::Decisions)
.parameters(&[
    parameter(
        "cursor",
        ParameterKind::Pattern("^[0-9]{1,19}$"),
        "Where the page before said that this one begins.",
    ),
    LIMIT,
])
.response(ResponseBody::page::<DecisionRecord>());

/// Each by its whole name, and those of handoffs by the last word as well.
fn types() -> Vec<&'static str> {
    let names = EventType::ALL.iter().map(|kind| kind.name());
    let short = names.clone().filter_map(|name| name.strip_prefix("handoff."));
    names.chain(short).collect()
}
