//! Checks the log, and the stored data against it.
//!
//! Every leaf is parsed from its bytes; no column is trusted. The log is read in pages, and each
//! handoff keeps only hashes until its last leaf, so that a million leaves need little memory. The
//! check ends with the first problem, by leaf number.
//!
//! `check` walks the log. `history` compares the stored data of one handoff with its leaves: its
//! documents (`documents`), its state (`expected_state`), what lists show of it (`shown`) and its
//! events (`event_details`).
//! `directory_refs` and `policy` collect references to parties, contracts and gates, which are
//! compared with the directory at the end.
//!
//! The rules of a chain of leaves are in `tasuki_packet::leaf`. Values that derive from the current
//! state, such as due times, are checked by `doctor`.

pub(crate) mod expected_state;

pub(crate) mod event_details;

pub(crate) mod directory_refs;

pub(crate) mod last_leaf;

pub(crate) mod documents;

pub(crate) mod shown;

mod check;
mod history;
mod links;
mod page;
mod policy;
pub use crate::query::trail::{Trail, TrailEntry, trail};
pub use check::{Checked, Problem, check};
pub use last_leaf::denied_by;
