//! Drafts a packet from an issue, a comment or free text, by its headings, lists and check boxes.
//!
//! A draft invents nothing: each member quotes the text, and what the text does not say is listed as
//! missing. A part without a place in the format becomes a note, so that nothing is lost. `outline`
//! splits the text, `headings` says which field a heading stands for, and [`receiver`] proposes who
//! could take the work.

mod fields;
mod headings;
mod outline;
pub mod receiver;

use serde_json::Value;

use crate::document::Members;
use crate::schema::Kind;
use crate::schema::field::FIELDS;
use crate::schema::variant::{Presence, Variant};
use fields::Builder;

/// A packet as far as the text says it.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// The members, in the order of the format.
    pub members: Members,
    /// Headings whose parts became notes.
    pub noted: Vec<String>,
}

/// What a text leaves open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// The field.
    pub field: &'static str,
    /// The purpose of the field.
    pub purpose: &'static str,
    /// `true` if the variant requires it.
    pub is_required: bool,
}

/// Fields that a receiver misses first, besides those that a variant requires.
const ADVISED: &[&str] =
    &["goal", "next_request", "remaining", "acceptance", "constraints", "return_required"];

/// Drafts a packet from a text.
///
/// ```
/// use tasuki_packet::draft::draft;
///
/// let draft = draft("# EXP-7: Port the exporter\n\n- [x] Writer\n- [ ] Tests\n");
/// assert_eq!(draft.members["task_id"], "EXP-7");
/// assert_eq!(draft.members["goal"], "EXP-7: Port the exporter");
/// assert_eq!(draft.members["completed"][0], "Writer");
/// assert_eq!(draft.members["remaining"][0], "Tests");
/// assert_eq!(draft.members["status"], "in_progress");
/// ```
pub fn draft(text: &str) -> Draft {
    let mut builder = Builder::default();
    for section in outline::sections(text) {
        builder.add(&section);
    }
    builder.finish()
}

/// Returns what a packet leaves open: required fields of the variant, and those that receivers miss
/// first.
pub fn missing(members: &Members, variant: &Variant) -> Vec<Missing> {
    let is_stated = |name: &str| match members.get(name) {
        None | Some(Value::Null) => false,
        Some(Value::String(text)) => !text.trim().is_empty(),
        Some(_) => true,
    };
    let open = FIELDS.iter().filter(|field| !is_stated(field.name));
    let open = open.filter_map(|field| {
        let presence = variant.presence(field, Kind::Handoff);
        let is_required = matches!(presence, Presence::Required | Presence::Filled);
        (is_required || ADVISED.contains(&field.name)).then_some(Missing {
            field: field.name,
            purpose: field.purpose,
            is_required,
        })
    });
    let mut all: Vec<_> = open.collect();
    all.sort_by_key(|missing| !missing.is_required);
    all
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::check::validate::violations;
    use crate::document::Document;

    const ISSUE: &str = "\
# Export fails for large catalogues (EXP-77)

From: planner
To: @export-agent

## Why
Customers get an error when they download their orders.
It happens above 100,000 rows.

## Tasks
- [x] Reproduce it with
      a test
- [ ] Stream the rows
  - keep the order
1. Measure the memory

## Constraints
* Do not change the file format.

## Definition of done
- [ ] An export of 2 million rows succeeds
- Peak memory is below 512 MB

## What did not work
- Raising the timeout: it failed later

## Environment
- node: 22.11.0

## Non-goals
- A new format

## Stop if
- the load test exceeds 512 MB

## Report back
- changed paths

## Fun facts
The export is from 2011.
";

    fn value(text: &str) -> Value {
        Value::Object(draft(text).members)
    }

    #[test]
    fn an_issue_becomes_a_packet_by_its_headings_lists_and_boxes() {
        assert_eq!(
            value(ISSUE),
            json!({
                "handoff_version": "1.0",
                "task_id": "EXP-77",
                "from_agent": "planner",
                "to_agent": "export-agent",
                "status": "in_progress",
                "goal": "Export fails for large catalogues (EXP-77)",
                "summary": "Customers get an error when they download their orders.\nIt happens above 100,000 rows.",
                "completed": ["Reproduce it with a test"],
                "remaining": ["Stream the rows: keep the order", "Measure the memory"],
                "failed_approaches": [{ "tried": "Raising the timeout", "result": "it failed later" }],
                "context": { "node": "22.11.0" },
                "constraints": ["Do not change the file format."],
                "acceptance": ["An export of 2 million rows succeeds", "Peak memory is below 512 MB"],
                "failure_boundary": ["the load test exceeds 512 MB"],
                "return_required": ["changed paths"],
                "notes": ["Fun facts: The export is from 2011."],
                "scope": { "is_not": ["A new format"] },
            })
        );
        assert_eq!(draft(ISSUE).noted, ["Fun facts"]);
        let variant = Variant::named("baseline").unwrap();
        let found = violations(&Document::from_value(&value(ISSUE)).unwrap(), &variant);
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn what_the_text_does_not_say_is_missing() {
        let names = |text: &str, variant: &str| -> Vec<String> {
            let variant = Variant::named(variant).unwrap();
            let missing = missing(&draft(text).members, &variant);
            let name =
                |one: &Missing| format!("{}{}", one.field, if one.is_required { "!" } else { "" });
            missing.iter().map(name).collect()
        };
        assert_eq!(names(ISSUE, "baseline"), ["next_request"]);
        assert_eq!(
            names("Please look into it.", "baseline"),
            [
                "task_id!",
                "from_agent!",
                "to_agent!",
                "status!",
                "goal",
                "next_request",
                "remaining",
                "constraints",
                "acceptance",
                "return_required"
            ]
        );
        assert!(names(ISSUE, "researcher").contains(&"question!".to_owned()));
    }

    #[test]
    fn free_text_is_kept_and_nothing_is_invented() {
        let text = "Please look into it.\n\nThe nightly fails.\n";
        assert_eq!(
            value(text),
            json!({ "handoff_version": "1.0", "summary": "Please look into it.\n\nThe nightly fails." })
        );
        assert_eq!(value(""), json!({ "handoff_version": "1.0" }));
    }

    #[test]
    fn status_follows_words_and_boxes() {
        let check = |text: &str, expected: Value| {
            assert_eq!(value(text).get("status").cloned().unwrap_or_default(), expected, "{text}");
        };
        check("- [x] a\n- [x] b\n", json!("completed"));
        check("- [x] a\n- [ ] b\n", json!("in_progress"));
        check("Status: Blocked\n\n- [ ] a\n", json!("blocked"));
        check("## Blockers\n- no access\n\n## Tasks\n- a\n", json!("blocked"));
        check("Status: great\n", json!(null));
    }
}
