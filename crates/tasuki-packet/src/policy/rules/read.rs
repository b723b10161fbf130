//! Reads a rules document and reports every violation at once, each with its pointer.
//!
//! Rules are configuration, so an unknown member is an error, not an extension. Patterns are
//! compiled here, so a document that has been read always compiles.

use std::collections::BTreeSet;

use serde_json::Value;

use super::compiled::pattern;
use super::document::{Rule, RuleEffect, Rules, When};
use super::words::{WORD_FORM, is_phrase};
use crate::document::limits::{NAME_CHARS_MAX, VIOLATIONS_MAX};
use crate::policy::contract::triggers;
use crate::policy::decide::decide;
use crate::policy::gate::{check_filled, conditions, duplicate};
use crate::policy::located_value::{Fields, LocatedValue, items, name, optional, text};
use crate::policy::risk::Risk;
use crate::{Code, Variant, Violation};

const WHEN: [&str; 6] = ["edge", "trigger", "classification", "risk", "words", "patterns"];

const RULE: [&str; 6] = ["name", "when", "then", "variant", "decide", "escalate_after"];

/// LIMIT: rules per document. Each one is evaluated for every packet.
const RULES_MAX: usize = 200;

/// LIMIT: patterns per document. Each one may scan every text of a packet.
const PATTERNS_MAX: usize = 100;

/// LIMIT: characters per pattern.
const PATTERN_CHARS_MAX: usize = 1_000;

impl Rules {
    /// Reads rules from a document.
    ///
    /// # Errors
    ///
    /// Returns every violation in the document.
    pub fn read(document: &Value) -> Result<Self, Vec<Violation>> {
        let mut found = Vec::new();
        let rules = rules(&LocatedValue::root(document), &mut found);
        found.truncate(VIOLATIONS_MAX);
        match rules {
            Some(rules) if found.is_empty() => Ok(rules),
            _ => Err(found),
        }
    }
}

fn rules(document: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<Rules> {
    let fields = document.fields(&["description", "rules", "triggers"], found)?;
    let description = optional(&fields, "description", text, found);
    let entries = items(&fields, "rules", rule, found);
    check_names(&entries, found);
    check_counts(&fields, &entries, found);
    let triggers = optional(&fields, "triggers", triggers, found).unwrap_or_default();
    Some(Rules { description, entries, triggers, document: document.value.clone() })
}

fn check_names(rules: &[Rule], found: &mut Vec<Violation>) {
    let mut known = BTreeSet::new();
    for (index, rule) in rules.iter().enumerate() {
        if !known.insert(&rule.name) {
            found.push(duplicate(&format!("/rules/{index}/name"), "rule", &rule.name));
        }
    }
}

fn check_counts(fields: &Fields<'_>, rules: &[Rule], found: &mut Vec<Violation>) {
    let Some(place) = fields.get("rules") else { return };
    let patterns = rules.iter().map(|rule| rule.when.patterns.len()).sum::<usize>();
    for (count, what, most) in
        [(rules.len(), "rules", RULES_MAX), (patterns, "patterns", PATTERNS_MAX)]
    {
        if count > most {
            let message = format!("the document has {count} {what}; the limit is {most}");
            found.push(Violation::new(Code::ListLength, place.pointer.clone(), message));
        }
    }
}

fn rule(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<Rule> {
    let before = found.len();
    let fields = place.fields(&RULE, found)?;
    let rule_name = fields.require("name", found).and_then(|place| name(&place, found));
    let when = fields.require("when", found).and_then(|place| when(&place, found));
    let effect = |place: &_, found: &mut _| LocatedValue::word(place, RuleEffect::NAMES, found);
    let then = optional(&fields, "then", effect, found);
    let variant = optional(&fields, "variant", variant, found);
    let decide = decide(&fields, found);
    let rule = Rule { name: rule_name?, when: when?, then, variant, decide };
    // A member that was rejected is not reported as missing as well.
    if found.len() == before {
        found.extend(without_effect(place, &rule));
    }
    Some(rule)
}

/// Reports a rule that has no effect, or that names deciders for a hold which it never causes.
fn without_effect(place: &LocatedValue<'_>, rule: &Rule) -> Option<Violation> {
    let (message, hint) = match rule {
        Rule { then: Some(_), .. } | Rule { variant: Some(_), decide: None, .. } => return None,
        Rule { decide: Some(_), .. } => {
            ("`decide` needs `then`", "only a handoff that is held has deciders; add `then: hold`")
        }
        Rule { .. } => {
            ("has neither `then` nor `variant`", "add `then: hold`, or the variant to require")
        }
    };
    let violation = place.violation(Code::FieldMissing, format!("{place}: {message}"));
    Some(violation.allowed("`then`, `variant`, or both").hint(hint))
}

/// Reads the name of a built-in variant. A misspelt one would require nothing.
fn variant(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<String> {
    let variants: Vec<(&str, &str)> = Variant::names().map(|name| (name, name)).collect();
    place.word(&variants, found).map(str::to_owned)
}

fn when(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<When> {
    let before = found.len();
    let fields = place.fields(&WHEN, found)?;
    check_filled(&fields, &["words", "patterns"], found);
    let when = When {
        conditions: conditions(&fields, found),
        risk: optional(&fields, "risk", |place, found| place.word(Risk::NAMES, found), found),
        words: items(&fields, "words", phrase, found),
        patterns: items(&fields, "patterns", pattern_text, found),
    };
    // A condition that was rejected is not reported as empty as well.
    if when == When::default() && found.len() == before {
        let message = format!("{place} has no conditions");
        let violation = place.violation(Code::FieldMissing, message);
        let violation = violation.allowed(format!("at least one of {}", WHEN.join(", ")));
        found.push(violation.hint("`risk: low` matches every handoff"));
    }
    Some(when)
}

fn phrase(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<String> {
    let written = place.text(found)?;
    let characters = written.chars().count();
    if characters > NAME_CHARS_MAX {
        let message = format!("{place} has {characters} characters; the limit is {NAME_CHARS_MAX}");
        found.push(place.violation(Code::FieldLength, message));
        return None;
    }
    if !is_phrase(written) {
        let message = format!("{place} is not a searchable word or phrase");
        let violation = place.violation(Code::FieldFormat, message).allowed(WORD_FORM);
        found.push(
            violation.hint("use a pattern for text that starts or ends with other characters"),
        );
        return None;
    }
    Some(written.to_owned())
}

fn pattern_text(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<String> {
    let written = place.text(found)?;
    let characters = written.chars().count();
    if characters > PATTERN_CHARS_MAX {
        let message =
            format!("{place} has {characters} characters; the limit is {PATTERN_CHARS_MAX}");
        found.push(place.violation(Code::FieldLength, message));
        return None;
    }
    match pattern(written, &place.pointer) {
        Ok(_) => Some(written.to_owned()),
        Err(violation) => {
            found.push(violation);
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::policy::trigger::{Effect, TriggerKind};

    fn document() -> Value {
        json!({
            "description": "what this project does not leave to its agents",
            "rules": [
                {
                    "name": "money",
                    "when": {
                        "edge": [{"from": "role:agent", "to": "payments"}],
                        "trigger": ["manual"],
                        "classification": ["CONFIDENTIAL"],
                        "risk": "medium",
                        "words": ["wire transfer"],
                        "patterns": ["[0-9]+ EUR"],
                    },
                    "then": "hold",
                    "decide": "role:finance",
                    "escalate_after": "4h",
                },
                {"name": "health", "when": {"words": ["diagnosis"]}, "then": "sensitive_topic"},
            ],
            "triggers": {"manual": "hold", "stuck": "continue"},
        })
    }

    #[test]
    fn the_whole_document_is_read() {
        let rules = Rules::read(&document()).unwrap();
        assert_eq!(rules.entries.len(), 2);
        let when = &rules.entries[0].when;
        assert_eq!(when.conditions.trigger, [TriggerKind::Manual]);
        assert_eq!(when.conditions.edge.len(), 1);
        assert_eq!(when.conditions.classification, ["CONFIDENTIAL"]);
        assert_eq!(when.risk, Some(Risk::Medium));
        assert_eq!(when.words, ["wire transfer"]);
        assert_eq!(when.patterns, ["[0-9]+ EUR"]);
        assert_eq!(rules.entries[1].then, Some(RuleEffect::SensitiveTopic));
        let decide = rules.entries[0].decide.clone().unwrap();
        assert_eq!(decide.by.as_str(), "role:finance");
        assert_eq!(decide.escalate_after.unwrap().to_string(), "4h");
        assert_eq!(rules.entries[1].decide, None);
        assert_eq!(rules.effect_of(TriggerKind::Manual), Effect::Hold);
        assert_eq!(rules.effect_of(TriggerKind::Stuck), Effect::Continue);
        assert_eq!(rules.effect_of(TriggerKind::Error), Effect::Hold);
        assert_eq!(rules.to_value(), document());
        assert_eq!(rules.digest(), crate::canonical::digest(&document()));
    }

    #[test]
    fn a_document_may_be_empty() {
        let rules = Rules::read(&json!({})).unwrap();
        assert!(rules.entries.is_empty() && rules.triggers.is_empty());
    }

    /// Puts `value` at `place`, reads, and compares the codes and pointers of the violations.
    #[track_caller]
    fn check(place: &str, value: Value, expected: &str) {
        let mut document = document();
        let (parent, name) = place.rsplit_once('/').unwrap();
        document.pointer_mut(parent).unwrap()[name] = value;
        let found = Rules::read(&document).unwrap_err();
        let found: Vec<_> = found.iter().map(|v| format!("{} {}", v.code, v.pointer)).collect();
        assert_eq!(found.join("\n"), expected);
    }

    #[test]
    fn each_member_is_checked() {
        check("/rule", json!([]), "TK-FIELD-UNKNOWN /rule");
        check("/rules", json!({}), "TK-FIELD-TYPE /rules");
        check("/triggers", json!({"stuk": "hold"}), "TK-FIELD-UNKNOWN /triggers/stuk");
        check("/triggers", json!({"stuck": "wait"}), "TK-FIELD-VALUE /triggers/stuck");
        check("/rules/1/name", json!("Money Laundering"), "TK-FIELD-FORMAT /rules/1/name");
        check("/rules/1/name", json!("money"), "TK-NAME-DUPLICATE /rules/1/name");
        check("/rules/1/then", json!("offer"), "TK-FIELD-VALUE /rules/1/then");
        check("/rules/1/when", json!({}), "TK-FIELD-MISSING /rules/1/when");
        check("/rules/1/when", json!({"risk": "huge"}), "TK-FIELD-VALUE /rules/1/when/risk");
        let regulation = json!({"regulation": ["DTAC"]});
        check("/rules/1/when", regulation, "TK-FIELD-UNKNOWN /rules/1/when/regulation");
        check("/rules/1/when/words", json!([]), "TK-LIST-EMPTY /rules/1/when/words");
        check("/rules/1/when/words", json!(["C++"]), "TK-FIELD-FORMAT /rules/1/when/words/0");
        let long = "a".repeat(NAME_CHARS_MAX + 1);
        check("/rules/1/when/words", json!([long]), "TK-FIELD-LENGTH /rules/1/when/words/0");
        check("/rules/1/variant", json!("regulatd"), "TK-FIELD-VALUE /rules/1/variant");
        check("/rules/1/variant", json!(["regulated"]), "TK-FIELD-TYPE /rules/1/variant");
        let nothing = json!({"name": "x", "when": {"risk": "low"}});
        check("/rules", json!([nothing]), "TK-FIELD-MISSING /rules/0");
        let decided = json!({"name": "x", "when": {"risk": "low"}, "variant": "strict",
            "decide": "role:finance"});
        check("/rules", json!([decided]), "TK-FIELD-MISSING /rules/0");
        let rule = json!({"name": "x", "then": "hold"});
        check("/rules", json!([rule]), "TK-FIELD-MISSING /rules/0/when");
    }

    #[test]
    fn a_rule_that_names_an_unknown_variant_is_refused_with_a_suggestion() {
        let rule = |variant: &str| {
            let rule = json!({"name": "x", "when": {"risk": "low"}, "variant": variant});
            Rules::read(&json!({"rules": [rule]}))
        };
        let known = rule("regulated").unwrap();
        assert_eq!(known.entries[0].variant.as_deref(), Some("regulated"));
        assert_eq!(known.entries[0].then, None);
        let found = rule("regulatd").unwrap_err();
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].hint.as_deref(), Some("did you mean `regulated`?"));
        for hostile in ["variants/own.yaml", "", "Regulated", "\u{1b}[31mstrict"] {
            assert_eq!(rule(hostile).unwrap_err()[0].pointer, "/rules/0/variant", "{hostile}");
        }
    }

    #[test]
    fn the_number_of_rules_and_patterns_is_limited() {
        let rule = |index: usize| json!({"name": format!("r{index}"), "when": {"risk": "low"}, "then": "hold"});
        let rules: Vec<Value> = (0..=RULES_MAX).map(rule).collect();
        check("/rules", json!(rules), "TK-LIST-LENGTH /rules");
        let patterns = vec!["a"; PATTERNS_MAX];
        check("/rules/1/when", json!({"patterns": patterns}), "TK-LIST-LENGTH /rules");
    }

    #[track_caller]
    fn refused(pattern: &str) -> String {
        let mut document = document();
        document["rules"][1]["when"] = json!({"patterns": [pattern]});
        let found = Rules::read(&document).unwrap_err();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].pointer, "/rules/1/when/patterns/0");
        found[0].to_string()
    }

    #[test]
    fn a_pattern_that_cannot_be_used_is_refused_with_the_reason() {
        insta::assert_snapshot!(
            refused("(a"),
            @"TK-PATTERN-INVALID: invalid pattern: unclosed group"
        );
        insta::assert_snapshot!(
            refused("a(?=b)"),
            @"TK-PATTERN-INVALID: invalid pattern: look-around, including look-ahead and look-behind, is not supported"
        );
        insta::assert_snapshot!(
            refused(r"(a)\1"),
            @"TK-PATTERN-INVALID: invalid pattern: backreferences are not supported"
        );
        insta::assert_snapshot!(
            refused("a*"),
            @"TK-PATTERN-INVALID: the pattern matches the empty text, so it would match everywhere"
        );
        insta::assert_snapshot!(
            refused(r"\w{1000}"),
            @"TK-PATTERN-INVALID: invalid pattern: its compiled form exceeds 262144 bytes"
        );
        insta::assert_snapshot!(
            refused(&"a".repeat(PATTERN_CHARS_MAX + 1)),
            @"TK-FIELD-LENGTH: `/rules/1/when/patterns/0` has 1001 characters; the limit is 1000"
        );
    }
}
