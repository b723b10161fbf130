//! What an operator may set for a project, and changing some of it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tasuki_packet::canonical;
use tasuki_packet::duration::Duration;
use tasuki_packet::violation::suggest;

use crate::limits::{ATTEMPTS_DEFAULT, HOPS_DEFAULT, REWORKS_DEFAULT};
use crate::model::Rung;
use crate::refusal::{Refusal, RefusalCode};

/// What an operator may set for a project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Whether an edge without a contract is allowed.
    pub allows_edges_without_contract: bool,
    /// Whether a party that nobody added is added when a command on the local store first names it.
    pub registers_on_first_use: bool,
    /// Whether a secret is cut out instead of refused.
    pub redacts_secrets: bool,
    /// The fallback where neither packet nor contract has one.
    pub ladder: Vec<Rung>,
    /// How many handoffs a chain may have.
    pub hops: u32,
    /// How many claims of one receiver may lapse.
    pub attempts: u32,
    /// How many returns may fail.
    pub reworks: u32,
    /// How long a chain may take.
    pub chain_time: Option<Duration>,
    /// How many handoffs may be open at once. Left out where nobody set it, so that the digest of
    /// settings from before is the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_handoffs: Option<u64>,
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
        }
    }
}

impl Settings {
    /// Every setting with its value.
    pub fn members(&self) -> Map<String, Value> {
        let Value::Object(mut members) = self.to_value() else { return Map::new() };
        members.entry("open_handoffs").or_insert(Value::Null);
        members
    }

    /// What a leaf commits to.
    pub fn digest(&self) -> String {
        canonical::digest(&self.to_value())
    }

    fn to_value(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// The same with these changes.
    ///
    /// # Errors
    ///
    /// If there is no such setting, or it cannot have such a value.
    pub fn with(&self, changes: &Map<String, Value>) -> Result<Self, Refusal> {
        let mut members = self.members();
        for (key, value) in changes {
            let Some(place) = members.get_mut(key) else { return Err(unknown(key, &members)) };
            *place = value.clone();
        }
        serde_json::from_value(Value::Object(members)).map_err(|error| {
            let message = format!("that is no value for it: {error}");
            Refusal::new(RefusalCode::ArgumentInvalid, message)
                .hint("a value is JSON of the kind that the setting has; `null` unsets one")
        })
    }
}

fn unknown(key: &str, members: &Map<String, Value>) -> Refusal {
    let names: Vec<&str> = members.keys().map(String::as_str).collect();
    let near = suggest(key, names.iter().copied());
    let hint = near.map_or_else(
        || format!("the settings are {}", names.join(", ")),
        |near| format!("did you mean `{near}`?"),
    );
    let message = format!("there is no setting `{key}`");
    Refusal::new(RefusalCode::ArgumentInvalid, message).hint(hint)
}
