//! The rules document: rules in their order, and the project's own effects of triggers.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::canonical;
use crate::policy::gate::Conditions;
use crate::policy::risk::Risk;
use crate::policy::trigger::{Effect, TriggerKind};
use crate::types::string_enum::string_enum;

/// The rules of a project.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    /// What they are for, for people.
    pub description: Option<String>,
    /// The rules, in their order.
    pub entries: Vec<Rule>,
    /// Effects of triggers that are other than the default in this project.
    pub triggers: BTreeMap<TriggerKind, Effect>,
    /// What all of this was read from.
    pub(super) document: Value,
}

/// One rule: when something holds, something follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Its name, once in the document.
    pub name: String,
    /// What must hold.
    pub when: When,
    /// What follows.
    pub then: RuleEffect,
}

/// What must hold for a rule: all of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct When {
    /// Edge, trigger and classification.
    pub conditions: Conditions,
    /// The least risk.
    pub risk: Option<Risk>,
    /// Words and phrases, of which one must be found, or one of the patterns.
    pub words: Vec<String>,
    /// Regular expressions, of which one must match, or one of the words be found.
    pub patterns: Vec<String>,
}

string_enum! {
    /// What follows from a rule.
    pub enum RuleEffect {
        /// A person must look.
        Hold = "hold",
        /// The topic is sensitive, as if the sender had said so.
        SensitiveTopic = "sensitive_topic",
    }
}

impl Rules {
    /// The digest over the canonical bytes of the document.
    pub fn digest(&self) -> String {
        canonical::digest(&self.document)
    }

    /// The document that the rules were read from.
    pub fn to_value(&self) -> Value {
        self.document.clone()
    }

    /// The effect of a trigger in this project.
    pub fn effect_of(&self, trigger: TriggerKind) -> Effect {
        self.triggers.get(&trigger).copied().unwrap_or_else(|| trigger.default_effect())
    }
}

impl When {
    /// Whether the content of a packet is looked at.
    pub fn looks_inside(&self) -> bool {
        !self.words.is_empty() || !self.patterns.is_empty()
    }
}
