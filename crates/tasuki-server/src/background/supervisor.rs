//! One courier for each subscription that is served, as long as it is.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use tasuki_engine::subscription::SubscriptionRecord;
use tasuki_packet::id::{ProjectId, SubscriptionId};
use tokio::sync::Semaphore;
use tokio::task::AbortHandle;

use crate::background::notification_loop;
use crate::background::store_maintenance::{Stamps, Upkeep};
use crate::background::subscription_worker::{Courier, Turn};
use crate::delivery::transports::Means;
use crate::state::{App, Shared};

/// How often it is asked who subscribes.
const TICK: Duration = Duration::from_secs(1);

/// After so many ticks all projects are asked: another process may have written to any.
const TICKS_PER_SWEEP: u32 = 60;

/// LIMIT: receivers that are written to at once.
const AT_ONCE: usize = 256;

type Couriers = HashMap<(ProjectId, SubscriptionId), AbortHandle>;

/// Runs from when no other server of this store does, until the task is ended.
pub(crate) async fn run_alone(app: Shared, upkeep: Arc<dyn Upkeep>) {
    while !upkeep.delivers() {
        tokio::time::sleep(TICK).await;
    }
    run(app, Some(upkeep)).await;
}

/// Runs until the task is ended.
pub(crate) async fn run(app: Shared, upkeep: Option<Arc<dyn Upkeep>>) {
    let Some(means) = app.means.clone() else { return };
    let places = Arc::new(Semaphore::new(AT_ONCE));
    let (mut couriers, mut messengers) = (Couriers::new(), HashMap::new());
    let mut news = app.active.news();
    let began = app.engine.now();
    let mut stamps = Stamps::new(upkeep);
    for tick in 0_u32.. {
        for project in to_ask(&app, tick, &couriers, &mut stamps).await {
            let Ok(directory) = app.engine.directory(project).await else {
                stamps.forget(project);
                continue;
            };
            let all = directory.subscriptions();
            let served: Vec<_> = all.into_iter().filter(|one| one.is_active()).collect();
            couriers.retain(|(of, id), courier| {
                let stays = *of != project || served.iter().any(|one| one.id == *id);
                if !stays {
                    courier.abort();
                }
                stays && !courier.is_finished()
            });
            for record in served {
                couriers.entry((project, record.id)).or_insert_with(|| {
                    let walk = walk(app.clone(), means.clone(), places.clone(), project, record.id);
                    tokio::spawn(walk).abort_handle()
                });
            }
            messengers.retain(|_, messenger: &mut AbortHandle| !messenger.is_finished());
            messengers.entry(project).or_insert_with(|| {
                let walk = notification_loop::run(app.clone(), means.clone(), project, began);
                tokio::spawn(walk).abort_handle()
            });
        }
        // Another process may have subscribed somebody in a project that rested.
        drop(tokio::time::timeout(TICK, news.changed()).await);
    }
}

/// Projects in use, those whose couriers have gone, and of those that are served, and now and then of all,
/// what has changed.
async fn to_ask(
    app: &App,
    tick: u32,
    couriers: &Couriers,
    stamps: &mut Stamps,
) -> HashSet<ProjectId> {
    let mut others: HashSet<ProjectId> = couriers.keys().map(|(project, _)| *project).collect();
    if tick.is_multiple_of(TICKS_PER_SWEEP) {
        others.extend(app.project_ids().await);
    }
    let mut projects = app.active.lately();
    projects.extend(others.into_iter().filter(|project| stamps.has_moved(*project)));
    let gone = couriers.iter().filter(|(_, courier)| courier.is_finished());
    projects.extend(gone.map(|((project, _), _)| *project));
    projects
}

/// Goes to one receiver again and again.
async fn walk(
    app: Shared,
    means: Means,
    places: Arc<Semaphore>,
    project: ProjectId,
    id: SubscriptionId,
) {
    let mut news = app.watch.listen_patiently(project);
    let mut seen = 0;
    loop {
        news.mark_unchanged();
        let Some(record) = served(&app, project, id).await else { return };
        let turn = {
            let Ok(_place) = places.acquire().await else { return };
            let courier = Courier { app: &app, means: &means, project, record: &record };
            courier.turn(seen).await
        };
        match turn {
            Ok(Turn::Delivered) => {}
            Ok(Turn::Idle(next)) => {
                seen = next;
                if news.changed().await.is_err() {
                    return;
                }
            }
            // The clock is asked again: it may have been moved.
            Ok(Turn::Waits(_)) => tokio::time::sleep(TICK).await,
            Ok(Turn::Ended) => return,
            Err(error) => {
                tracing::warn!(%project, subscription = %id, %error, "a delivery could not be noted");
                tokio::time::sleep(TICK).await;
            }
        }
    }
}

/// The subscription as it is now, if it is served.
async fn served(app: &App, project: ProjectId, id: SubscriptionId) -> Option<SubscriptionRecord> {
    let directory = app.engine.directory(project).await.ok()?;
    directory.subscription(id).filter(|record| record.is_active()).cloned()
}
