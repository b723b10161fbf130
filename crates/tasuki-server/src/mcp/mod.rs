//! `/mcp`: the tools of agents, as requests of this server's own interface.
//!
//! `exchange` passes the requests of a tool to the routes, so that a call is authenticated,
//! authorized, limited and logged like the requests it makes. `endpoint` is the route; `metadata` says
//! how a client gets a credential. A local process uses the same routes without a listener.

mod endpoint;
mod exchange;
mod metadata;

pub(crate) use endpoint::{Endpoint, endpoint};
pub use exchange::LocalExchange;
pub(crate) use metadata::{METADATA_PATH, METADATA_ROOT_PATH, metadata};
