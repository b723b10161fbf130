//! Checks of what is stored against what the log commits to.

/// Is every handoff that came in still somewhere?
mod conservation;

/// Does the log hold together, and do the documents hold to it?
pub mod log_check;

pub use conservation::{Audit, audit};
