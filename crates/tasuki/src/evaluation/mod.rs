//! The evaluation of paired cases: one handoff as a note in prose, and the same one as a packet.
//!
//! [`Case`] reads the files of a case, [`rules`] checks them, [`recognition`] finds fields in prose
//! by cue words, and [`measure`] counts fields and tokens. Nothing here reads files, prints or runs an
//! agent; `commands/eval/` does. `evals/README.md` describes the files of a case.

pub(crate) mod case;
mod cues;
pub(crate) mod measure;
pub(crate) mod recognition;
pub(crate) mod rules;

pub(crate) use case::Case;
