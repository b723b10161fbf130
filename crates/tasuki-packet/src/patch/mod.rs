//! Changes parts of a packet with merge patches (RFC 7396) and operations (RFC 6902).
//!
//! A library cannot be used, because patches must keep the order of members: a replaced member
//! stays in its place, a new one comes last, and a removed one leaves the rest in order. A list of
//! operations is applied as a whole or not at all.
//!
//! The result is not validated. [`diff`](mod@diff) creates patches.

pub mod diff;
mod kind;
mod merge;
mod operations;

pub use kind::{PatchKind, apply_either};
pub use merge::merge;
pub use operations::apply;
