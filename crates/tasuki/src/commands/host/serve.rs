//! `tasuki serve`: serves an exchange over HTTP, for agents on other machines and people in browsers.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use serde_json::json;
use tasuki_server::Settings as ServerSettings;
use tasuki_store::Location;
use tokio::signal::unix::{SignalKind, signal};
use tracing_appender::non_blocking::WorkerGuard;
use tracing_subscriber::EnvFilter;

use super::bound_server::{BoundServer, SignInLink};
use super::server_log;
use crate::backend::{self, local};
use crate::config::{Environment, Flags, Party, Settings, os_user};
use crate::data_dir::DataDir;
use crate::exit::{Exit, Failure, reason};
use crate::output::printer::{FAINT, NOTE, Printer, STRONG};

/// Serve the exchange over HTTP.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki serve\n  tasuki serve --listen 0.0.0.0:7420 --data /var/lib/tasuki\n  tasuki serve --store postgres://tasuki:secret@db.example/tasuki\n  curl -H \"Authorization: Bearer $(tasuki token create --as hermes-main)\" localhost:7420/v1/inbox\n\nCreates `.tasuki/` unless it exists here or above. Other processes may use the exchange at the same time. With `--store`, any number of servers share one database. The settings are in `[server]` of tasuki.toml; `tasuki config default` prints all of them. The log goes to stderr as JSON; set `TASUKI_LOG=warn` for less. Ctrl-C or SIGTERM stops the server after it has finished the accepted requests."
)]
pub(crate) struct Arguments {
    /// The address to listen on [default: 127.0.0.1:7420] [variable: `TASUKI_LISTEN`].
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
    /// The PostgreSQL database to serve instead of a `.tasuki/` [variable: `TASUKI_STORE`].
    #[arg(long, value_name = "URL", conflicts_with = "data")]
    store: Option<String>,
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
    let flags = Flags {
        listen: arguments.listen.clone(),
        store: arguments.store.clone(),
        ..arguments.flags.clone()
    };
    let environment = Environment::of_process();
    environment.reject_unknown()?;
    let settings = Settings::resolve(&flags, &environment, &current_dir)?;
    backend::require_local(&settings)?;
    let server = settings.server()?.server.clone();
    // Dropped last, so that the last lines are written.
    let _log = start_log(&settings)?;
    let location = match settings.database() {
        Some(database) => database,
        None => open_or_create(arguments.data.as_deref().unwrap_or(&current_dir), printer)?,
    };
    let project = settings.project.value.as_str();
    local::create_project(&location, project)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime
        .map_err(|error| Failure::usage(format!("cannot start the runtime: {}", reason(&error))))?;
    let user = os_user::party_name(&environment);
    let server_run = ServerRun { location, project: project.to_owned(), user, printer };
    runtime.block_on(server_run.run(server))
}

/// Opens or creates the data directory of a folder.
fn open_or_create(folder: &Path, printer: &Printer) -> Result<Location, Failure> {
    let location = |data_dir: &DataDir| Location::Directory(data_dir.path().to_owned());
    if let Ok(data_dir) = DataDir::find(folder) {
        return Ok(location(&data_dir));
    }
    std::fs::create_dir_all(folder).map_err(|error| {
        Failure::usage(format!("cannot create {}: {}", folder.display(), reason(&error)))
    })?;
    let (data_dir, created) = DataDir::create(folder)?;
    if created.is_new() {
        printer.remark(&format!("Created {}", data_dir.path().display()));
    }
    Ok(location(&data_dir))
}

/// Starts the log at the configured level.
fn start_log(settings: &Settings) -> Result<WorkerGuard, Failure> {
    let wanted = settings.log.as_ref().map_or("info", |log| log.value.as_str());
    let filter = EnvFilter::try_new(wanted).map_err(|error| {
        Failure::usage(format!("TASUKI_LOG: {error}")).hint("use a level such as `info` or `warn`")
    })?;
    Ok(server_log::start(filter))
}

const OTHER_DELIVERS: &str = "Another server uses this exchange and delivers webhooks and email. This one takes over delivery when the other stops.";

struct ServerRun<'a> {
    location: Location,
    project: String,
    /// The user who started the server, or why its name cannot be a party name.
    user: Result<Party, String>,
    printer: &'a Printer,
}

impl ServerRun<'_> {
    async fn run(self, settings: ServerSettings) -> Result<Exit, Failure> {
        // First, so that a signal cannot interrupt the start.
        let stop = shutdown_signal()?;
        let exposure = Exposure::of(&settings);
        let bound = BoundServer::bind(&self.location, &self.project, &self.user, settings).await?;
        self.print_banner(&bound.address(), bound.link.as_ref(), exposure);
        let other = (!bound.owns_delivery()).then(|| OTHER_DELIVERS.to_owned());
        for remark in bound.why_no_link.iter().cloned().chain(other) {
            self.printer.remark(&format!("{NOTE}!{NOTE:#} {remark}"));
        }
        bound.run(stop).await;
        Ok(Exit::Success)
    }

    fn print_banner(&self, address: &str, link: Option<&SignInLink>, exposure: Exposure) {
        let store = self.location.display();
        if self.printer.is_json() {
            let link = link.map(|link| &link.url);
            self.printer.json(&json!({
                "address": address,
                "data": store,
                "project": self.project,
                "link": link,
            }));
            return;
        }
        let mut text = format!(
            "{STRONG}tasuki {}{STRONG:#} is serving {store} (project {})\n",
            env!("CARGO_PKG_VERSION"),
            self.project
        );
        let mut line = |name: &str, value: &str| {
            text.push_str(&format!("  {FAINT}{name:<9}{FAINT:#} {value}\n"));
        };
        line("Console", &format!("{address}/ui/"));
        line("API", &format!("{address}/v1"));
        line("Docs", &format!("{address}/docs"));
        if exposure.has_metrics {
            line("Metrics", &format!("{address}/metrics"));
        }
        if let Some(SignInLink { url, person }) = link {
            line("Sign in", &format!("{url}  (as {person}; valid once, for 15 min)"));
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
}

impl Exposure {
    fn of(settings: &ServerSettings) -> Self {
        let is_open = !settings.is_loopback();
        Self { has_metrics: !is_open || settings.has_open_metrics }
    }
}

/// Completes on SIGTERM or SIGINT.
pub(super) fn shutdown_signal() -> Result<impl Future<Output = ()>, Failure> {
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
