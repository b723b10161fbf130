//! The exchange behind a server: the token identifies the caller, and every command is one request.

mod backend;
mod events;
mod poll;
mod requests;
mod server;
mod state_dir;
mod stream;
mod subscriptions;
mod trust;

pub(crate) use server::RemoteBackend;
pub(crate) use state_dir::{folder as state_dir, state_home};
pub(crate) use trust::TrustedOrigins;
