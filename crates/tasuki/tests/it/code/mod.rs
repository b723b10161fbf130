//! The code beside the packet: facts about the work tree, snapshots and their restore.

mod not_here;
mod restore;
mod server;
mod status;
mod support;
mod tools;
