//! Compiled rules: words in one table, patterns as regular expressions, one pass over the packet.
//!
//! The search in a packet is separate from the conditions on edge, trigger, classification and
//! risk. Those may change during a handoff, and the packet is not read again. Each rule stops at
//! its first match. Patterns match in linear time, because the texts come from other parties.

use regex::{Regex, RegexBuilder};
use serde_json::Value;

use super::document::{Rule, RuleEffect, Rules};
use super::words::{Cut, Words};
use crate::policy::gate::GateContext;
use crate::policy::risk::Risk;
use crate::schema::field;
use crate::violation::shorten;
use crate::{Code, Members, Packet, Violation};

/// Rules that are ready to be evaluated against packets.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::Packet;
/// use tasuki_packet::policy::rules::Rules;
///
/// let rules = Rules::read(&json!({"rules": [
///     {"name": "money", "when": {"words": ["wire transfer"]}, "then": "hold"},
/// ]}))
/// .unwrap();
/// let packet = Packet::from_value(json!({"goal": "Send the wire-transfer"})).unwrap();
/// assert_eq!(rules.compile().unwrap().found_in(&packet), ["money"]);
/// ```
#[derive(Debug, Clone)]
pub struct CompiledRules {
    rules: Vec<CompiledRule>,
    words: Words,
}

#[derive(Debug, Clone)]
struct CompiledRule {
    rule: Rule,
    patterns: Vec<Regex>,
}

/// A rule that applies to a handoff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleMatch {
    /// The name of the rule.
    pub rule: String,
    /// The effect of the rule.
    pub effect: RuleEffect,
}

/// A variant that a rule requires of a handoff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleVariant {
    /// The name of the rule.
    pub rule: String,
    /// The name of the built-in variant.
    pub variant: String,
}

/// The progress of one rule during the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SearchState {
    Out,
    Looking,
    Found,
}

/// LIMIT: bytes of one compiled pattern. This and the text bound the time of a match.
const PATTERN_BYTES_MAX: usize = 1 << 18;

/// Members whose keys are chosen by the sender, not defined by the format.
const OWN_NAMES: [&str; 3] = ["context", "extensions", "payload"];

impl Rules {
    /// Compiles patterns and words.
    ///
    /// # Errors
    ///
    /// Returns a violation for each unusable pattern. Rules returned by [`Rules::read`] have none.
    pub fn compile(&self) -> Result<CompiledRules, Vec<Violation>> {
        let mut found = Vec::new();
        let mut words = Words::default();
        let mut rules = Vec::with_capacity(self.entries.len());
        for (index, rule) in self.entries.iter().enumerate() {
            rule.when.words.iter().for_each(|word| words.insert(word, index));
            let mut patterns = Vec::with_capacity(rule.when.patterns.len());
            for (at, written) in rule.when.patterns.iter().enumerate() {
                let place = format!("/rules/{index}/when/patterns/{at}");
                match pattern(written, &place) {
                    Ok(pattern) => patterns.push(pattern),
                    Err(violation) => found.push(violation),
                }
            }
            rules.push(CompiledRule { rule: rule.clone(), patterns });
        }
        if found.is_empty() { Ok(CompiledRules { rules, words }) } else { Err(found) }
    }
}

impl CompiledRules {
    /// Returns the rules with an effect that apply to a handoff, in document order.
    ///
    /// `is_member` is called with a party and a role, including the `role:` prefix.
    pub fn demands(
        &self,
        packet: &Packet,
        context: &GateContext<'_>,
        risk: Risk,
        is_member: &dyn Fn(&str, &str) -> bool,
    ) -> Vec<RuleMatch> {
        self.demands_of(&self.found_in(packet), context, risk, is_member)
    }

    /// Returns the names of the rules whose words or patterns occur in the packet. Other conditions
    /// are ignored.
    pub fn found_in(&self, packet: &Packet) -> Vec<String> {
        self.found(|search| search.packet(packet.members()))
    }

    /// Returns the names of the rules whose words or patterns occur in a value, such as an action
    /// that waits for approval. Its keys are searched too.
    pub fn found_in_value(&self, value: &Value) -> Vec<String> {
        self.found(|search| search.value(value, true))
    }

    fn found(&self, look: impl FnOnce(&mut Search<'_>)) -> Vec<String> {
        let outset = |compiled: &CompiledRule| {
            if compiled.rule.when.looks_inside() { SearchState::Looking } else { SearchState::Out }
        };
        let standing: Vec<SearchState> = self.rules.iter().map(outset).collect();
        let mut search = Search { rules: self, standing, cut: Cut::default() };
        look(&mut search);
        let found = search.standing.iter().zip(&self.rules);
        let found = found.filter(|(standing, _)| **standing == SearchState::Found);
        found.map(|(_, compiled)| compiled.rule.name.clone()).collect()
    }

    /// Returns the rules with an effect that apply to a handoff, given the result of
    /// [`found_in`](Self::found_in) for its packet.
    pub fn demands_of(
        &self,
        found: &[String],
        context: &GateContext<'_>,
        risk: Risk,
        is_member: &dyn Fn(&str, &str) -> bool,
    ) -> Vec<RuleMatch> {
        let applying = self.applying(found, context, risk, is_member);
        let demand = |rule: &Rule| Some(RuleMatch { rule: rule.name.clone(), effect: rule.then? });
        applying.filter_map(demand).collect()
    }

    /// Returns the variants that the rules require of a handoff, in document order, given the
    /// result of [`found_in`](Self::found_in) for its packet.
    pub fn variants_of(
        &self,
        found: &[String],
        context: &GateContext<'_>,
        risk: Risk,
        is_member: &dyn Fn(&str, &str) -> bool,
    ) -> Vec<RuleVariant> {
        let applying = self.applying(found, context, risk, is_member);
        let chosen = |rule: &Rule| {
            let variant = rule.variant.clone()?;
            Some(RuleVariant { rule: rule.name.clone(), variant })
        };
        applying.filter_map(chosen).collect()
    }

    fn applying<'r>(
        &'r self,
        found: &'r [String],
        context: &'r GateContext<'_>,
        risk: Risk,
        is_member: &'r dyn Fn(&str, &str) -> bool,
    ) -> impl Iterator<Item = &'r Rule> {
        let applies = move |rule: &&Rule| {
            let when = &rule.when;
            when.risk.is_none_or(|least| risk >= least)
                && (!when.looks_inside() || found.contains(&rule.name))
                && when.conditions.hold(context, is_member)
        };
        self.rules.iter().map(|compiled| &compiled.rule).filter(applies)
    }
}

struct Search<'r> {
    rules: &'r CompiledRules,
    standing: Vec<SearchState>,
    cut: Cut,
}

impl Search<'_> {
    fn packet(&mut self, members: &Members) {
        for (name, value) in members {
            let is_known = field::index_of(name).is_some();
            if !is_known {
                self.text(name);
            }
            let has_own_names = !is_known || OWN_NAMES.contains(&name.as_str());
            self.value(value, has_own_names);
        }
    }

    fn value(&mut self, value: &Value, has_own_names: bool) {
        if !self.standing.contains(&SearchState::Looking) {
            return;
        }
        match value {
            Value::String(text) => self.text(text),
            // Account numbers match whether they are written as text or as a number.
            Value::Number(number) => self.text(&number.to_string()),
            Value::Array(items) => items.iter().for_each(|item| self.value(item, has_own_names)),
            Value::Object(members) => {
                for (name, member) in members {
                    if has_own_names {
                        self.text(name);
                    }
                    self.value(member, has_own_names);
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn text(&mut self, text: &str) {
        let Self { rules, standing, cut } = self;
        rules.words.find(text, cut, |rule| {
            if standing[rule] == SearchState::Looking {
                standing[rule] = SearchState::Found;
            }
        });
        for (standing, compiled) in standing.iter_mut().zip(&rules.rules) {
            let is_looking = *standing == SearchState::Looking;
            if is_looking && compiled.patterns.iter().any(|pattern| pattern.is_match(text)) {
                *standing = SearchState::Found;
            }
        }
    }
}

pub(super) fn pattern(written: &str, place: &str) -> Result<Regex, Violation> {
    let refuse = |message: String, hint: &str| {
        let violation = Violation::new(Code::PatternInvalid, place, message);
        violation.found(shorten::text(written)).hint(hint)
    };
    let compiled = RegexBuilder::new(written)
        .size_limit(PATTERN_BYTES_MAX)
        .dfa_size_limit(PATTERN_BYTES_MAX)
        .build()
        .map_err(|error| {
            let (reason, hint) = reason(&error);
            refuse(format!("invalid pattern: {reason}"), hint)
        })?;
    if compiled.is_match("") {
        let message = "the pattern matches the empty text, so it would match everywhere";
        return Err(refuse(message.to_owned(), "require at least one character"));
    }
    Ok(compiled)
}

/// Returns the reason why a pattern is invalid, and a hint.
fn reason(error: &regex::Error) -> (String, &'static str) {
    if let regex::Error::CompiledTooBig(limit) = error {
        let reason = format!("its compiled form exceeds {limit} bytes");
        return (
            reason,
            r"use fewer repetitions, or `[a-z0-9]` instead of `\w`, which matches letters of any script",
        );
    }
    // The library draws the pattern and gives the reason in its last line.
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default().trim();
    let reason = last.strip_prefix("error: ").unwrap_or(last).to_owned();
    (reason, "use a regular expression without look-around and backreferences")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOTHING: GateContext<'static> = GateContext {
        classification: None,
        regulations: &[],
        trigger: None,
        from: "coder",
        to: "role:reviewer",
    };

    fn compiled(when: &Value) -> CompiledRules {
        let document = json!({"rules": [{"name": "r", "when": when, "then": "hold"}]});
        Rules::read(&document).unwrap().compile().unwrap()
    }

    fn applies(when: &Value, packet: &Value, context: &GateContext<'_>, risk: Risk) -> bool {
        let packet = Packet::from_value(packet.clone()).unwrap();
        let is_member = |party: &str, role: &str| (party, role) == ("ana", "role:reviewer");
        !compiled(when).demands(&packet, context, risk, &is_member).is_empty()
    }

    #[track_caller]
    fn check(when: &Value, packet: &Value, expected: bool) {
        assert_eq!(applies(when, packet, &NOTHING, Risk::Low), expected, "{when} {packet}");
    }

    #[test]
    fn a_rule_looks_at_edge_trigger_classification_and_risk() {
        let check = |when: Value, context: GateContext<'_>, risk, expected| {
            assert_eq!(applies(&when, &json!({}), &context, risk), expected, "{when}");
        };
        let edge = json!({"edge": [{"from": "coder", "to": "role:reviewer"}]});
        check(edge.clone(), NOTHING, Risk::Low, true);
        check(edge.clone(), GateContext { to: "ana", ..NOTHING }, Risk::Low, true);
        check(edge, GateContext { from: "ana", ..NOTHING }, Risk::Low, false);
        let stuck = GateContext { trigger: Some("stuck"), ..NOTHING };
        check(json!({"trigger": ["stuck"]}), stuck, Risk::Low, true);
        check(json!({"trigger": ["error"]}), stuck, Risk::Low, false);
        let secret = GateContext { classification: Some("SECRET"), ..NOTHING };
        check(json!({"classification": ["SECRET"]}), secret, Risk::Low, true);
        check(json!({"classification": ["SECRET"]}), NOTHING, Risk::Low, false);
        check(json!({"risk": "medium"}), NOTHING, Risk::Low, false);
        check(json!({"risk": "medium"}), NOTHING, Risk::Medium, true);
        check(json!({"risk": "medium"}), NOTHING, Risk::High, true);
        check(json!({"risk": "medium", "trigger": ["stuck"]}), stuck, Risk::Low, false);
    }

    #[test]
    fn words_are_found_in_every_text() {
        let when = json!({"words": ["refund", "wire transfer"]});
        check(&when, &json!({"goal": "Issue the Refund"}), true);
        check(&when, &json!({"goal": "Refunded already"}), false);
        check(
            &when,
            &json!({"completed": ["a", {"text": "b", "evidence": "wire-transfer 9"}]}),
            true,
        );
        check(&when, &json!({"payload": [{"label": "Kind", "value": "refund"}]}), true);
        check(&when, &json!({"payload": {"a": {"b": [["refund"]]}}}), true);
        check(&when, &json!({"x_custom": {"note": "refund"}}), true);
        check(&when, &json!({"goal": null, "can_intercept": true}), false);
    }

    #[test]
    fn keys_chosen_by_the_sender_are_searched_and_keys_of_the_format_are_not() {
        let when = json!({"words": ["refund", "goal", "text"]});
        check(&when, &json!({"payload": {"refund_amount": 500}}), true);
        check(&when, &json!({"context": {"refund": true}}), true);
        check(&when, &json!({"refund": true}), true);
        check(&when, &json!({"goal": "x", "completed": [{"text": "y"}]}), false);
    }

    #[test]
    fn patterns_are_matched_in_each_text_separately() {
        let when = json!({"patterns": [r"^\d{16}$", r"(?i)iban\s+[a-z]{2}"]});
        check(&when, &json!({"payload": {"card": "4111111111111111"}}), true);
        check(&when, &json!({"payload": {"card": 4_111_111_111_111_111_u64}}), true);
        check(&when, &json!({"summary": "card 4111111111111111"}), false);
        check(&when, &json!({"summary": "pay to IBAN de02"}), true);
        check(&when, &json!({"completed": ["iban", "de"]}), false);
    }

    #[test]
    fn a_word_or_a_pattern_is_enough_and_the_rest_must_hold() {
        let when = json!({"words": ["refund"], "patterns": ["€"], "trigger": ["manual"]});
        let manual = GateContext { trigger: Some("manual"), ..NOTHING };
        let check = |text: &str, context: &GateContext<'_>, expected| {
            let packet = json!({"goal": text});
            assert_eq!(applies(&when, &packet, context, Risk::Low), expected, "{text}");
        };
        check("a refund", &manual, true);
        check("5 €", &manual, true);
        check("nothing", &manual, false);
        check("a refund of 5 €", &NOTHING, false);
    }

    #[test]
    fn demands_come_in_the_order_of_the_rules_with_their_effects() {
        let document = json!({"rules": [
            {"name": "b", "when": {"words": ["money"]}, "then": "sensitive_topic"},
            {"name": "c", "when": {"words": ["other"]}, "then": "hold"},
            {"name": "a", "when": {"risk": "low"}, "then": "hold"},
        ]});
        let rules = Rules::read(&document).unwrap().compile().unwrap();
        let packet = Packet::from_value(json!({"goal": "money"})).unwrap();
        let demands = rules.demands(&packet, &NOTHING, Risk::Low, &|_, _| false);
        let expected = [("b", RuleEffect::SensitiveTopic), ("a", RuleEffect::Hold)];
        assert_eq!(
            demands,
            expected.map(|(rule, effect)| RuleMatch { rule: rule.to_owned(), effect })
        );
    }

    #[test]
    fn a_pattern_that_would_backtrack_runs_in_linear_time() {
        let when = json!({"patterns": [r"(a+)+!", r"(a|aa)+\b\d", r"(.*a){12}b$"]});
        let text = "aé".repeat(10_000);
        check(&when, &json!({"payload": {"text": text}}), false);
    }
}
