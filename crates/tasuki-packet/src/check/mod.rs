//! Checks of a single packet.
//!
//! - [`validate`]: is the document a valid packet of a variant?
//! - [`secrets`]: does it contain secrets?
//! - [`lint`]: how complete and usable is it?
//! - [`verify`]: does a return satisfy the handoff it answers?

pub mod lint;
pub mod secrets;
pub mod validate;
pub mod verify;
