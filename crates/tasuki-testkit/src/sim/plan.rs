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

/// The number of steps of a seed.
const STEPS: u64 = 20;

/// The number of steps of every sixteenth seed.
const MANY_STEPS: u64 = 64;

/// A seed, its remaining steps, and the sabotage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    seed: u64,
    steps: Vec<u64>,
    sabotage: Option<Sabotage>,
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// The bytes of the log, one leaf per line.
    pub log: String,
    /// The events that happened.
    pub events: BTreeSet<EventType>,
    /// The refusals that happened.
    pub refusals: BTreeSet<RefusalCode>,
    /// The commands that a halt refused.
    pub stopped: BTreeSet<&'static str>,
    /// Other things that happened, such as a decision of a deputy.
    pub occurrences: BTreeSet<&'static str>,
}

/// A violated invariant and how it came about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The plan that failed.
    pub plan: Plan,
    /// The violated invariant.
    pub violation: Violation,
    /// The transcript up to the failure, one line per step.
    pub transcript: Vec<String>,
}

/// Runs a seed.
///
/// # Errors
///
/// Returns the violated invariant with the shortest transcript that shows it.
pub fn run(seed: u64) -> Result<Report, Box<Failure>> {
    Plan::of(seed).run().map_err(|failure| Box::new(failure.shortest()))
}

impl Plan {
    /// Creates a plan with all steps of a seed.
    pub fn of(seed: u64) -> Self {
        let count = if seed % 16 == 15 { MANY_STEPS } else { STEPS };
        Self { seed, steps: (0..count).collect(), sabotage: None }
    }

    /// Adds sabotage.
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
    /// Returns the violated invariant.
    pub fn run(&self) -> Result<Report, Box<Failure>> {
        self.run_on(&MemoryStore::new())
    }

    /// Runs it on an empty store.
    ///
    /// # Errors
    ///
    /// Returns the violated invariant.
    pub fn run_on(&self, ground: &dyn StoreFixture) -> Result<Report, Box<Failure>> {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let runtime = runtime.expect("a runtime without drivers starts");
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
            // Every step has its own random sequence, so that removing one does not change the
            // others.
            let mut random =
                Random::new(self.seed ^ (step + 1).wrapping_mul(0x2545_f491_4f6c_dd1d));
            run.step(&mut random).await?;
        }
        run.live_on().await?;
        invariants::whole_log(&run.engines, &run.history).await?;
        invariants::log_check(&run.engines, &run.history).await?;
        if self.seed % 8 == 7 {
            // Every leaf was followed already; this is the public check of logs.
            invariants::chain(&run.history)?;
        }
        let lines = run.history.leaves.iter().map(|row| row.leaf.clone() + "\n");
        Ok(Report {
            log: lines.collect(),
            events: run.events,
            refusals: run.ledger.refusals,
            stopped: run.ledger.stopped,
            occurrences: run.occurrences,
        })
    }
}

impl Failure {
    /// Removes every step that the failure does not need.
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
