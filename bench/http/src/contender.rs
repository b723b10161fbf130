//! What can be measured, and what one turn of it gives.

use std::time::Duration;

use bench_store::measured::{Percentiles, count};

/// One way to hand work over.
pub trait Contender {
    /// The name in the tables.
    fn name(&self) -> &'static str;

    /// Starts with nothing, and lets `clients` of them hand over, claim and return for `time`.
    fn run(&self, clients: usize, time: Duration) -> anyhow::Result<Measured>;
}

/// What one turn of one contender gave.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Handoffs that were submitted, claimed and returned.
    pub handoffs: u64,
    /// How long that was looked at.
    pub elapsed: Duration,
    /// Latencies of whole handoffs.
    pub whole: Percentiles,
    /// Processor time of the server, all its processes together.
    pub server_cpu: Duration,
    /// Processor time of the clients; nothing where they are one process with the server.
    pub client_cpu: Option<Duration>,
    /// Bytes of memory that the server has at the end, shared pages counted once.
    pub memory: Option<u64>,
}

impl Measured {
    /// Handoffs a second.
    pub fn rate(&self) -> f64 {
        count(self.handoffs) / self.elapsed.as_secs_f64()
    }

    /// Microseconds of the server's processor time for one handoff.
    pub fn server_micros(&self) -> f64 {
        self.server_cpu.as_secs_f64() * 1e6 / count(self.handoffs.max(1))
    }

    /// Cores that the clients kept busy.
    pub fn client_cores(&self) -> Option<f64> {
        Some(self.client_cpu?.as_secs_f64() / self.elapsed.as_secs_f64())
    }
}
