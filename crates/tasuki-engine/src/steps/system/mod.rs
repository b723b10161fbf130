//! Commands that the exchange itself sends.

/// Applies due deadlines.
pub mod apply_due;

/// Records that the receiver has seen a handoff.
pub mod mark_delivered;

/// Records that a notification could not be delivered.
pub mod undeliverable;

/// Records a restore from a backup.
pub mod restore;

/// Sets the time of a log back.
pub mod reset_clock;

/// Records an outage of the exchange.
pub mod outage;
