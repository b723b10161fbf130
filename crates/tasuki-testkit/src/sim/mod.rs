//! The simulator: from a seed to a small world in which everything goes wrong that can go wrong.
//!
//! Senders, receivers, people and an operator send random commands, valid-looking and hostile,
//! through `Engine::run`. Engines crash, stores fail, answers get lost and are asked for again,
//! several callers come at once, the clock jumps, the whole exchange is away for days, a backup is
//! put back. After every step everything is checked that must always hold. The same seed gives the
//! same log, byte for byte.
//!
//! Read `plan` and `play` first, then `check` for what must hold. The checks know the rules only by
//! what the log and the store say; they decide nothing with the engine's own code.

mod attributes;
mod backup;
mod cast;
mod check;
mod door;
mod ground;
mod history;
mod leave;
mod ledger;
mod moves;
mod outage;
mod papers;
mod plan;
mod play;
mod requests;
mod rigged;
mod rigged_transaction;
mod stage;
mod story;
mod verbs;

pub use ground::{DueTimes, Ground, PutBack};
pub use history::Violation;
pub use plan::{Failure, Plan, Report, run};
pub use rigged::Sabotage;
