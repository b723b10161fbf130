//! What an operator may set for a project, and changing some of it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tasuki_packet::duration::Duration;
use tasuki_packet::suggest::suggest;

use crate::limits::{ATTEMPTS_DEFAULT, HOPS_DEFAULT, REWORKS_DEFAULT};
use crate::refusal::{Refusal, RefusalCode};
use crate::sheet::Step;

/// What an operator may set for a project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Whether an edge without a contract is allowed.
    pub allows_edges_without_contract: bool,
    /// Whether a party that nobody added is added when it is first named.
    pub registers_on_first_use: bool,
    /// Whether a secret is cut out instead of refused.
    pub redacts_secrets: bool,
    /// The fallback where neither packet nor contract has one.
    pub ladder: Vec<Step>,
    /// How many handoffs a chain may have.
    pub hops: u32,
    /// How many claims of one receiver may lapse.
    pub attempts: u32,
    /// How many returns may fail.
    pub reworks: u32,
    /// How long a chain may take.
    pub chain_time: Option<Duration>,
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
        }
    }
}

impl Settings {
    /// Every setting with its value.
    pub fn members(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(members)) => members,
            _ => Map::new(),
        }
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
                .hint("`tasuki project set --help` has examples")
        })
    }
}

fn unknown(key: &str, members: &Map<String, Value>) -> Refusal {
    let hint = match suggest(key, members.keys().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`tasuki project show` lists the settings".to_owned(),
    };
    let message = format!("there is no setting `{key}`");
    Refusal::new(RefusalCode::ArgumentInvalid, message).hint(hint)
}
