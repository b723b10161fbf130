//! The continuation: what the next holder of a handoff is given to go on from.
//!
//! It is composed when it is read, from documents that are already in the log: the packet, every
//! checkpoint since, and what people decided. It is no revision: approvals stay with the packet, and
//! so does all that was agreed, because no checkpoint changes it. The same documents always give the
//! same canonical bytes, so that a claim can commit to what the claimer was given.
//!
//! Not here: which checkpoints belong to a handoff and who may read them; the engine knows. The whole
//! chain for a person is [`crate::render::chain_brief`].

mod checkpoint;
mod compose;
mod growing_list;
mod note;
mod pinned;
mod rule;

pub use checkpoint::checkpoint_variant;
pub use compose::compose;
pub use note::DecisionNote;
pub use rule::{Rule, rule_of};
