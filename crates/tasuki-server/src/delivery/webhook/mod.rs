//! Webhooks: signed requests to subscribers, as Standard Webhooks specifies them.
//!
//! Read `target` and `guard` (where a request may go), `send` and `connection` (how it goes), `signature`
//! (how the receiver knows who sent it) and `payload` (what it says). `background` decides when.

mod connection;
mod guard;
mod payload;
mod resolve;
mod send;
pub mod signature;
mod target;

pub(crate) use payload::{Message, of_event, ping};
pub use resolve::{Resolve, Resolving, SystemResolver};
pub(crate) use send::{Sender, Unreachable};
pub use target::{Host, Origin, Target};
