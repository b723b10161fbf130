//! Words are taken into the index before somebody searches, where it takes nothing from those who write.
//!
//! Whoever searches takes in first what is missing, so that nothing here is needed for the truth: it is
//! about who waits. While much is written, words wait, because they cost as much as a good part of the
//! writing itself; in quiet times they are taken in slice by slice, and whoever writes comes in between.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tasuki_packet::id::ProjectId;

use crate::background::store_maintenance::Upkeep;
use crate::state::Shared;

/// How often it is looked whether words wait.
const LOOK: Duration = Duration::from_secs(5);

/// LIMIT: leaves whose words are taken in at once. Whoever writes waits for them, some milliseconds.
const SLICE: u32 = 1_000;

/// LIMIT: leaves whose words wait while much is written. Whoever searches then waits for them, which is
/// about three seconds: one leaf takes at most 14 microseconds.
const WAITING_MAX: u64 = 200_000;

/// Runs until the task is ended.
pub(crate) async fn run(app: Shared, upkeep: Arc<dyn Upkeep>) {
    let mut indexed: HashMap<ProjectId, Indexed> = HashMap::new();
    loop {
        for project in app.active.lately() {
            catch_up(&app, &upkeep, project, indexed.entry(project).or_default()).await;
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Takes in what waits, as far as it may now.
async fn catch_up(
    app: &Shared,
    upkeep: &Arc<dyn Upkeep>,
    project: ProjectId,
    indexed: &mut Indexed,
) {
    let Ok(mut head) = app.engine.head(project).await else { return };
    let mut is_due = indexed.is_due(head.leaves);
    while is_due {
        let (upkeep, leaves) = (Arc::clone(upkeep), head.leaves);
        let slice = tokio::task::spawn_blocking(move || upkeep.index(project, SLICE)).await;
        indexed.take(leaves, slice.unwrap_or(true));
        let Ok(now) = app.engine.head(project).await else { return };
        head = now;
        is_due = indexed.goes_on(leaves, head.leaves);
    }
}

/// How far the words of a project are known to be indexed.
#[derive(Debug, Default)]
struct Indexed {
    leaves: u64,
    /// How many there were when it was looked at last.
    seen: u64,
}

impl Indexed {
    /// Whether words are taken in at a look: some wait, and so little is written that one slice keeps up
    /// with it, or too many wait.
    fn is_due(&mut self, leaves: u64) -> bool {
        let new = leaves.saturating_sub(std::mem::replace(&mut self.seen, leaves));
        let is_quiet = new < u64::from(SLICE);
        self.waiting(leaves) > WAITING_MAX || (is_quiet && self.waiting(leaves) > 0)
    }

    /// A slice was taken in when there were so many leaves, perhaps the last.
    fn take(&mut self, leaves: u64, is_all: bool) {
        self.leaves = if is_all { leaves } else { leaves.min(self.leaves + u64::from(SLICE)) };
    }

    /// Whether one more slice follows at once: nobody has written meanwhile, or too many still wait.
    fn goes_on(&self, before: u64, leaves: u64) -> bool {
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

    const SLICE_LEAVES: u64 = SLICE as u64;

    #[test]
    fn words_are_taken_in_when_little_is_written_or_too_many_wait() {
        let mut indexed = Indexed::default();
        assert!(!indexed.is_due(0), "there is nothing");
        assert!(indexed.is_due(10), "one slice keeps up");
        indexed.take(10, true);
        assert!(!indexed.is_due(10), "it is done");
        assert!(!indexed.is_due(10 + SLICE_LEAVES), "much is written");
        assert!(indexed.is_due(10 + SLICE_LEAVES), "nobody writes");
        assert!(!indexed.is_due(10 + WAITING_MAX));
        assert!(indexed.is_due(11 + WAITING_MAX + SLICE_LEAVES), "too many wait");
    }

    #[test]
    fn slice_follows_slice_until_somebody_writes() {
        let mut indexed = Indexed::default();
        let leaves = 3 * SLICE_LEAVES;
        indexed.take(leaves, false);
        assert!(indexed.goes_on(leaves, leaves));
        assert!(!indexed.goes_on(leaves, leaves + 1), "somebody writes");
        indexed.take(leaves, true);
        assert!(!indexed.goes_on(leaves, leaves), "it is done");
        let many = leaves + WAITING_MAX + 1;
        assert!(indexed.goes_on(leaves, many), "too many wait");
        indexed.take(many, false);
        assert!(!indexed.goes_on(many - 1, many), "few enough wait");
    }
}
