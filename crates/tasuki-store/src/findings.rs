//! The findings of checks that every store makes.

use jiff::Timestamp;
use tasuki_engine::model::{Handoff, Head};

use crate::batch::counters::Counters;
use crate::row::{self, ScannedHandoff, due_microseconds};

/// A problem found by a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The description with table, row and column, as far as known.
    pub message: String,
    /// `true` if [`ExchangeStore::rebuild`](crate::ExchangeStore::rebuild) repairs it.
    pub can_be_rebuilt: bool,
}

/// The result of a rebuild.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RebuildReport {
    /// The number of handoffs with wrong columns.
    pub handoffs: u64,
    /// Rows that were removed, because nothing can rebuild them.
    pub lost: Vec<String>,
    /// Findings that could not be repaired.
    pub left: Vec<Finding>,
}

/// A function that returns when the clock will move a handoff.
pub(crate) type DueAt<'a> = &'a dyn Fn(&Handoff) -> Option<Timestamp>;

pub(crate) fn rebuildable(message: String) -> Finding {
    Finding { message, can_be_rebuilt: true }
}

pub(crate) fn permanent(message: String) -> Finding {
    Finding { message, can_be_rebuilt: false }
}

/// Returns the problem of a handoff, if it has one.
pub(crate) fn of_handoff(one: &ScannedHandoff, due: DueAt<'_>) -> Option<Finding> {
    let handoff = match &one.handoff {
        Ok(handoff) => handoff,
        Err(fault) => return Some(permanent(fault.message.clone())),
    };
    if let Some(fault) = &one.wrong {
        return Some(rebuildable(fault.message.clone()));
    }
    let due_at = due(handoff).map(due_microseconds);
    // Lifting a halt postpones due times; the row is updated when its old due time comes.
    let is_correct = one.due_at.is_some() == due_at.is_some() && one.due_at <= due_at;
    (!is_correct).then(|| {
        let shown = |at: Option<i64>| at.map_or_else(|| "never".to_owned(), |at| at.to_string());
        let what = format!("is {}, expected {}", shown(one.due_at), shown(due_at));
        rebuildable(row::corrupt("handoff", &one.id, "due_at", &what).message)
    })
}

/// Compares the counters of a head with those that were counted.
pub(crate) fn of_counters(key: &str, kept: Counters, counted: Counters) -> Vec<Finding> {
    let finding = |((column, is), (_, expected)): ((&str, i64), (&str, i64))| {
        let what = format!("is {is}, expected {expected}");
        (is != expected).then(|| rebuildable(row::corrupt("head", key, column, &what).message))
    };
    kept.named().zip(counted.named()).filter_map(finding).collect()
}

/// Compares a head with the number of leaves, and the number after the last one.
pub(crate) fn of_log(head: &Head, (count, end): (u64, u64)) -> Option<Finding> {
    (count != head.leaves || end != head.leaves).then(|| {
        let what = format!("is {}, but the log has {count} leaves", head.leaves);
        let key = head.project.to_string();
        permanent(row::corrupt("head", &key, "leaf_count", &what).message)
    })
}

/// Returns the finding for a task with several live handoffs.
pub(crate) fn of_duplicate_live((task, count): (String, u64)) -> Finding {
    permanent(format!(
        "table `handoff`: task `{task}` has {count} live handoffs, expected at most 1"
    ))
}
