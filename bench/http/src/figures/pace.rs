//! Handoffs at a steady rate, independent of their duration.

use std::time::Duration;

use bench_store::callers::Caller as _;
use bench_store::work::Step;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use crate::tasuki::{Client, Serving};

/// The number of clients that share the work.
const CLIENTS: u32 = 32;

/// Hands over at `rate` per second for `time`. Returns the number of handoffs.
pub async fn hand_over(serving: &Serving, rate: u32, time: Duration) -> anyhow::Result<u64> {
    let (start, end) = (Instant::now(), Instant::now() + time);
    let mut tasks = Vec::new();
    for index in 0..CLIENTS {
        let client = Client::connect(serving).await?;
        let period = Duration::from_secs(1) * CLIENTS / rate;
        let first = start + period * index / CLIENTS;
        tasks.push(tokio::spawn(steadily(client, first, period, end)));
    }
    let mut handoffs = 0;
    for task in tasks {
        handoffs += task.await??;
    }
    Ok(handoffs)
}

async fn steadily(
    mut client: Client,
    first: Instant,
    period: Duration,
    end: Instant,
) -> anyhow::Result<u64> {
    let mut ticks = interval_at(first, period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let mut handoffs = 0;
    loop {
        ticks.tick().await;
        if Instant::now() >= end {
            return Ok(handoffs);
        }
        client.prepare();
        for step in Step::ALL {
            client.step(step).await?;
        }
        handoffs += 1;
    }
}
