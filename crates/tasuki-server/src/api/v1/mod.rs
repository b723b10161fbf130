//! The handlers of the operations, one file per resource. A handler runs one command or one read of the
//! engine.

pub(crate) mod admin;
pub(crate) mod events;
pub(crate) mod handoffs;
pub(crate) mod identity;
pub(crate) mod packets;
pub(crate) mod paging;
pub(crate) mod policy;
pub(crate) mod snapshots;
pub(crate) mod subscriptions;
pub(crate) mod tasks;

use serde::Deserialize;

/// The query of a holder's operation: its fence.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HolderQuery {
    pub(crate) fence: Option<u64>,
}
