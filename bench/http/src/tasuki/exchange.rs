//! An exchange with its parties and tokens, and a server.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use anyhow::Context;
use bench_store::callers::runtime_alone;
use bench_store::exchange::{SENDER, World};
use bench_store::scratch::Scratch;
use bench_store::work;
use serde_json::Value;
use tasuki_engine::command::Command as Asked;
use tasuki_engine::engine::{Call, Engine};
use tasuki_engine::model::{EventFilter, Principal, Signing};
use tasuki_engine::steps::{AddSubscription, CreateToken, NewChannel};
use tasuki_packet::id::ProjectId;

use crate::process::Process;

/// Limits are on, so that they have their usual cost, but are never reached.
pub(super) const SETTINGS: &str = "\
project = \"bench\"
[server]
listen = \"127.0.0.1:0\"
requests_per_token = 1000000
requests_per_project = 1000000
";

/// The contents besides parties, a contract and tokens.
#[derive(Debug, Default)]
pub struct Setup {
    /// Offered handoffs without a claim.
    pub open_handoffs: u64,
    /// A webhook receiver of every event.
    pub webhook: Option<SocketAddr>,
}

/// The tokens of the parties.
#[derive(Debug)]
pub struct Tokens {
    /// The token of the sender.
    pub sender: String,
    receivers: Vec<String>,
}

impl Tokens {
    /// Returns the token of the receiver of a number.
    pub fn receiver(&self, number: u64) -> &str {
        &self.receivers[usize::try_from(number % work::RECEIVERS).unwrap_or_default()]
    }
}

/// A running server.
#[derive(Debug)]
pub struct Serving {
    /// The server.
    pub process: Process,
    /// Its address.
    pub address: SocketAddr,
    /// The tokens of its parties.
    pub tokens: Arc<Tokens>,
    /// The number of the next handoff.
    pub numbers: Arc<AtomicU64>,
    /// Fields are dropped in order: the server stops before its files are removed.
    _files: Scratch,
}

impl Serving {
    /// Creates an exchange in a new directory below this one, and starts a server on it.
    pub fn start(tool: &Path, directory: &Path, setup: &Setup) -> anyhow::Result<Self> {
        let files = Scratch::new(directory)?;
        let place = files.path().canonicalize()?;
        let mut settings = SETTINGS.to_owned();
        if let Some(webhook) = setup.webhook {
            settings += &format!("webhook_origins = \"http://{webhook}\"\n");
        }
        fs::write(place.join("tasuki.toml"), settings)?;
        let made = runtime_alone()?.block_on(made(&place.join(".tasuki"), setup));
        let tokens = made.context("cannot create the exchange")?;
        let mut command = serve(tool, &place);
        command.arg("--data").arg(&place);
        let (process, address) = announced(command, &place.join("log"))?;
        let numbers = Arc::new(AtomicU64::new(setup.open_handoffs));
        Ok(Self { process, address, tokens: Arc::new(tokens), numbers, _files: files })
    }
}

/// Returns the command that serves from a directory, without settings of this process.
pub(super) fn serve(tool: &Path, place: &Path) -> Command {
    let mut command = Command::new(tool);
    command.args(["serve", "--json"]).current_dir(place);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("TASUKI_") {
            command.env_remove(name);
        }
    }
    command
}

/// Starts a server, and returns the address that it prints.
pub(super) fn announced(command: Command, log: &Path) -> anyhow::Result<(Process, SocketAddr)> {
    let mut process = Process::start(command, log)?;
    let announced: Value = serde_json::from_str(&process.first_line()?)?;
    let address = announced["address"].as_str().context("it does not print its address")?;
    Ok((process, address.trim_start_matches("http://").parse()?))
}

/// Creates parties, contract, tokens and the other contents, and closes the store.
async fn made(place: &Path, setup: &Setup) -> anyhow::Result<Tokens> {
    let world = World::open(place).await?;
    let tokens = tokens(&world.engine, world.project).await?;
    if let Some(webhook) = setup.webhook {
        subscribe(&world, &format!("http://{webhook}/")).await?;
    }
    fill(&world, setup.open_handoffs).await?;
    world.engine.close();
    Ok(tokens)
}

/// Creates the tokens of a project.
pub(super) async fn tokens(engine: &Engine, project: ProjectId) -> anyhow::Result<Tokens> {
    let mut receivers = Vec::new();
    for number in 0..work::RECEIVERS {
        receivers.push(token(engine, project, &work::receiver(number)).await?);
    }
    Ok(Tokens { sender: token(engine, project, SENDER).await?, receivers })
}

async fn token(engine: &Engine, project: ProjectId, party: &str) -> anyhow::Result<String> {
    let request = CreateToken { party: party.to_owned(), ..CreateToken::default() };
    let answer = engine.run(as_system(project, Asked::CreateToken(request))).await?;
    let text = answer.token.and_then(|token| token.text).context("no token in the response")?;
    Ok(text.0)
}

async fn subscribe(world: &World, url: &str) -> anyhow::Result<()> {
    let channel = NewChannel::Webhook { url: url.to_owned(), signing: Signing::default() };
    let request =
        AddSubscription { party: SENDER.to_owned(), channel, filter: EventFilter::default() };
    world.engine.run(as_system(world.project, Asked::AddSubscription(request))).await?;
    Ok(())
}

/// Submits this many handoffs, many at once.
async fn fill(world: &World, handoffs: u64) -> anyhow::Result<()> {
    const AT_ONCE: usize = 256;
    let mut under_way = tokio::task::JoinSet::new();
    for number in 0..handoffs {
        if under_way.len() >= AT_ONCE {
            under_way.join_next().await.transpose()?.transpose()?;
        }
        let world = world.clone();
        under_way.spawn(async move { world.submit(number).await });
    }
    while let Some(done) = under_way.join_next().await {
        done??;
    }
    Ok(())
}

fn as_system(project: ProjectId, command: Asked) -> Call {
    Call { project, principal: Principal::system(), command, key: None }
}
