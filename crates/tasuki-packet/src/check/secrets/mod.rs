//! Secrets in a packet: found before anything is written, then refused or redacted by policy.
//!
//! Every text is looked at, known member or not. Four ways to be found: the shape of a token
//! (`shapes`), a password in an address (`address`), the name in front of a value (`names`), and
//! randomness alone (`entropy`). What merely looks like a secret is listed in `false_positives`.
//! A finding says where and what kind, and never carries the secret.
//!
//! Not here: what happens to a packet with a finding; a policy above this crate decides that.

pub(crate) mod false_positives;

pub(crate) mod prefilter;

mod address;
mod allow;
#[cfg(test)]
mod corpus;
mod entropy;
mod hit;
mod names;
mod scan;
mod shapes;
pub use allow::Allow;
pub use scan::{SecretFinding, redact, redact_with, scan, scan_members, scan_with};
