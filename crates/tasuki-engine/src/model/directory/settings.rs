//! The settings of a project.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tasuki_packet::canonical;
use tasuki_packet::duration::Duration;
use tasuki_packet::policy::classification::Tier;
use tasuki_packet::violation::suggest;

use crate::limits::{ATTEMPTS_DEFAULT, HOPS_DEFAULT, REMIND_AFTER_DEFAULT, REWORKS_DEFAULT};
use crate::model::Rung;
use crate::refusal::{Refusal, RefusalCode};

/// The settings that an operator can change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch that an operator sets alone")]
pub struct Settings {
    /// `true` if an edge may lack a contract.
    pub allows_edges_without_contract: bool,
    /// `true` if an unknown party is added when a command on the local store first names it.
    pub registers_on_first_use: bool,
    /// `true` if a secret is redacted instead of refused.
    pub redacts_secrets: bool,
    /// The fallback for handoffs whose packet and contract have none.
    pub ladder: Vec<Rung>,
    /// The maximum number of handoffs in a chain.
    pub hops: u32,
    /// The maximum number of expired claims of one receiver.
    pub attempts: u32,
    /// The maximum number of failed returns.
    pub reworks: u32,
    /// The maximum duration of a chain.
    pub chain_time: Option<Duration>,
    /// The maximum number of open handoffs. Omitted if unset, to keep the digest of older settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_handoffs: Option<u64>,
    /// `true` if mail to a person carries a code with which they decide without signing in.
    pub mails_codes: bool,
    /// How long something waits for a person before a digest names it; none is sent if unset.
    pub remind_after: Option<Duration>,
    /// The highest classification whose goal or action messages to people quote; none is quoted if
    /// unset.
    pub quoted_up_to: Option<Tier>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            allows_edges_without_contract: true,
            registers_on_first_use: false,
            redacts_secrets: false,
            ladder: Vec::new(),
            hops: HOPS_DEFAULT,
            attempts: ATTEMPTS_DEFAULT,
            reworks: REWORKS_DEFAULT,
            chain_time: None,
            open_handoffs: None,
            mails_codes: false,
            remind_after: Some(REMIND_AFTER_DEFAULT),
            quoted_up_to: Some(Tier::Internal),
        }
    }
}

impl Settings {
    /// Returns every setting with its value.
    pub fn members(&self) -> Map<String, Value> {
        let Value::Object(mut members) = self.to_value() else { return Map::new() };
        members.entry("open_handoffs").or_insert(Value::Null);
        members
    }

    /// Returns the digest that a leaf commits to.
    pub fn digest(&self) -> String {
        canonical::digest(&self.to_value())
    }

    fn to_value(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Returns the settings with these changes.
    ///
    /// # Errors
    ///
    /// Refuses an unknown setting or an invalid value.
    pub fn with(&self, changes: &Map<String, Value>) -> Result<Self, Refusal> {
        let mut members = self.members();
        for (key, value) in changes {
            let Some(place) = members.get_mut(key) else { return Err(unknown(key, &members)) };
            *place = value.clone();
        }
        serde_json::from_value(Value::Object(members)).map_err(|error| {
            let message = format!("invalid setting value: {error}");
            Refusal::new(RefusalCode::ArgumentInvalid, message)
                .hint("use a JSON value of the setting's type; `null` unsets it")
        })
    }
}

fn unknown(key: &str, members: &Map<String, Value>) -> Refusal {
    let names: Vec<&str> = members.keys().map(String::as_str).collect();
    let near = suggest(key, names.iter().copied());
    let hint = near.map_or_else(
        || format!("use one of `{}`", names.join("`, `")),
        |near| format!("did you mean `{near}`?"),
    );
    let message = format!("unknown setting `{key}`");
    Refusal::new(RefusalCode::ArgumentInvalid, message).hint(hint)
}
