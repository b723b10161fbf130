//! The rules of the exchange, independent of any database or network.
//!
//! # Layers
//!
//! The modules below are declared from the bottom up. Each imports only those declared before it:
//!
//! - [`model`]: plain values, such as a handoff, its terms, the directory and a principal.
//! - [`ports`]: traits that the caller implements (store, accounts, deliveries, clock).
//! - [`rules`]: pure functions that several commands share.
//! - [`view`], [`query`], [`audit`]: everything that only reads.
//! - [`prepare`], [`steps`], [`command`]: the commands, one file each, and the list of them.
//! - [`worker`], [`engine`]: the queue of a project and the handle that callers use.
//!
//! # The life of a command
//!
//! 1. [`Engine::run`](engine::Engine::run) checks the scopes of the caller and draws a
//!    [`CommandSeed`](model::CommandSeed), the only randomness that the command gets.
//! 2. [`Step::prepare`](steps::Step::prepare) runs in the caller's task: it parses, validates and
//!    seals the input against one version of the directory.
//! 3. The prepared step enters the queue of its project. The project's worker takes a batch, loads
//!    what the batch needs and applies every deadline that has passed.
//! 4. [`PreparedStep::decide`](steps::step::PreparedStep::decide) is a pure function of a
//!    [`Context`](model::Context). It returns a [`Change`](model::Change) or a
//!    [`Refusal`](refusal::Refusal).
//! 5. The worker turns each change into log leaves and rows, and commits the batch.
//! 6. The caller gets its response after the commit, so a response means that the change is durable.
//!
//! If the directory changes between 2 and 4, the command is prepared again.

// A forgotten command, state or event must not compile. Tests may match on selected variants.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

/// Limits and defaults.
pub mod limits;

/// Refusals: expected failures that the caller can act on.
pub mod refusal;

/// The error type of the engine: a refusal or a fault.
pub mod error;

/// HMAC-SHA-256.
pub mod hmac;

/// The values that the rules work on.
pub mod model;

/// The traits that connect the engine to storage, time and randomness.
pub mod ports;

/// Rules that several steps share.
pub mod rules;

/// Handoffs, parties and tokens as callers see them.
pub mod view;

/// Reads that change nothing.
pub mod query;

/// Checks of the stored data against the log.
pub mod audit;

/// Parses, validates and seals the input of a command.
pub mod prepare;

/// The commands, one file each.
pub mod steps;

/// The list of commands, their permissions and their replies.
pub mod command;

/// The worker of one project, which decides commands and commits them in batches.
pub mod worker;

/// The handle that the server and the command line use.
pub mod engine;

#[cfg(test)]
mod testing;

#[cfg(test)]
mod transitions;
