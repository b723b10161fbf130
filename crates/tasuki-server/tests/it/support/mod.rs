//! Fixtures: a server on a store, its clients, and its peers.

pub(crate) mod client;
pub(crate) mod committed;
pub(crate) mod listener;
pub(crate) mod response_schemas;
pub(crate) mod smtp_server;
pub(crate) mod socket;
pub(crate) mod test_server;
pub(crate) mod until;
pub(crate) mod webhook_receiver;
