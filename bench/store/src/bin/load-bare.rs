//! Load for the power cut on bare SQLite: hands over endlessly and records every acknowledgement.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Instant;

use anyhow::Context;
use bench_store::bare::{self, HandingOver, Store, Synchronous, Writer};
use bench_store::callers::Caller;
use bench_store::load::{self, Ledger, Options, Task};
use bench_store::work::Step;

fn main() -> anyhow::Result<()> {
    let options = Options::from_arguments()?;
    match options.task {
        Task::Load => load(&options),
        Task::Check => bare::check(&options.data),
        Task::List => load::print(&bare::list(&options.data)?),
    }
}

fn load(options: &Options) -> anyhow::Result<()> {
    let ledger = Arc::new(options.ledger()?);
    let synchronous = if options.is_synchronous { Synchronous::Full } else { Synchronous::Normal };
    let writer = Writer::start(Store::open(&options.data, synchronous)?);
    let numbers = Arc::new(AtomicU64::new(0));
    let end = Instant::now() + options.time;
    let runtime = tokio::runtime::Builder::new_multi_thread().build()?;
    let start = |_| {
        let caller = HandingOver::new(writer.line(), Arc::clone(&numbers));
        runtime.spawn(hand_over(caller, Arc::clone(&ledger), end))
    };
    let tasks: Vec<_> = (0..options.callers).map(start).collect();
    let ended: Vec<_> = tasks.into_iter().map(|task| runtime.block_on(task)).collect();
    // If the writer failed, that is why the callers did.
    writer.stop()?;
    ended.into_iter().try_for_each(|ended| ended.context("a caller panicked")?)
}

async fn hand_over(
    mut caller: HandingOver,
    ledger: Arc<Ledger>,
    end: Instant,
) -> anyhow::Result<()> {
    while Instant::now() < end {
        caller.prepare();
        for step in Step::ALL {
            caller.step(step).await?;
            ledger.write_down(&bare::acknowledged(step, caller.number()))?;
        }
    }
    Ok(())
}
