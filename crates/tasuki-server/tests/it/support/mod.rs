//! What tests are made of: a server on a store, callers, and the other ends of its connections.

pub(crate) mod client;
pub(crate) mod committed;
pub(crate) mod listener;
pub(crate) mod response_schemas;
pub(crate) mod scratch;
pub(crate) mod smtp_server;
pub(crate) mod until;
pub(crate) mod webhook_receiver;
pub(crate) mod world;
