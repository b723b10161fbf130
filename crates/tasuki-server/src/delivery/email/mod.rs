//! Messages to people: short, plain, and with a link to where they can do something about it.
//!
//! `smtp.rs` speaks to the mail server that an operator named; `message.rs` writes. A message never
//! holds what is in a packet, because mail is read by others on its way.

mod message;
mod smtp;

use std::path::PathBuf;

pub(crate) use message::{Links, of_event, test, to_person};
pub(crate) use smtp::Mailer;

use crate::delivery::outcome::Outcome;

/// How mail is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailSettings {
    /// The mail server.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// Who messages are from.
    pub from: String,
    /// How the connection is encrypted.
    pub tls: MailTls,
    /// Who signs in there, if anybody does.
    pub user: Option<String>,
    /// The file with the password.
    pub password_file: Option<PathBuf>,
}

/// How a connection to a mail server is encrypted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MailTls {
    /// From the first byte, as on port 465.
    Implicit,
    /// After `STARTTLS`, without which nothing is sent.
    #[default]
    Start,
    /// Not at all: for a mail server on this machine.
    None,
}

/// Nobody has said how mail is sent.
pub(crate) fn unset() -> Outcome {
    Outcome::failed("no mail server is set: `[server.mail]` in tasuki.toml")
}
