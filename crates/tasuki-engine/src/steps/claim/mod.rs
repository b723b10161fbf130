//! A receiver takes the work under a lease.

mod lease;
mod take;

pub use lease::{Renew, lease, renewed};
pub use take::{Claim, take};
