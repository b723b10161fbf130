//! One or more servers on one PostgreSQL database, and clients of one or more projects.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use anyhow::{Context, anyhow};
use bench_store::callers::runtime_alone;
use bench_store::exchange::create_project;
use bench_store::scratch::Scratch;
use tasuki_engine::engine::Engine;
use tasuki_engine::ports::{Store, System};
use tasuki_store::{Location, Options, StoreUrl};

use super::client::Client;
use super::exchange::{SETTINGS, Tokens, announced, serve, tokens};
use crate::cluster::{Cluster, Database, USER};
use crate::contender::{Contender, Measured};
use crate::load;
use crate::process::Process;

/// How many servers share the database, and over how many projects the clients are spread.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub name: &'static str,
    pub servers: usize,
    pub projects: usize,
}

/// The measured shapes. The first one is compared with the peers.
pub const SHAPES: [Shape; 4] = [
    Shape { name: "tasuki", servers: 1, projects: 1 },
    Shape { name: "3-servers", servers: 3, projects: 1 },
    Shape { name: "12-projects", servers: 1, projects: 12 },
    Shape { name: "3-on-12", servers: 3, projects: 12 },
];

/// Servers with everything enabled, on a new cluster for each turn.
pub struct OnPostgres {
    pub tool: PathBuf,
    pub directory: PathBuf,
    pub cluster: Cluster,
    pub shape: Shape,
}

impl Contender for OnPostgres {
    fn name(&self) -> &'static str {
        self.shape.name
    }

    fn run(&self, clients: usize, time: Duration) -> anyhow::Result<Measured> {
        let files = Scratch::new(&self.directory)?;
        let place = files.path().canonicalize()?;
        let database = self.cluster.start(&place)?;
        let url = format!("postgres://{USER}@{}/postgres", database.address);
        let projects = runtime_alone()?.block_on(create_projects(&url, self.shape.projects));
        let projects = projects.context("cannot create the exchange")?;
        let servers = (0..self.shape.servers).map(|number| start(&self.tool, &place, &url, number));
        let servers = servers.collect::<anyhow::Result<Vec<_>>>()?;
        measure(&servers, &projects, &database, clients, time)
    }
}

/// Creates this many projects with their parties and tokens.
async fn create_projects(url: &str, count: usize) -> anyhow::Result<Vec<Arc<Tokens>>> {
    let url = StoreUrl::parse(url).map_err(|fault| anyhow!(fault))?;
    let location = Location::Postgres(Box::new(url));
    let store = location.open(Options::default()).map_err(|fault| anyhow!(fault))?;
    let port: Arc<dyn Store> = Arc::clone(&store) as Arc<dyn Store>;
    let engine = Engine::start(port, store.engine_clock(), Arc::new(System));
    let mut projects = Vec::with_capacity(count);
    for number in 0..count {
        let name = if number == 0 { "bench".to_owned() } else { format!("bench-{number}") };
        let project = create_project(&engine, &name).await?;
        projects.push(Arc::new(tokens(&engine, project).await?));
    }
    engine.close();
    store.close().map_err(|fault| anyhow!(fault))?;
    Ok(projects)
}

/// Starts a server in a directory of its own.
fn start(
    tool: &Path,
    place: &Path,
    url: &str,
    number: usize,
) -> anyhow::Result<(Process, SocketAddr)> {
    let own = place.join(format!("server-{number}"));
    fs::create_dir(&own)?;
    fs::write(own.join("tasuki.toml"), SETTINGS)?;
    let mut command = serve(tool, &own);
    command.env("TASUKI_STORE", url).env("XDG_STATE_HOME", &own);
    announced(command, &own.join("log"))
}

/// Runs the clients. Those of each project are spread over all servers, as a load balancer does.
fn measure(
    servers: &[(Process, SocketAddr)],
    projects: &[Arc<Tokens>],
    database: &Database,
    clients: usize,
    time: Duration,
) -> anyhow::Result<Measured> {
    let runtime = load::runtime()?;
    let numbers = Arc::new(AtomicU64::new(0));
    let clients = load::connect(&runtime, clients, |index| {
        let tokens = &projects[index % projects.len()];
        let (_, address) = &servers[index / projects.len() % servers.len()];
        Client::connect_to(*address, tokens, &numbers)
    })?;
    let processes = servers.iter().map(|(process, _)| process).chain([&database.process]);
    load::run(&runtime, clients, time, &processes.collect::<Vec<_>>())
}
