//! Cross-checks a handoff with damaged columns against the log. Columns are never rebuilt from
//! progress that the last leaf contradicts.

use tasuki_engine::audit::log_check;
use tasuki_engine::error::{Fault, FaultKind};
use tasuki_engine::ports::LeafRow;

use crate::row::{self, ScannedHandoff};
use crate::sqlite::connection::Database;
use crate::sqlite::read;

/// Replaces a handoff by a fault if its columns are damaged and its last leaf contradicts its
/// progress.
pub(crate) fn check_against_log(
    database: &Database,
    page: &mut [ScannedHandoff],
) -> Result<(), Fault> {
    for one in page.iter_mut().filter(|one| one.wrong.is_some()) {
        let Ok(handoff) = &one.handoff else { continue };
        // Column or progress may be the damaged one; the later leaf of the two is the last.
        let mut last: Option<LeafRow> = None;
        for n in [Some(handoff.progress.last_n), one.last_n].into_iter().flatten() {
            let found = leaf(database, n)?.filter(|leaf| leaf.handoff == Some(handoff.id));
            last = found.into_iter().chain(last).max_by_key(|leaf| leaf.n);
        }
        let denied = last.and_then(|leaf| log_check::denied_by(handoff, &leaf));
        if let Some(what) = denied {
            one.handoff = Err(row::corrupt("handoff", &one.id, "progress", &what));
        }
    }
    Ok(())
}

/// Returns a leaf if it exists and can be read. Damaged leaves are reported by their own check.
fn leaf(database: &Database, n: u64) -> Result<Option<LeafRow>, Fault> {
    match read::leaves(database, n, 1) {
        Ok(found) => Ok(found.into_iter().find(|leaf| leaf.n == n)),
        Err(fault) if fault.kind == FaultKind::Corrupt => Ok(None),
        Err(fault) => Err(fault),
    }
}
