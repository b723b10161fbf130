//! Snapshots: the work tree of a task as a commit on a reference of its own.
//!
//! A snapshot is a commit of all tracked and untracked files. Its first parent is `HEAD`, its second the
//! commit of the staged files, and its message has the facts as JSON (`meta`). It is made on a copy of the
//! index, so that the index, `HEAD` and the work tree stay untouched. `take` makes it, `plan` decides what
//! is left out, `references` numbers and removes them, `spawn` runs it in a process of its own.

mod guard;
mod limits;
mod meta;
mod plan;
mod record;
mod references;
mod spawn;
mod take;

pub(crate) use limits::Limits;
pub(crate) use meta::{Cause, LeftOut};
pub(crate) use record::{last_failure, record_outcome};
pub(crate) use references::{Kept, Snapshot, add_received, at_reference, newest, remove};
pub(crate) use spawn::spawn;
pub(crate) use take::{Outcome, Request, TIMEOUT, Taken, take, trees_of, undo};
