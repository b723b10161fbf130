//! Checks of the stored data against the log.

mod conservation;
pub mod findings;
pub mod log_check;

pub use conservation::{Audit, audit};
