//! The inbox, events, search, statistics and decisions.

use tasuki_api::{
    AcknowledgeRequest, Acknowledged, DecisionRecord, EdgeStats, Event, Inbox, Overview, SearchHit,
};
use tasuki_engine::model::event_filter::{risks, states, triggers};
use tasuki_engine::rules::scopes::ReadOperation;
use tasuki_packet::leaf::EventType;

use super::{
    CURSOR, LIMIT, Operation, ParameterKind, RequestBody, ResponseBody, limit, number, parameter,
    text,
};

/// LIMIT: the hours of one overview.
pub(crate) const HOURS_MAX: u32 = 7 * 24;

/// The pattern of an inbox cursor.
const INBOX_CURSOR: &str = "^[0-9]{1,2}-[0-9]{1,18}-hof_[0-9a-f]{32}$";

/// Shows the inbox.
pub static INBOX: Operation = Operation {
    may_wait: true,
    ..Operation::get(
        "inbox",
        "/v1/inbox",
        "List the handoffs that wait for the caller: offers, claims, returns to verify, questions to \
         answer and, for people, holds. The first page has the failures that the caller has not \
         acknowledged: rejections, dead letters and failed notifications of what it sent or, for a \
         person with the scope `admin`, of every handoff. With `Prefer: wait=30` the response waits for something new.",
    )
    .reads(ReadOperation::Inbox)
    .parameters(&[
        LIMIT,
        parameter("cursor", ParameterKind::Pattern(INBOX_CURSOR), CURSOR.summary),
        parameter(
            "order",
            ParameterKind::OneOf(|| vec!["urgent", "deadline"]),
            "The order: `urgent` (high risk first, then the longest wait; the default) or `deadline` \
             (the next deadline first). A cursor is for the order that it came from.",
        ),
    ])
    .response(ResponseBody::document::<Inbox>())
};

/// Acknowledges failures.
pub static ACKNOWLEDGE: Operation = Operation::post(
    "acknowledge",
    "/v1/inbox/ack",
    "Acknowledge failures in the inbox of the caller. They stay in the inbox of others, and the log \
     does not change.",
)
.reads(ReadOperation::Inbox)
.request(RequestBody::document::<AcknowledgeRequest>())
.response(ResponseBody::document::<Acknowledged>());

/// Lists or streams events.
pub static EVENTS: Operation = Operation {
    may_wait: true,
    ..Operation::get(
        "events",
        "/v1/events",
        "List events, oldest first. One request looks at 10,000 events at most: with `more`, further \
         ones may match behind `next`, or before `earlier` if the last events were requested. A \
         request that accepts `text/event-stream` gets a stream.",
    )
    .reads(ReadOperation::Events)
    .parameters(&[
        number(
            "since",
            "The event after which to begin: `next` of the previous page. Without it, a list has the last events and a stream begins with the next one.",
        ),
        number("after", "An alias of `since`."),
        number("from", "The first event, counted from 0."),
        number("to", "The event before which to end. Without a beginning, the list has the last events before it."),
        text("task", "The task."),
        text("party", "The party that acted, sent or received."),
        parameter("type", ParameterKind::ListOf(types), "The types, separated by commas."),
        text("handoff", "The handoff."),
        text("sender", "The sender."),
        text("receiver", "The receiver."),
        text("contract", "The contract, by name or by name and version."),
        parameter("state", ParameterKind::OneOf(states), "The state after the event."),
        parameter("before", ParameterKind::OneOf(states), "The state before the event."),
        text("actor", "The acting party, or `clock` or `system`."),
        parameter("trigger", ParameterKind::OneOf(triggers), "The trigger of the packet."),
        parameter("risk", ParameterKind::OneOf(risks), "The risk."),
        text("reason", "A text that the reason contains, in upper or lower case."),
        parameter("earliest", ParameterKind::Timestamp, "The earliest time."),
        parameter("latest", ParameterKind::Timestamp, "The latest time."),
        limit("The most events on the page: 50 by default, at most 500. A stream has no limit."),
    ])
    .response(ResponseBody::stream::<Event>())
};

/// Searches packets and events.
pub static SEARCH: Operation =
    Operation::get("search", "/v1/search", "Search packets and events, newest first.")
        .reads(ReadOperation::Search)
        .parameters(&[
            text("q", "The words. Each matches the beginning of a word, in upper or lower case."),
            LIMIT,
            parameter("cursor", ParameterKind::Pattern("^[0-9]{1,15}-[0-9]{1,3}$"), CURSOR.summary),
        ])
        .response(ResponseBody::page::<SearchHit>());

/// Shows statistics.
pub static STATS: Operation = Operation::get(
    "stats",
    "/v1/stats",
    "Show how long work waits on each edge. One request looks at a limited part of the log: with \
         `next`, the statistics are not complete, and the same request continues them.",
)
.reads(ReadOperation::Stats)
.parameters(&[parameter("cursor", ParameterKind::Pattern("^[0-9]{1,19}$"), CURSOR.summary)])
.response(ResponseBody::page::<EdgeStats>());

/// Shows the last hours.
pub static OVERVIEW: Operation = Operation::get(
    "overview",
    "/v1/overview",
    "Show the last hours: how much work was submitted, held, moved on, closed and lost in each of them, \
     and how long it waited on each edge. It reads the newest 20,000 leaves of the period at most.",
)
.reads(ReadOperation::Stats)
.parameters(&[parameter(
    "hours",
    ParameterKind::Number { min: 1, max: HOURS_MAX as u64 },
    "The number of hours, at most 168. The default is 24.",
)])
.response(ResponseBody::document::<Overview>());

/// Lists decisions.
pub static LIST_DECISIONS: Operation = Operation::get(
    "list_decisions",
    "/v1/decisions",
    "List the decisions of people, with the packets that they saw.",
)
.reads(ReadOperation::Decisions)
.parameters(&[parameter("cursor", ParameterKind::Pattern("^[0-9]{1,19}$"), CURSOR.summary), LIMIT])
.response(ResponseBody::page::<DecisionRecord>());

/// Returns the names of event types. The prefix `handoff.` may be left out.
fn types() -> Vec<&'static str> {
    let names = EventType::ALL.iter().map(|kind| kind.name());
    let short = names.clone().filter_map(|name| name.strip_prefix("handoff."));
    names.chain(short).collect()
}
