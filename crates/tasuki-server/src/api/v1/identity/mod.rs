//! Parties and their credentials: tokens and sessions.

pub(crate) mod mail_codes;
pub(crate) mod parties;
pub(crate) mod sessions;
pub(crate) mod tokens;
pub(crate) mod whoami;
