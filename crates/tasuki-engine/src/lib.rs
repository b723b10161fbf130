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
//! 6. The caller gets its response after the commit: a response means that the change is durable.
//!
//! If the directory changes between 2 and 4, the command is prepared again.

// A forgotten command, state or event must not compile. Tests may match on selected variants.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

// From the bottom up. The blank lines keep rustfmt from sorting the layers.
pub mod limits;

pub mod refusal;

pub mod error;

pub mod hmac;

pub mod model;

pub mod ports;

pub mod rules;

pub mod view;

pub mod query;

pub mod audit;

pub mod prepare;

pub mod steps;

pub mod command;

pub mod worker;

pub mod engine;

#[cfg(test)]
mod testing;

#[cfg(test)]
mod transitions;
