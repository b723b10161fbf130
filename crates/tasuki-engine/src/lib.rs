//! The rules of a handoff, with no database and no network in sight.
//!
//! Read the modules in the order they are declared. First what the rules speak of, then the steps
//! in the order in which a packet travels, then the line that makes decisions durable.
//!
//! Every step is one file with one pure `decide`: what is known, what is asked, who asks, when, and
//! the randomness drawn for it. It answers with a [`Change`](change::Change) or a
//! [`Refusal`](refusal::Refusal), and does nothing itself.

// A forgotten command, state or event must not compile. Tests match on what they are about.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

/// The things the rules work on, as values.
pub mod model;

/// The traits that the exchange needs from its surroundings.
pub mod ports;

/// Rules that several steps share.
pub mod rules;

/// The commands, one file each.
pub mod steps;

/// The worker of one project: makes decisions durable, batch by batch.
pub mod worker;

/// Reads that change nothing.
pub mod query;

/// Checks of what is stored against what the log commits to.
pub mod audit;

/// Every expected "no".
pub mod refusal;

/// A refusal, or a fault.
pub mod error;

/// Everything anybody can ask for.
pub mod command;

/// Before the line: read, validate, find the contract, scan for secrets, seal.
pub mod prepare;

/// What doors show.
pub mod view;

/// The handle that doors have.
pub mod engine;

/// Every bound and every default.
pub mod limits;

/// HMAC-SHA-256.
pub mod hmac;

#[cfg(test)]
mod testing;

#[cfg(test)]
mod transitions;
