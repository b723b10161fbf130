//! The engine in this process, as `bench/store` measures it: a handoff without a network.

use std::path::Path;
use std::time::Duration;

use bench_store::Contender as _;
use bench_store::exchange::Exchange;

use crate::contender::{Contender, Measured};

/// `Engine::run`, without a server in front of it.
pub struct Store(Exchange);

impl Store {
    /// Creates a contender that keeps its files under `directory`.
    pub fn new(directory: &Path) -> Self {
        Self(Exchange::new(directory))
    }
}

impl Contender for Store {
    fn name(&self) -> &'static str {
        "store"
    }

    fn run(&self, clients: usize, time: Duration) -> anyhow::Result<Measured> {
        let run = self.0.run(clients, time)?;
        Ok(Measured {
            handoffs: run.handoffs,
            elapsed: run.elapsed,
            whole: run.whole,
            server_cpu: run.cpu,
            client_cpu: None,
            memory: None,
        })
    }
}
