//! Decisions of a person about a handoff: accept, sign off, edit, reject, reroute, intercept.
//!
//! Every decision names the revision and digest that were shown, and is refused if either has
//! changed. Cancelling is in `cancel`.

pub(crate) mod seen_version;

#[cfg(test)]
pub(crate) mod property_tests;

#[cfg(test)]
pub(crate) mod signature_tests;

mod accept;
mod edit;
mod intercept;
mod reject;
mod reroute;
mod sign_off;
mod signer;

#[cfg(test)]
pub(crate) mod testing;

pub use accept::Accept;
pub(crate) use accept::{give_back, not_own};
pub use edit::Edit;
pub(crate) use edit::may_edit;
pub use intercept::Intercept;
pub use reject::Reject;
pub use reroute::Reroute;
pub(crate) use reroute::may_reroute;
pub(crate) use seen_version::shown_digest;
pub use seen_version::{DIGITS_MIN, SeenVersion, check, document, is_digest, unnamed_action};
pub use sign_off::SignOff;
