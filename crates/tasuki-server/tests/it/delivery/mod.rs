//! Deliveries: webhooks, chats, email and notifications of people.

mod chat;
mod email;
mod email_tls;
mod mail_codes;
pub(crate) mod messages;
mod person_notifications;
mod reminders;
mod ssrf;
mod webhook_signatures;
pub(crate) mod webhooks;
