//! Reads that change nothing.

pub mod continuation;
pub mod decisions;
mod details;
pub mod events;
pub(crate) mod failures;
mod history;
pub mod inbox;
pub mod leaves;
pub mod listing;
pub mod overview;
pub mod quotation;
pub mod reference;
pub mod resolve;
pub(crate) mod returns;
pub mod search;
pub mod snapshots;
pub mod stats;
pub mod trail;
