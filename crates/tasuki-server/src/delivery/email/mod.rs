//! Email to people: short plain text with a link to where they can act.
//!
//! `smtp` is the client of the configured mail server; `message` is the form of an email. Its
//! content is a [`Notice`](super::notice::Notice).

mod message;
mod smtp;

use std::path::PathBuf;

pub(crate) use smtp::Mailer;

use crate::delivery::outcome::Outcome;

/// The connection to a mail server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailSettings {
    /// The host name of the mail server.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The sender address.
    pub from: String,
    /// The encryption of the connection.
    pub tls: MailTls,
    /// The user to log in as, if any.
    pub user: Option<String>,
    /// The file that contains the password.
    pub password_file: Option<PathBuf>,
}

/// The encryption of a connection to a mail server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MailTls {
    /// TLS from the first byte, as on port 465.
    Implicit,
    /// TLS after `STARTTLS`; nothing is sent if the server refuses it.
    #[default]
    Start,
    /// No encryption, for a mail server on this machine.
    None,
}

/// Returns the outcome of an email without a mail server.
pub(crate) fn not_configured() -> Outcome {
    Outcome::failed("no mail server is configured; set `[server.mail]` in tasuki.toml")
}
