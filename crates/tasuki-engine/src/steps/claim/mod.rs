//! A receiver claims work under a lease, and renews it.

mod lease;
mod take;

pub use lease::{Renew, lease, renewed};
pub(crate) use take::stored_key;
pub use take::{Claim, take};
