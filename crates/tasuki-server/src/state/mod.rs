//! State that all requests and workers of one server share.

pub(crate) mod change_watch;
pub(crate) mod event_tail;
pub(crate) mod heartbeat;
pub(crate) mod limits;
pub(crate) mod metrics;
pub(crate) mod policy_cache;
pub(crate) mod project_activity;
pub(crate) mod project_concurrency;
pub(crate) mod projects;
pub(crate) mod sign_in_links;
pub(crate) mod token_usage;

use std::fmt;
use std::sync::Arc;

use tasuki_engine::delivery::Deliveries;
use tasuki_engine::engine::Engine;
use tasuki_engine::people::People;
use tasuki_packet::id::ProjectId;
use tokio::sync::watch;

use crate::delivery::email;
use crate::delivery::transports::Means;
use crate::delivery::webhook::Resolve;
use crate::settings::Settings;
use change_watch::Watch;
use event_tail::Tails;
use heartbeat::Presence;
use limits::Limits;
use metrics::Metrics;
use policy_cache::Policies;
use project_activity::Active;
use projects::Projects;
use sign_in_links::Links;
use token_usage::Uses;

/// What every request has at hand.
pub struct App {
    pub(crate) engine: Engine,
    pub(crate) settings: Settings,
    pub(crate) people: Arc<dyn People>,
    pub(crate) projects: Projects,
    pub(crate) policies: Policies,
    pub(crate) links: Links,
    /// When tokens were last used.
    pub(crate) uses: Uses,
    pub(crate) limits: Limits,
    pub(crate) watch: Watch,
    pub(crate) tails: Tails,
    /// How others are told; a server without it tells nobody.
    pub(crate) means: Option<Means>,
    pub(crate) active: Active,
    /// The signs of life of this server.
    pub(crate) presence: Presence,
    pub(crate) metrics: Metrics,
    /// Whether somebody has told the server to stop.
    pub(crate) stopping: watch::Sender<bool>,
}

pub(crate) type Shared = Arc<App>;

impl App {
    /// A server's own part, over an engine that is running.
    pub fn new(engine: Engine, people: Arc<dyn People>, settings: Settings) -> Self {
        let (limits, watch) = (Limits::new(settings.limits), Watch::new(engine.clone()));
        Self {
            presence: Presence::new(&engine),
            engine,
            settings,
            people,
            projects: Projects::default(),
            policies: Policies::default(),
            links: Links::default(),
            uses: Uses::default(),
            limits,
            watch,
            tails: Tails::default(),
            means: None,
            active: Active::default(),
            metrics: Metrics::default(),
            stopping: watch::Sender::new(false),
        }
    }
}

impl App {
    /// The same, with a memory for what is delivered to whom, and a resolver for where.
    #[must_use]
    pub fn delivering(
        mut self,
        deliveries: Arc<dyn Deliveries>,
        resolver: Arc<dyn Resolve>,
    ) -> Self {
        let Settings { webhook_origins, mail, .. } = self.settings.clone();
        self.means = Some(Means::new(deliveries, resolver, webhook_origins, mail));
        self
    }

    /// All projects; none as long as nobody can say.
    pub(crate) async fn project_ids(&self) -> Vec<ProjectId> {
        let all = self.projects.all(self.engine.store().as_ref()).await;
        all.iter().flat_map(|all| all.iter()).map(|(_, id)| *id).collect()
    }

    /// Links to what an email of this project is about.
    pub(crate) async fn email_links(&self, project: ProjectId) -> email::Links {
        let all = self.projects.all(self.engine.store().as_ref()).await.ok();
        let own = |all: projects::List| {
            all.iter().find(|(_, id)| *id == project).map(|(name, _)| name.clone())
        };
        let name = all.and_then(own);
        email::Links::new(self.settings.base(), project, name.unwrap_or_default())
    }
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App").field("settings", &self.settings).finish_non_exhaustive()
    }
}
