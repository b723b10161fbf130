//! Project rules: when a person must decide, independently of the sender.
//!
//! A rule examines the edge, trigger, classification and risk of a handoff, and searches its packet
//! for words and patterns. It either holds the handoff for a person or marks its topic as
//! sensitive. Rules only add requirements: no packet or contract can override them.
//!
//! A document (`rules/*.yaml`) is read by [`Rules::read`], compiled once into [`CompiledRules`],
//! and evaluated for every packet.

mod compiled;
mod document;
mod read;
#[cfg(test)]
mod shipped;
mod words;

pub use compiled::{CompiledRules, RuleMatch};
pub use document::{Rule, RuleEffect, Rules, When};
