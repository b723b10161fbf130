//! The exchange behind a server: who asks is what the token says, and every command is one request.

mod command;
mod door;
mod events;
mod failure;
mod follow;
mod knock;
mod memory;
mod server;
mod subscriptions;

pub(crate) use failure::refused;
pub(crate) use server::There;
