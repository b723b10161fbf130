//! The doors of the exchange over a network.
//!
//! A request goes one way: `host` asks whether it was meant for us, `identity` who asks and whether
//! they may, `limits` whether it is too much, then one file under `v1` turns it into one command or
//! one read of the engine, and `problem` says every "no" in the same form. [`operation`] is the table
//! of all that can be asked; router, matrix of permissions and OpenAPI document follow it.
//!
//! Nothing is decided here and nothing is stored: the rules are the engine's, the memory is behind it.

mod active;
mod answer;
mod app;
mod background;
mod body;
mod channel;
mod docs;
mod etag;
mod headers;
mod health;
mod host;
mod html;
mod idempotency;
mod identity;
mod indexing;
mod limits;
mod mail;
mod metrics;
mod notify;
pub mod openapi;
pub mod operation;
mod page;
mod parameters;
mod peer;
mod presence;
mod problem;
mod repeat;
mod said;
mod schemas;
mod server;
mod settings;
mod shares;
mod stream;
mod trace;
mod v1;
mod visitor;
mod wait;
mod watch;
pub mod webhook;
mod welcome;

pub use app::{App, router, router_and_rounds};
pub use background::Upkeep;
pub use channel::must_lead_somewhere;
pub use mail::{MailSettings, MailTls};
pub use presence::resume;
pub use problem::Problem;
pub use server::Server;
pub use settings::{Limits, Settings};
