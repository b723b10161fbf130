//! Webhooks: signed requests to subscribers, as specified by Standard Webhooks.
//!
//! `target` and `guard` decide where a request may go. `send` and `connection` send it, for Slack
//! and ntfy too. `signature` signs it and `payload` is its body. `background` schedules it.

mod connection;
mod guard;
mod payload;
mod resolve;
mod send;
pub mod signature;
mod target;

pub(crate) use payload::{Message, of_event, ping, signed};
pub use resolve::{Resolve, Resolving, SystemResolver};
pub(crate) use send::{HttpMessage, Sender, Unreachable};
pub use target::{Host, Origin, Target};
