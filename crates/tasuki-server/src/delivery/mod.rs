//! Transports for events and notifications: webhooks and email.

pub(crate) mod channel;
pub(crate) mod email;
pub(crate) mod outcome;
pub(crate) mod retry_schedule;
pub(crate) mod tls;
pub(crate) mod transports;
pub mod webhook;
