//! The code beside the packet: what is not here, snapshots, and their restore.

pub(in crate::commands) mod not_here;
pub(super) mod restore;
pub(crate) mod snapshot;
