//! Checks of the stored data against the log.

/// Counts handoffs and checks that none was lost.
mod conservation;

/// Checks the log, and the stored data against it.
pub mod log_check;

pub use conservation::{Audit, audit};
