//! Finds secrets in a packet before it is stored, so that a policy can refuse or redact it.
//!
//! Every text is scanned, in known and unknown members. There are five recognizers:
//!
//! - `shapes`: the format of a token.
//! - `address`: a password in a URL.
//! - `names`: the name before a value.
//! - `phrases`: sentences and short options of commands.
//! - `entropy`: randomness.
//!
//! `false_positives` lists values that only look like secrets. A finding has the location and the
//! kind, and never contains the secret. The caller's policy decides about a packet with findings.
//!
//! ```
//! use serde_json::json;
//! use tasuki_packet::check::secrets::redact;
//!
//! let mut packet = json!({"context": {"db": "postgres://svc:hunter22@db.internal/app"}});
//! let findings = redact(&mut packet);
//! assert_eq!(findings[0].pointer, "/context/db");
//! assert_eq!(packet["context"]["db"], "postgres://svc:[redacted: password in an address]@db.internal/app");
//! ```

pub(crate) mod false_positives;

pub(crate) mod prefilter;

mod address;
mod allow;
#[cfg(test)]
mod corpus;
mod entropy;
mod hit;
#[cfg(test)]
mod measured;
mod names;
mod phrases;
mod scan;
mod shapes;
pub use allow::Allow;
pub use scan::{SecretFinding, redact, redact_with, scan, scan_members, scan_with};
