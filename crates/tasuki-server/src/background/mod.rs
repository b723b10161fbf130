//! What runs beside the requests: whatever the clock has made due is done although nobody asks, and what
//! nobody uses is closed. `indexing.rs` takes words in before somebody searches.
//!
//! Nothing here is needed for the truth: every command and every read settles first.

pub(crate) mod indexing;
mod notification_loop;
mod person_notifier;
pub(crate) mod subscription_worker;
pub(crate) mod supervisor;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tasuki_engine::error::Error;
use tasuki_engine::principal::Principal;
use tasuki_packet::id::ProjectId;

use crate::state::Shared;

/// How often projects that are in use are looked at.
const TICK: Duration = Duration::from_secs(1);

/// After so many ticks all projects are looked at whose files have changed, whether or not anybody has
/// said so.
const TICKS_PER_SWEEP: u32 = 60;

/// How often it is looked whether another process has written to a project that rests here.
const LOOK: Duration = Duration::from_millis(500);

/// After so many ticks the store is tidied.
const TICKS_PER_UPKEEP: u32 = 5;

/// What a store wants to have done from time to time. It may block.
pub trait Upkeep: Send + Sync + 'static {
    /// Takes the words of at most so many leaves of a project into its index. `true` if there is nothing
    /// more to do, or nothing that can be done now.
    fn index(&self, project: ProjectId, leaves_max: u32) -> bool;

    /// Closes what nobody uses.
    fn close_idle(&self);

    /// A number that is another one after any process has written to the project, and that costs next
    /// to nothing to ask for. It may be another one although nobody has written.
    fn stamp(&self, project: ProjectId) -> u64;

    /// Whether it is this process that delivers: of several that serve one store, one does. Whoever does
    /// not may do so later, when the other has ended; whoever does goes on until it ends.
    fn delivers(&self) -> bool;
}

/// The projects as they were when they were last looked at.
pub(crate) type Looked = HashMap<ProjectId, Seen>;

/// What a project was like.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen {
    stamp: u64,
    /// How many leaves it had, if anybody has looked.
    leaves: Option<u64>,
}

/// What projects were like when something was last done with them. What has not changed since needs no
/// look, and stays closed.
pub(crate) struct Stamps {
    upkeep: Option<Arc<dyn Upkeep>>,
    known: HashMap<ProjectId, u64>,
}

impl Stamps {
    /// Where nobody can tell, everything may have changed.
    pub(crate) fn new(upkeep: Option<Arc<dyn Upkeep>>) -> Self {
        Self { upkeep, known: HashMap::new() }
    }

    /// Whether a project is another one than the last time that this was asked.
    pub(crate) fn has_moved(&mut self, project: ProjectId) -> bool {
        let Some(upkeep) = &self.upkeep else { return true };
        let stamp = upkeep.stamp(project);
        self.known.insert(project, stamp) != Some(stamp)
    }

    /// It could not be looked at, so that it is looked at again.
    pub(crate) fn forget(&mut self, project: ProjectId) {
        self.known.remove(&project);
    }
}

/// The first look, before everything that is there is gone through once: what is written after it is
/// noticed.
pub(crate) async fn first_look(app: &Shared, upkeep: &dyn Upkeep) -> Looked {
    let seen = |project| Seen { stamp: upkeep.stamp(project), leaves: None };
    projects(app).await.into_iter().map(|project| (project, seen(project))).collect()
}

/// Notices what other processes write to projects that rest here, until the task is ended.
pub(crate) async fn look(app: Shared, upkeep: Arc<dyn Upkeep>, mut looked: Looked) {
    loop {
        tokio::time::sleep(LOOK).await;
        for project in projects(&app).await {
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

/// All projects; none as long as nobody can say.
async fn projects(app: &Shared) -> Vec<ProjectId> {
    let all = app.projects.all(app.engine.store().as_ref()).await;
    all.iter().flat_map(|all| all.iter()).map(|(_, id)| *id).collect()
}

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
        let all = self::projects(app).await;
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
