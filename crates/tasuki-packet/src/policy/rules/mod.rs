//! Project rules: when a person must look, whatever the sender thinks.
//!
//! A rule looks at edge, trigger, classification and risk of a handoff, and at words and patterns
//! in its packet. It may demand a person, or say that the topic is sensitive where the sender did
//! not. Rules only add: no packet and no contract lowers what a rule demands.
//!
//! A document (`rules/*.yaml`) is read once, compiled once, and asked for every packet.

mod compiled;
mod document;
mod read;
#[cfg(test)]
mod shipped;
mod words;

pub use compiled::{CompiledRules, RuleMatch};
pub use document::{Rule, RuleEffect, Rules, When};
