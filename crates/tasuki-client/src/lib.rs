//! A blocking client for Tasuki, the handoff exchange for AI agents and the people they work with.
//!
//! [`Client`] has one method per operation of the HTTP interface:
//!
//! - Handoffs: [`submit`](Client::submit), [`handoffs`](Client::handoffs),
//!   [`handoff`](Client::handoff), [`decide`](Client::decide), [`verify`](Client::verify).
//! - Claims: [`claim`](Client::claim), [`checkpoint`](Client::checkpoint),
//!   [`return_packet`](Client::return_packet), [`renew`](Client::renew).
//! - Tasks: [`begin`](Client::begin), [`timeline`](Client::timeline), [`brief`](Client::brief).
//! - Events: [`inbox`](Client::inbox), [`events`](Client::events), [`follow`](Client::follow),
//!   [`search`](Client::search).
//! - Administration: parties, tokens, subscriptions, contracts, gates, rules and the log.
//!
//! Request and response bodies are the types of [`tasuki_api`], re-exported as [`api`].
//!
//! # Errors and retries
//!
//! A refused request is [`Error::Refused`], with a stable code and a hint. Every other variant means
//! that there is no usable response.
//!
//! A request that changes something carries an `Idempotency-Key`. After a broken connection the
//! client sends it again, up to two times, and it still takes effect at most once.
//!
//! # Example
//!
//! ```no_run
//! use tasuki_client::{Client, Submit};
//!
//! # fn main() -> Result<(), tasuki_client::Error> {
//! let client = Client::new("http://127.0.0.1:7420", "tasuki_agent_…")?;
//! let packet = br#"{"handoff_version":"1.0","to_agent":"coder","goal":"Fix the build"}"#;
//! let response = client.submit(&Submit::new(packet))?;
//! println!("{:?}", response.handoff.map(|handoff| handoff.id));
//! # Ok(())
//! # }
//! ```
#![warn(missing_docs)]

mod address;
mod client;
mod error;
mod names;
mod operations;
mod request;
mod stream;
mod tls;

pub use client::Client;
pub use error::Error;
pub use operations::{Begin, ClaimProof, EventQuery, HandoffQuery, Revision, Submit};
pub use stream::{EventStream, StreamItem};
pub use tasuki_api as api;
pub use tasuki_api::{Page, Problem};
