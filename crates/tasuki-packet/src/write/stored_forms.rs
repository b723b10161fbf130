//! A packet as an exchange stores it and as it is hashed.

use super::compact;
use crate::Members;
use crate::canonical;

/// The two texts of a packet that an exchange needs.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::write::StoredForms;
///
/// let packet = json!({"task_id": "export-7", "goal": "Ship it"});
/// let forms = StoredForms::of(packet.as_object().unwrap());
/// assert_eq!(forms.text, r#"{"task_id":"export-7","goal":"Ship it"}"#);
/// assert_eq!(forms.canonical, br#"{"goal":"Ship it","task_id":"export-7"}"#);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredForms {
    /// The stored text: compact JSON with members in their order.
    pub text: String,
    /// The canonical bytes, which are hashed and signed.
    pub canonical: Vec<u8>,
}

impl StoredForms {
    /// Writes both forms of these members.
    pub fn of(members: &Members) -> Self {
        Self { text: compact(members), canonical: canonical::bytes_of_members(members) }
    }
}
