//! Runs one worker per active subscription and one notification loop per project.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use tasuki_engine::model::SubscriptionRecord;
use tasuki_packet::id::{ProjectId, SubscriptionId};
use tokio::sync::Semaphore;
use tokio::task::AbortHandle;

use crate::background::notification_loop;
use crate::background::store_maintenance::{ChangeTracker, StoreMaintenance, Work, owns};
use crate::background::subscription_worker::{DeliveryOutcome, SubscriptionWorker};
use crate::delivery::transports::Transports;
use crate::state::{App, Shared};

/// The interval between checks of the subscriptions.
const TICK: Duration = Duration::from_secs(1);

/// The number of ticks between checks of all projects, to which other processes may have written.
const TICKS_PER_SWEEP: u32 = 60;

/// LIMIT: concurrent deliveries.
const DELIVERIES_MAX: usize = 256;

type Workers = HashMap<(ProjectId, SubscriptionId), Task>;

/// The interval between two requests for the right to deliver: a fraction of its duration.
const LEASE_TICK: Duration = Duration::from_secs(3);

/// Delivers until the task is aborted, while no other server of this store does.
pub(crate) async fn run_while_owned(app: Shared, maintenance: Arc<dyn StoreMaintenance>) {
    loop {
        while !owns(&maintenance, Work::Delivery).await {
            tokio::time::sleep(TICK).await;
        }
        let delivering = run(app.clone(), Some(Arc::clone(&maintenance)));
        let task = Task(tokio::spawn(delivering).abort_handle());
        while owns(&maintenance, Work::Delivery).await {
            tokio::time::sleep(LEASE_TICK).await;
        }
        tracing::warn!("another server delivers now");
        drop(task);
    }
}

/// A task that ends when this is dropped.
struct Task(AbortHandle);

impl Task {
    fn is_finished(&self) -> bool {
        self.0.is_finished()
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

pub(crate) async fn run(app: Shared, maintenance: Option<Arc<dyn StoreMaintenance>>) {
    let Some(transports) = app.transports.clone() else { return };
    let permits = Arc::new(Semaphore::new(DELIVERIES_MAX));
    let (mut workers, mut notifiers) = (Workers::new(), HashMap::new());
    let mut writes = app.activity.changes();
    let began = app.engine.now();
    let mut changes = ChangeTracker::new(maintenance);
    for tick in 0_u32.. {
        for project in projects_to_check(&app, tick, &workers, &mut changes).await {
            let Ok(directory) = app.engine.directory(project).await else {
                changes.forget(project);
                continue;
            };
            let all = directory.subscriptions();
            let active: Vec<_> = all.into_iter().filter(|one| one.is_active()).collect();
            workers.retain(|(of, id), worker| {
                let stays = *of != project || active.iter().any(|one| one.id == *id);
                stays && !worker.is_finished()
            });
            for record in active {
                workers.entry((project, record.id)).or_insert_with(|| {
                    let task = run_subscription(
                        app.clone(),
                        transports.clone(),
                        permits.clone(),
                        project,
                        record.id,
                    );
                    Task(tokio::spawn(task).abort_handle())
                });
            }
            notifiers.retain(|_, notifier: &mut Task| !notifier.is_finished());
            notifiers.entry(project).or_insert_with(|| {
                let task = notification_loop::run(app.clone(), transports.clone(), project, began);
                Task(tokio::spawn(task).abort_handle())
            });
        }
        // Another process may have added a subscription to an idle project.
        drop(tokio::time::timeout(TICK, writes.changed()).await);
    }
}

/// Returns the projects in use, those with a finished worker, and the changed ones among those with
/// subscriptions or, at every sweep, among all.
async fn projects_to_check(
    app: &App,
    tick: u32,
    workers: &Workers,
    changes: &mut ChangeTracker,
) -> HashSet<ProjectId> {
    let mut others: HashSet<ProjectId> = workers.keys().map(|(project, _)| *project).collect();
    if tick.is_multiple_of(TICKS_PER_SWEEP) {
        others.extend(app.project_ids().await);
    }
    let mut projects = app.activity.recent();
    projects.extend(others.into_iter().filter(|project| changes.has_changed(*project)));
    let finished = workers.iter().filter(|(_, worker)| worker.is_finished());
    projects.extend(finished.map(|((project, _), _)| *project));
    projects
}

/// Delivers to one subscription while it is active.
async fn run_subscription(
    app: Shared,
    transports: Transports,
    permits: Arc<Semaphore>,
    project: ProjectId,
    id: SubscriptionId,
) {
    let mut growth = app.change_watch.listen_patiently(project);
    let mut seen = 0;
    loop {
        growth.mark_unchanged();
        let Some(record) = active_subscription(&app, project, id).await else { return };
        let outcome = {
            let Ok(_permit) = permits.acquire().await else { return };
            let worker =
                SubscriptionWorker { app: &app, transports: &transports, project, record: &record };
            worker.deliver_batch(seen).await
        };
        match outcome {
            Ok(DeliveryOutcome::Delivered) => {}
            Ok(DeliveryOutcome::Idle(next)) => {
                seen = next;
                if growth.changed().await.is_err() {
                    return;
                }
            }
            // The wall clock may be set, so it is checked at every tick.
            Ok(DeliveryOutcome::RetryAt(_)) => tokio::time::sleep(TICK).await,
            Ok(DeliveryOutcome::Ended) => return,
            Err(error) => {
                tracing::warn!(%project, subscription = %id, %error, "recording deliveries failed");
                tokio::time::sleep(TICK).await;
            }
        }
    }
}

/// Returns the current record of the subscription, if it is active.
async fn active_subscription(
    app: &App,
    project: ProjectId,
    id: SubscriptionId,
) -> Option<SubscriptionRecord> {
    let directory = app.engine.directory(project).await.ok()?;
    directory.subscription(id).filter(|record| record.is_active()).cloned()
}
