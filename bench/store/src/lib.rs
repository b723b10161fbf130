//! Measures handoffs in a store: ours, the limit of the disk, and a bare SQLite writer.
//!
//! One handoff is three steps (submit, claim, return), and every step is acknowledged after its
//! fsync. A [`Contender`] is one way to store handoffs. All are driven by the same callers with the
//! same documents, so that only the storage differs. A new one is a file here and a line in
//! [`contenders`]. `main.rs` prints the tables.

pub mod bare;
pub mod callers;
pub mod contender;
pub mod disk;
pub mod exchange;
pub mod line;
pub mod load;
pub mod measured;
pub mod meter;
pub mod scratch;
pub mod usage;
pub mod work;

use std::path::Path;

pub use contender::{Contender, Fill, Looked};
pub use measured::Measured;

/// Returns all contenders in the order of the table; each keeps its files under `directory`.
pub fn contenders(directory: &Path) -> Vec<Box<dyn Contender>> {
    vec![
        Box::new(disk::Disk::new(directory)),
        Box::new(bare::Bare::new(directory)),
        Box::new(exchange::Exchange::new(directory)),
    ]
}
