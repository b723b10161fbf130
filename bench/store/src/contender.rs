//! What can be measured.
//!
//! A contender starts with an empty store for every run and throws it away afterwards. How its
//! callers are driven and what is counted is in `callers.rs`, the same for all.

use std::path::Path;
use std::time::Duration;

use crate::measured::Measured;

/// One way to keep handoffs.
pub trait Contender {
    /// The name in the tables.
    fn name(&self) -> &'static str;

    /// Lets `callers` of them hand over, claim and return for `time`.
    fn run(&self, callers: usize, time: Duration) -> anyhow::Result<Measured>;

    /// Submits one packet after the other for `time`: microseconds of each, with nobody else there.
    fn submit_alone(&self, time: Duration) -> anyhow::Result<Vec<u32>>;

    /// What can be filled with a million handoffs, if this is a store at all.
    fn store(&self) -> Option<&dyn Fill> {
        None
    }
}

/// A store that can be filled and then looked at by a process that did not fill it.
pub trait Fill {
    /// Writes this many handoffs. Of ten, one is still pending; they go to [`crate::work::RECEIVERS`]
    /// receivers in turn.
    fn fill(&self, directory: &Path, handoffs: u64) -> anyhow::Result<()>;

    /// Opens what `fill` wrote and reads the first page of one receiver's inbox.
    fn look(&self, directory: &Path) -> anyhow::Result<Looked>;
}

/// What a process sees that opens a filled store.
#[derive(Clone, Debug)]
pub struct Looked {
    /// From nothing to the first answer.
    pub open: Duration,
    /// The first inbox page after opening.
    pub first_page: Duration,
    /// The median of the pages after that.
    pub page: Duration,
    /// How many handoffs were on the page.
    pub rows: usize,
}
