//! The worker of one project: makes decisions durable, batch by batch.
//!
//! `queue` starts workers and feeds them; `batch` is what a worker does with a batch. Before that, in
//! the caller's task, `input` reads what a command builds on, mostly from the `cache`.

/// Decides a batch in one transaction.
pub mod batch;

/// Policies, facts and requirements that are kept between commands.
pub(crate) mod cache;

/// Decides one command.
pub mod decide;

/// Reads what a command builds on.
pub(crate) mod input;

/// The first commit of a project.
pub mod project;

/// The queues and threads of the workers.
pub(crate) mod queue;

/// Turns events into leaves and rows.
pub mod recorder;

/// Commands that were refused while they were prepared.
pub mod refused_early;

/// The states and receivers that each event of a change moves between.
pub(crate) mod transition;
