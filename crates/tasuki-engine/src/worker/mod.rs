//! The worker of one project, which decides commands and commits them in batches.
//!
//! `queue` starts workers and feeds them; `batch` processes a batch. Before that, in the caller's
//! task, `input` reads what a command needs, mostly from the `cache`.

/// Decides a batch in one transaction.
pub mod batch;

/// Policies, facts and return requirements, cached between commands.
pub(crate) mod cache;

/// Decides one command.
pub mod decide;

/// Reads the stored data that a command needs.
pub(crate) mod input;

/// The first commit of a project.
pub mod project;

/// The queues and threads of the workers.
pub(crate) mod queue;

/// Turns events into leaves and rows.
pub mod recorder;

/// Commands that were refused while they were prepared.
pub mod refused_early;

/// The state transition of each event.
pub(crate) mod transition;
