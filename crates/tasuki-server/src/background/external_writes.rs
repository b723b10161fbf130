//! Detects what other processes write to projects that are idle here.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tasuki_packet::id::ProjectId;

use crate::background::store_maintenance::StoreMaintenance;
use crate::state::Shared;

/// How often the change stamps are polled.
const POLL: Duration = Duration::from_millis(500);

/// The projects as they were when they were last polled.
pub(crate) type Snapshots = HashMap<ProjectId, Snapshot>;

/// The state of a project.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Snapshot {
    stamp: u64,
    /// How many leaves it had, if they were read.
    leaves: Option<u64>,
}

/// Takes the first snapshots, before the other tasks read everything once: what is written after them is
/// detected.
pub(crate) async fn snapshot(app: &Shared, maintenance: &dyn StoreMaintenance) -> Snapshots {
    let seen = |project| Snapshot { stamp: maintenance.change_stamp(project), leaves: None };
    app.project_ids().await.into_iter().map(|project| (project, seen(project))).collect()
}

/// Polls all projects, until the task is aborted.
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
            // A file may change without new leaves: words were indexed, a cursor has moved.
            let Ok(head) = app.engine.head(project).await else { continue };
            snapshots.insert(project, Snapshot { stamp, leaves: Some(head.leaves) });
            if before.and_then(|before| before.leaves) != Some(head.leaves) {
                app.activity.external_write(project);
                app.change_watch.wake(project);
            }
        }
    }
}
