//! The product as its users run it: `tasuki serve` in its own process, called over HTTP.

mod client;
mod exchange;
pub mod http;
mod on_postgres;

use std::path::{Path, PathBuf};
use std::time::Duration;

pub use client::Client;
pub use exchange::{Serving, Setup};
pub use on_postgres::{OnPostgres, SHAPES};

use crate::contender::{Contender, Measured};
use crate::load;

/// A server with everything enabled: tokens, validation, limits, a log.
pub struct Tasuki {
    tool: PathBuf,
    directory: PathBuf,
}

impl Tasuki {
    /// Creates a contender that runs this tool and keeps its files under `directory`.
    pub fn new(tool: &Path, directory: &Path) -> Self {
        Self { tool: tool.to_owned(), directory: directory.to_owned() }
    }
}

impl Contender for Tasuki {
    fn name(&self) -> &'static str {
        "tasuki"
    }

    fn run(&self, clients: usize, time: Duration) -> anyhow::Result<Measured> {
        let serving = Serving::start(&self.tool, &self.directory, &Setup::default())?;
        let runtime = load::runtime()?;
        let clients = load::connect(&runtime, clients, |_| Client::connect(&serving))?;
        load::run(&runtime, clients, time, &[&serving.process])
    }
}
