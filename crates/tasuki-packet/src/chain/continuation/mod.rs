//! The continuation: the packet that the next holder of a handoff continues from.
//!
//! It is composed on reading from documents in the log: the packet, every later checkpoint, and the
//! decisions of people. It is not a revision. Approvals stay bound to the packet, and no checkpoint
//! changes what was agreed. The same documents always give the same canonical bytes, so a claim can
//! commit to them.
//!
//! The engine selects the checkpoints of a handoff and authorizes the reader.
//! [`crate::render::chain_brief`] shows the whole chain to a person.

mod checkpoint;
mod compose;
mod growing_list;
mod note;
mod pinned;
mod rule;
mod step_keys;
pub(crate) mod steps;

pub use checkpoint::{checkpoint_variant, headline};
pub use compose::compose;
pub use note::DecisionNote;
pub use rule::{Rule, rule_of};
pub use step_keys::StepKeys;
pub use steps::{Step, step_counts, step_key, steps};
