//! The engine as a contender, also filled with a million handoffs.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tasuki_engine::query::inbox::InboxPage;
use tasuki_engine::rules::fencing::ClaimProof;
use tasuki_packet::id::HandoffId;
use tokio::task::JoinSet;

use super::world::World;
use crate::callers::{Caller, alone, drive, runtime_alone};
use crate::contender::{Contender, Fill, Looked};
use crate::measured::Measured;
use crate::scratch::Scratch;
use crate::work::{self, Step};

/// The engine on its SQLite store.
#[derive(Debug)]
pub struct Exchange {
    directory: PathBuf,
}

/// The number of concurrent handoffs while the store is filled.
const FILLING: u64 = 256;
/// One handoff in this many stays pending.
const PENDING_EVERY: u64 = 10;
const PAGE_ROWS: u32 = 50;
const PAGES: u32 = 21;

impl Exchange {
    /// Creates a contender that keeps its store under `directory`.
    pub fn new(directory: &Path) -> Self {
        Self { directory: directory.to_owned() }
    }
}

impl Contender for Exchange {
    fn name(&self) -> &'static str {
        "tasuki"
    }

    fn run(&self, callers: usize, time: Duration) -> anyhow::Result<Measured> {
        let scratch = Scratch::new(&self.directory)?;
        let world = runtime_alone()?.block_on(World::open(scratch.path()))?;
        let numbers = Arc::new(AtomicU64::new(0));
        let meter = Arc::clone(&world.meter);
        let caller = || HandingOver {
            world: world.clone(),
            numbers: Arc::clone(&numbers),
            number: 0,
            shown: None,
        };
        drive(callers, time, &meter, caller)
    }

    fn submit_alone(&self, time: Duration) -> anyhow::Result<Vec<u32>> {
        let scratch = Scratch::new(&self.directory)?;
        let runtime = runtime_alone()?;
        let world = runtime.block_on(World::open(scratch.path()))?;
        let mut numbers = 0..;
        alone(time, || {
            let number = numbers.next().unwrap_or_default();
            let start = Instant::now();
            runtime.block_on(world.submit(number))?;
            Ok(start.elapsed())
        })
    }

    fn store(&self) -> Option<&dyn Fill> {
        Some(self)
    }
}

impl Fill for Exchange {
    fn fill(&self, directory: &Path, handoffs: u64) -> anyhow::Result<()> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build()?;
        runtime.block_on(async {
            let world = World::open(directory).await?;
            let mut under_way = JoinSet::new();
            for number in 0..handoffs {
                if under_way.len() >= usize::try_from(FILLING)? {
                    under_way.join_next().await.transpose()?.transpose()?;
                }
                under_way.spawn(one(world.clone(), number));
            }
            while let Some(done) = under_way.join_next().await {
                done??;
            }
            Ok(())
        })
    }

    fn look(&self, directory: &Path) -> anyhow::Result<Looked> {
        let runtime = runtime_alone()?;
        let start = Instant::now();
        let world = runtime.block_on(World::open(directory))?;
        let open = start.elapsed();
        let mut pages = Vec::new();
        let mut rows = 0;
        for number in 0..PAGES {
            let start = Instant::now();
            let receiver = world.receiver(u64::from(number));
            let page = world.engine.inbox(world.project, receiver, InboxPage::first(PAGE_ROWS));
            rows = runtime.block_on(page)?.handoffs.len();
            pages.push(start.elapsed());
        }
        let first_page = pages.remove(0);
        pages.sort_unstable();
        Ok(Looked { open, first_page, page: pages[pages.len() / 2], rows })
    }
}

/// Writes one handoff of a filled store; one in ten stays pending.
async fn one(world: World, number: u64) -> anyhow::Result<()> {
    let handoff = world.submit(number).await?;
    if !(number / work::RECEIVERS).is_multiple_of(PENDING_EVERY) {
        let fence = world.claim(number, handoff).await?;
        world.give_back(number, ClaimProof { handoff, fence }).await?;
    }
    Ok(())
}

/// One caller of the exchange.
struct HandingOver {
    world: World,
    numbers: Arc<AtomicU64>,
    number: u64,
    shown: Option<ClaimProof>,
}

impl Caller for HandingOver {
    fn prepare(&mut self) {
        self.number = self.numbers.fetch_add(1, Ordering::Relaxed);
    }

    async fn step(&mut self, step: Step) -> anyhow::Result<()> {
        let nobody = ClaimProof { handoff: HandoffId::from_bytes([0; 16]), fence: 0 };
        let shown = self.shown.unwrap_or(nobody);
        match step {
            Step::Submit => {
                let handoff = self.world.submit(self.number).await?;
                self.shown = Some(ClaimProof { handoff, fence: 0 });
            }
            Step::Claim => {
                let fence = self.world.claim(self.number, shown.handoff).await?;
                self.shown = Some(ClaimProof { fence, ..shown });
            }
            Step::Return => self.world.give_back(self.number, shown).await?,
        }
        Ok(())
    }
}
