//! A server of a local exchange: `tasuki serve` and `tasuki demo` run it.

use std::sync::Arc;

use tasuki_engine::engine::Engine;
use tasuki_packet::id::ProjectId;
use tasuki_server::webhook::SystemResolver;
use tasuki_server::{App, Server, Settings, StoreMaintenance, Work, record_outage};
use tasuki_store::{ExchangeStore, Location, Options};

use super::sign_in_bootstrap::SignInBootstrap;
use crate::backend::local;
use crate::backend::refusal::{engine_failure, fault_failure};
use crate::config::Party;
use crate::data_dir::DeliveryLock;
use crate::exit::{Failure, reason};

/// A server that listens and does not respond yet.
pub(super) struct BoundServer {
    pub(super) engine: Engine,
    pub(super) store: Arc<dyn ExchangeStore>,
    pub(super) project: ProjectId,
    /// The sign-in link, if there is a person for it.
    pub(super) link: Option<SignInLink>,
    /// The reason why there is no link, if the operator should know it.
    pub(super) why_no_link: Option<String>,
    server: Server,
    address: String,
    delivery_lock: Option<DeliveryLock>,
}

/// A link that signs a person in once.
pub(super) struct SignInLink {
    pub(super) url: String,
    pub(super) person: String,
}

impl BoundServer {
    /// Opens the exchange and binds the configured address.
    pub(super) async fn bind(
        location: &Location,
        project_name: &str,
        user: &Result<Party, String>,
        mut settings: Settings,
    ) -> Result<Self, Failure> {
        let options = Options { serve: true, ..Options::default() };
        let store = location.open(options).map_err(|e| fault_failure(&e))?;
        let engine = local::start(&store);
        record_outage(&engine, &*store).await.map_err(|e| fault_failure(&e))?;
        let project = engine.project(project_name).await.map_err(engine_failure)?;
        let bootstrap = if settings.is_loopback() {
            SignInBootstrap::for_loopback(&engine, project, user, &*store).await?
        } else {
            SignInBootstrap::for_network(&engine, project, &*store).await?
        };
        let (person, why_no_link) = match bootstrap {
            SignInBootstrap::Person(person) => {
                settings.operators.push(person.clone());
                (Some(person), None)
            }
            SignInBootstrap::Operator(person) => {
                settings.operators.push(person);
                (None, None)
            }
            SignInBootstrap::Unavailable(why) => (None, why),
        };
        project_name.clone_into(&mut settings.project);
        let listen = settings.listen;
        let app = App::new(engine.clone(), Arc::clone(&store) as _, settings)
            .with_delivery(Arc::clone(&store) as _, Arc::new(SystemResolver))
            .with_snapshots(Arc::clone(&store) as _);
        let server = Server::bind(app).await.map_err(|error| {
            Failure::usage(format!("cannot listen on {listen}: {}", reason(&error)))
                .hint("another server may use it; choose another address with `--listen`")
        })?;
        let address = server.address().map_err(|error| Failure::usage(reason(&error)))?;
        let address = format!("http://{address}");
        let link = person.map(|person| {
            let url = format!("{address}/ui/welcome?t={}", server.sign_in_link(&person));
            SignInLink { url, person }
        });
        // Before the server is announced, so that the first server delivers.
        let delivery_lock = match location {
            Location::Directory(path) => Some(DeliveryLock::open(path)),
            Location::Postgres(_) => None,
        };
        Ok(Self { engine, store, project, link, why_no_link, server, address, delivery_lock })
    }

    /// Returns the address that it listens on, as a URL.
    pub(super) fn address(&self) -> String {
        self.address.clone()
    }

    /// Returns `true` if no other server of this exchange delivers webhooks and email.
    pub(super) fn owns_delivery(&self) -> bool {
        self.delivery_lock.as_ref().is_none_or(DeliveryLock::is_held)
    }

    /// Serves until `stop` completes.
    pub(super) async fn run(self, stop: impl Future<Output = ()>) {
        let Self { engine, store, server, delivery_lock, .. } = self;
        let maintenance = Maintenance { store: Arc::clone(&store), delivery_lock };
        server.run(Arc::new(maintenance), stop).await;
        // The workers end first, so that nothing is written afterwards.
        engine.close();
        if let Err(fault) = store.close() {
            tracing::warn!(%fault, "closing the store failed");
        }
    }
}

/// The periodic maintenance of the store.
struct Maintenance {
    store: Arc<dyn ExchangeStore>,
    /// The lock of a data directory; a database has leases.
    delivery_lock: Option<DeliveryLock>,
}

impl StoreMaintenance for Maintenance {
    fn index(&self, project: ProjectId, leaves_max: u32) -> bool {
        // The next search indexes the rest.
        self.store.index_search(project, leaves_max).unwrap_or(true)
    }

    fn close_idle(&self) {
        self.store.close_idle();
    }

    fn change_stamp(&self, project: ProjectId) -> u64 {
        self.store.change_stamp(project)
    }

    fn owns(&self, work: Work) -> bool {
        match (&self.delivery_lock, work) {
            (Some(lock), Work::Delivery) => lock.is_held(),
            _ => self.store.owns(work.name()).unwrap_or(true),
        }
    }
}
