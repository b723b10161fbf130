//! One file per resource: what a request says becomes one command or one read of the engine.

pub(crate) mod admin;
pub(crate) mod events;
pub(crate) mod handoffs;
pub(crate) mod identity;
pub(crate) mod packets;
pub(crate) mod paging;
pub(crate) mod policy;
pub(crate) mod subscriptions;
pub(crate) mod tasks;

use serde::Deserialize;
use serde_json::Value;

/// Why, where nothing else is said.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReasonBody {
    pub(crate) reason: Option<String>,
}

/// The fencing token that a holder shows.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HolderQuery {
    pub(crate) token: Option<u64>,
}

/// A gate or the rules.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PolicyBody {
    pub(crate) document: Value,
}
