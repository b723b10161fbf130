//! Webhooks: signed requests to whoever subscribed, as Standard Webhooks has them.
//!
//! Read `target.rs` and `guard.rs` (where a request may go), `send.rs` and `connection.rs` (how it
//! goes), `signature.rs` (how the receiver knows who sent it), `payload.rs` (what it says) and `schedule.rs`
//! (when it is tried again). Whose turn it is decides `notify`.

mod connection;
mod guard;
mod payload;
mod resolve;
mod send;
pub mod signature;
mod target;

pub(crate) use payload::{Message, of_event, ping};
pub use resolve::{Resolve, Resolving, SystemResolver};
pub(crate) use send::{Sender, Unreached};
pub use target::{Host, Origin, Target};
