//! The traits that connect the engine to storage, time and randomness.

/// Durable storage of projects.
pub mod store;

/// Storage of accounts, sessions and heartbeats.
pub mod accounts;

/// Storage of delivery progress.
pub mod deliveries;

/// Time and randomness.
pub mod clock;

pub use accounts::{AccountStore, SessionHash, SessionRecord};
pub use clock::{Clock, Entropy, System};
pub use deliveries::{Attempt, Cursor, Deliveries, Delivery, PEOPLE};
pub use store::{
    Counts, Found, HandoffRow, LeafRow, Loaded, Order, Pending, Query, Store, Stored, Transaction,
    WriteSet,
};
