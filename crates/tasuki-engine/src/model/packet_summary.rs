//! The parts of a packet that the rules need.
//!
//! `prepare` extracts the summary once. Decisions and lists use it without opening the packet.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tasuki_packet::Packet;
use tasuki_packet::chain::continuation::StepKeys;
use tasuki_packet::chain::{Amount, ChainTotals, totals};
use tasuki_packet::duration::Duration;
use tasuki_packet::leaf::{Hash, Regulation, class_of};
use tasuki_packet::policy::gate;
use tasuki_packet::policy::trigger::TriggerKind;
use tasuki_packet::schema::field::Format;

use crate::limits::TITLE_CHARACTERS_MAX;
use crate::model::handoff::is_default;
use crate::model::serde_time;

/// The parts of a packet that the rules need.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PacketSummary {
    /// The digest of its canonical bytes, shown to people.
    pub digest: String,
    /// The salted commitment to the same bytes, used in leaves.
    pub commitment: Hash,
    /// The shortened goal, or the summary if there is no goal, as lists show it.
    pub title: String,
    /// The confidence of its sender.
    #[serde(default, skip_serializing_if = "is_default")]
    pub confidence: Option<f64>,
    /// The reason of the handover.
    #[serde(default, skip_serializing_if = "is_default")]
    pub trigger: Option<String>,
    /// `true` if the packet asks for a person.
    #[serde(default, skip_serializing_if = "is_default")]
    pub can_intercept: bool,
    /// Its classification.
    #[serde(default, skip_serializing_if = "is_default")]
    pub classification: Option<String>,
    /// The regulations it refers to, as scheme and reference.
    #[serde(default, skip_serializing_if = "is_default")]
    pub regulations: Vec<(String, String)>,
    /// Its own deadline.
    #[serde(default, skip_serializing_if = "is_default", with = "serde_time::option")]
    pub expires_at: Option<Timestamp>,
    /// Its own fallback.
    #[serde(default, skip_serializing_if = "is_default")]
    pub fallback: Vec<Rung>,
    /// `true` if it asks for a return.
    #[serde(default, skip_serializing_if = "is_default")]
    pub asks_return: bool,
    /// The actions that the receiver may take on behalf of the sender; `None` means unlimited. A
    /// packet that passes work on and states none inherits its parent's.
    #[serde(default, skip_serializing_if = "is_default")]
    pub authority: Option<Vec<String>>,
    /// Its stated cost.
    #[serde(default, skip_serializing_if = "is_default")]
    pub cost: ChainTotals,
    /// Its stated budget for the chain.
    #[serde(default, skip_serializing_if = "is_default")]
    pub budget: Budget,
    /// The names of project rules that require a person for this packet.
    #[serde(default, skip_serializing_if = "is_default")]
    pub demands: Vec<String>,
    /// The names of project rules whose words or patterns occur in the packet, regardless of their
    /// other conditions. On another edge they may require a person too.
    #[serde(default, skip_serializing_if = "is_default")]
    pub found: Vec<String>,
    /// Gates that the packet itself names.
    #[serde(default, skip_serializing_if = "is_default")]
    pub gates: Vec<String>,
    /// Its steps, unless there are too many to store.
    #[serde(default, skip_serializing_if = "is_default")]
    pub steps: Option<StepKeys>,
    /// The size of its JSON text in bytes.
    pub bytes: u64,
    /// Its W3C trace context, used in logs.
    #[serde(default, skip_serializing_if = "is_default")]
    pub trace: Option<String>,
}

/// The maximum cost of a chain; an absent limit means unlimited.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Amounts by currency, never converted.
    #[serde(default, skip_serializing_if = "is_default")]
    pub amounts: BTreeMap<String, Amount>,
    /// LLM tokens.
    #[serde(default, skip_serializing_if = "is_default")]
    pub tokens: Option<u64>,
    /// Seconds of work.
    #[serde(default, skip_serializing_if = "is_default")]
    pub seconds: Option<u64>,
}

/// A rung of a fallback. Its destination is resolved when the rung is used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rung {
    /// How long the previous rung may go without progress.
    #[serde(default, skip_serializing_if = "is_default")]
    pub after: Option<Duration>,
    /// The only reason for which it is used.
    #[serde(default, skip_serializing_if = "is_default")]
    pub on: Option<String>,
    /// A party, a role, or `dead_letter`.
    pub to: String,
}

impl PacketSummary {
    /// Extracts the summary of a valid packet.
    pub fn of(packet: &Packet, digest: String, commitment: Hash, bytes: u64) -> Self {
        Self {
            digest,
            commitment,
            title: title(packet),
            confidence: packet.number("confidence"),
            trigger: TriggerKind::of(packet).map(|kind| kind.as_str().to_owned()),
            can_intercept: packet.get("can_intercept") == Some(&Value::Bool(true)),
            classification: gate::classification(packet).map(str::to_owned),
            regulations: regulations(packet),
            expires_at: packet.text("expires_at").and_then(|text| text.parse().ok()),
            fallback: steps(packet.get("fallback")),
            asks_return: asks_return(packet),
            authority: authority(packet),
            cost: totals(&[packet]).unwrap_or_default(),
            budget: budget(packet),
            demands: Vec::new(),
            found: Vec::new(),
            gates: gate::sign_off_gates(packet).into_iter().map(str::to_owned).collect(),
            steps: StepKeys::of(packet),
            bytes,
            trace: trace(packet),
        }
    }

    /// Returns the trigger kind.
    pub fn trigger_kind(&self) -> Option<TriggerKind> {
        self.trigger.as_deref()?.parse().ok()
    }

    /// Returns the classification tier for leaves.
    pub fn class(&self) -> Option<&'static str> {
        self.classification.as_deref().and_then(class_of)
    }

    /// Returns the regulations for leaves.
    pub fn leaf_regulations(&self) -> Vec<Regulation> {
        let regulation = |(scheme, reference): &(String, String)| {
            // A regulation stated as one text combines scheme and reference; a leaf needs both.
            let (scheme, reference) = match reference.as_str() {
                "" => scheme.split_once([':', ' ']).unwrap_or((scheme, "-")),
                reference => (scheme.as_str(), reference),
            };
            Regulation { scheme: scheme.to_owned(), reference: reference.trim().to_owned() }
        };
        self.regulations.iter().map(regulation).filter(Regulation::is_one).take(32).collect()
    }
}

/// Returns the fallback of a packet, given as a list of rungs or in the one-line form. The final
/// dead letter is implicit and added when the ladder is used.
pub fn steps(fallback: Option<&Value>) -> Vec<Rung> {
    match fallback {
        Some(Value::String(line)) => one_line(line).into_iter().collect(),
        Some(Value::Array(rungs)) => rungs.iter().filter_map(step).collect(),
        _ => Vec::new(),
    }
}

fn step(rung: &Value) -> Option<Rung> {
    if let Some(line) = rung.as_str() {
        return one_line(line);
    }
    Some(Rung {
        after: rung.get("after").and_then(Value::as_str).and_then(|text| text.parse().ok()),
        on: rung.get("on").and_then(Value::as_str).map(str::to_owned),
        to: rung.get("to")?.as_str()?.to_owned(),
    })
}

/// Parses `escalate_to_oncall_if_not_progressed_within_300s`.
fn one_line(line: &str) -> Option<Rung> {
    let (to, after) =
        line.strip_prefix("escalate_to_")?.rsplit_once("_if_not_progressed_within_")?;
    Some(Rung { after: after.parse().ok(), on: Some("no_progress".to_owned()), to: to.to_owned() })
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

fn regulations(packet: &Packet) -> Vec<(String, String)> {
    let stated = gate::regulations(packet).into_iter();
    stated.map(|(scheme, place)| (scheme.to_owned(), place.to_owned())).collect()
}

/// A packet with acceptance criteria asks for a return as well.
fn asks_return(packet: &Packet) -> bool {
    ["return_required", "acceptance"].iter().any(|name| !packet.list(name).is_empty())
}

fn authority(packet: &Packet) -> Option<Vec<String>> {
    let is_stated = packet.get("authority").is_some_and(|stated| !stated.is_null());
    is_stated.then(|| packet.items("authority").map(|item| item.text.to_owned()).collect())
}

fn trace(packet: &Packet) -> Option<String> {
    let stated = packet.object("trace")?.get("traceparent")?.as_str()?;
    Format::Traceparent.holds(stated).then(|| stated.to_owned())
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn summary(packet: Value) -> PacketSummary {
        let packet = Packet::from_value(packet).unwrap();
        PacketSummary::of(&packet, String::new(), Hash::ZERO, 0)
    }

    #[test]
    fn a_title_is_the_first_line_of_the_goal_or_summary() {
        for (packet, title) in [
            (json!({"goal": " Ship it\nsoon", "summary": "s"}), "Ship it"),
            (json!({"summary": "s", "next_request": "n"}), "s"),
            (json!({"handoff_summary": "h"}), "h"),
            (json!({"next_request": "n"}), "n"),
            (json!({}), ""),
        ] {
            assert_eq!(summary(packet).title, title);
        }
        let long = summary(json!({"goal": "é".repeat(500)})).title;
        assert_eq!(long.chars().count(), TITLE_CHARACTERS_MAX);
        assert!(long.ends_with('…'));
    }

    #[test]
    fn a_trace_context_is_read_from_the_packet_itself_only() {
        const TRACE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        let of = |packet: Value| summary(packet).trace;
        let trace = json!({"traceparent": TRACE});
        assert_eq!(of(json!({"goal": "g", "trace": trace})).as_deref(), Some(TRACE));
        assert_eq!(of(json!({"goal": "g", "payload": {"trace": trace}})), None);
        assert_eq!(of(json!({"trace": {"traceparent": "a text of the packet"}})), None);
        assert_eq!(of(json!({"goal": "g"})), None);
    }

    #[test]
    fn authority_is_read_in_both_forms_and_an_empty_list_is_a_statement() {
        let stated =
            json!({"authority": ["write:src/*", {"text": "deploy:staging", "pinned": true}]});
        let both = vec!["write:src/*".to_owned(), "deploy:staging".to_owned()];
        assert_eq!(summary(stated).authority, Some(both));
        assert_eq!(summary(json!({"authority": []})).authority, Some(Vec::new()));
        assert_eq!(summary(json!({"authority": null})).authority, None);
        assert_eq!(summary(json!({})).authority, None);
    }

    #[test]
    fn required_fields_or_acceptance_criteria_ask_for_a_return() {
        assert!(summary(json!({"return_required": ["status"]})).asks_return);
        assert!(summary(json!({"acceptance": ["tests pass"]})).asks_return);
        assert!(!summary(json!({"return_required": [], "acceptance": []})).asks_return);
        assert!(!summary(json!({})).asks_return);
    }

    #[test]
    fn a_fallback_is_a_list_of_rungs_or_one_line() {
        let of = |fallback: Value| {
            let steps = summary(json!({ "fallback": fallback })).fallback;
            let after = |step: &Rung| step.after.map_or("-".to_owned(), |after| after.to_string());
            let step = |step: &Rung| {
                format!("{} {} {}", step.to, after(step), step.on.as_deref().unwrap_or("-"))
            };
            steps.iter().map(step).collect::<Vec<_>>().join("; ")
        };
        let rungs = json!([{"to": "role:oncall", "after": "300s", "on": "no_progress"}, {"to": "dead_letter"}]);
        assert_eq!(of(rungs), "role:oncall 5m no_progress; dead_letter - -");
        let line = "escalate_to_on_call_if_not_progressed_within_5m";
        assert_eq!(of(json!(line)), "on_call 5m no_progress");
        assert_eq!(of(json!([line])), "on_call 5m no_progress");
        assert_eq!(of(json!("whenever")), "");
    }

    #[test]
    fn labels_are_read_as_gates_read_them_and_a_leaf_has_only_words() {
        let read = summary(json!({
            "classification": {"tier": "official", "sensitive": true},
            "regulation_refs": [
                "UK-DCB0129:4.2", "GDPR", {"scheme": "UK-DCB0160", "ref": "1"},
                {"scheme": "names of people", "ref": "no"},
            ],
            "sign_off_gates": ["release", {"gate": "law", "role": "role:counsel"}],
        }));
        assert_eq!(read.classification.as_deref(), Some("OFFICIAL-SENSITIVE"));
        assert_eq!(read.gates, ["release", "law"]);
        assert_eq!(read.regulations[1], ("GDPR".to_owned(), String::new()));
        let leaf: Vec<String> = read
            .leaf_regulations()
            .iter()
            .map(|one| format!("{} {}", one.scheme, one.reference))
            .collect();
        assert_eq!(leaf, ["UK-DCB0129 4.2", "GDPR -", "UK-DCB0160 1"]);
    }

    #[test]
    fn cost_and_budget_are_read_per_currency() {
        let read = summary(json!({
            "cost": {"amount": "0.45", "currency": "USD", "tokens": 10, "seconds": 3},
            "budget": {"amount": "5.00", "currency": "EUR", "tokens": 99},
        }));
        assert_eq!(read.cost.amounts["USD"].to_string(), "0.45");
        assert_eq!((read.cost.tokens, read.cost.seconds), (10, 3));
        assert_eq!(read.budget.amounts["EUR"].to_string(), "5.00");
        assert_eq!((read.budget.tokens, read.budget.seconds), (Some(99), None));
    }

    #[test]
    fn a_summary_is_stored_without_absent_members() {
        let read = summary(json!({"goal": "g", "can_intercept": true, "confidence": 0.5}));
        let stored = serde_json::to_value(&read).unwrap();
        let names: Vec<&String> = stored.as_object().unwrap().keys().collect();
        assert_eq!(
            names,
            ["digest", "commitment", "title", "confidence", "can_intercept", "steps", "bytes"]
        );
        assert_eq!(serde_json::from_value::<PacketSummary>(stored).unwrap(), read);
    }
}
