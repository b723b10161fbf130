//! Changes one field of a packet and not the whole document: RFC 7396 and RFC 6902.
//!
//! Ours and not a library's, because the order of members is part of a packet's source forms: what
//! is replaced stays where it is, what is added comes last, what is removed leaves the rest in
//! order. A patch of operations holds as a whole or not at all.
//!
//! Not here: whether the result is a valid packet, see `validate`, and making patches, see `diff`.

pub mod diff;
mod kind;
mod merge;
mod operations;

pub use kind::{PatchKind, apply_either};
pub use merge::merge;
pub use operations::apply;
