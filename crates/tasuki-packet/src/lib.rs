//! The handoff packet: one typed document in place of chat logs and free prose.
//!
//! Pure: no files, no network, no clock, no randomness, no async.
#![warn(missing_docs)]

pub mod canonical;
pub mod chain;
pub mod contract;
pub mod convert;
pub mod dialect;
pub mod diff;
pub mod duration;
pub mod field;
pub mod limits;
pub mod lint;
mod measure;
mod number;
pub mod open;
pub mod packet;
pub mod patch;
pub mod pointer;
pub mod read;
pub mod render;
pub mod schema;
pub mod secrets;
pub mod suggest;
#[cfg(feature = "tokens")]
pub mod tokens;
pub mod tree;
pub mod validate;
pub mod variant;
pub mod verify;
pub mod violation;
pub mod write;

pub use packet::{Certainty, Item, Kind, Members, Packet};
pub use variant::Variant;
pub use violation::{Code, Position, Span, Violation};
