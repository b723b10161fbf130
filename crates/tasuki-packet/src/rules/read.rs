//! Reading a rules document: every violation at once, each with its pointer.
//!
//! Rules are configuration: an unknown member is a mistake, not an extension. A pattern is tried
//! here, so that a document that was read can be compiled.

use std::collections::BTreeSet;

use serde_json::Value;

use super::compiled::pattern;
use super::document::{Rule, RuleEffect, Rules, When};
use super::words::{WORD_FORM, is_phrase};
use crate::contract::place::{Fields, Place, items, name, optional, text};
use crate::contract::triggers;
use crate::gate::{conditions, duplicate};
use crate::limits::{NAME_CHARS_MAX, VIOLATIONS_MAX};
use crate::risk::Risk;
use crate::{Code, Violation};

const WHEN: [&str; 6] = ["edge", "trigger", "classification", "risk", "words", "patterns"];

/// LIMIT: rules of one document. Each is asked for every packet.
const RULES_MAX: usize = 200;

/// LIMIT: patterns of one document. Each may look at every text of a packet.
const PATTERNS_MAX: usize = 200;

/// LIMIT: characters of one pattern.
const PATTERN_CHARS_MAX: usize = 1_000;

impl Rules {
    /// Reads a document.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it.
    pub fn read(document: &Value) -> Result<Self, Vec<Violation>> {
        let mut found = Vec::new();
        let rules = rules(&Place::root(document), &mut found);
        found.truncate(VIOLATIONS_MAX);
        match rules {
            Some(rules) if found.is_empty() => Ok(rules),
            _ => Err(found),
        }
    }
}

fn rules(document: &Place<'_>, found: &mut Vec<Violation>) -> Option<Rules> {
    let fields = document.fields(&["description", "rules", "triggers"], found)?;
    let description = optional(&fields, "description", text, found);
    let rules = items(&fields, "rules", rule, found);
    check_names(&rules, found);
    check_counts(&fields, &rules, found);
    let triggers = optional(&fields, "triggers", triggers, found).unwrap_or_default();
    Some(Rules { description, rules, triggers, document: document.value.clone() })
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
            let message = format!("the document has {count} {what}, the limit is {most}");
            found.push(Violation::new(Code::ListLength, place.pointer.clone(), message));
        }
    }
}

fn rule(place: &Place<'_>, found: &mut Vec<Violation>) -> Option<Rule> {
    let fields = place.fields(&["name", "when", "then"], found)?;
    let rule_name = fields.require("name", found).and_then(|place| name(&place, found));
    let when = fields.require("when", found).and_then(|place| when(&place, found));
    let then = fields.require("then", found);
    let then = then.and_then(|place| place.word(RuleEffect::WORDS, found));
    Some(Rule { name: rule_name?, when: when?, then: then? })
}

fn when(place: &Place<'_>, found: &mut Vec<Violation>) -> Option<When> {
    let fields = place.fields(&WHEN, found)?;
    let before = found.len();
    let when = When {
        conditions: conditions(&fields, found),
        risk: optional(&fields, "risk", |place, found| place.word(Risk::WORDS, found), found),
        words: items(&fields, "words", phrase, found),
        patterns: items(&fields, "patterns", pattern_text, found),
    };
    // What was refused already is not also empty.
    if when == When::default() && found.len() == before {
        let message = format!("{place} has no condition");
        let violation = place.violation(Code::FieldTogether, message);
        let violation = violation.allowed(format!("at least one of {}", WHEN.join(", ")));
        found.push(violation.hint("`risk: low` holds of every handoff"));
    }
    Some(when)
}

fn phrase(place: &Place<'_>, found: &mut Vec<Violation>) -> Option<String> {
    let written = place.text(found)?;
    let characters = written.chars().count();
    if characters > NAME_CHARS_MAX {
        let message = format!("{place} has {characters} characters, the limit is {NAME_CHARS_MAX}");
        found.push(place.violation(Code::FieldLength, message));
        return None;
    }
    if !is_phrase(written) {
        let message = format!("{place} cannot be looked for as a word");
        let violation = place.violation(Code::FieldFormat, message).allowed(WORD_FORM);
        found.push(
            violation.hint("what has other characters at its ends is looked for by a pattern"),
        );
        return None;
    }
    Some(written.to_owned())
}

fn pattern_text(place: &Place<'_>, found: &mut Vec<Violation>) -> Option<String> {
    let written = place.text(found)?;
    let characters = written.chars().count();
    if characters > PATTERN_CHARS_MAX {
        let message =
            format!("{place} has {characters} characters, the limit is {PATTERN_CHARS_MAX}");
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
