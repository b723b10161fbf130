//! A receiver takes the work under a lease.

mod lease;
mod take;

pub use lease::{Renew, lease, renew, renewed};
pub use take::{Request, decide, take};
