//! Updates the search index in the background without slowing down writers.
//!
//! A search indexes missing leaves first, so correctness never depends on this task; it only saves
//! the searcher the wait. Indexing costs a good part of what writing costs. It therefore pauses
//! under write load and otherwise runs in batches, between which writers can proceed.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tasuki_packet::id::ProjectId;

use crate::background::store_maintenance::{StoreMaintenance, Work, owns};
use crate::state::Shared;

/// The interval between polls of the projects in use.
const POLL: Duration = Duration::from_secs(5);

/// LIMIT: leaves that are indexed in one batch. Writers wait for a batch, which takes some
/// milliseconds.
const BATCH: u32 = 1_000;

/// LIMIT: leaves that may wait to be indexed under write load. One leaf takes at most 14
/// microseconds, so a search waits about three seconds for them.
const WAITING_MAX: u64 = 200_000;

/// Runs until the task is aborted.
pub(crate) async fn run(app: Shared, maintenance: Arc<dyn StoreMaintenance>) {
    let mut indexed: HashMap<ProjectId, Indexed> = HashMap::new();
    loop {
        let is_owned = owns(&maintenance, Work::Indexing).await;
        for project in app.activity.recent().into_iter().filter(|_| is_owned) {
            catch_up(&app, &maintenance, project, indexed.entry(project).or_default()).await;
        }
        tokio::time::sleep(POLL).await;
    }
}

/// Indexes waiting leaves, as far as the write load allows.
async fn catch_up(
    app: &Shared,
    maintenance: &Arc<dyn StoreMaintenance>,
    project: ProjectId,
    indexed: &mut Indexed,
) {
    let Ok(mut head) = app.engine.head(project).await else { return };
    let mut is_due = indexed.is_due(head.leaves);
    while is_due {
        let (maintenance, leaves) = (Arc::clone(maintenance), head.leaves);
        let batch = tokio::task::spawn_blocking(move || maintenance.index(project, BATCH)).await;
        indexed.take(leaves, batch.unwrap_or(true));
        let Ok(now) = app.engine.head(project).await else { return };
        head = now;
        is_due = indexed.continues(leaves, head.leaves);
    }
}

/// The indexing progress of a project.
#[derive(Debug, Default)]
struct Indexed {
    leaves: u64,
    /// The number of leaves at the last poll.
    seen: u64,
}

impl Indexed {
    /// Returns `true` if a batch should run now: leaves are waiting, and either one batch keeps up
    /// with the write load or too many are waiting.
    fn is_due(&mut self, leaves: u64) -> bool {
        let new = leaves.saturating_sub(std::mem::replace(&mut self.seen, leaves));
        let is_quiet = new < u64::from(BATCH);
        self.waiting(leaves) > WAITING_MAX || (is_quiet && self.waiting(leaves) > 0)
    }

    /// Records that a batch was indexed when the log had this many leaves. `is_all` marks the last
    /// batch.
    fn take(&mut self, leaves: u64, is_all: bool) {
        self.leaves = if is_all { leaves } else { leaves.min(self.leaves + u64::from(BATCH)) };
    }

    /// Returns `true` if another batch should follow at once: nothing was written meanwhile, or too
    /// many leaves are still waiting.
    fn continues(&self, before: u64, leaves: u64) -> bool {
        let waiting = self.waiting(leaves);
        waiting > WAITING_MAX || (waiting > 0 && leaves == before)
    }

    fn waiting(&self, leaves: u64) -> u64 {
        leaves.saturating_sub(self.leaves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BATCH_LEAVES: u64 = BATCH as u64;

    #[test]
    fn a_batch_is_due_under_low_write_load_or_when_too_many_leaves_wait() {
        let mut indexed = Indexed::default();
        assert!(!indexed.is_due(0), "the log is empty");
        assert!(indexed.is_due(10), "one batch keeps up");
        indexed.take(10, true);
        assert!(!indexed.is_due(10), "all indexed");
        assert!(!indexed.is_due(10 + BATCH_LEAVES), "high write load");
        assert!(indexed.is_due(10 + BATCH_LEAVES), "no writes");
        assert!(!indexed.is_due(10 + WAITING_MAX));
        assert!(indexed.is_due(11 + WAITING_MAX + BATCH_LEAVES), "too many wait");
    }

    #[test]
    fn batches_continue_until_a_write() {
        let mut indexed = Indexed::default();
        let leaves = 3 * BATCH_LEAVES;
        indexed.take(leaves, false);
        assert!(indexed.continues(leaves, leaves));
        assert!(!indexed.continues(leaves, leaves + 1), "a write came in");
        indexed.take(leaves, true);
        assert!(!indexed.continues(leaves, leaves), "all indexed");
        let many = leaves + WAITING_MAX + 1;
        assert!(indexed.continues(leaves, many), "too many wait");
        indexed.take(many, false);
        assert!(!indexed.continues(many - 1, many), "few enough wait");
    }
}
