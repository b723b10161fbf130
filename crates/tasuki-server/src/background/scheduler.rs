//! Applies deadlines without a request, and maintains the store.
//!
//! Correctness does not depend on it: every command and every read applies due deadlines first.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use tasuki_engine::error::Error;
use tasuki_engine::model::Principal;
use tasuki_packet::id::ProjectId;

use crate::background::store_maintenance::{ChangeTracker, StoreMaintenance, Work, owns};
use crate::state::Shared;

/// The interval between checks of the projects in use.
const TICK: Duration = Duration::from_secs(1);

/// The number of ticks between checks of all projects whose files have changed.
const TICKS_PER_SWEEP: u32 = 60;

/// The interval between two requests for the right to apply deadlines.
const LEASE_TICK: Duration = Duration::from_secs(3);

/// The number of ticks between two maintenance runs of the store.
const TICKS_PER_MAINTENANCE: u32 = 5;

/// Runs until the task is aborted.
pub(crate) async fn run(app: Shared, maintenance: Arc<dyn StoreMaintenance>) {
    let mut due: HashMap<ProjectId, Timestamp> = HashMap::new();
    let mut writes = app.activity.changes();
    let mut changes = ChangeTracker::new(Some(Arc::clone(&maintenance)));
    let (mut is_owned, mut asked_at) = (false, None::<Instant>);
    for tick in 0_u32.. {
        if asked_at.is_none_or(|at| at.elapsed() >= LEASE_TICK) {
            is_owned = owns(&maintenance, Work::Deadlines).await;
            asked_at = Some(Instant::now());
        }
        for project in projects_with_due_work(&app, tick, &due, &mut changes).await {
            match apply_due(&app, project, is_owned).await {
                Ok(Some(next)) => drop(due.insert(project, next)),
                Ok(None) => drop(due.remove(&project)),
                Err(error) => {
                    changes.forget(project);
                    tracing::warn!(%project, %error, "applying deadlines failed");
                }
            }
        }
        if !due.is_empty() {
            app.heartbeat.beat(&app.engine, app.people.as_ref()).await;
        }
        if tick.is_multiple_of(TICKS_PER_MAINTENANCE) {
            let maintenance = Arc::clone(&maintenance);
            drop(tokio::task::spawn_blocking(move || maintenance.close_idle()).await);
            app.token_usage.flush(app.people.as_ref(), app.engine.now()).await;
        }
        // After a write and after a timeout, work may be due.
        drop(tokio::time::timeout(pause(&due, app.engine.now()), writes.changed()).await);
    }
}

/// Returns the projects in use, those with due work and, at every sweep, all that have changed.
async fn projects_with_due_work(
    app: &Shared,
    tick: u32,
    due: &HashMap<ProjectId, Timestamp>,
    changes: &mut ChangeTracker,
) -> HashSet<ProjectId> {
    let now = app.engine.now();
    let mut projects = app.activity.recent();
    projects.extend(due.iter().filter(|(_, at)| **at <= now).map(|(project, _)| *project));
    if tick.is_multiple_of(TICKS_PER_SWEEP) {
        let all = app.project_ids().await;
        projects.extend(all.into_iter().filter(|project| changes.has_changed(*project)));
    }
    projects
}

/// Applies due deadlines, unless another server does. Returns the time of the next one.
async fn apply_due(
    app: &Shared,
    project: ProjectId,
    is_owned: bool,
) -> Result<Option<Timestamp>, Error> {
    let store = app.engine.store();
    if is_owned && store.is_due(project, app.engine.now()).await? {
        app.engine.apply_due(project, &Principal::system()).await?;
        app.change_watch.wake(project);
    }
    Ok(store.next_due(project).await?)
}

/// Returns the time until the next deadline, at most one tick.
fn pause(due: &HashMap<ProjectId, Timestamp>, now: Timestamp) -> Duration {
    // A deadline that is due but was not applied is blocked, for example by a halt, and waits for a
    // tick.
    let next = due.values().filter(|at| **at > now).min();
    let next = next.and_then(|at| Duration::try_from(at.duration_since(now)).ok());
    next.unwrap_or(TICK).clamp(Duration::from_millis(50), TICK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loop_wakes_when_something_is_due_but_never_spins() {
        let now: Timestamp = "2026-11-15T10:00:00Z".parse().unwrap();
        let at = |milliseconds: i64| {
            let instant = Timestamp::from_millisecond(now.as_millisecond() + milliseconds).unwrap();
            HashMap::from([(ProjectId::from_bytes([1; 16]), instant)])
        };
        assert_eq!(pause(&HashMap::new(), now), TICK);
        assert_eq!(pause(&at(200), now), Duration::from_millis(200));
        assert_eq!(pause(&at(90_000), now), TICK);
        assert_eq!(pause(&at(1), now), Duration::from_millis(50));
        assert_eq!(pause(&at(-90_000), now), TICK);
    }
}
