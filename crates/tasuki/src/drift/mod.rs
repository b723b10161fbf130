//! Drift: the changes in a directory since a packet was written.
//!
//! A packet states facts about its directory: branch, commit, files and their digests, versions of
//! tools, checks that pass. They are compared with the current state. The packet is written by
//! another party, so it is compared and shown, but not trusted: none of its paths leads out of the
//! directory, and none of its commands runs unless the caller asks for it.
//!
//! The command is in `commands/packet/drift.rs`.

mod acceptance;
mod check;
mod commit;
mod dirty;
mod file;
mod finding;
mod git;
mod process;
#[cfg(test)]
pub(crate) mod samples;
mod tool;

pub(crate) use check::{Options, check, checks};
pub(crate) use file::artifacts;
pub(crate) use finding::{Counts, Drift, Finding, Outcome, What};
