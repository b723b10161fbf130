//! The traits that the exchange needs from its surroundings.

/// What the exchange needs of its memory.
pub mod store;

/// What a door keeps of people.
pub mod accounts;

/// What whoever delivers keeps of deliveries.
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
