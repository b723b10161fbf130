//! Commands that the exchange itself sends.

/// What the clock has made due.
pub mod apply_due;

/// The receiver has seen it.
pub mod mark_delivered;

/// Nobody could be told of what waits for a person.
pub mod undeliverable;

/// A backup was put back.
pub mod restore;

/// The exchange was away.
pub mod outage;
