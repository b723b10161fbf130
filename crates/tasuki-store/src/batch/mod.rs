//! The rows of one commit, merged and checked, for every store.
//!
//! A handoff that several commands of the batch changed is written once, in its last state.

pub(crate) mod cache;
pub(crate) mod counters;

use std::collections::HashMap;
use std::sync::Arc;

use tasuki_engine::error::{Fault, FaultKind};
use tasuki_engine::model::{Document, Facts, Head};
use tasuki_engine::ports::{HandoffRow, WriteSet};
use tasuki_packet::id::HandoffId;

#[derive(Debug)]
pub(crate) struct Batch<'a> {
    /// Handoffs in their last state, in the order of their first change.
    pub(crate) handoffs: Vec<HandoffRow>,
    /// Everything else, in order.
    pub(crate) rest: Vec<WriteSet>,
    pub(crate) before: &'a Head,
    pub(crate) after: &'a Head,
}

impl<'a> Batch<'a> {
    /// Merges the changes of a batch.
    ///
    /// # Errors
    ///
    /// Reports a bug of the engine: a gap in the log, or a handoff that is new twice.
    pub(crate) fn new(
        mut written: Vec<WriteSet>,
        before: &'a Head,
        after: &'a Head,
    ) -> Result<Self, Fault> {
        check_log(&written, before, after)?;
        check_documents(&written)?;
        let handoffs = merge_handoffs(&mut written)?;
        Ok(Self { handoffs, rest: written, before, after })
    }
}

/// Checks that leaves are numbered without a gap and that the head matches them.
fn check_log(written: &[WriteSet], before: &Head, after: &Head) -> Result<(), Fault> {
    let mut next = before.leaves;
    for leaf in written.iter().flat_map(|written| &written.leaves) {
        if leaf.n != next {
            return Err(bug(format!("table `leaf`: leaf {} after {next} leaves", leaf.n)));
        }
        next += 1;
    }
    if after.project != before.project || after.leaves != next {
        let message = format!("table `head`: head has {} leaves, expected {next}", after.leaves);
        return Err(bug(message));
    }
    Ok(())
}

/// Checks that documents come with their leaf, and none twice. The engine ensures that no other
/// leaf has brought them.
fn check_documents(written: &[WriteSet]) -> Result<(), Fault> {
    for WriteSet { documents, leaves, .. } in written {
        for (place, (n, document)) in documents.iter().enumerate() {
            if !leaves.iter().any(|leaf| leaf.n == *n) {
                return Err(bug(format!("table `document`: document without its leaf {n}")));
            }
            let is_same = |(other, before): &(u64, Document)| {
                other == n && (before.kind, &before.id) == (document.kind, &document.id)
            };
            if documents[..place].iter().any(is_same) {
                let (kind, id) = (document.kind.as_str(), &document.id);
                return Err(bug(format!("table `document`: leaf {n} has {kind} {id} twice")));
            }
        }
    }
    Ok(())
}

/// Merges handoffs to their last state in the batch.
fn merge_handoffs(written: &mut [WriteSet]) -> Result<Vec<HandoffRow>, Fault> {
    let mut places: HashMap<HandoffId, usize> = HashMap::default();
    let mut merged: Vec<HandoffRow> = Vec::with_capacity(written.len());
    for row in written.iter_mut().flat_map(|written| written.handoffs.drain(..)) {
        match places.get(&row.handoff.id) {
            None => {
                places.insert(row.handoff.id, merged.len());
                merged.push(row);
            }
            Some(place) => merge(&mut merged[*place], row)?,
        }
    }
    Ok(merged)
}

fn merge(known: &mut HandoffRow, row: HandoffRow) -> Result<(), Fault> {
    if row.is_new {
        return Err(wrong_flag(&row));
    }
    check_facts(&known.handoff.facts, &row)?;
    let has_new_facts = known.has_new_facts || row.has_new_facts;
    *known = HandoffRow { is_new: known.is_new, has_new_facts, ..row };
    Ok(())
}

/// Checks `has_new_facts`, which only saves work; a wrong value must not go unnoticed.
pub(crate) fn check_facts(facts: &Arc<Facts>, row: &HandoffRow) -> Result<(), Fault> {
    if row.has_new_facts || Arc::ptr_eq(facts, &row.handoff.facts) || *facts == row.handoff.facts {
        return Ok(());
    }
    let message =
        format!("table `facts`: facts of {} changed without `has_new_facts`", row.handoff.id);
    Err(bug(message))
}

pub(crate) fn wrong_flag(row: &HandoffRow) -> Fault {
    let HandoffRow { handoff, is_new, .. } = row;
    bug(format!("table `handoff`: {} has a wrong `is_new: {is_new}`", handoff.id))
}

fn bug(message: String) -> Fault {
    Fault::new(FaultKind::Bug, message)
}
