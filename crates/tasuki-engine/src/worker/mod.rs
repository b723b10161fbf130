//! The worker of one project: makes decisions durable, batch by batch.

/// Commands that were refused early.
pub mod refused_early;

/// One project's commands, in batches.
pub mod batch;

/// The rule.
pub mod decide;

/// From events to leaves.
pub mod recorder;

/// What each event of a change moves.
pub(crate) mod transition;

/// What is remembered between commands.
pub(crate) mod cache;

/// A project begins.
pub mod project;

/// The queues of the workers.
pub(crate) mod queue;

/// What commands build on.
pub(crate) mod input;
