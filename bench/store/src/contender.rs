//! The trait of a contender.
//!
//! A contender starts with an empty store for every run and removes it afterwards. `callers.rs`
//! drives all contenders in the same way.

use std::path::Path;
use std::time::Duration;

use crate::measured::Measured;

/// One way to store handoffs.
pub trait Contender {
    /// Returns the name in the tables.
    fn name(&self) -> &'static str;

    /// Lets `callers` callers submit, claim and return for `time`.
    fn run(&self, callers: usize, time: Duration) -> anyhow::Result<Measured>;

    /// Submits packets one after the other for `time`, with a single caller. Returns the
    /// microseconds of each.
    fn submit_alone(&self, time: Duration) -> anyhow::Result<Vec<u32>>;

    /// Returns the store to fill with a million handoffs, if this is a store.
    fn store(&self) -> Option<&dyn Fill> {
        None
    }
}

/// A store that can be filled, and inspected by another process.
pub trait Fill {
    /// Writes this many handoffs, one in ten still pending, to [`crate::work::RECEIVERS`] receivers
    /// in turn.
    fn fill(&self, directory: &Path, handoffs: u64) -> anyhow::Result<()>;

    /// Opens a filled store and reads the first page of one receiver's inbox.
    fn look(&self, directory: &Path) -> anyhow::Result<Looked>;
}

/// The measurements of a process that opens a filled store.
#[derive(Clone, Debug)]
pub struct Looked {
    /// Time from the start to the first response.
    pub open: Duration,
    /// The first inbox page after opening.
    pub first_page: Duration,
    /// The median of the pages after that.
    pub page: Duration,
    /// The number of handoffs on the page.
    pub rows: usize,
}
