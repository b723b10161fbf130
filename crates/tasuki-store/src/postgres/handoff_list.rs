//! Lists of handoffs. The text of each query has only the conditions it needs, so that the planner
//! finds the index.
//!
//! A list of several states is merged from one query per state, because states differ in the number
//! of handoffs and in their indexes. States are written as literals: an index of some states serves
//! only a query that names one of them.

use tasuki_engine::error::Fault;
use tasuki_engine::model::{Handoff, StateWord};
use tasuki_engine::ports::{Extent, Order, Query, cost};
use tasuki_packet::id::{HandoffId, PartyId};
use tokio_postgres::types::{ToSql, Type};

use crate::postgres::connection::Connection;
use crate::postgres::read::{self, ReadHandoff};
use crate::postgres::statements;
use crate::row::{self, HandoffColumns};

/// A deadline behind all others, for handoffs without one.
const NO_DEADLINE: &str = "coalesce(h.due_at, 253402207200999999)";

const COLUMNS: &str = "h.id, h.task, h.sender, h.receiver, h.holder, h.state, h.priority, h.since, \
     h.not_before, h.claim_epoch, h.fingerprint, h.is_begun, h.is_open, h.is_live, h.progress, \
     f.body, h.seq, h.last_n, h.awaits_sender, h.judge, h.reviewed_at, h.failed_n, h.due_at";

const TABLES: &str = "handoff AS h JOIN facts AS f ON f.project = h.project AND f.seq = h.seq";

/// Returns the first handoffs that match a query.
pub(super) async fn handoffs(
    connection: &Connection,
    project: &str,
    query: &Query,
    read: ReadHandoff,
) -> Result<Vec<Handoff>, Fault> {
    let after = match (query.behind, query.after) {
        (Some(place), _) => Some((i64::from(place.priority), place.since, place.id)),
        (None, None) => None,
        // A list that continues after an unknown handoff is empty.
        (None, Some(id)) => match read::handoff(connection, project, id, read).await? {
            Some(handoff) => Some(position(&handoff)),
            None => return Ok(Vec::new()),
        },
    };
    let mut list = List::new(project, query.order);
    list.filter(query);
    list.continue_after(after);
    list.limit_extent(query);
    let text = list.text(&query.states, query.limit);
    let rows = connection.composed("handoff list", &text, &list.params()).await?;
    rows.iter().map(|row| read(row).map(|(_, handoff)| handoff)).collect()
}

/// A position in an order: priority, since, id; in the order of deadlines zero, deadline, id.
type Position = (i64, i64, HandoffId);

fn position(handoff: &Handoff) -> Position {
    let columns = HandoffColumns::of(handoff);
    (i64::from(columns.priority), columns.since, handoff.id)
}

/// The conditions of a list, and their parameters.
struct List {
    conditions: Vec<String>,
    values: Vec<(Value, Type)>,
    order: Order,
}

/// The value of a parameter.
enum Value {
    Text(String),
    Texts(Vec<String>),
    Integer(i64),
}

impl Value {
    fn param(&self) -> &(dyn ToSql + Sync) {
        match self {
            Self::Text(text) => text,
            Self::Texts(texts) => texts,
            Self::Integer(integer) => integer,
        }
    }
}

impl List {
    fn new(project: &str, order: Order) -> Self {
        let mut list = Self { conditions: Vec::new(), values: Vec::new(), order };
        let project = list.text_param(project);
        list.conditions.push(format!("h.project = {project}"));
        list
    }

    /// Adds a parameter and returns its placeholder.
    fn param(&mut self, value: Value, kind: Type) -> String {
        self.values.push((value, kind));
        format!("${}", self.values.len())
    }

    fn text_param(&mut self, text: impl Into<String>) -> String {
        self.param(Value::Text(text.into()), Type::TEXT)
    }

    fn is(&mut self, column: &str, value: Option<String>) {
        if let Some(value) = value {
            let place = self.text_param(value);
            self.conditions.push(format!("{column} = {place}"));
        }
    }

    fn is_any(&mut self, column: &str, parties: &[PartyId]) {
        if !parties.is_empty() {
            let parties = parties.iter().map(ToString::to_string).collect();
            let place = self.param(Value::Texts(parties), Type::TEXT_ARRAY);
            self.conditions.push(format!("{column} = ANY ({place})"));
        }
    }

    fn filter(&mut self, query: &Query) {
        self.is_any("h.receiver", &query.receivers);
        self.is_any("h.sender", &query.senders);
        self.is("h.holder", query.holder.map(|holder| holder.to_string()));
        self.is("h.task", query.task.clone());
        let ending = query.ending.clone().filter(|ending| !ending.is_empty());
        if let Some(ending) = ending {
            let place = self.text_param(ending);
            self.conditions.push(format!("right(h.id, length({place})) = {place}"));
        }
        if let Some(party) = query.failures_for {
            let party = self.text_param(party.to_string());
            self.conditions.push(format!(
                "h.failed_n IS NOT NULL AND NOT EXISTS (SELECT 1 FROM acknowledgement AS seen \
                 WHERE seen.project = h.project AND seen.party = {party} \
                 AND seen.handoff = h.id AND seen.n >= h.failed_n)"
            ));
        } else if !query.judges.is_empty() {
            self.is_any("h.judge", &query.judges);
        } else if query.left_to_others {
            self.conditions.push("h.judge IS NOT NULL AND h.judge = h.sender".to_owned());
        } else if query.awaits_sender {
            self.conditions.push("h.awaits_sender = 1".to_owned());
        }
    }

    fn continue_after(&mut self, after: Option<Position>) {
        let Some((priority, since, id)) = after else { return };
        let id = self.text_param(id.to_string());
        let condition = match self.order {
            Order::Newest => format!("h.id < {id}"),
            Order::Oldest => format!("h.id > {id}"),
            Order::Urgent => {
                let priority = self.param(Value::Integer(priority), Type::INT8);
                let since = self.param(Value::Integer(since), Type::INT8);
                format!("(h.priority, h.since, h.id) > ({priority}, {since}, {id})")
            }
            Order::Deadline => {
                let since = self.param(Value::Integer(since), Type::INT8);
                format!("({NO_DEADLINE}, h.id) > ({since}, {id})")
            }
        };
        self.conditions.push(condition);
    }

    fn limit_extent(&mut self, query: &Query) {
        if let Extent::Until(Some(last)) = query.extent {
            let last = self.text_param(last.to_string());
            let is_before = if self.order == Order::Oldest { "<=" } else { ">=" };
            self.conditions.push(format!("h.id {is_before} {last}"));
        }
    }

    /// Returns the text of the query: the first of each state, and of those the first.
    fn text(&self, states: &[StateWord], limit: u32) -> String {
        let mut states = states.to_vec();
        states.sort_unstable();
        states.dedup();
        let (all, order) = (self.conditions.join(" AND "), self.order_by());
        let select = |state: &str| {
            format!(
                "SELECT {COLUMNS} FROM {TABLES} WHERE {all}{state} ORDER BY {order} LIMIT {limit}"
            )
        };
        let of = |state: &StateWord| select(&format!(" AND h.state = '{}'", state.as_str()));
        match states.as_slice() {
            [] => select(""),
            [one] => of(one),
            several => {
                let each: Vec<String> =
                    several.iter().map(|one| format!("({})", of(one))).collect();
                let order = order.replace("h.", "");
                format!(
                    "SELECT * FROM ({}) AS merged ORDER BY {order} LIMIT {limit}",
                    each.join(" UNION ALL ")
                )
            }
        }
    }

    fn order_by(&self) -> String {
        match self.order {
            Order::Newest => "h.id DESC".to_owned(),
            Order::Oldest => "h.id".to_owned(),
            Order::Urgent => "h.priority, h.since, h.id".to_owned(),
            Order::Deadline => format!("{NO_DEADLINE}, h.id"),
        }
    }

    fn params(&self) -> Vec<(&(dyn ToSql + Sync), Type)> {
        self.values.iter().map(|(value, kind)| (value.param(), kind.clone())).collect()
    }
}

/// Returns the handoff that is this many places after another one in the order of ids.
pub(super) async fn handoff_at(
    connection: &Connection,
    project: &str,
    after: Option<HandoffId>,
    is_newest_first: bool,
    places: u32,
) -> Result<Option<HandoffId>, Fault> {
    let (statement, first) = if is_newest_first {
        (&statements::HANDOFF_AT_NEWEST, "~")
    } else {
        (&statements::HANDOFF_AT_OLDEST, "")
    };
    let from = after.map_or_else(|| first.to_owned(), |id| id.to_string());
    let wanted = i64::from(places.max(1));
    let rows = connection.rows(statement, &[&project, &from, &wanted]).await?;
    let Some(found) = rows.first() else { return Ok(None) };
    let counted: i64 = found.get("places");
    // The list that ends there looks at the same rows again, which is not charged twice.
    cost::add(u64::try_from(counted).unwrap_or_default());
    (counted == wanted).then(|| row::handoff_id(found)).transpose()
}
