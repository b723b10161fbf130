//! The traits that connect the engine to storage, time and randomness.

pub mod accounts;
pub mod clock;
pub mod cost;
pub mod deliveries;
pub mod snapshots;
pub mod store;

pub use accounts::{AccountStore, MailCodeRecord, SessionHash, SessionRecord};
pub use clock::{BootTime, Clock, ClockReading, ClockReference, Entropy, System};
pub use deliveries::{Attempt, Cursor, Deliveries, Delivery, PEOPLE, REMINDERS};
pub use snapshots::{SnapshotRecord, Snapshots};
pub use store::{
    Counts, Extent, Found, HandoffRow, LeafRow, Loaded, Order, Pending, Query, Store, Stored,
    Transaction, WriteSet,
};
