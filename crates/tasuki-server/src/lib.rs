//! The doors of the exchange over a network.
//!
//! A request goes one way: `host` asks whether it was meant for us, `auth` who asks and whether
//! they may, `limits` whether it is too much, then one file under `v1` turns it into one command or
//! one read of the engine, and `problem` says every "no" in the same form. [`operations`] is the table
//! of all that can be asked; router, matrix of permissions and OpenAPI document follow it.
//!
//! Nothing is decided here and nothing is stored: the rules are the engine's, the memory is behind it.

mod api;
mod app;
mod auth;
mod background;
mod delivery;
mod extract;
mod middleware;
mod operation;
mod ops;
mod pages;
mod respond;
mod router;
mod server;
mod settings;
mod sse;
mod state;

pub use api::{openapi, operations};
pub use app::{check_channel, router, router_and_workers};
pub use background::store_maintenance::StoreMaintenance;
pub use delivery::email::{MailSettings, MailTls};
pub use delivery::webhook;
pub use respond::problem::Problem;
pub use server::Server;
pub use settings::{Limits, Settings};
pub use state::App;
pub use state::heartbeat::record_outage;
