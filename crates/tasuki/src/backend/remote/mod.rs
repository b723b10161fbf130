//! The exchange behind a server: who asks is what the token says, and every command is one request.

mod backend;
mod events;
mod poll;
mod requests;
mod server;
mod state_dir;
mod stream;
mod subscriptions;

pub(crate) use server::There;
