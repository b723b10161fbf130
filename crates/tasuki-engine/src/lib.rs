//! The rules of the exchange, without a database and without a network.
//!
//! The modules are layers, declared from the bottom up; each imports only the ones above it here.
//! A command is a [`Step`](steps::Step): prepared in the caller's task, queued for the worker of its
//! project, and decided by a pure function of a [`Context`](model::Context) that returns a
//! [`Change`](model::Change) or a [`Refusal`](refusal::Refusal). [`Engine::run`](engine::Engine::run)
//! is the only way to make a decision durable.

// A forgotten command, state or event must not compile. Tests match on what they are about.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

/// Limits and defaults.
pub mod limits;

/// Refusals: expected outcomes that are not errors of the exchange.
pub mod refusal;

/// A refusal, or a fault of store or machine.
pub mod error;

/// HMAC-SHA-256.
pub mod hmac;

/// The values that the rules work on.
pub mod model;

/// The traits that the exchange needs from its surroundings.
pub mod ports;

/// Rules that several steps share.
pub mod rules;

/// Handoffs, parties and tokens as callers see them.
pub mod view;

/// Reads that change nothing.
pub mod query;

/// Checks of what is stored against what the log commits to.
pub mod audit;

/// Reads, validates and seals what a command carries.
pub mod prepare;

/// The commands, one file each.
pub mod steps;

/// The list of commands, what each needs, and what a caller is answered.
pub mod command;

/// The worker of one project: makes decisions durable, batch by batch.
pub mod worker;

/// The handle that doors have.
pub mod engine;

#[cfg(test)]
mod testing;

#[cfg(test)]
mod transitions;
