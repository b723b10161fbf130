//! A packet as it is kept and as it is hashed.

use super::compact;
use crate::Members;
use crate::canonical;

/// The two texts of a packet that an exchange needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredForms {
    /// What is kept: JSON without white space, members in their order.
    pub text: String,
    /// What is hashed and signed: the canonical bytes.
    pub canonical: Vec<u8>,
}

impl StoredForms {
    /// Writes these members.
    pub fn of(members: &Members) -> Self {
        Self { text: compact(members), canonical: canonical::bytes_of_members(members) }
    }
}
