//! The handoff packet: one typed document in place of chat logs and free prose.
//!
//! Pure: no files, no network, no clock, no randomness, no async.
#![warn(missing_docs)]
#![warn(clippy::wildcard_enum_match_arm)]

pub mod canonical;
pub mod chain;
pub mod limits;
pub mod lint;
pub mod packet;
pub mod pointer;
pub mod secrets;
pub mod verify;
pub mod violation;

pub use packet::{Certainty, Item, Kind, Members, Packet};
pub use violation::{Code, Position, Span, Violation};
