//! The HTTP server of the exchange.
//!
//! A request passes `middleware`. The guard in `router` admits it (authentication, authorization,
//! limits). Its handler in `api::v1` turns it into one command or one read of the engine. `respond`
//! has the responses and refusals. [`operations`] is the table of all operations, from which the
//! router, the permission matrix and the OpenAPI document are derived.
//!
//! The modules import each other in one direction: `respond`, `delivery`, `settings`, `operation`,
//! `middleware`, `state`, `background`, `auth`, `extract`, `sse`, `api`, `pages`, `mcp`, `ops`,
//! `router`; `app` assembles them. The server has no rules and no store of its own; both belong to
//! the engine.

mod api;
mod app;
mod auth;
mod background;
mod delivery;
mod extract;
mod mcp;
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
pub use app::{check_channel, local_exchange, router, router_and_workers};
pub use background::store_maintenance::{StoreMaintenance, Work};
pub use delivery::email::{MailSettings, MailTls};
pub use delivery::webhook;
pub use mcp::LocalExchange;
pub use respond::problem::Problem;
pub use server::Server;
pub use settings::{Limits, Settings};
pub use state::App;
pub use state::heartbeat::record_outage;
