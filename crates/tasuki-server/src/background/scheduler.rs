//! Whatever the clock has made due is done although nobody asks, and what nobody uses is closed.
//!
//! Nothing here is needed for the truth: every command and every read settles first.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tasuki_engine::error::Error;
use tasuki_engine::principal::Principal;
use tasuki_packet::id::ProjectId;

use crate::background::store_maintenance::{Stamps, Upkeep};
use crate::state::Shared;

/// How often projects that are in use are looked at.
const TICK: Duration = Duration::from_secs(1);

/// After so many ticks all projects are looked at whose files have changed, whether or not anybody has
/// said so.
const TICKS_PER_SWEEP: u32 = 60;

/// After so many ticks the store is tidied.
const TICKS_PER_UPKEEP: u32 = 5;

/// Runs until the task is ended.
pub(crate) async fn run(app: Shared, upkeep: Arc<dyn Upkeep>) {
    let mut due: HashMap<ProjectId, Timestamp> = HashMap::new();
    let mut news = app.active.news();
    let mut stamps = Stamps::new(Some(Arc::clone(&upkeep)));
    for tick in 0_u32.. {
        for project in to_settle(&app, tick, &due, &mut stamps).await {
            match settle(&app, project).await {
                Ok(Some(next)) => drop(due.insert(project, next)),
                Ok(None) => drop(due.remove(&project)),
                Err(error) => {
                    stamps.forget(project);
                    tracing::warn!(%project, %error, "what is due could not be done");
                }
            }
        }
        if !due.is_empty() {
            app.presence.beat(&app.engine, app.people.as_ref()).await;
        }
        if tick.is_multiple_of(TICKS_PER_UPKEEP) {
            let upkeep = Arc::clone(&upkeep);
            drop(tokio::task::spawn_blocking(move || upkeep.close_idle()).await);
            app.uses.write(app.people.as_ref(), app.engine.now()).await;
        }
        // Whether it was news or the time, there may be something to do.
        drop(tokio::time::timeout(pause(&due, app.engine.now()), news.changed()).await);
    }
}

/// Those in use, those of which something is due, and now and then all that have changed.
async fn to_settle(
    app: &Shared,
    tick: u32,
    due: &HashMap<ProjectId, Timestamp>,
    stamps: &mut Stamps,
) -> HashSet<ProjectId> {
    let now = app.engine.now();
    let mut projects = app.active.lately();
    projects.extend(due.iter().filter(|(_, at)| **at <= now).map(|(project, _)| *project));
    if tick.is_multiple_of(TICKS_PER_SWEEP) {
        let all = app.project_ids().await;
        projects.extend(all.into_iter().filter(|project| stamps.has_moved(*project)));
    }
    projects
}

/// Does what is due, and says when something will be.
async fn settle(app: &Shared, project: ProjectId) -> Result<Option<Timestamp>, Error> {
    let store = app.engine.store();
    if store.is_due(project, app.engine.now()).await? {
        app.engine.settle(project, &Principal::system()).await?;
        app.watch.nudge(project);
    }
    Ok(store.next_due(project).await?)
}

/// Until something is due, at most a tick.
fn pause(due: &HashMap<ProjectId, Timestamp>, now: Timestamp) -> Duration {
    // What is due and was not done is stuck, as in a project that is halted; it can wait for a tick.
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
