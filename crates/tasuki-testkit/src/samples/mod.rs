//! Valid handoffs, documents and leaves to store.
//!
//! Everything is derived from a number or a name, so equal calls return equal samples. Nothing here
//! depends on time or randomness.

mod directory;
mod handoff;
mod log;
mod names;

pub use directory::{subscription, subscription_id, token};
pub use handoff::{claim, facts, handoff, handoff_numbered, held_by_its_holder, state};
pub use log::{Log, answer, document, key, packet, remembered};
pub use names::{at, handoff_id, head, party, project};
