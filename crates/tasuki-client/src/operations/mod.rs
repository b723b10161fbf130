//! The methods of the client, one file per resource.

mod admin;
mod claims;
mod events;
mod handoffs;
mod packets;
mod parties;
mod policy;
mod raw;
mod sessions;
mod subscriptions;
mod tasks;

pub use claims::ClaimProof;
pub use events::EventQuery;
pub use handoffs::{HandoffQuery, Revision, Submit};
pub use tasks::Begin;
