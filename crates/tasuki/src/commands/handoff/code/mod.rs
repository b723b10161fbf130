//! The code beside the packet: what is not here, snapshots, and their restore.

pub(super) mod not_here;
pub(super) mod restore;
pub(crate) mod snapshot;
