//! Deliveries: webhooks, email and notifications of people.

mod email;
mod email_tls;
mod person_notifications;
mod ssrf;
mod webhook_signatures;
pub(crate) mod webhooks;
