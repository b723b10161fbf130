//! The simulator: random commands and faults from a seed.
//!
//! Senders, receivers, people and an operator send random commands, valid and hostile, through
//! `Engine::run`. Engines crash, stores fail, responses are lost and requests retried, several
//! callers call at once, clocks are wrong in one process or on the whole machine, machines are
//! started again, the exchange has outages of days, people are away, and backups are restored. After
//! every step all invariants are checked, and in the end, without faults, everything due happens.
//! The same seed gives the same log, byte for byte.
//!
//! Read `plan` and `run` first, then `checks` for the invariants. The checks use only the log and
//! the store; they do not use the engine's rules.

mod blocking_store;
mod checks;
mod engines;
mod faults;
mod liveness;
mod plan;
mod run;
mod store_fixture;
mod transcript;
mod workload;

pub use blocking_store::BlockingStore;
pub use checks::history::Violation;
pub use faults::faulty_store::Sabotage;
pub use plan::{Failure, Plan, Report, run};
pub use store_fixture::{DueTimes, PutBack, StoreFixture};
