//! Transports for events and notifications: webhooks, email, Slack and ntfy.

pub(crate) mod channel;
pub(crate) mod chat;
pub(crate) mod email;
pub(crate) mod links;
pub(crate) mod notice;
pub(crate) mod outcome;
pub(crate) mod retry_schedule;
pub(crate) mod tls;
pub(crate) mod transports;
pub mod webhook;
