//! The simulator: from a seed to a small world in which everything goes wrong that can go wrong.
//!
//! Senders, receivers, people and an operator send random commands, valid-looking and hostile,
//! through `Engine::run`. Engines crash, stores fail, answers get lost and are asked for again,
//! several callers come at once, the clock jumps, the whole exchange is away for days, a backup is
//! put back. After every step everything is checked that must always hold. The same seed gives the
//! same log, byte for byte.
//!
//! Read `plan` and `run` first, then `checks` for what must hold. The checks know the rules only by
//! what the log and the store say; they decide nothing with the engine's own code.

mod checks;
mod engines;
mod faults;
mod plan;
mod run;
mod store_fixture;
mod transcript;
mod workload;

pub use checks::history::Violation;
pub use faults::faulty_store::Sabotage;
pub use plan::{Failure, Plan, Report, run};
pub use store_fixture::{DueTimes, PutBack, StoreFixture};
