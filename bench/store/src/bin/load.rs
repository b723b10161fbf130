//! Load for the power cut and the crash loop on the product: callers submit, claim, checkpoint and
//! return endlessly, and every acknowledgement is recorded.
//!
//! An existing store is continued, and other processes may use it at the same time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::Context;
use bench_store::exchange::{self, World};
use bench_store::load::{self, Ledger, Options, Task};
use tasuki_engine::rules::fencing::ClaimProof;
use tasuki_store::Synchronous;

/// One handoff in this many has a checkpoint.
const CHECKPOINT_EVERY: u64 = 2;

fn main() -> anyhow::Result<()> {
    let options = Options::from_arguments()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().build()?;
    runtime.block_on(async {
        match options.task {
            Task::Load => load(&options).await,
            Task::List => load::print(&exchange::steps(&open(&options).await?).await?),
            Task::Check => exchange::check(&open(&options).await?).await,
        }
    })
}

async fn open(options: &Options) -> anyhow::Result<World> {
    let synchronous =
        if options.is_synchronous { Synchronous::Full } else { Synchronous::UnsafeForTests };
    let serve = options.task == Task::Load;
    let options_of_store = tasuki_store::Options { serve, synchronous, ..Default::default() };
    World::open_with(&options.data, options_of_store).await
}

async fn load(options: &Options) -> anyhow::Result<()> {
    let ledger = Arc::new(options.ledger()?);
    let world = open(options).await?;
    let numbers = Arc::new(AtomicU64::new(first_number(&world)));
    let end = Instant::now() + options.time;
    let start = |_| {
        let (world, numbers) = (world.clone(), Arc::clone(&numbers));
        tokio::spawn(hand_over(world, numbers, Arc::clone(&ledger), end))
    };
    let tasks: Vec<_> = (0..options.callers).map(start).collect();
    for task in tasks {
        task.await.context("a caller panicked")??;
    }
    Ok(())
}

/// Returns a number that no other load on the same store has used: a thousand per millisecond, for
/// which twelve digits last eleven days.
fn first_number(world: &World) -> u64 {
    let millisecond = world.engine.now().as_millisecond().unsigned_abs();
    millisecond % 1_000_000_000 * 1_000
}

async fn hand_over(
    world: World,
    numbers: Arc<AtomicU64>,
    ledger: Arc<Ledger>,
    end: Instant,
) -> anyhow::Result<()> {
    while Instant::now() < end {
        let number = numbers.fetch_add(1, Ordering::Relaxed);
        let handoff = world.submit(number).await?;
        ledger.write_down(&format!("{handoff} submit"))?;
        let fence = world.claim(number, handoff).await?;
        ledger.write_down(&format!("{handoff} claim"))?;
        let shown = ClaimProof { handoff, fence };
        if number.is_multiple_of(CHECKPOINT_EVERY) {
            world.leave_checkpoint(number, shown).await?;
            ledger.write_down(&format!("{handoff} checkpoint"))?;
        }
        world.give_back(number, shown).await?;
        ledger.write_down(&format!("{handoff} return"))?;
    }
    Ok(())
}
