//! What has changed in a directory since a packet was written.
//!
//! A packet states facts about the place it was written in: a branch, a commit, files and their
//! digests, versions of tools, checks that pass. Here they are compared with the place as it is now.
//! The packet is another party's text: it is compared and shown, and never followed. No path of it
//! leads out of the directory, and no command of it runs unless the caller asks for that.
//!
//! Not here: how it is shown (`commands/packet/drift.rs`), and what an exchange does with it.

mod acceptance;
mod check;
mod commit;
mod dirty;
mod file;
mod finding;
mod git;
mod head;
mod process;
#[cfg(test)]
mod samples;
mod tool;

pub(crate) use check::{Options, check, checks};
pub(crate) use finding::{Counts, Drift, Finding, Outcome, What};
