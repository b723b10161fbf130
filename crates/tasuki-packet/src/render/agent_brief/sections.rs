//! The lines of an agent brief: the mandatory part, and the sections that a budget may cut.
//!
//! Only lines that start in the first column are structure. Further lines of a text are indented,
//! so that a text cannot pretend to be another field.

use std::borrow::Cow;

use serde_json::Value;

use super::pins;
use crate::document::pointer;
use crate::packet::{Packet, is_pinned};
use crate::render::describe::{self, Entry, NONE, Show};
use crate::render::fields::Fields;
use crate::render::step_numbers::StepNumbers;
use crate::render::{facts, text};
use crate::schema::Kind;
use crate::violation::shorten;

/// LIMIT: entries of each provenance list on its line; the rest is counted.
const PROVENANCE_ENTRIES_MAX: usize = 3;

/// LIMIT: characters of a provenance entry; a longer one is counted, not shortened.
const PROVENANCE_CHARS_MAX: usize = 120;

/// LIMIT: names of omitted members; the rest is counted.
const OMITTED_NAMES_MAX: usize = 8;

/// An agent brief before the budget is applied.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) opening: String,
    pub(crate) mandatory: Vec<String>,
    /// The data that may be cut, most important first.
    pub(crate) sections: Vec<Section>,
    pub(crate) closing: String,
}

#[derive(Debug)]
pub(crate) struct Section {
    pub(crate) heading: &'static str,
    /// The pointer of the entries in the packet. It is empty for members without their own heading.
    pub(crate) place: String,
    /// The entries to keep if not all fit.
    pub(crate) keep: Keep,
    pub(crate) entries: Vec<Part>,
}

#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) pointer: String,
    /// The name of a member, shortened. Entries of lists have none.
    pub(crate) name: Option<String>,
    pub(crate) words: String,
    /// The number of a step.
    pub(crate) number: Option<u32>,
}

/// The entries of a section to keep if not all fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// The first ones, without gaps.
    First,
    /// The last ones, without gaps: the most recent.
    Last,
    /// Any that fit: their order has no meaning.
    Any,
}

impl Section {
    /// Returns the indexes of the entries, in descending priority.
    pub(crate) fn order(&self) -> Vec<usize> {
        let indexes = 0..self.entries.len();
        match self.keep {
            Keep::First | Keep::Any => indexes.collect(),
            Keep::Last => indexes.rev().collect(),
        }
    }

    pub(crate) fn heading_line(&self) -> String {
        format!("{}:\n", self.heading)
    }

    pub(crate) fn line(&self, index: usize) -> String {
        let line = |part: &Part| numbered_item(part.number, &part.words);
        self.entries.get(index).map(line).unwrap_or_default()
    }

    /// Returns the line about the omitted entries: `- 7 more in /completed`.
    pub(crate) fn more_line(&self, chosen: &[usize]) -> String {
        format!("- {}\n", self.omitted_words(chosen, "more "))
    }

    /// Returns the count and the pointer of a section that is not shown: `7 in /completed`.
    pub(crate) fn unseen_words(&self) -> String {
        self.omitted_words(&[], "")
    }

    fn omitted_words(&self, chosen: &[usize], more: &str) -> String {
        let count = self.entries.len() - chosen.len();
        if !self.place.is_empty() {
            return format!("{count} {more}in {}", self.place);
        }
        let more = if more.is_empty() { "other " } else { more };
        let members = if count == 1 { "member" } else { "members" };
        format!("{count} {more}{members} ({})", self.omitted_names(chosen, count))
    }

    /// Returns the names of the omitted members, as many as are worth their tokens.
    fn omitted_names(&self, chosen: &[usize], count: usize) -> String {
        let entries = self.entries.iter().enumerate();
        let omitted = entries.filter(|(index, _)| !chosen.contains(index));
        let names = omitted.filter_map(|(_, part)| part.name.as_deref());
        let mut names: Vec<String> = names.take(OMITTED_NAMES_MAX).map(str::to_owned).collect();
        if count > names.len() {
            names.push(format!("and {} more", count - names.len()));
        }
        names.join(", ")
    }
}

pub(crate) fn mandatory(
    packet: &Packet,
    numbers: &StepNumbers,
    fields: &mut Fields<'_>,
) -> Vec<String> {
    let mut lines = vec![identity(packet, fields)];
    decision(&mut lines, fields);
    if packet.kind() == Kind::Return {
        outcome(&mut lines, fields);
    }
    for (label, name) in [("Goal", "goal"), ("Request", "next_request"), ("Question", "question")] {
        lines.extend(fields.text(name).map(|words| labelled(label, words)));
    }
    lines.extend(pins::lines(packet, numbers));
    let rules = [
        ("Constraints", "constraints"),
        ("Acceptance", "acceptance"),
        ("Failure boundary", "failure_boundary"),
        ("Sign-offs due", "sign_offs_due"),
    ];
    for (heading, name) in rules {
        statements(&mut lines, heading, name, fields);
    }
    let is_none = fields.is_empty_list("return_required");
    let returned = unpinned(fields.list("return_required"));
    if is_none || !returned.is_empty() {
        lines.push(labelled("Return", &one_line(&describe::joined(returned))));
    }
    frame(&mut lines, fields);
    lines
}

/// Returns the sections that a budget may cut, in descending importance.
pub(crate) fn optional(numbers: &StepNumbers, fields: &mut Fields<'_>) -> Vec<Section> {
    let known: [(&str, &str, Keep, Show); 18] = [
        ("Expected outputs", "expected_outputs", Keep::First, expected_output),
        ("Source rules", "source_rules", Keep::First, sentence),
        ("Remaining", "remaining", Keep::First, sentence),
        ("Failed approaches", "failed_approaches", Keep::First, facts::failed_approach),
        ("Pitfalls", "pitfalls_hit", Keep::First, sentence),
        ("Decisions", "decisions", Keep::First, sentence),
        ("Completed", "completed", Keep::Last, sentence),
        ("Blockers", "blockers", Keep::First, sentence),
        ("Assumptions", "assumptions", Keep::First, sentence),
        ("Uncertainty", "uncertainty", Keep::First, sentence),
        ("Context", "context", Keep::Any, describe::plain),
        ("Payload", "payload", Keep::Any, facts::payload_entry),
        ("Inputs", "inputs", Keep::First, sentence),
        ("Secrets by reference", "secret_ref", Keep::First, secret_ref),
        ("Changed paths", "changed_paths", Keep::First, sentence),
        ("Artifacts", "artifacts", Keep::First, facts::artifact),
        ("Evidence", "evidence_refs", Keep::First, sentence),
        ("Notes", "notes", Keep::First, sentence),
    ];
    let mut sections = Vec::new();
    for (heading, name, keep, show) in known {
        if name == "blockers" {
            sections.extend(single("Summary", "summary", fields));
            sections.extend(single("Summary", "handoff_summary", fields));
        }
        let place = pointer::join("", name);
        let is_none = fields.is_empty_list(name);
        let entries = match fields.object(name) {
            None if is_none => {
                fields.list(name);
                vec![Part {
                    pointer: place.clone(),
                    name: None,
                    words: NONE.to_owned(),
                    number: None,
                }]
            }
            Some(members) => pairs(&place, members, pins::open_list),
            None => {
                let values = fields.list(name);
                unpinned_with(values, show)
                    .filter(|(index, _)| !numbers.is_shown_elsewhere(name, &values[*index]))
                    .map(|(index, words)| Part {
                        pointer: pointer::join(&place, &index.to_string()),
                        name: None,
                        words,
                        number: numbers.of(name, &values[index]),
                    })
                    .collect()
            }
        };
        sections.push(Section { heading, place, keep, entries });
    }
    sections.push(other(fields));
    sections.retain(|section| !section.entries.is_empty());
    sections
}

/// Returns one text as a list line, with further lines indented.
pub(crate) fn item(words: &str) -> String {
    numbered_item(None, words)
}

/// Returns one text as a list line, after its number if it is a step.
pub(crate) fn numbered_item(number: Option<u32>, words: &str) -> String {
    match number {
        Some(number) => format!("{number}. {}\n", indented(words)),
        None => format!("- {}\n", indented(words)),
    }
}

/// Returns a text on one line, with invisible characters made visible.
pub(crate) fn one_line(words: &str) -> String {
    text::one_line(&text::visible(words))
}

fn identity(packet: &Packet, fields: &mut Fields<'_>) -> String {
    // The version is only needed to read the packet, which has happened.
    fields.value("handoff_version");
    fields.value("packet_type");
    // The fence names the sender.
    fields.text("from_agent");
    let mut parts = vec![facts::kind_name(packet.kind()).to_lowercase()];
    let known = [
        ("task", "task_id"),
        ("to", "to_agent"),
        ("to", "target_agent"),
        ("status", "status"),
        ("contract", "contract"),
        ("profile", "profile"),
    ];
    parts.extend(
        known
            .into_iter()
            .filter_map(|(label, name)| Some(format!("{label} {}", one_line(fields.text(name)?)))),
    );
    if let Some(classification) = packet.get("classification") {
        if classification.is_string() {
            fields.value("classification");
        }
        parts.push(format!("classification {}", one_line(&facts::marking(classification))));
    }
    format!("Packet: {}\n", parts.join(", "))
}

fn decision(lines: &mut Vec<String>, fields: &mut Fields<'_>) {
    let known = ["decision", "revision", "digest", "reason", "to", "meaning"];
    for name in known {
        let Some(value) = fields.value(name).filter(|value| !describe::is_empty(value)) else {
            continue;
        };
        let mut label = name.to_owned();
        label[..1].make_ascii_uppercase();
        lines.push(labelled(&label, &describe::plain(value)));
    }
}

fn outcome(lines: &mut Vec<String>, fields: &mut Fields<'_>) {
    lines.extend(fields.text("verdict").map(|verdict| labelled("Verdict", verdict)));
    lines.extend(fields.text("verification").map(|words| labelled("Verification", words)));
    if fields.is_empty_list("verification") {
        lines.push(labelled("Verification", NONE));
    }
    let verified: Vec<String> = fields.list("verification").iter().map(criterion).collect();
    list(lines, "Verification", &verified);
    statements(lines, "Blockers", "blockers", fields);
}

fn criterion(value: &Value) -> String {
    let Some(members) = value.as_object() else { return describe::plain(value) };
    let named: Vec<String> = ["criterion", "result"]
        .into_iter()
        .filter_map(|name| facts::member(members, name))
        .collect();
    let more = describe::pairs(members, &["criterion", "result"]);
    let more = if more.is_empty() { more } else { format!(" ({more})") };
    format!("{}{more}", named.join(": "))
}

/// Adds a line each for authority, confidence, scope, provenance, fallback and costs.
fn frame(lines: &mut Vec<String>, fields: &mut Fields<'_>) {
    let known: [(&str, &str, Show); 6] = [
        ("Authority", "authority", facts::joined),
        ("Confidence", "confidence", facts::confidence),
        ("Scope", "scope", facts::scope),
        ("Provenance", "provenance", provenance),
        ("Cost so far", "cost", facts::cost),
        ("Budget", "budget", facts::cost),
    ];
    for (label, name, show) in known {
        let value = fields.value(name).and_then(pins::open_field);
        let value = value.filter(|value| !describe::is_empty(value));
        lines.extend(value.map(|value| labelled(label, &one_line(&show(&value)))));
    }
    let fallback = fields.value("fallback").filter(|value| !describe::is_empty(value));
    let deadline = fields.text("expires_at");
    match (fallback.map(facts::fallback), deadline) {
        (Some(ladder), Some(at)) => {
            lines.push(labelled("Fallback", &one_line(&format!("{ladder}; deadline {at}"))));
        }
        (Some(ladder), None) => lines.push(labelled("Fallback", &one_line(&ladder))),
        (None, Some(at)) => lines.push(labelled("Deadline", &one_line(at))),
        (None, None) => {}
    }
}

fn provenance(value: &Value) -> String {
    let Some(members) = value.as_object() else { return describe::plain(value) };
    let parts =
        members.iter().filter(|(_, value)| !describe::is_empty(value)).map(|(name, value)| {
            let Value::Array(entries) = value else {
                return format!("{name} {}", describe::plain(value));
            };
            format!("{name} {}", few(entries, &pointer::join("/provenance", name)))
        });
    parts.collect::<Vec<_>>().join("; ")
}

fn few(entries: &[Value], place: &str) -> String {
    let short = entries.iter().map(|value| Entry::of(value).text);
    let mut shown: Vec<String> = short
        .filter(|words| words.chars().count() <= PROVENANCE_CHARS_MAX)
        .take(PROVENANCE_ENTRIES_MAX)
        .collect();
    let left = entries.len() - shown.len();
    if left > 0 {
        shown.push(format!("{left} more in {place}"));
    }
    describe::joined(shown)
}

fn single(heading: &'static str, name: &str, fields: &mut Fields<'_>) -> Option<Section> {
    let place = pointer::join("", name);
    let words = fields.text(name)?.to_owned();
    let entries = vec![Part { pointer: place.clone(), name: None, words, number: None }];
    Some(Section { heading, place, keep: Keep::First, entries })
}

fn other(fields: &mut Fields<'_>) -> Section {
    let entries = pairs("", fields.rest(), pins::open_field);
    Section { heading: "Other", place: String::new(), keep: Keep::Any, entries }
}

/// Returns the members below a place, without the items that are already shown as pinned.
fn pairs<'m, N: AsRef<str>>(
    place: &str,
    members: impl IntoIterator<Item = (N, &'m Value)>,
    open: fn(&Value) -> Option<Cow<'_, Value>>,
) -> Vec<Part> {
    let pair = |(name, value): (N, &Value)| Some(pair(place, name.as_ref(), &*open(value)?));
    members.into_iter().filter_map(pair).collect()
}

fn pair(place: &str, name: &str, value: &Value) -> Part {
    let (pointer, name) = (pointer::join(place, name), one_line(name));
    let words = format!("{name}: {}", describe::plain(value));
    Part { pointer, name: Some(shorten::text(&name)), words, number: None }
}

fn unpinned(values: &[Value]) -> Vec<String> {
    unpinned_with(values, sentence).map(|(_, words)| words).collect()
}

/// Returns the entries that are not already shown as pinned, with their index.
fn unpinned_with(values: &[Value], show: Show) -> impl Iterator<Item = (usize, String)> {
    let entries = values.iter().enumerate();
    let open = entries.filter(|(_, value)| !is_pinned(value));
    open.map(move |(index, value)| (index, show(value)))
}

/// Returns the name of a secret and where the receiver gets it.
fn secret_ref(value: &Value) -> String {
    let Some(members) = value.as_object() else { return describe::plain(value) };
    let parts = ["name", "ref"].into_iter().filter_map(|name| facts::member(members, name));
    let known = parts.collect::<Vec<_>>().join(": ");
    let more = describe::pairs(members, &["name", "ref"]);
    if more.is_empty() { known } else { format!("{known} ({more})") }
}

pub(crate) fn sentence(value: &Value) -> String {
    let entry = Entry::of(value);
    match entry.state {
        Some(state) => format!("{} [{state}]", entry.sentence()),
        None => entry.sentence(),
    }
}

/// Replaces the schema by a note that it is in the packet.
pub(crate) fn expected_output(value: &Value) -> String {
    let mut value = value.clone();
    if let Some(schema) = value.get_mut("schema") {
        *schema = Value::from("in the packet");
    }
    facts::expected_output(&value)
}

/// Adds the statements of a list that are not already shown as pinned. An empty list states that
/// there are none.
fn statements(lines: &mut Vec<String>, heading: &str, name: &str, fields: &mut Fields<'_>) {
    if fields.is_empty_list(name) {
        lines.push(labelled(heading, NONE));
    }
    list(lines, heading, &unpinned(fields.list(name)));
}

fn list(lines: &mut Vec<String>, heading: &str, entries: &[String]) {
    if !entries.is_empty() {
        lines.push(format!("{heading}:\n"));
        lines.extend(entries.iter().map(|words| item(words)));
    }
}

fn labelled(label: &str, words: &str) -> String {
    format!("{label}: {}\n", indented(words))
}

fn indented(words: &str) -> String {
    text::visible(words.trim()).replace('\n', "\n    ")
}
