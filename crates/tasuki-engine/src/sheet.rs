//! The sheet of a packet: what the rules need to know of it, and nothing else.
//!
//! It is read off a valid packet once, in `prepare`; from then on decisions are made without
//! opening the packet again. It is also what lists show of a handoff.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tasuki_packet::Packet;
use tasuki_packet::chain::{Amount, ChainTotals, totals};
use tasuki_packet::duration::Duration;
use tasuki_packet::leaf::{Hash, Regulation, class_of};
use tasuki_packet::trigger::TriggerKind;

use crate::handoff::is_default;
use crate::limits::TITLE_CHARACTERS_MAX;

/// What the rules need to know of a packet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sheet {
    /// The digest over its canonical bytes: what people and doors see.
    pub digest: String,
    /// The salted commitment to the same bytes: what leaves have.
    pub commitment: Hash,
    /// Its goal or, without one, its summary, shortened: what lists show.
    pub title: String,
    /// How certain its sender is.
    #[serde(default, skip_serializing_if = "is_default")]
    pub confidence: Option<f64>,
    /// Why it is handed over.
    #[serde(default, skip_serializing_if = "is_default")]
    pub trigger: Option<String>,
    /// Whether the packet asks for a person.
    #[serde(default, skip_serializing_if = "is_default")]
    pub can_intercept: bool,
    /// Its marking.
    #[serde(default, skip_serializing_if = "is_default")]
    pub classification: Option<String>,
    /// The rules it refers to, as scheme and place.
    #[serde(default, skip_serializing_if = "is_default")]
    pub regulations: Vec<(String, String)>,
    /// Its own deadline.
    #[serde(default, skip_serializing_if = "is_default")]
    pub expires_at: Option<Timestamp>,
    /// Its own fallback.
    #[serde(default, skip_serializing_if = "is_default")]
    pub fallback: Vec<Step>,
    /// Whether it asks for a return.
    #[serde(default, skip_serializing_if = "is_default")]
    pub asks_return: bool,
    /// What the receiver may do in the sender's name; nothing said means nothing limited.
    #[serde(default, skip_serializing_if = "is_default")]
    pub authority: Option<Vec<String>>,
    /// What it has cost by its own word.
    #[serde(default, skip_serializing_if = "is_default")]
    pub cost: ChainTotals,
    /// What the chain may cost by its own word.
    #[serde(default, skip_serializing_if = "is_default")]
    pub budget: Budget,
    /// Rules of the project that demand a person for this packet, by name.
    #[serde(default, skip_serializing_if = "is_default")]
    pub demands: Vec<String>,
    /// Gates that the packet names itself.
    #[serde(default, skip_serializing_if = "is_default")]
    pub gates: Vec<String>,
    /// The size of its JSON text.
    pub bytes: u64,
}

/// What a chain may cost: nothing said means nothing limited.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// By currency, never converted into each other.
    #[serde(default, skip_serializing_if = "is_default")]
    pub amounts: BTreeMap<String, Amount>,
    /// Tokens.
    #[serde(default, skip_serializing_if = "is_default")]
    pub tokens: Option<u64>,
    /// Seconds of work.
    #[serde(default, skip_serializing_if = "is_default")]
    pub seconds: Option<u64>,
}

/// One rung of a fallback, with the destination as it is written; it is looked up when it is used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// How long the rung before may go without progress.
    #[serde(default, skip_serializing_if = "is_default")]
    pub after: Option<Duration>,
    /// Only for this reason.
    #[serde(default, skip_serializing_if = "is_default")]
    pub on: Option<String>,
    /// A party, a role, or `dead_letter`.
    pub to: String,
}

impl Sheet {
    /// Reads the sheet off a valid packet.
    pub fn of(packet: &Packet, digest: String, commitment: Hash, bytes: u64) -> Self {
        Self {
            digest,
            commitment,
            title: title(packet),
            confidence: packet.number("confidence"),
            trigger: TriggerKind::of(packet).map(|kind| kind.as_str().to_owned()),
            can_intercept: packet.get("can_intercept") == Some(&Value::Bool(true)),
            classification: classification(packet).map(str::to_owned),
            regulations: regulations(packet),
            expires_at: packet.text("expires_at").and_then(|text| text.parse().ok()),
            fallback: steps(packet.get("fallback")),
            asks_return: !packet.list("return_required").is_empty(),
            authority: packet.get("authority").and_then(Value::as_array).map(|list| texts(list)),
            cost: totals(&[packet]).unwrap_or_default(),
            budget: budget(packet),
            demands: Vec::new(),
            gates: packet.list("sign_off_gates").iter().filter_map(gate_name).collect(),
            bytes,
        }
    }

    /// The trigger as a kind.
    pub fn trigger_kind(&self) -> Option<TriggerKind> {
        self.trigger.as_deref()?.parse().ok()
    }

    /// The tier word that a leaf may say.
    pub fn class(&self) -> Option<&'static str> {
        self.classification.as_deref().and_then(class_of)
    }

    /// The rules that a leaf names.
    pub fn leaf_regulations(&self) -> Vec<Regulation> {
        let regulation = |(scheme, reference): &(String, String)| Regulation {
            scheme: scheme.clone(),
            reference: reference.clone(),
        };
        self.regulations.iter().map(regulation).filter(Regulation::is_one).take(32).collect()
    }
}

/// The fallback of a packet: a list of rungs, or the one-line form. The last rung is the dead
/// letter, whether it is written or not; that is added where the ladder is climbed.
pub fn steps(fallback: Option<&Value>) -> Vec<Step> {
    match fallback {
        Some(Value::String(line)) => one_line(line).into_iter().collect(),
        Some(Value::Array(rungs)) => rungs.iter().filter_map(step).collect(),
        _ => Vec::new(),
    }
}

fn step(rung: &Value) -> Option<Step> {
    if let Some(line) = rung.as_str() {
        return one_line(line);
    }
    Some(Step {
        after: rung.get("after").and_then(Value::as_str).and_then(|text| text.parse().ok()),
        on: rung.get("on").and_then(Value::as_str).map(str::to_owned),
        to: rung.get("to")?.as_str()?.to_owned(),
    })
}

/// `escalate_to_oncall_if_not_progressed_within_300s`.
fn one_line(line: &str) -> Option<Step> {
    let (to, after) =
        line.strip_prefix("escalate_to_")?.rsplit_once("_if_not_progressed_within_")?;
    Some(Step { after: after.parse().ok(), on: Some("no_progress".to_owned()), to: to.to_owned() })
}

fn title(packet: &Packet) -> String {
    let text = packet.text("goal").or_else(|| packet.summary());
    let line = text.or_else(|| packet.text("next_request")).unwrap_or_default().lines().next();
    let line = line.unwrap_or_default().trim();
    if line.chars().count() <= TITLE_CHARACTERS_MAX {
        return line.to_owned();
    }
    line.chars().take(TITLE_CHARACTERS_MAX - 1).chain(['…']).collect()
}

fn classification(packet: &Packet) -> Option<&str> {
    let stated = packet.get("classification")?;
    stated.as_str().or_else(|| stated.get("tier")?.as_str())
}

fn regulations(packet: &Packet) -> Vec<(String, String)> {
    let one = |value: &Value| match value {
        Value::String(text) => {
            let (scheme, reference) = text.split_once([':', ' ']).unwrap_or((text, "-"));
            Some((scheme.to_owned(), reference.trim().to_owned()))
        }
        _ => Some((
            value.get("scheme")?.as_str()?.to_owned(),
            value.get("ref")?.as_str()?.to_owned(),
        )),
    };
    packet.list("regulation_refs").iter().filter_map(one).collect()
}

fn budget(packet: &Packet) -> Budget {
    let Some(stated) = packet.object("budget") else { return Budget::default() };
    let text = |name: &str| stated.get(name).and_then(Value::as_str);
    let amount = text("amount").and_then(|amount| Amount::parse(amount).ok());
    let number = |name: &str| stated.get(name).and_then(Value::as_u64);
    Budget {
        amounts: text("currency").map(str::to_owned).zip(amount).into_iter().collect(),
        tokens: number("tokens"),
        seconds: number("seconds"),
    }
}

fn gate_name(value: &Value) -> Option<String> {
    value.as_str().or_else(|| value.get("gate")?.as_str()).map(str::to_owned)
}

fn texts(list: &[Value]) -> Vec<String> {
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}
