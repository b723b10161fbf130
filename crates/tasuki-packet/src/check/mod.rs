//! Checks of a packet: its validity, its return, its quality, and secrets in it.

pub mod lint;
pub mod secrets;
pub mod validate;
pub mod verify;
