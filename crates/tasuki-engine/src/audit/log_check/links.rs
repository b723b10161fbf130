//! The links by which the leaves and documents of a handoff are found: each leaf names the one before.

use tasuki_packet::id::{HandoffId, ProjectId};
use tasuki_packet::leaf::Leaf;

use super::check::Problem;
use crate::error::{Fault, FaultKind};
use crate::ports::{LeafRow, Store};

/// Where the links of a handoff end too early, from its last leaf back. What stands before that is
/// not found, and nothing need be wrong with it.
pub(super) async fn broken(
    store: &dyn Store,
    project: ProjectId,
    id: HandoffId,
) -> Result<Option<Problem>, Fault> {
    match missing(store, project, id).await {
        // A row that cannot be read is named by whoever comes to it.
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
    if let Some(bent) = rows.iter().rev().find(|row| is_bent(row)) {
        return Ok(Some(Problem::new(bent.n, "it is stored under another leaf before it")));
    }
    let missing = match rows.first() {
        Some(oldest) => oldest.previous,
        None => store.handoff(project, id).await?.map(|handoff| handoff.progress.last_n),
    };
    Ok(missing.map(|n| Problem::new(n, "the leaf is missing")))
}

/// Whether a row says of the leaf before it what the leaf itself does not say.
fn is_bent(row: &LeafRow) -> bool {
    match Leaf::read(row.leaf.as_bytes()) {
        Ok(leaf) => leaf.subject.and_then(|subject| subject.previous) != row.previous,
        Err(_) => true,
    }
}
