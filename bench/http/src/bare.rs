//! HTTP and SQLite without an exchange: no tokens, checks, rules or log. No exchange built on these
//! two can be faster.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::Context;
use bench_store::callers::Caller;
use bench_store::scratch::Scratch;
use bench_store::work::{self, Step};

use crate::contender::{Contender, Measured};
use crate::link::{Link, value_after};
use crate::load;
use crate::process::Process;
use crate::tasuki::http;

pub const NAME: &str = "bare";

/// The program `bare-server` beside this one.
pub struct Bare {
    server: PathBuf,
    directory: PathBuf,
}

impl Bare {
    /// Creates a contender that keeps its files under `directory`.
    pub fn new(directory: &Path) -> anyhow::Result<Self> {
        let server = std::env::current_exe()?.with_file_name("bare-server");
        Ok(Self { server, directory: directory.to_owned() })
    }
}

impl Contender for Bare {
    fn name(&self) -> &'static str {
        NAME
    }

    fn run(&self, clients: usize, time: Duration) -> anyhow::Result<Measured> {
        let files = Scratch::new(&self.directory)?;
        let mut command = Command::new(&self.server);
        command.arg(files.path());
        let mut process = Process::start(command, &files.path().join("log"))?;
        let address = process.first_line()?.trim().parse()?;
        let runtime = load::runtime()?;
        let numbers = Arc::new(AtomicU64::new(0));
        let client = |_| async {
            let link = Link::connect(address).await?;
            Ok(Client { link, numbers: Arc::clone(&numbers), number: 0, claimed: String::new() })
        };
        let clients = load::connect(&runtime, clients, client)?;
        load::run(&runtime, clients, time, &[&process])
    }
}

struct Client {
    link: Link,
    numbers: Arc<AtomicU64>,
    number: u64,
    /// The server's number of the handoff.
    claimed: String,
}

impl Caller for Client {
    fn prepare(&mut self) {
        self.number = self.numbers.fetch_add(1, Ordering::Relaxed);
    }

    async fn step(&mut self, step: Step) -> anyhow::Result<()> {
        let (path, body) = match step {
            Step::Submit => ("/submit".to_owned(), work::packet(self.number)),
            Step::Claim => (format!("/claim/{}", self.claimed), b"{}".to_vec()),
            Step::Return => (format!("/return/{}", self.claimed), work::return_packet(self.number)),
        };
        let request = http::post(&path, "none", &body);
        let answer = http::ask(&mut self.link, &request).await?;
        value_after(answer, b"\"number\":")
            .context("no number in the response")?
            .clone_into(&mut self.claimed);
        Ok(())
    }
}
