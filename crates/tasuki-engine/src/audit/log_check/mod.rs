//! Does the log hold together, and does everything stored hold to the log?
//!
//! Every leaf is read again from its bytes; nothing is believed because a column says so. The log is
//! read in pages, and of each handoff only hashes are kept until its last leaf has passed, so that a
//! million leaves need little memory. The first thing that is wrong ends the check, by its number.
//!
//! `check` is the walk; `history` holds what is stored of one handoff against its leaves: its documents
//! (`documents`), where it stands (`expected_state`) and what its events say of it (`event_details`). What they say of
//! parties, contracts and gates waits in `directory_refs` and `policy` for the directory.
//!
//! Not here: the rules of a chain of leaves, which are `tasuki_packet::leaf`'s, and anything that
//! can be told from state and log alone, such as due times, which `doctor` looks at.

pub(crate) mod expected_state;

pub(crate) mod event_details;

pub(crate) mod directory_refs;

pub(crate) mod last_leaf;

pub(crate) mod documents;

mod check;
mod history;
mod links;
mod page;
mod policy;
pub use crate::query::trail::{Trail, TrailEntry, trail};
pub use check::{Checked, Problem, check};
pub use last_leaf::denied_by;
