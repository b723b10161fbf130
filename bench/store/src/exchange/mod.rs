//! The product itself: the engine on its SQLite store, with all rules.

mod check;
mod contender;
mod timed;
mod world;

pub use check::{check, steps};
pub use contender::Exchange;
pub use world::{SENDER, World, create_project};
