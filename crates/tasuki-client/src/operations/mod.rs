//! One method per operation, one file per resource.

mod admin;
mod claims;
mod events;
mod handoffs;
mod packets;
mod parties;
mod policy;
mod sessions;
mod subscriptions;
mod tasks;

use serde::Serialize;

/// Why, where nothing else is said.
#[derive(Debug, Serialize)]
struct Reason<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}
