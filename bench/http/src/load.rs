//! Drives the clients of a server from one thread, and collects the results.

use std::time::Duration;

use anyhow::Context;
use bench_store::callers::{Caller, Driven, drive_on};
use bench_store::measured::percentiles;
use cpu_time::ProcessTime;
use tokio::runtime::{Builder, Runtime};

use crate::contender::Measured;
use crate::process::Process;

/// Creates a runtime with one thread: more would take cores that the server needs.
pub fn runtime() -> anyhow::Result<Runtime> {
    Ok(Builder::new_multi_thread().worker_threads(1).enable_all().build()?)
}

/// Runs connected clients of one or more server processes for `time`.
pub fn run<C: Caller>(
    runtime: &Runtime,
    clients: Vec<C>,
    time: Duration,
    servers: &[&Process],
) -> anyhow::Result<Measured> {
    let cpu = || servers.iter().map(|server| server.cpu()).sum::<anyhow::Result<Duration>>();
    let driven = drive_on(runtime, clients, time, || Ok((cpu()?, ProcessTime::now())))?;
    let memory = servers.iter().map(|server| server.memory()).sum::<anyhow::Result<u64>>();
    let memory = memory.context("the memory of the servers")?;
    let Driven { seen, elapsed, readings: [before, after] } = driven;
    Ok(Measured {
        handoffs: seen.handoffs,
        elapsed,
        whole: percentiles(seen.whole),
        server_cpu: after.0.saturating_sub(before.0),
        client_cpu: Some(after.1.duration_since(before.1)),
        memory: Some(memory),
    })
}

/// Connects this many clients, one after the other.
pub fn connect<C, F: Future<Output = anyhow::Result<C>>>(
    runtime: &Runtime,
    clients: usize,
    make: impl Fn(usize) -> F,
) -> anyhow::Result<Vec<C>> {
    runtime.block_on(async {
        let mut all = Vec::with_capacity(clients);
        for index in 0..clients {
            all.push(make(index).await.context("a client cannot connect")?);
        }
        Ok(all)
    })
}
