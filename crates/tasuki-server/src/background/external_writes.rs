//! Notices what other processes write to projects that rest here.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tasuki_packet::id::ProjectId;

use crate::background::store_maintenance::Upkeep;
use crate::state::Shared;

/// How often it is looked whether another process has written to a project that rests here.
const LOOK: Duration = Duration::from_millis(500);

/// The projects as they were when they were last looked at.
pub(crate) type Looked = HashMap<ProjectId, Seen>;

/// What a project was like.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen {
    stamp: u64,
    /// How many leaves it had, if anybody has looked.
    leaves: Option<u64>,
}

/// The first look, before everything that is there is gone through once: what is written after it is
/// noticed.
pub(crate) async fn first_look(app: &Shared, upkeep: &dyn Upkeep) -> Looked {
    let seen = |project| Seen { stamp: upkeep.stamp(project), leaves: None };
    app.project_ids().await.into_iter().map(|project| (project, seen(project))).collect()
}

/// Notices what other processes write to projects that rest here, until the task is ended.
pub(crate) async fn look(app: Shared, upkeep: Arc<dyn Upkeep>, mut looked: Looked) {
    loop {
        tokio::time::sleep(LOOK).await;
        for project in app.project_ids().await {
            let stamp = upkeep.stamp(project);
            let before = looked.get(&project).copied();
            if before.is_some_and(|before| before.stamp == stamp) {
                continue;
            }
            // A file may change without news in it: words were indexed, a cursor has moved.
            let Ok(head) = app.engine.head(project).await else { continue };
            looked.insert(project, Seen { stamp, leaves: Some(head.leaves) });
            if before.and_then(|before| before.leaves) != Some(head.leaves) {
                app.active.written(project);
                app.watch.nudge(project);
            }
        }
    }
}
