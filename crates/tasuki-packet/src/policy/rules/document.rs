//! The rules document: ordered rules, and the project's overrides of trigger effects.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::canonical;
use crate::policy::decide::Decide;
use crate::policy::gate::Conditions;
use crate::policy::risk::Risk;
use crate::policy::trigger::{Effect, TriggerKind};
use crate::types::string_enum::string_enum;

/// The rules of a project.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    /// A description for people.
    pub description: Option<String>,
    /// The rules, in document order.
    pub entries: Vec<Rule>,
    /// The trigger effects that differ from the default in this project.
    pub triggers: BTreeMap<TriggerKind, Effect>,
    pub(super) document: Value,
}

/// One rule: a condition, and its effect, the variant that it chooses, or both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The name, unique within the document.
    pub name: String,
    /// The condition.
    pub when: When,
    /// The effect.
    pub then: Option<RuleEffect>,
    /// The built-in variant that packets must satisfy in addition to their own.
    pub variant: Option<String>,
    /// The people who decide about a hold by this rule.
    pub decide: Option<Decide>,
}

/// The condition of a rule. All of its parts must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct When {
    /// Conditions on edge, trigger and classification.
    pub conditions: Conditions,
    /// The minimum risk.
    pub risk: Option<Risk>,
    /// Words and phrases. One of them must occur, or one of the patterns must match.
    pub words: Vec<String>,
    /// Regular expressions. One of them must match, or one of the words must occur.
    pub patterns: Vec<String>,
}

string_enum! {
    /// The effect of a rule.
    pub enum RuleEffect {
        /// Holds the handoff for a person.
        Hold = "hold",
        /// Treats the topic as sensitive, as if the sender had marked it.
        SensitiveTopic = "sensitive_topic",
    }
}

impl Rules {
    /// Returns the digest of the canonical bytes of the document.
    pub fn digest(&self) -> String {
        canonical::digest(&self.document)
    }

    /// Returns the document that the rules were read from.
    pub fn to_value(&self) -> Value {
        self.document.clone()
    }

    /// Returns the effect of a trigger in this project.
    pub fn effect_of(&self, trigger: TriggerKind) -> Effect {
        self.triggers.get(&trigger).copied().unwrap_or_else(|| trigger.default_effect())
    }
}

impl When {
    /// Returns `true` if the rule examines the content of the packet.
    pub fn looks_inside(&self) -> bool {
        !self.words.is_empty() || !self.patterns.is_empty()
    }
}
