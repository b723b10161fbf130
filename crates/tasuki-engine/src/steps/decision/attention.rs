//! The attention that a person gave to what they decided about.

use serde::Serialize;
use serde_json::{Value, json};
use tasuki_packet::policy::gate::Opened;

/// The time that a person looked, and the parts that they opened.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Attention {
    /// The time the person looked, in seconds.
    pub seconds: Option<u64>,
    /// The opened parts: `packet`, `evidence`.
    pub opened: Vec<String>,
}

impl Attention {
    /// Adds the attention to the document of a decision.
    pub(crate) fn record(&self, document: &mut Value) {
        if let Some(seconds) = self.seconds {
            document["seconds"] = json!(seconds);
        }
        // Other parts could contain secrets, because they are not scanned.
        let parts = self.opened.iter();
        let opened: Vec<&str> =
            parts.filter_map(|part| Some(part.parse::<Opened>().ok()?.as_str())).collect();
        if !opened.is_empty() {
            document["opened"] = json!(opened);
        }
    }
}
