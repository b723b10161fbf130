//! Reads pages of leaves, row by row if one of them is corrupt.

use tasuki_packet::id::ProjectId;

use super::check::Problem;
use crate::error::{Fault, FaultKind};
use crate::ports::{LeafRow, Store};

/// Leaves read at once.
pub(super) const PAGE: u32 = 1_000;

/// The leaves of a page, and the first problem after them.
pub(super) type Page = (Vec<LeafRow>, Option<Problem>);

/// Reads at most one page of leaves before `end`.
pub(super) async fn read(
    store: &dyn Store,
    project: ProjectId,
    from: u64,
    end: u64,
) -> Result<Page, Fault> {
    let wanted = u32::try_from((end - from).min(u64::from(PAGE))).unwrap_or(PAGE);
    match store.leaves(project, from, wanted).await {
        Ok(rows) => Ok(complete(rows, from, wanted)),
        Err(fault) if fault.kind == FaultKind::Corrupt => {
            one_by_one(store, project, from, end).await
        }
        Err(fault) => Err(fault),
    }
}

/// Cuts a page at the first missing number.
fn complete(mut rows: Vec<LeafRow>, from: u64, wanted: u32) -> Page {
    let expected = from..from + u64::from(wanted);
    let is_there = |(n, row): &(u64, &LeafRow)| row.n == *n;
    let fitting = expected.clone().zip(&rows).take_while(is_there).count();
    let missing = expected.into_iter().nth(fitting);
    rows.truncate(fitting);
    (rows, missing.map(|n| Problem::new(n, "the leaf is missing")))
}

async fn one_by_one(
    store: &dyn Store,
    project: ProjectId,
    from: u64,
    end: u64,
) -> Result<Page, Fault> {
    let mut rows = Vec::new();
    for n in from..end {
        match store.leaves(project, n, 1).await {
            Ok(mut row) if row.first().is_some_and(|row| row.n == n) => rows.append(&mut row),
            Ok(_) => return Ok((rows, Some(Problem::new(n, "the leaf is missing")))),
            Err(fault) if fault.kind == FaultKind::Corrupt => {
                return Ok((rows, Some(Problem::new(n, fault.message))));
            }
            Err(fault) => return Err(fault),
        }
    }
    Ok((rows, None))
}
