//! Sign-offs that are due before a later step, and the steps that an exchange holds back for them.
//!
//! `before` is free text. An exchange enforces it where it takes the step itself: `return` and
//! `pass_on`. It cannot hold back a step that happens elsewhere, such as a deployment.

use serde_json::{Value, json};

use crate::canonical;
use crate::packet::Packet;

/// A sign-off that is due before a later step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueSignOff {
    /// The description.
    pub text: String,
    /// The step before which it is due, as the packet names it.
    pub before: String,
    /// The person or role that signs off.
    pub by: Option<String>,
}

/// A step of the exchange that waits for sign-offs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DueStep {
    /// The return of completed work. Only a holder can ask for a sign-off, so those that are due
    /// before verification are due here too.
    Return,
    /// Passing the work on.
    PassOn,
}

impl DueSignOff {
    /// Returns the sign-offs that are due in a packet.
    ///
    /// ```
    /// use serde_json::json;
    /// use tasuki_packet::Packet;
    /// use tasuki_packet::chain::{DueSignOff, DueStep};
    ///
    /// let packet = json!({"sign_offs_due": [
    ///     {"text": "Legal approves the wording", "before": "Return"},
    ///     {"text": "The owner approves the release", "before": "deployment"},
    /// ]});
    /// let due = DueSignOff::of(&Packet::from_value(packet).unwrap());
    /// assert_eq!(due[0].step(), Some(DueStep::Return));
    /// assert_eq!(due[1].step(), None);
    /// ```
    pub fn of(packet: &Packet) -> Vec<Self> {
        packet.list("sign_offs_due").iter().filter_map(Self::item).collect()
    }

    fn item(item: &Value) -> Option<Self> {
        let text = |name: &str| item.get(name).and_then(Value::as_str).map(str::to_owned);
        Some(Self { text: text("text")?, before: text("before")?, by: text("by") })
    }

    /// Returns the step of the exchange that waits for it, if `before` names one.
    pub fn step(&self) -> Option<DueStep> {
        let word = self.before.trim().to_ascii_lowercase().replace(['-', ' '], "_");
        match word.as_str() {
            "return" | "verify" | "verification" | "done" => Some(DueStep::Return),
            "pass_on" => Some(DueStep::PassOn),
            _ => None,
        }
    }

    /// Returns the digest under which an exchange records it: of what is signed off, and by whom.
    pub fn digest(&self) -> String {
        canonical::digest(&json!([self.text, self.by]))
    }
}
