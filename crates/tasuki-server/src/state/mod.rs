//! State shared by all requests and workers of a server.

pub(crate) mod arrivals;
pub(crate) mod change_watch;
pub(crate) mod event_tail;
pub(crate) mod forwarded_connection;
pub(crate) mod heartbeat;
pub(crate) mod limits;
pub(crate) mod metrics;
pub(crate) mod permits;
pub(crate) mod policy_cache;
pub(crate) mod project_activity;
pub(crate) mod project_concurrency;
pub(crate) mod projects;
pub(crate) mod readers;
pub(crate) mod sign_in_links;
pub(crate) mod stats_totals;
pub(crate) mod token_usage;

use std::fmt;
use std::sync::Arc;

use change_watch::ChangeWatch;
use event_tail::EventTails;
use heartbeat::Heartbeat;
use limits::{Limits, RateKey};
use metrics::Metrics;
use policy_cache::PolicyCache;
use project_activity::ProjectActivity;
use projects::Projects;
use readers::Readers;
use sign_in_links::SignInLinks;
use stats_totals::StatsTotals;
use tasuki_engine::engine::Engine;
use tasuki_engine::error::{Error, Fault};
use tasuki_engine::model::{EventFilter, Handoff, Principal};
use tasuki_engine::ports::{AccountStore, Deliveries, Snapshots};
use tasuki_engine::query::events::{self, Bounds};
use tasuki_engine::view;
use tasuki_packet::id::ProjectId;
use token_usage::TokenUsage;
use tokio::sync::watch;

use crate::delivery::links::Links;
use crate::delivery::notice::Subject;
use crate::delivery::transports::Transports;
use crate::delivery::webhook::Resolve;
use crate::respond::problem::Problem;
use crate::settings::Settings;

/// The state of a server: engine, settings, caches, limits and metrics.
pub struct App {
    pub(crate) engine: Engine,
    pub(crate) settings: Settings,
    pub(crate) people: Arc<dyn AccountStore>,
    pub(crate) projects: Projects,
    pub(crate) policy_cache: PolicyCache,
    pub(crate) sign_in_links: SignInLinks,
    pub(crate) token_usage: TokenUsage,
    pub(crate) limits: Limits,
    pub(crate) readers: Readers,
    pub(crate) stats_totals: StatsTotals,
    pub(crate) change_watch: ChangeWatch,
    pub(crate) event_tails: EventTails,
    /// Snapshots of work trees; without it none are kept.
    pub(crate) snapshots: Option<Arc<dyn Snapshots>>,
    /// Webhooks and email; without them nothing is delivered.
    pub(crate) transports: Option<Transports>,
    pub(crate) activity: ProjectActivity,
    pub(crate) heartbeat: Heartbeat,
    pub(crate) metrics: Metrics,
    /// `true` while the server shuts down.
    pub(crate) stopping: watch::Sender<bool>,
}

pub(crate) type Shared = Arc<App>;

/// LIMIT: threads for reads. More would only wait for the disk.
const READER_THREADS_MAX: usize = 16;

impl App {
    /// Creates the state of a server over a running engine.
    pub fn new(engine: Engine, people: Arc<dyn AccountStore>, settings: Settings) -> Self {
        let (limits, change_watch) =
            (Limits::new(settings.limits), ChangeWatch::new(engine.clone()));
        Self {
            heartbeat: Heartbeat::new(&engine),
            engine,
            settings,
            people,
            projects: Projects::default(),
            policy_cache: PolicyCache::default(),
            sign_in_links: SignInLinks::default(),
            token_usage: TokenUsage::default(),
            limits,
            readers: Readers::new(reader_threads()),
            stats_totals: StatsTotals::default(),
            change_watch,
            event_tails: EventTails::default(),
            snapshots: None,
            transports: None,
            activity: ProjectActivity::default(),
            metrics: Metrics::default(),
            stopping: watch::Sender::new(false),
        }
    }
}

impl App {
    /// Adds the delivery records and a resolver for webhook hosts.
    #[must_use]
    pub fn with_delivery(
        mut self,
        deliveries: Arc<dyn Deliveries>,
        resolver: Arc<dyn Resolve>,
    ) -> Self {
        let Settings { webhook_origins, mail, .. } = self.settings.clone();
        self.transports = Some(Transports::new(deliveries, resolver, webhook_origins, mail));
        self
    }

    /// Adds the storage of snapshots.
    #[must_use]
    pub fn with_snapshots(mut self, snapshots: Arc<dyn Snapshots>) -> Self {
        self.snapshots = Some(snapshots);
        self
    }

    /// Runs a read of a project on the threads for reads. It is refused if its credential or its
    /// project has read too many rows, and charged afterwards.
    pub(crate) async fn run_read<T: Send + 'static>(
        &self,
        credential: &RateKey,
        project: ProjectId,
        read: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, Problem> {
        self.limits.check_rows(credential, project)?;
        let (result, rows) = self.readers.run(project, read).await?;
        self.limits.charge_rows(credential, project, rows);
        Ok(result)
    }

    /// Returns matching events from a number on, read on the threads for reads. The page may be cut.
    pub(crate) async fn events_since(
        &self,
        project: ProjectId,
        from: u64,
        filter: &EventFilter,
        limit: usize,
    ) -> Result<events::Page, Fault> {
        let (engine, filter) = (self.engine.clone(), filter.clone());
        let read = self.readers.run(project, async move {
            let bounds = Bounds::of_request(limit);
            events::since(engine.store().as_ref(), project, from, &filter, bounds).await
        });
        read.await?.0
    }

    /// Returns the ids of all projects; empty while the store is unavailable.
    pub(crate) async fn project_ids(&self) -> Vec<ProjectId> {
        let all = self.projects.all(self.engine.store().as_ref()).await;
        all.iter().flat_map(|all| all.iter()).map(|(_, id)| *id).collect()
    }

    /// Returns the links into a project.
    pub(crate) async fn links(&self, project: ProjectId) -> Links {
        let all = self.projects.all(self.engine.store().as_ref()).await.ok();
        let own = |all: projects::List| {
            all.iter().find(|(_, id)| *id == project).map(|(name, _)| name.clone())
        };
        let name = all.and_then(own);
        Links::new(self.settings.base(), project, name.unwrap_or_default())
    }

    /// Returns what messages may say about a handoff.
    pub(crate) async fn subject(
        &self,
        project: ProjectId,
        handoff: Handoff,
    ) -> Result<Subject, Error> {
        let system = Principal::system();
        let quotation = self.engine.reader(project, &system).await?.quotation(&handoff).await?;
        let directory = self.engine.directory(project).await?;
        Ok(Subject { card: view::handoff(&directory, &handoff), handoff, quotation })
    }
}

/// Returns the number of threads for reads: one for each core, so that half of them are free for
/// other projects.
fn reader_threads() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    cores.clamp(2, READER_THREADS_MAX)
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App").field("settings", &self.settings).finish_non_exhaustive()
    }
}
