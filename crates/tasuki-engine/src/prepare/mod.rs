//! Before the line: read, validate, find the contract, scan for secrets, seal.
//!
//! This runs in the caller's task, side by side with others, against one version of the directory
//! and documents that never change. What it makes is decided in the line; if the directory has moved
//! by then, it is prepared again.

pub mod checkpoint;
pub mod contract;
pub mod input;
pub mod packet;
pub mod parties;
pub mod returns;
pub mod text;

pub use input::PrepareInput;
pub use packet::PreparedPacket;
pub use parties::Receiver;
pub use text::redaction_note;
