//! Decisions of a person about a handoff: accept, sign off, edit, reject, reroute, intercept.
//!
//! A decision is refused if the revision, digest or receiver that it names has changed. Accepting
//! and signing off are refused without a revision and a digest. Cancelling is in `cancel`.

pub(crate) mod seen_version;

#[cfg(test)]
pub(crate) mod property_tests;

#[cfg(test)]
pub(crate) mod signature_tests;

mod accept;
mod attention;
mod edit;
mod intercept;
mod reject;
mod reroute;
mod sign_off;
mod signer;

#[cfg(test)]
pub(crate) mod testing;

pub use accept::Accept;
pub(crate) use accept::{Outcome, conclude, not_own};
pub use attention::Attention;
pub use edit::Edit;
pub(crate) use edit::may_edit;
pub use intercept::Intercept;
pub use reject::Reject;
pub use reroute::Reroute;
pub(crate) use reroute::may_reroute;
pub(crate) use seen_version::missing;
pub(crate) use seen_version::shown_digest;
pub use seen_version::{SeenVersion, check, document};
pub use sign_off::SignOff;
