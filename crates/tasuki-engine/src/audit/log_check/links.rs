//! The links between the leaves of a handoff: each leaf names the previous one.

use tasuki_packet::id::{HandoffId, ProjectId};
use tasuki_packet::leaf::Leaf;

use super::check::Problem;
use crate::error::{Fault, FaultKind};
use crate::ports::{LeafRow, Store};

/// Finds the first broken link of a handoff, starting from its last leaf. Leaves before it cannot
/// be found, but may be intact.
pub(super) async fn broken(
    store: &dyn Store,
    project: ProjectId,
    id: HandoffId,
) -> Result<Option<Problem>, Fault> {
    match missing(store, project, id).await {
        // A corrupt row is reported when the walk reaches it.
        Err(fault) if fault.kind == FaultKind::Corrupt => Ok(None),
        found => found,
    }
}

async fn missing(
    store: &dyn Store,
    project: ProjectId,
    id: HandoffId,
) -> Result<Option<Problem>, Fault> {
    let rows = store.leaves_of(project, id).await?;
    if let Some(row) = rows.iter().rev().find(|row| has_wrong_previous(row)) {
        return Ok(Some(Problem::new(row.n, "stored previous leaf differs from the leaf")));
    }
    let missing = match rows.first() {
        Some(oldest) => oldest.previous,
        None => store.handoff(project, id).await?.map(|handoff| handoff.progress.last_n),
    };
    Ok(missing.map(|n| Problem::new(n, "the leaf is missing")))
}

/// Returns `true` if the row and its leaf name different previous leaves.
fn has_wrong_previous(row: &LeafRow) -> bool {
    match Leaf::read(row.leaf.as_bytes()) {
        Ok(leaf) => leaf.subject.and_then(|subject| subject.previous) != row.previous,
        Err(_) => true,
    }
}
