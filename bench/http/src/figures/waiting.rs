//! The memory and processor time of an idle server.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use bench_store::callers::Caller as _;
use bench_store::work::Step;

use super::listener::Listener;
use super::{Figure, megabytes};
use crate::load;
use crate::options::Options;
use crate::tasuki::{Client, Serving, Setup};

/// How long a server may finish its work before it counts as idle.
const SETTLED: Duration = Duration::from_secs(3);

/// Measures a server that had one handoff and is idle since.
pub fn idle(options: &Options) -> anyhow::Result<Vec<Figure>> {
    let serving = Serving::start(&options.tool, &options.directory, &Setup::default())?;
    load::runtime()?.block_on(one_handoff(&serving))?;
    thread::sleep(SETTLED);
    let (before, start) = (serving.process.cpu()?, Instant::now());
    thread::sleep(options.idle);
    let used = serving.process.cpu()?.saturating_sub(before);
    let share = used.as_secs_f64() / start.elapsed().as_secs_f64() * 100.0;
    let memory = megabytes(serving.process.resident()?);
    Ok(vec![
        Figure { name: "idle: memory".to_owned(), value: memory, asked: 40.0, unit: "MB" },
        Figure { name: "idle: processor".to_owned(), value: share, asked: 0.2, unit: "%" },
    ])
}

/// Measures a server with many streams and open handoffs, after all streams received an event.
pub fn crowded(options: &Options) -> anyhow::Result<Vec<Figure>> {
    let setup = Setup { open_handoffs: options.open_handoffs, webhook: None };
    let serving = Serving::start(&options.tool, &options.directory, &setup)?;
    let runtime = load::runtime()?;
    runtime.block_on(async {
        let mut listeners = Vec::with_capacity(options.streams);
        for _ in 0..options.streams {
            let listener = Listener::connect(serving.address, &serving.tokens.sender).await;
            listeners.push(listener.context("a stream cannot be opened")?);
        }
        one_handoff(&serving).await?;
        for listener in &mut listeners {
            listener.next().await?;
        }
        let name =
            format!("{} streams, {} open handoffs: memory", options.streams, options.open_handoffs);
        let value = megabytes(serving.process.resident()?);
        Ok(vec![Figure { name, value, asked: 200.0, unit: "MB" }])
    })
}

async fn one_handoff(serving: &Serving) -> anyhow::Result<()> {
    let mut client = Client::connect(serving).await?;
    client.prepare();
    for step in Step::ALL {
        client.step(step).await?;
    }
    Ok(())
}
