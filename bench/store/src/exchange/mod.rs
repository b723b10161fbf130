//! The product itself: the engine on its SQLite store, with every rule in.

mod contender;
mod timed;
mod world;

pub use contender::Exchange;
pub use world::World;
