//! Updates the search index in the background, where it takes nothing from writers.
//!
//! A search first indexes what is missing, so that nothing depends on this task: it only saves the searcher
//! the wait. While much is written, indexing waits, because it costs as much as a good part of the writing
//! itself; in quiet times it runs in batches, and writers come in between.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tasuki_packet::id::ProjectId;

use crate::background::store_maintenance::StoreMaintenance;
use crate::state::Shared;

/// How often the projects in use are polled.
const POLL: Duration = Duration::from_secs(5);

/// LIMIT: leaves that are indexed at once. Writers wait for them, some milliseconds.
const BATCH: u32 = 1_000;

/// LIMIT: leaves that wait to be indexed while much is written. A search then waits for them, which is about
/// three seconds: one leaf takes at most 14 microseconds.
const WAITING_MAX: u64 = 200_000;

/// Runs until the task is aborted.
pub(crate) async fn run(app: Shared, maintenance: Arc<dyn StoreMaintenance>) {
    let mut indexed: HashMap<ProjectId, Indexed> = HashMap::new();
    loop {
        for project in app.activity.recent() {
            catch_up(&app, &maintenance, project, indexed.entry(project).or_default()).await;
        }
        tokio::time::sleep(POLL).await;
    }
}

/// Indexes what waits, as far as it may now.
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

/// How far a project is known to be indexed.
#[derive(Debug, Default)]
struct Indexed {
    leaves: u64,
    /// How many leaves there were at the last poll.
    seen: u64,
}

impl Indexed {
    /// Returns whether to index now: leaves wait, and so little is written that one batch keeps up with it,
    /// or too many wait.
    fn is_due(&mut self, leaves: u64) -> bool {
        let new = leaves.saturating_sub(std::mem::replace(&mut self.seen, leaves));
        let is_quiet = new < u64::from(BATCH);
        self.waiting(leaves) > WAITING_MAX || (is_quiet && self.waiting(leaves) > 0)
    }

    /// Records that a batch was indexed when there were so many leaves, perhaps the last.
    fn take(&mut self, leaves: u64, is_all: bool) {
        self.leaves = if is_all { leaves } else { leaves.min(self.leaves + u64::from(BATCH)) };
    }

    /// Returns whether one more batch follows at once: nothing was written meanwhile, or too many still wait.
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
    fn words_are_taken_in_when_little_is_written_or_too_many_wait() {
        let mut indexed = Indexed::default();
        assert!(!indexed.is_due(0), "there is nothing");
        assert!(indexed.is_due(10), "one slice keeps up");
        indexed.take(10, true);
        assert!(!indexed.is_due(10), "it is done");
        assert!(!indexed.is_due(10 + BATCH_LEAVES), "much is written");
        assert!(indexed.is_due(10 + BATCH_LEAVES), "nobody writes");
        assert!(!indexed.is_due(10 + WAITING_MAX));
        assert!(indexed.is_due(11 + WAITING_MAX + BATCH_LEAVES), "too many wait");
    }

    #[test]
    fn slice_follows_slice_until_somebody_writes() {
        let mut indexed = Indexed::default();
        let leaves = 3 * BATCH_LEAVES;
        indexed.take(leaves, false);
        assert!(indexed.continues(leaves, leaves));
        assert!(!indexed.continues(leaves, leaves + 1), "somebody writes");
        indexed.take(leaves, true);
        assert!(!indexed.continues(leaves, leaves), "it is done");
        let many = leaves + WAITING_MAX + 1;
        assert!(indexed.continues(leaves, many), "too many wait");
        indexed.take(many, false);
        assert!(!indexed.continues(many - 1, many), "few enough wait");
    }
}
