//! Detects writes of other processes to projects that are idle here.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tasuki_packet::id::ProjectId;

use crate::background::store_maintenance::StoreMaintenance;
use crate::state::Shared;

/// The interval between polls of the change stamps.
const POLL: Duration = Duration::from_millis(500);

/// The last polled state of each project.
pub(crate) type Snapshots = HashMap<ProjectId, Snapshot>;

/// The last polled state of a project.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Snapshot {
    stamp: u64,
    /// The number of leaves, if the log was read.
    leaves: Option<u64>,
}

/// Takes the first snapshots. This runs before the other tasks read everything once, so that every
/// later write is detected.
pub(crate) async fn snapshot(app: &Shared, maintenance: &dyn StoreMaintenance) -> Snapshots {
    let seen = |project| Snapshot { stamp: maintenance.change_stamp(project), leaves: None };
    app.project_ids().await.into_iter().map(|project| (project, seen(project))).collect()
}

/// Polls all projects until the task is aborted.
pub(crate) async fn watch(
    app: Shared,
    maintenance: Arc<dyn StoreMaintenance>,
    mut snapshots: Snapshots,
) {
    loop {
        tokio::time::sleep(POLL).await;
        for project in app.project_ids().await {
            let stamp = maintenance.change_stamp(project);
            let before = snapshots.get(&project).copied();
            if before.is_some_and(|before| before.stamp == stamp) {
                continue;
            }
            // The file also changes without new leaves, for example when a batch is indexed or a
            // cursor moves.
            let Ok(head) = app.engine.head(project).await else { continue };
            snapshots.insert(project, Snapshot { stamp, leaves: Some(head.leaves) });
            if before.and_then(|before| before.leaves) != Some(head.leaves) {
                app.activity.external_write(project);
                app.change_watch.wake(project);
            }
        }
    }
}
