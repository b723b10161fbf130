//! `tasuki serve`: serves an exchange over HTTP, for agents on other machines and people in browsers.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use serde_json::json;
use tasuki_engine::engine::Engine;
use tasuki_engine::ports::System;
use tasuki_packet::id::ProjectId;
use tasuki_server::webhook::SystemResolver;
use tasuki_server::{App, Server, Settings as ServerSettings, StoreMaintenance, record_outage};
use tasuki_store::{Options, SqliteStore};
use tokio::signal::unix::{SignalKind, signal};
use tracing_appender::non_blocking::WorkerGuard;
use tracing_subscriber::EnvFilter;

use super::server_log;
use super::sign_in_bootstrap::SignInBootstrap;
use crate::backend::refusal::{engine_failure, fault_failure};
use crate::backend::{self, local};
use crate::config::{Environment, Flags, Party, Settings, os_user};
use crate::data_dir::{DataDir, DeliveryLock};
use crate::exit::{Exit, Failure, reason};
use crate::output::printer::{FAINT, NOTE, Printer, STRONG};

/// Serve the exchange over HTTP.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki serve\n  tasuki serve --listen 0.0.0.0:7420 --data /var/lib/tasuki\n  curl -H \"Authorization: Bearer $(tasuki token create --as hermes-main)\" localhost:7420/v1/inbox\n\nCreates `.tasuki/` unless it exists here or above. Other processes may use the exchange at the same time. The settings are in `[server]` of tasuki.toml; `tasuki config default` prints all of them. The log goes to stderr as JSON; set `TASUKI_LOG=warn` for less. Ctrl-C or SIGTERM stops the server after it has finished the accepted requests."
)]
pub(crate) struct Arguments {
    /// The address to listen on [default: 127.0.0.1:7420] [variable: `TASUKI_LISTEN`].
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
    /// The directory whose `.tasuki/` is served, instead of this one.
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let current_dir = std::env::current_dir().map_err(|error| {
        Failure::usage(format!("cannot determine the current directory: {}", reason(&error)))
    })?;
    let flags = Flags { listen: arguments.listen.clone(), ..arguments.flags.clone() };
    let environment = Environment::of_process();
    environment.reject_unknown()?;
    let settings = Settings::resolve(&flags, &environment, &current_dir)?;
    backend::require_local(&settings)?;
    let server = settings.server()?.server.clone();
    // Dropped last, so that the last lines are written.
    let _log = start_log(&settings)?;
    let data_dir = open_or_create(arguments.data.as_deref().unwrap_or(&current_dir), printer)?;
    let project = settings.project.value.as_str();
    local::create_project(&data_dir, project)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime
        .map_err(|error| Failure::usage(format!("cannot start the runtime: {}", reason(&error))))?;
    let user = os_user::party_name(&environment);
    let server_run = ServerRun { data_dir, project: project.to_owned(), user, printer };
    runtime.block_on(server_run.run(server))
}

/// Opens or creates the data directory of a folder.
fn open_or_create(folder: &Path, printer: &Printer) -> Result<DataDir, Failure> {
    if let Ok(data_dir) = DataDir::find(folder) {
        return Ok(data_dir);
    }
    std::fs::create_dir_all(folder).map_err(|error| {
        Failure::usage(format!("cannot create {}: {}", folder.display(), reason(&error)))
    })?;
    let (data_dir, created) = DataDir::create(folder)?;
    if created.is_new() {
        printer.remark(&format!("Created {}", data_dir.path().display()));
    }
    Ok(data_dir)
}

/// Starts the log at the configured level.
fn start_log(settings: &Settings) -> Result<WorkerGuard, Failure> {
    let wanted = settings.log.as_ref().map_or("info", |log| log.value.as_str());
    let filter = EnvFilter::try_new(wanted).map_err(|error| {
        Failure::usage(format!("TASUKI_LOG: {error}")).hint("use a level such as `info` or `warn`")
    })?;
    Ok(server_log::start(filter))
}

const LOCAL_LINKS_ONLY: &str =
    "Links in emails only work on this machine. Set `public_url` in `[server]` of tasuki.toml.";

const OTHER_DELIVERS: &str = "Another server uses this exchange and delivers webhooks and email. This one takes over delivery when the other stops.";

struct ServerRun<'a> {
    data_dir: DataDir,
    project: String,
    /// The user who started the server, or why its name cannot be a party name.
    user: Result<Party, String>,
    printer: &'a Printer,
}

impl ServerRun<'_> {
    async fn run(self, mut settings: ServerSettings) -> Result<Exit, Failure> {
        // First, so that a signal cannot interrupt the start.
        let stop = shutdown_signal()?;
        let options = Options { serve: true, ..Options::default() };
        let store =
            SqliteStore::open(self.data_dir.path(), options).map_err(|e| fault_failure(&e))?;
        let store = Arc::new(store);
        let engine = Engine::start(Arc::clone(&store) as _, Arc::new(System), Arc::new(System));
        record_outage(&engine, store.as_ref()).await.map_err(|e| fault_failure(&e))?;
        let project = engine.project(&self.project).await.map_err(engine_failure)?;
        let bootstrap = if settings.is_loopback() {
            SignInBootstrap::for_loopback(&engine, project, &self.user, store.as_ref()).await?
        } else {
            SignInBootstrap::for_network(&engine, project, store.as_ref()).await?
        };
        if let SignInBootstrap::Person(person) | SignInBootstrap::Operator(person) = &bootstrap {
            settings.operators.push(person.clone());
        }
        settings.project.clone_from(&self.project);
        let exposure = Exposure::of(&settings);
        let listen = settings.listen;
        let app = App::new(engine.clone(), Arc::clone(&store) as _, settings)
            .with_delivery(Arc::clone(&store) as _, Arc::new(SystemResolver));
        let server = Server::bind(app).await.map_err(|error| {
            Failure::usage(format!("cannot listen on {listen}: {}", reason(&error)))
                .hint("another server may use it; choose another address with `--listen`")
        })?;
        let address = server.address().map_err(|error| Failure::usage(reason(&error)))?;
        let link = match &bootstrap {
            SignInBootstrap::Person(person) => {
                let code = server.sign_in_link(person);
                Some((format!("http://{address}/ui/welcome?t={code}"), person.clone()))
            }
            SignInBootstrap::Operator(_) | SignInBootstrap::Unavailable(_) => None,
        };
        // Before the server is announced, so that the first server delivers.
        let delivery_lock = DeliveryLock::open(&self.data_dir);
        let other = (!delivery_lock.is_held()).then(|| OTHER_DELIVERS.to_owned());
        self.print_banner(&format!("http://{address}"), link.as_ref(), exposure);
        let why = match bootstrap {
            SignInBootstrap::Person(_) | SignInBootstrap::Operator(_) => None,
            SignInBootstrap::Unavailable(why) => why,
        };
        let links_warning = exposure.has_local_links_only.then(|| LOCAL_LINKS_ONLY.to_owned());
        for remark in why.into_iter().chain(links_warning).chain(other) {
            self.printer.remark(&format!("{NOTE}!{NOTE:#} {remark}"));
        }
        let maintenance = SqliteMaintenance { store: Arc::clone(&store), delivery_lock };
        server.run(Arc::new(maintenance), stop).await;
        // The workers end first, so that nothing is written afterwards.
        engine.close();
        if let Err(fault) = store.empty_wals() {
            tracing::warn!(%fault, "moving the WAL into the database failed");
        }
        Ok(Exit::Success)
    }

    fn print_banner(&self, address: &str, link: Option<&(String, String)>, exposure: Exposure) {
        let folder = self.data_dir.path().display();
        if self.printer.is_json() {
            let link = link.map(|(link, _)| link);
            self.printer.json(&json!({
                "address": address,
                "data": folder.to_string(),
                "project": self.project,
                "link": link,
            }));
            return;
        }
        let mut text = format!(
            "{STRONG}tasuki {}{STRONG:#} is serving {folder} (project {})\n",
            env!("CARGO_PKG_VERSION"),
            self.project
        );
        let mut line = |name: &str, value: &str| {
            text.push_str(&format!("  {FAINT}{name:<9}{FAINT:#} {value}\n"));
        };
        line("API", &format!("{address}/v1"));
        line("Docs", &format!("{address}/docs"));
        if exposure.has_metrics {
            line("Metrics", &format!("{address}/metrics"));
        }
        if let Some((link, person)) = link {
            line("Sign in", &format!("{link}  (as {person}; valid once, for 15 min)"));
        }
        self.printer.data(&text);
        if std::io::stderr().is_terminal() {
            self.printer.remark("Next: tasuki token create --as AGENT. Press Ctrl-C to stop.");
        }
    }
}

/// The exposure of a server with these settings to other machines.
#[derive(Clone, Copy)]
struct Exposure {
    /// `true` if `/metrics` is open to every client.
    has_metrics: bool,
    /// `true` if links in emails only work on this machine.
    has_local_links_only: bool,
}

impl Exposure {
    fn of(settings: &ServerSettings) -> Self {
        let is_open = !settings.is_loopback();
        Self {
            has_metrics: !is_open || settings.has_open_metrics,
            has_local_links_only: is_open
                && settings.mail.is_some()
                && settings.public_url.is_none(),
        }
    }
}

/// Completes on SIGTERM or SIGINT.
fn shutdown_signal() -> Result<impl Future<Output = ()>, Failure> {
    let listen = |kind| {
        signal(kind).map_err(|error| {
            Failure::usage(format!("cannot listen for signals: {}", reason(&error)))
        })
    };
    let (mut terminate, mut interrupt) =
        (listen(SignalKind::terminate())?, listen(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// The periodic maintenance of the store.
struct SqliteMaintenance {
    store: Arc<SqliteStore>,
    delivery_lock: DeliveryLock,
}

impl StoreMaintenance for SqliteMaintenance {
    fn index(&self, project: ProjectId, leaves_max: u32) -> bool {
        // The next search indexes the rest.
        self.store.index_search(project, leaves_max).unwrap_or(true)
    }

    fn close_idle(&self) {
        self.store.close_idle(Instant::now());
    }

    fn change_stamp(&self, project: ProjectId) -> u64 {
        self.store.change_stamp(project)
    }

    fn owns_delivery(&self) -> bool {
        self.delivery_lock.is_held()
    }
}
