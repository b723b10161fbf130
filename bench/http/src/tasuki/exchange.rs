//! An exchange with its parties, their tokens and a server in front of it.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use anyhow::Context;
use bench_store::callers::runtime_alone;
use bench_store::exchange::World;
use bench_store::scratch::Scratch;
use bench_store::work;
use serde_json::Value;
use tasuki_engine::command::Command as Asked;
use tasuki_engine::engine::Call;
use tasuki_engine::model::{Filter, Principal, Signing};
use tasuki_engine::steps::{AddSubscription, CreateToken, NewChannel};

use crate::process::Process;

const SENDER: &str = "scaffolder";

/// Limits stay on, so that they cost what they cost, but nobody here reaches them.
const SETTINGS: &str = "\
project = \"bench\"
[server]
listen = \"127.0.0.1:0\"
requests_per_token = 1000000
requests_per_project = 1000000
";

/// What else there is, besides parties, a contract and tokens.
#[derive(Debug, Default)]
pub struct Setup {
    /// Handoffs that are offered and that nobody has claimed.
    pub open_handoffs: u64,
    /// Somebody who is told of every event.
    pub webhook: Option<SocketAddr>,
}

/// What each party shows.
#[derive(Debug)]
pub struct Tokens {
    /// Of whoever hands over.
    pub sender: String,
    receivers: Vec<String>,
}

impl Tokens {
    /// Of the receiver of a number.
    pub fn receiver(&self, number: u64) -> &str {
        &self.receivers[usize::try_from(number % work::RECEIVERS).unwrap_or_default()]
    }
}

/// A server that answers.
#[derive(Debug)]
pub struct Serving {
    /// The server.
    pub process: Process,
    /// Where it is.
    pub address: SocketAddr,
    /// What its parties show.
    pub tokens: Arc<Tokens>,
    /// The number of the next handoff.
    pub numbers: Arc<AtomicU64>,
    /// Fields are dropped in their order: the server ends before its files go.
    _files: Scratch,
}

impl Serving {
    /// Makes an exchange in a new directory below this one, and starts a server on it.
    pub fn start(tool: &Path, directory: &Path, setup: &Setup) -> anyhow::Result<Self> {
        let files = Scratch::new(directory)?;
        let place = files.path().canonicalize()?;
        let mut settings = SETTINGS.to_owned();
        if let Some(webhook) = setup.webhook {
            settings += &format!("webhook_origins = \"http://{webhook}\"\n");
        }
        fs::write(place.join("tasuki.toml"), settings)?;
        let made = runtime_alone()?.block_on(made(&place.join(".tasuki"), setup));
        let tokens = made.context("the exchange cannot be made")?;
        let mut command = Command::new(tool);
        command.args(["serve", "--json", "--data"]).arg(&place).current_dir(&place);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("TASUKI_") {
                command.env_remove(name);
            }
        }
        let mut process = Process::start(command, &place.join("log"))?;
        let announced: Value = serde_json::from_str(&process.first_line()?)?;
        let address = announced["address"].as_str().context("it does not say its address")?;
        let address = address.trim_start_matches("http://").parse()?;
        let numbers = Arc::new(AtomicU64::new(setup.open_handoffs));
        Ok(Self { process, address, tokens: Arc::new(tokens), numbers, _files: files })
    }
}

/// Parties, contract, tokens and what else there is; whoever made it has let go of it afterwards.
async fn made(place: &Path, setup: &Setup) -> anyhow::Result<Tokens> {
    let world = World::open(place).await?;
    let mut receivers = Vec::new();
    for number in 0..work::RECEIVERS {
        receivers.push(token(&world, &work::receiver(number)).await?);
    }
    let sender = token(&world, SENDER).await?;
    if let Some(webhook) = setup.webhook {
        subscribe(&world, &format!("http://{webhook}/")).await?;
    }
    fill(&world, setup.open_handoffs).await?;
    world.engine.close();
    Ok(Tokens { sender, receivers })
}

async fn token(world: &World, party: &str) -> anyhow::Result<String> {
    let request = CreateToken { party: party.to_owned(), ..CreateToken::default() };
    let answer = world.engine.run(as_system(world, Asked::CreateToken(request))).await?;
    let text = answer.token.and_then(|token| token.text).context("the answer has no token")?;
    Ok(text.0)
}

async fn subscribe(world: &World, url: &str) -> anyhow::Result<()> {
    let channel = NewChannel::Webhook { url: url.to_owned(), signing: Signing::default() };
    let request = AddSubscription { party: SENDER.to_owned(), channel, filter: Filter::default() };
    world.engine.run(as_system(world, Asked::AddSubscription(request))).await?;
    Ok(())
}

/// Submits so many handoffs, many at once.
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

fn as_system(world: &World, command: Asked) -> Call {
    Call { project: world.project, principal: Principal::system(), command, key: None }
}
