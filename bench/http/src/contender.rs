//! The trait of a contender, and the result of one turn.

use std::time::Duration;

use bench_store::measured::{Percentiles, count};

/// One way to hand over work.
pub trait Contender {
    /// Returns the name in the tables.
    fn name(&self) -> &'static str;

    /// Starts empty, and lets `clients` clients submit, claim and return for `time`.
    fn run(&self, clients: usize, time: Duration) -> anyhow::Result<Measured>;
}

/// The result of one turn of one contender.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Handoffs that were submitted, claimed and returned.
    pub handoffs: u64,
    /// The measured time.
    pub elapsed: Duration,
    /// Latencies of whole handoffs.
    pub whole: Percentiles,
    /// Processor time of the server, over all its processes.
    pub server_cpu: Duration,
    /// Processor time of the clients; `None` if they share a process with the server.
    pub client_cpu: Option<Duration>,
    /// Memory of the server at the end, with shared pages counted once.
    pub memory: Option<u64>,
}

impl Measured {
    /// Returns handoffs per second.
    pub fn rate(&self) -> f64 {
        count(self.handoffs) / self.elapsed.as_secs_f64()
    }

    /// Returns the server's processor time per handoff, in microseconds.
    pub fn server_micros(&self) -> f64 {
        self.server_cpu.as_secs_f64() * 1e6 / count(self.handoffs.max(1))
    }

    /// Returns the number of cores that the clients kept busy.
    pub fn client_cores(&self) -> Option<f64> {
        Some(self.client_cpu?.as_secs_f64() / self.elapsed.as_secs_f64())
    }
}
