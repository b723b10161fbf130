//! Plans: the steps of a seed, and the shortest transcript of a failure.

use std::collections::BTreeSet;
use std::fmt;

use tasuki_engine::refusal::RefusalCode;
use tasuki_packet::leaf::EventType;

use super::checks::history::Violation;
use super::checks::invariants;
use super::faults::faulty_store::Sabotage;
use super::run::Run;
use super::store_fixture::StoreFixture;
use crate::memory::MemoryStore;
use crate::random::Random;

/// How many steps a seed has.
const STEPS: u64 = 20;

/// How many steps every sixteenth seed has.
const MANY_STEPS: u64 = 64;

/// A plan: a seed, those of its steps that are not left out, and what is made wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    seed: u64,
    steps: Vec<u64>,
    sabotage: Option<Sabotage>,
}

/// What a run has seen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// The bytes of the log, a leaf a line.
    pub log: String,
    /// What happened at least once.
    pub events: BTreeSet<EventType>,
    /// What was refused at least once.
    pub refusals: BTreeSet<RefusalCode>,
    /// Which commands a halt has stopped at least once.
    pub stopped: BTreeSet<&'static str>,
}

/// Something happened that must not happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The plan that failed.
    pub plan: Plan,
    /// What must not be.
    pub violation: Violation,
    /// What happened until then, a line a step.
    pub transcript: Vec<String>,
}

/// Runs a seed.
///
/// # Errors
///
/// If anything happens that must not happen; with the shortest transcript that shows it.
pub fn run(seed: u64) -> Result<Report, Box<Failure>> {
    Plan::of(seed).run().map_err(|failure| Box::new(failure.shortest()))
}

impl Plan {
    /// All steps of a seed.
    pub fn of(seed: u64) -> Self {
        let count = if seed % 16 == 15 { MANY_STEPS } else { STEPS };
        Self { seed, steps: (0..count).collect(), sabotage: None }
    }

    /// The same with something made wrong.
    #[must_use]
    pub fn with(self, sabotage: Sabotage) -> Self {
        Self { sabotage: Some(sabotage), ..self }
    }

    fn without(&self, step: u64) -> Self {
        let steps = self.steps.iter().copied().filter(|one| *one != step).collect();
        Self { steps, ..self.clone() }
    }

    /// Runs it in memory.
    ///
    /// # Errors
    ///
    /// If anything happens that must not happen.
    pub fn run(&self) -> Result<Report, Box<Failure>> {
        self.run_on(&MemoryStore::new())
    }

    /// Runs it on an empty store.
    ///
    /// # Errors
    ///
    /// If anything happens that must not happen.
    pub fn run_on(&self, ground: &dyn StoreFixture) -> Result<Report, Box<Failure>> {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let runtime = runtime.expect("a runtime without timers and sockets needs nothing");
        runtime.block_on(async {
            let mut transcript = Vec::new();
            let outcome = self.run_steps(ground, &mut transcript).await;
            outcome.map_err(|violation| {
                Box::new(Failure { plan: self.clone(), violation, transcript })
            })
        })
    }

    async fn run_steps(
        &self,
        ground: &dyn StoreFixture,
        transcript: &mut Vec<String>,
    ) -> Result<Report, Violation> {
        let mut run = Run::begin(self.seed, ground, self.sabotage, transcript).await?;
        for step in &self.steps {
            // Every step has its own numbers, so that leaving one out changes no other's.
            let mut random =
                Random::new(self.seed ^ (step + 1).wrapping_mul(0x2545_f491_4f6c_dd1d));
            run.step(&mut random).await?;
        }
        invariants::whole_log(&run.engines, &run.history).await?;
        invariants::log_check(&run.engines, &run.history).await?;
        if self.seed % 8 == 7 {
            // Every leaf was followed already; this is the code that everybody checks logs with.
            invariants::chain(&run.history)?;
        }
        let lines = run.history.leaves.iter().map(|row| row.leaf.clone() + "\n");
        Ok(Report {
            log: lines.collect(),
            events: run.events,
            refusals: run.ledger.refusals,
            stopped: run.ledger.stopped,
        })
    }
}

impl Failure {
    /// The same failure with every step left out that it does not need.
    #[must_use]
    pub fn shortest(self) -> Self {
        let mut shortest = self;
        loop {
            let count = shortest.plan.steps.len();
            for step in shortest.plan.steps.clone().into_iter().rev() {
                let shorter = shortest.plan.without(step);
                if let Err(failure) = shorter.run()
                    && failure.violation.rule == shortest.violation.rule
                {
                    shortest = *failure;
                }
            }
            if shortest.plan.steps.len() == count {
                return shortest;
            }
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Violation { rule, found } = &self.violation;
        writeln!(f, "seed {}: broken: {rule}\n{found}\n", self.plan.seed)?;
        for line in &self.transcript {
            writeln!(f, "  {line}")?;
        }
        let seed = self.plan.seed;
        write!(f, "\nreplay: TASUKI_SEED={seed} cargo nextest run -p tasuki-testkit --test sim")
    }
}
