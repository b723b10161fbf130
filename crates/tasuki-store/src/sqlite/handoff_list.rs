//! Lists of handoffs, and the index that each query uses.
//!
//! A list is merged from one route per state, because states differ in the number of handoffs:
//!
//! - Offers, handoffs that wait for their sender, and returns verified by another party have an
//!   index in inbox order.
//! - Failures have an index by sender in inbox order.
//! - Claims have an index by holder, rare states an index of their own.
//! - Finished handoffs are found among all by time.
//!
//! Each route returns ids with their position in the order. The first of all of them are loaded.

use rusqlite::types::Value;
use tasuki_engine::error::Fault;
use tasuki_engine::model::{Handoff, StateWord};
use tasuki_engine::ports::{Extent, Order, Query};
use tasuki_packet::id::{HandoffId, PartyId};

use crate::row::{self, HandoffColumns};
use crate::sqlite::connection::Database;
use crate::sqlite::read::ReadHandoff;
use crate::sqlite::statements::{self, Statement};

/// A position in an order: priority, since, id; in the order of deadlines zero, deadline, id.
type Position = (i64, i64, HandoffId);

/// One statement, with the parameters that not every list has.
struct Route {
    statement: &'static Statement,
    states: Vec<StateWord>,
    own: Option<String>,
    shape: Shape,
}

/// The parameters after those of every list.
enum Shape {
    /// Order and position, because the rows are sorted.
    Sorted,
    /// The position in the order of the index.
    Urgent,
    /// The first and the last id in the order of the index.
    ById,
}

/// Returns the first handoffs that match a query.
pub(crate) fn handoffs(
    database: &Database,
    query: &Query,
    read: ReadHandoff,
) -> Result<Vec<Handoff>, Fault> {
    let after = match (query.behind, query.after) {
        (Some(place), _) => Some((i64::from(place.priority), place.since, place.id)),
        (None, None) => None,
        // A list that continues after an unknown handoff is empty.
        (None, Some(id)) => match super::read::handoff(database, id, read)? {
            Some(handoff) => Some(position(&handoff)),
            None => return Ok(Vec::new()),
        },
    };
    let mut positions: Vec<Position> = Vec::new();
    for route in routes(query) {
        let params = rusqlite::params_from_iter(route.params(query, after));
        let read_position = match query.order {
            Order::Deadline => row::deadline_id,
            Order::Newest | Order::Oldest | Order::Urgent => row::urgent_id,
        };
        positions.extend(database.all(route.statement, params, read_position)?);
    }
    match query.order {
        Order::Urgent | Order::Deadline => positions.sort_unstable(),
        Order::Newest => positions.sort_unstable_by_key(|(_, _, id)| std::cmp::Reverse(*id)),
        Order::Oldest => positions.sort_unstable_by_key(|(_, _, id)| *id),
    }
    positions.truncate(query.limit as usize);
    let load = |(_, _, id): Position| super::read::handoff(database, id, read).transpose();
    positions.into_iter().filter_map(load).collect()
}

fn position(handoff: &Handoff) -> Position {
    let columns = HandoffColumns::of(handoff);
    (i64::from(columns.priority), columns.since, handoff.id)
}

fn routes(query: &Query) -> Vec<Route> {
    if let Some(party) = query.failures_for {
        return vec![route_to_failures(query, party)];
    }
    // A handoff with a verifier also waits for its sender, so this is first.
    if !query.judges.is_empty() {
        return routes_to_judged(query);
    }
    if query.left_to_others {
        return vec![sorted(&statements::HANDOFF_LIST_LEFT_TO_OTHERS, query.states.clone(), None)];
    }
    if query.awaits_sender {
        return routes_to_awaiting(query);
    }
    if let Some(task) = &query.task {
        return vec![sorted(
            &statements::HANDOFF_LIST_TASK,
            query.states.clone(),
            Some(task.clone()),
        )];
    }
    if let Some(holder) = query.holder {
        let holder = Some(holder.to_string());
        return vec![sorted(&statements::HANDOFF_LIST_HOLDER, query.states.clone(), holder)];
    }
    let is_in_order = matches!(query.extent, Extent::Until(_));
    if query.states.is_empty() || is_in_order {
        return vec![route_to_all(query, query.states.clone())];
    }
    let mut states = query.states.clone();
    states.sort_unstable();
    states.dedup();
    states.into_iter().flat_map(|state| routes_to(query, state)).collect()
}

fn routes_to(query: &Query, state: StateWord) -> Vec<Route> {
    match state {
        StateWord::Offered if query.order == Order::Urgent && !query.receivers.is_empty() => {
            each_of(&query.receivers, |own| {
                urgent(&statements::HANDOFF_LIST_OFFERED_URGENT, &[], own)
            })
        }
        StateWord::Offered => vec![sorted(&statements::HANDOFF_LIST_OFFERED, Vec::new(), None)],
        StateWord::Claimed => vec![sorted(&statements::HANDOFF_LIST_CLAIMED, Vec::new(), None)],
        StateWord::Done => vec![route_to_all(query, vec![state])],
        StateWord::Returned => {
            vec![sorted(&statements::HANDOFF_LIST_AWAITING, vec![StateWord::Returned], None)]
        }
        StateWord::Held
        | StateWord::PassedOn
        | StateWord::Rejected
        | StateWord::Cancelled
        | StateWord::Discarded
        | StateWord::Dead => {
            let word = Some(state.as_str().to_owned());
            vec![sorted(&statements::HANDOFF_LIST_BY_STATE, Vec::new(), word)]
        }
    }
}

/// Scans all handoffs in order of time.
fn route_to_all(query: &Query, states: Vec<StateWord>) -> Route {
    let statement = match query.order {
        Order::Urgent | Order::Deadline => {
            return sorted(&statements::HANDOFF_LIST_URGENT, states, None);
        }
        Order::Newest => &statements::HANDOFF_LIST_NEWEST,
        Order::Oldest => &statements::HANDOFF_LIST_OLDEST,
    };
    Route { statement, states, own: None, shape: Shape::ById }
}

/// Returns that another party verifies in place of the sender.
fn routes_to_judged(query: &Query) -> Vec<Route> {
    each_of(&query.judges, |own| match query.order {
        Order::Urgent => urgent(&statements::HANDOFF_LIST_JUDGED_URGENT, &query.states, own),
        Order::Newest | Order::Oldest | Order::Deadline => {
            sorted(&statements::HANDOFF_LIST_JUDGED, query.states.clone(), Some(own))
        }
    })
}

/// Failures that a party has not acknowledged: those of its own handoffs, or all.
fn route_to_failures(query: &Query, party: PartyId) -> Route {
    let own = party.to_string();
    if query.order == Order::Urgent && query.senders == [party] {
        return urgent(&statements::HANDOFF_LIST_FAILED_URGENT, &query.states, own);
    }
    sorted(&statements::HANDOFF_LIST_FAILED, query.states.clone(), Some(own))
}

/// Handoffs that wait for their sender.
fn routes_to_awaiting(query: &Query) -> Vec<Route> {
    if query.order == Order::Urgent && !query.senders.is_empty() {
        return each_of(&query.senders, |own| {
            urgent(&statements::HANDOFF_LIST_AWAITING_URGENT, &query.states, own)
        });
    }
    vec![sorted(&statements::HANDOFF_LIST_AWAITING, query.states.clone(), None)]
}

/// Builds a route for each party.
fn each_of(parties: &[PartyId], route: impl Fn(String) -> Route) -> Vec<Route> {
    let mut parties = parties.to_vec();
    parties.sort_unstable();
    parties.dedup();
    parties.into_iter().map(|party| route(party.to_string())).collect()
}

fn urgent(statement: &'static Statement, states: &[StateWord], own: String) -> Route {
    Route { statement, states: states.to_vec(), own: Some(own), shape: Shape::Urgent }
}

fn sorted(statement: &'static Statement, states: Vec<StateWord>, own: Option<String>) -> Route {
    Route { statement, states, own, shape: Shape::Sorted }
}

impl Route {
    fn params(&self, query: &Query, after: Option<Position>) -> Vec<Value> {
        let words: Vec<&str> = self.states.iter().map(|state| state.as_str()).collect();
        let mut params = vec![
            list(words.into_iter().map(str::to_owned)),
            list(query.receivers.iter().map(ToString::to_string)),
            list(query.senders.iter().map(ToString::to_string)),
            text(query.holder.map(|holder| holder.to_string())),
            text(query.task.clone()),
            text(query.ending.clone().filter(|ending| !ending.is_empty())),
        ];
        let id = Value::Text(first_id(query.order, after));
        let (priority, since) =
            after.map_or((-1, i64::MIN), |(priority, since, _)| (priority, since));
        let (priority, since) = (Value::Integer(priority), Value::Integer(since));
        match self.shape {
            Shape::ById => params.extend([id, Value::Text(last_id(query))]),
            Shape::Urgent => params.extend([priority, since, id]),
            Shape::Sorted => {
                let order = Value::Text(order(query.order).to_owned());
                params.extend([order, id, priority, since]);
            }
        }
        params.extend(self.own.clone().map(Value::Text));
        params.push(Value::Integer(i64::from(query.limit)));
        params
    }
}

/// Returns the id to start after; without a position, one before or after all ids.
fn first_id(order: Order, after: Option<Position>) -> String {
    match (after, order) {
        (Some((_, _, id)), _) => id.to_string(),
        (None, Order::Newest) => "~".to_owned(),
        (None, Order::Oldest | Order::Urgent | Order::Deadline) => String::new(),
    }
}

/// Returns the last id that is looked at; without a bound, one behind all ids in the order.
fn last_id(query: &Query) -> String {
    match (query.extent, query.order) {
        (Extent::Until(Some(id)), _) => id.to_string(),
        (Extent::All | Extent::Until(None), Order::Oldest) => "~".to_owned(),
        (Extent::All | Extent::Until(None), Order::Newest | Order::Urgent | Order::Deadline) => {
            String::new()
        }
    }
}

/// Returns the handoff that is this many places after another one in the order of ids.
pub(crate) fn handoff_at(
    database: &Database,
    after: Option<HandoffId>,
    is_newest_first: bool,
    places: u32,
) -> Result<Option<HandoffId>, Fault> {
    let (statement, order) = if is_newest_first {
        (&statements::HANDOFF_AT_NEWEST, Order::Newest)
    } else {
        (&statements::HANDOFF_AT_OLDEST, Order::Oldest)
    };
    let from = first_id(order, after.map(|id| (0, 0, id)));
    let skipped = i64::from(places.saturating_sub(1));
    database.first(statement, rusqlite::params![from, skipped], row::handoff_id)
}

fn order(order: Order) -> &'static str {
    match order {
        Order::Newest => "newest",
        Order::Oldest => "oldest",
        Order::Urgent => "urgent",
        Order::Deadline => "deadline",
    }
}

fn text(value: Option<String>) -> Value {
    value.map_or(Value::Null, Value::Text)
}

fn list(values: impl Iterator<Item = String>) -> Value {
    let values: Vec<String> = values.collect();
    if values.is_empty() {
        return Value::Null;
    }
    Value::Text(serde_json::Value::from(values).to_string())
}
