//! Builds the members of a draft from sections.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value, json};

use super::Draft;
use super::headings::{self, Place};
use super::outline::{ListItem, Section};
use crate::document::Members;
use crate::schema::field::{FIELDS, Format, Shape};

/// The id of a task in a title: `EXP-7`, `#42`.
static TASK_ID: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u:\b)[A-Z][A-Z0-9]+-[0-9]+(?-u:\b)|#[0-9]+").expect("a constant")
});

/// A draft under construction.
#[derive(Debug, Default)]
pub(super) struct Builder {
    members: Members,
    title: Option<String>,
    noted: Vec<String>,
}

impl Builder {
    pub(super) fn add(&mut self, section: &Section) {
        let place = section.heading.as_deref().and_then(headings::place);
        if let (Some(heading), None) = (&section.heading, place) {
            if self.title.is_none() && (section.is_title || self.members.is_empty()) {
                self.title = Some(heading.clone());
            } else {
                return self.note(heading, section);
            }
        }
        let paragraphs = self.labels(section);
        match place {
            Some(Place::Criteria) => self.criteria(&paragraphs, &section.items),
            place => {
                let plain = self.boxes(&section.items);
                self.place(place, &paragraphs, &plain);
            }
        }
    }

    /// Takes lines with a label, such as `To: ben`, and returns the other paragraphs.
    fn labels(&mut self, section: &Section) -> Vec<String> {
        // Under a heading of its own, a colon is part of the text.
        if section.heading.as_deref().and_then(headings::place).is_some() {
            return section.paragraphs.clone();
        }
        let mut others = Vec::new();
        for paragraph in &section.paragraphs {
            let rest: Vec<&str> = paragraph.lines().filter(|line| !self.label(line)).collect();
            if !rest.is_empty() {
                others.push(rest.join("\n"));
            }
        }
        others
    }

    fn label(&mut self, line: &str) -> bool {
        let Some((field, value)) = headings::label(line) else { return false };
        let value = match field {
            "from_agent" | "to_agent" => json!(value.trim_start_matches('@')),
            "task_id" => json!(value.trim_start_matches('#')),
            "status" => match status(value) {
                Some(word) => json!(word),
                None => return false,
            },
            "confidence" => match confidence(value) {
                Some(number) => json!(number),
                None => return false,
            },
            _ => json!(value),
        };
        let is_allowed = match field {
            "task_id" => Format::TaskId.holds(value.as_str().unwrap_or_default()),
            "expires_at" => Format::Timestamp.holds(value.as_str().unwrap_or_default()),
            _ => true,
        };
        if is_allowed {
            self.members.entry(field).or_insert(value);
        }
        is_allowed
    }

    /// Moves check boxes to what is done and what is left, and returns the other items.
    fn boxes<'i>(&mut self, items: &'i [ListItem]) -> Vec<&'i str> {
        let mut plain = Vec::new();
        for item in items {
            match item.checked {
                Some(true) => self.push("completed", json!(item.text)),
                Some(false) => self.push("remaining", json!(item.text)),
                None => plain.push(item.text.as_str()),
            }
        }
        plain
    }

    fn place(&mut self, place: Option<Place>, paragraphs: &[String], items: &[&str]) {
        match place {
            Some(Place::Text(field)) => self.write(field, paragraphs, items),
            Some(Place::List(field)) => {
                let all = paragraphs.iter().map(String::as_str).chain(items.iter().copied());
                for text in all {
                    // A wish in words is not the name of a field.
                    if field == "return_required" && !Format::FieldName.holds(text) {
                        self.push("notes", json!(format!("Report back: {text}")));
                    } else {
                        self.push(field, json!(text));
                    }
                }
            }
            Some(Place::FailedApproaches) => {
                let all = paragraphs.iter().map(String::as_str).chain(items.iter().copied());
                all.for_each(|text| self.failed_approach(text));
            }
            Some(Place::Context) => self.context(paragraphs, items),
            Some(Place::NotInScope) => {
                let all = paragraphs.iter().map(String::as_str).chain(items.iter().copied());
                let list: Vec<_> = all.map(|text| json!(text)).collect();
                if !list.is_empty() {
                    self.members.insert("scope".to_owned(), json!({ "is_not": list }));
                }
            }
            Some(Place::Criteria) => {}
            None => {
                self.write("summary", paragraphs, &[]);
                for text in items {
                    self.push("notes", json!(text));
                }
            }
        }
    }

    fn criteria(&mut self, paragraphs: &[String], items: &[ListItem]) {
        let items = items.iter().map(|item| item.text.as_str());
        let all = paragraphs.iter().map(String::as_str).chain(items);
        all.for_each(|text| self.push("acceptance", json!(text)));
    }

    fn failed_approach(&mut self, text: &str) {
        let parts = [": ", " - ", " – ", " — ", "; "].iter().find_map(|mark| text.split_once(mark));
        match parts {
            Some((tried, result)) if !result.trim().is_empty() => self.push(
                "failed_approaches",
                json!({ "tried": tried.trim(), "result": result.trim() }),
            ),
            // The text says that it was tried, and not what came of it.
            _ => self.push("pitfalls_hit", json!(text)),
        }
    }

    fn context(&mut self, paragraphs: &[String], items: &[&str]) {
        let lines = paragraphs.iter().flat_map(|paragraph| paragraph.lines());
        for line in lines.chain(items.iter().copied()) {
            let pair = line.split_once(": ").filter(|(name, _)| !name.trim().contains(' '));
            let Some((name, value)) = pair else {
                self.push("notes", json!(line));
                continue;
            };
            let context = self.members.entry("context").or_insert_with(|| json!({}));
            if let Some(context) = context.as_object_mut() {
                let name = name.trim_matches(['*', '`', ' ']).to_owned();
                context.entry(name).or_insert(json!(value.trim().trim_matches('`')));
            }
        }
    }

    /// Adds paragraphs and items to a text field.
    fn write(&mut self, field: &'static str, paragraphs: &[String], items: &[&str]) {
        let items: Vec<_> = items.iter().map(|item| format!("- {item}")).collect();
        let mut parts: Vec<String> = paragraphs.to_vec();
        if !items.is_empty() {
            parts.push(items.join("\n"));
        }
        if parts.is_empty() {
            return;
        }
        let before = self.members.get(field).and_then(Value::as_str).map(str::to_owned);
        let text = before.into_iter().chain(parts).collect::<Vec<_>>().join("\n\n");
        self.members.insert(field.to_owned(), json!(text));
    }

    fn push(&mut self, field: &str, value: Value) {
        let list = self.members.entry(field).or_insert_with(|| json!([]));
        if let Some(list) = list.as_array_mut() {
            list.push(value);
        }
    }

    /// Keeps a section without a place as notes. Its check boxes are still progress.
    fn note(&mut self, heading: &str, section: &Section) {
        self.noted.push(heading.to_owned());
        let plain = self.boxes(&section.items);
        let texts = section.paragraphs.iter().map(String::as_str).chain(plain);
        let texts: Vec<String> = texts.map(|text| format!("{heading}: {text}")).collect();
        for text in texts {
            self.push("notes", json!(text));
        }
    }

    pub(super) fn finish(mut self) -> Draft {
        self.members.insert("handoff_version".to_owned(), json!("1.0"));
        if let Some(title) = self.title.take() {
            if let Some(found) = TASK_ID.find(&title) {
                let id = found.as_str().trim_start_matches('#');
                self.members.entry("task_id").or_insert(json!(id));
            }
            self.members.entry("goal").or_insert(json!(title));
        }
        self.derive_status();
        let mut members = Map::new();
        for field in FIELDS {
            if let Some(value) = self.members.shift_remove(field.name) {
                members.insert(field.name.to_owned(), fitted(value, field.shape));
            }
        }
        Draft { members, noted: self.noted }
    }

    /// States the status, if blockers or check boxes say it.
    fn derive_status(&mut self) {
        if self.members.contains_key("status") {
            return;
        }
        let has = |name: &str| self.members.contains_key(name);
        let word = match (has("blockers"), has("remaining"), has("completed")) {
            (true, ..) => "blocked",
            (false, true, _) => "in_progress",
            (false, false, true) => "completed",
            (false, false, false) => return,
        };
        self.members.insert("status".to_owned(), json!(word));
    }
}

/// Returns the status that a word names.
fn status(words: &str) -> Option<&'static str> {
    match words.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase().as_str() {
        "in progress" | "in_progress" | "open" | "wip" | "started" => Some("in_progress"),
        "blocked" | "on hold" | "stuck" => Some("blocked"),
        "failed" => Some("failed"),
        "done" | "completed" | "closed" | "finished" => Some("completed"),
        _ => None,
    }
}

/// Returns a confidence as a number from 0 to 1, from `0.8` or `80 %`.
fn confidence(words: &str) -> Option<f64> {
    let number = words.trim().trim_end_matches('%').trim().parse::<f64>().ok()?;
    let number = if words.trim().ends_with('%') { number / 100.0 } else { number };
    (0.0..=1.0).contains(&number).then_some(number)
}

/// Drops blank items, which no list may have.
fn fitted(value: Value, shape: &'static Shape) -> Value {
    match value {
        Value::Array(items) if shape.item().is_some() => {
            let is_blank = |item: &Value| item.as_str().is_some_and(|text| text.trim().is_empty());
            Value::Array(items.into_iter().filter(|item| !is_blank(item)).collect())
        }
        other => other,
    }
}
