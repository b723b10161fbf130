//! The worker of one project, which decides commands and commits them in batches.
//!
//! `queue` starts workers and feeds them; `batch` processes a batch. Before that, in the caller's
//! task, `input` reads what a command needs, mostly from the `cache`.

pub mod batch;
pub(crate) mod cache;
pub(crate) mod clock_guard;
pub(crate) mod clock_verdict;
pub mod decide;
pub(crate) mod input;
pub mod project;
pub(crate) mod queue;
pub mod recorder;
pub mod refused_early;
pub(crate) mod transition;
