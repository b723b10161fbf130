//! The code beside the packet: facts about the work tree, snapshots of it, and their restore.
//!
//! Everything here calls the program `git`, because no library adds to an index as git does. Calls are
//! shielded (`environment`), bounded in time (`command`), and never touch the index, `HEAD` or the work
//! tree, except for a restore that the caller asks for. `drift/` compares a packet with a directory.

pub(crate) mod bundle;
pub(crate) mod command;
pub(crate) mod environment;
mod facts;
pub(crate) mod find;
pub(crate) mod head;
mod in_the_way;
mod leave_out;
mod not_here;
mod paths;
#[cfg(test)]
mod random_tests;
mod remote_address;
pub(crate) mod restore;
pub(crate) mod snapshot;
mod status;
mod work_trees;

pub(crate) use facts::{facts, here};
pub(crate) use not_here::{NotHere, not_here};
pub(crate) use work_trees::{ListedWorkTree, work_trees};
