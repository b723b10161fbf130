//! Parses, validates and seals the input of a command before it is queued.
//!
//! This runs in the caller's task, in parallel with other callers, against one version of the
//! directory and immutable documents. If the directory has changed by the time the worker decides,
//! the command is prepared again.

pub mod checkpoint;
pub mod contract;
pub mod input;
pub mod packet;
pub mod parties;
pub mod returns;
mod rule_variants;
pub mod text;
pub(crate) mod work_tree;
mod write_only;

pub use input::PrepareInput;
pub use packet::PreparedPacket;
pub use parties::Receiver;
pub use text::redaction_note;
