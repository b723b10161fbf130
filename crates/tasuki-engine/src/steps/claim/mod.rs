//! A receiver claims work under a lease, renews it, and hands it to its next process.

mod adopt;
mod lease;
mod take;

pub use adopt::Adopt;
pub use lease::{Renew, lease, renewed};
pub(crate) use take::stored_key;
pub use take::{Claim, take};
