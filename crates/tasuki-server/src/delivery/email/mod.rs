//! Email to people: short, plain, and with a link to where they can act.
//!
//! `smtp` is the client of the mail server that the operator set; `message` has the texts. An email never
//! holds the content of a packet, because others may read it on its way.

mod message;
mod smtp;

use std::path::PathBuf;

pub(crate) use message::{Links, of_event, test, to_person};
pub(crate) use smtp::Mailer;

use crate::delivery::outcome::Outcome;

/// The mail server and how to send through it.
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
    /// The user to sign in as, if any.
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

/// The outcome where no mail server is set.
pub(crate) fn not_configured() -> Outcome {
    Outcome::failed("no mail server is set: `[server.mail]` in tasuki.toml")
}
