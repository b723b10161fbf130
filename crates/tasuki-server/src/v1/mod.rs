//! One file per resource: what a request says becomes one command or one read of the engine.

pub(crate) mod batch;
pub(crate) mod checkpoints;
pub(crate) mod claims;
pub(crate) mod contracts;
pub(crate) mod dead;
pub(crate) mod decisions;
pub(crate) mod declines;
pub(crate) mod events;
pub(crate) mod gates;
pub(crate) mod halt;
pub(crate) mod handoffs;
pub(crate) mod inbox;
pub(crate) mod log;
pub(crate) mod openapi;
pub(crate) mod packet;
pub(crate) mod parties;
pub(crate) mod project;
pub(crate) mod questions;
pub(crate) mod returns;
pub(crate) mod revisions;
pub(crate) mod rules;
pub(crate) mod schema;
pub(crate) mod search;
pub(crate) mod sessions;
pub(crate) mod stats;
pub(crate) mod subscriptions;
pub(crate) mod tasks;
pub(crate) mod tokens;
pub(crate) mod validate;
pub(crate) mod verdicts;
pub(crate) mod whoami;

use serde::Deserialize;
use serde_json::Value;

/// Why, where nothing else is said.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reason {
    pub(crate) reason: Option<String>,
}

/// The fencing token that a holder shows.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Holder {
    pub(crate) token: Option<u64>,
}

/// A gate or the rules.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Policy {
    pub(crate) document: Value,
}
