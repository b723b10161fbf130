//! The handoff packet: one typed document in place of chat logs and free prose.
//!
//! Pure: no files, no network, no clock, no randomness, no async.
#![warn(missing_docs)]
#![warn(clippy::wildcard_enum_match_arm)]

pub mod canonical;
pub mod diff;
pub mod limits;
mod measure;
pub mod packet;
pub mod patch;
pub mod pointer;
pub mod read;
pub mod violation;
pub mod write;

pub use packet::{Certainty, Item, Kind, Members, Packet};
pub use violation::{Code, Position, Span, Violation};
