//! Project rules: when a person must decide, independently of the sender.
//!
//! A rule examines the edge, trigger, classification and risk of a handoff, and searches its packet
//! for words and patterns. It holds the handoff for a person, marks its topic as sensitive, or
//! chooses a variant that the packet must satisfy. Rules only add requirements: no packet or contract can override them.
//!
//! A document (`rules/*.yaml`) is read by [`Rules::read`], compiled once into [`CompiledRules`],
//! and evaluated for every packet.

mod compiled;
mod document;
mod project;
mod read;
#[cfg(test)]
mod shipped;
mod words;

pub use compiled::{CompiledRules, RuleMatch, RuleVariant};
pub use document::{Rule, RuleEffect, Rules, When};
pub use project::ProjectRules;
