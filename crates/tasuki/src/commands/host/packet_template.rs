//! The template of a packet: every common field with a comment, or the required fields only.
//!
//! A common field that takes effect, or that few packets have, is commented out, so that a packet
//! from the template can be sent as it is.

use serde_json::{Value, json};
use tasuki_packet::schema::field::FIELDS;
use tasuki_packet::schema::variant::Presence;
use tasuki_packet::{Kind, Members, Variant, write};

/// The fields that a person is prompted for.
#[derive(Debug)]
pub(super) struct Answers {
    pub(super) task: String,
    pub(super) from: String,
    pub(super) to: String,
    pub(super) goal: String,
}

/// The fields of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// The required fields, and a goal.
    Minimal,
    /// Every common field.
    Common,
}

/// The fields that most packets have, each with a comment.
const COMMON: &[(&str, &str)] = &[
    ("handoff_version", "The version of the format; keep it."),
    ("task_id", "The same in all handoffs of the task."),
    ("from_agent", "You."),
    ("to_agent", "A party, or a role such as role:reviewer."),
    ("status", "in_progress, blocked, failed or completed."),
    ("goal", "What the work is for, in one sentence."),
    ("summary", "What has happened so far."),
    ("next_request", "What the receiver should do next."),
    (
        "completed",
        "Steps that are done; `evidence` shows it. Empty means none, absent means not stated.",
    ),
    ("remaining", "Steps that are left."),
    ("decisions", "What need not be decided again, and why."),
    ("failed_approaches", "What did not work. Pinned items reach every later receiver verbatim."),
    ("assumptions", "What you did not check."),
    ("context", "Facts about the environment."),
    (
        "constraints",
        "What the receiver must not break. An item is a text, or an object with `text`.",
    ),
    ("inputs", "Files that the receiver should read first."),
    ("acceptance", "When the work is accepted; `run` is a command that decides it."),
    ("failure_boundary", "When the receiver must stop and ask."),
    ("sign_offs_due", "Sign-offs that are due before a later step; delete it if there are none."),
    (
        "return_required",
        "Names of fields that the return must have; sentences belong in acceptance.",
    ),
];

/// Common fields that are commented out, each with a value on one line.
const COMMENTED_OUT: &[(&str, &str, &str)] = &[
    ("profile", "coding", "The variant that the packet follows; usually detected."),
    ("pitfalls_hit", "[What surprised you]", "What the next receiver should not run into."),
    ("artifacts", "[{ kind: output, path: dist/app.js }]", "Files; `digest` and `bytes` pin them."),
    (
        "secret_ref",
        "[{ name: db, ref: vault://team/db }]",
        "Where it gets a secret; never the secret.",
    ),
    ("authority", "['write:src/*']", "What it may do for you; [] means nothing."),
    ("expected_outputs", "[The report]", "Outputs, with a `schema` if they must match one."),
    ("fallback", "[{ to: dead_letter }]", "Where the work goes if the receiver cannot continue."),
    ("expires_at", "2030-01-31T18:00:00Z", "The deadline."),
];

/// Fields of a minimal packet besides the required ones.
const MINIMAL: &[&str] = &["goal"];

/// Builds a valid packet with the fields that the variant requires, and those of the extent.
pub(super) fn members(variant: &Variant, answers: &Answers, extent: Extent) -> Members {
    let is_wanted = |name: &str| match extent {
        Extent::Minimal => MINIMAL.contains(&name),
        Extent::Common => COMMON.iter().any(|(common, _)| *common == name),
    };
    let mut members = Members::new();
    for field in FIELDS {
        let presence = variant.presence(field, Kind::Handoff);
        let is_required = matches!(presence, Presence::Required | Presence::Filled);
        let is_wanted = is_wanted(field.name) && presence != Presence::Refused;
        if (is_required || is_wanted)
            && let Some(value) = example(field.name, answers)
        {
            members.insert(field.name.to_owned(), value);
        }
    }
    members
}

/// Writes a packet as YAML, with a comment above each field.
pub(super) fn commented(members: &Members) -> String {
    let mut text =
        "# A packet. `tasuki help packet` explains the fields, `tasuki validate` checks it.\n"
            .to_owned();
    for (name, value) in members {
        if let Some(comment) = comment(name) {
            text.push_str(&format!("# {comment}\n"));
        }
        let mut one = Members::new();
        one.insert(name.clone(), value.clone());
        text.push_str(&write::yaml(&one));
    }
    text.push_str("# Remove the `#` of a line to use its field.\n");
    for (name, value, comment) in
        COMMENTED_OUT.iter().filter(|(name, ..)| !members.contains_key(*name))
    {
        text.push_str(&format!("# {name}: {value}  # {comment}\n"));
    }
    text
}

/// Returns the comment of a field: that of the template, or its purpose.
fn comment(name: &str) -> Option<&'static str> {
    let common = COMMON.iter().find(|(common, _)| *common == name).map(|(_, comment)| *comment);
    common.or_else(|| FIELDS.iter().find(|field| field.name == name).map(|field| field.purpose))
}

fn example(field: &str, answers: &Answers) -> Option<Value> {
    Some(match field {
        "handoff_version" => json!("1.0"),
        "packet_type" => json!("handoff"),
        "task_id" => json!(answers.task),
        "from_agent" => json!(answers.from),
        "to_agent" => json!(answers.to),
        "status" => json!("in_progress"),
        "goal" => json!(answers.goal),
        "summary" => json!("What has happened so far, in a sentence or two."),
        "next_request" => json!("What the receiver should do next."),
        "question" => json!("The question to answer."),
        "completed" => json!(["A step that is done"]),
        "remaining" => json!(["A step that is left"]),
        "decisions" => json!(["A decision and why it was taken"]),
        "failed_approaches" => {
            json!([{ "tried": "What was tried", "result": "Why it did not work", "pinned": true }])
        }
        "constraints" => json!([
            "Something the receiver must not break",
            { "text": "Something that every later receiver must keep", "pinned": true },
        ]),
        "assumptions" => json!(["Something that was not checked"]),
        "sign_offs_due" => {
            json!([{ "text": "What must be approved", "before": "the step", "by": "role:owner" }])
        }
        "context" => json!({ "tool_version": "1.2.3" }),
        "inputs" => json!(["a/file/to/read.md"]),
        "expected_outputs" => json!(["What should come out"]),
        "acceptance" => json!([{ "id": "tests", "text": "All tests pass", "run": "make test" }]),
        "failure_boundary" => json!(["Stop before anything is published"]),
        "return_required" => {
            json!(["status", "summary", "changed_paths", "verification", "blockers"])
        }
        "source_rules" => json!(["Primary sources only"]),
        "uncertainty" => json!("Say how sure each answer is."),
        "scope" => json!({ "is": "What this packet is", "is_not": ["What it is not"] }),
        "confidence" => json!(0.8),
        "provenance" => {
            json!({ "inputs": ["what was read"], "sources": ["where it came from"], "tools": ["what was used"] })
        }
        "fallback" => {
            json!([{ "after": "300s", "on": "no_progress", "to": "role:oncall" }, { "to": "dead_letter" }])
        }
        "classification" => json!("OFFICIAL"),
        "regulation_refs" => json!([{ "scheme": "UK-DCB0129", "ref": "4.2" }]),
        "sign_off_gates" => json!(["clinical-release"]),
        "retention" => json!({ "period": "P8Y", "schedule_ref": "records-schedule-1" }),
        "clinical" => json!({ "hazard_refs": ["HAZ-1"], "safety_case_ref": "SC-1" }),
        "purpose" => json!("Why the data is used"),
        "lawful_basis" => json!("The legal ground for it"),
        "contains" => json!(["patient_data"]),
        "accountable_person" => json!("The senior manager's id"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tasuki_packet::check::validate::violations;
    use tasuki_packet::document::Document;
    use tasuki_packet::open::{OpenOptions, open};
    use tasuki_packet::read::Source;

    use super::*;

    const HELP: &str = include_str!("../../../../../docs/reference/packet.md");

    fn answers() -> Answers {
        Answers {
            task: "t".to_owned(),
            from: "a".to_owned(),
            to: "b".to_owned(),
            goal: "g".to_owned(),
        }
    }

    #[test]
    fn a_new_packet_is_valid_in_every_variant() {
        for name in Variant::names() {
            let variant = Variant::named(name).unwrap();
            for extent in [Extent::Minimal, Extent::Common] {
                let value = Value::Object(members(&variant, &answers(), extent));
                let document = Document::from_value(&value).unwrap();
                assert_eq!(violations(&document, &variant), [], "{name}");
            }
        }
    }

    #[test]
    fn the_template_has_every_common_field_with_a_comment_and_reads_back() {
        let baseline = Variant::named("baseline").unwrap();
        let packet = members(&baseline, &answers(), Extent::Common);
        assert_eq!(packet.len(), COMMON.len(), "a common field has no example");
        let text = commented(&packet);
        let source = Source::packet(text.as_bytes()).unwrap();
        assert_eq!(source.read_packet().unwrap().to_value(), Value::Object(packet.clone()));
        assert_eq!(source.comment_count(), COMMON.len() + COMMENTED_OUT.len() + 2);
        for part in ["pinned: true", "failed_approaches:", "failure_boundary:", "return_required:"]
        {
            assert!(text.contains(part), "{text}");
        }
        assert!(text.lines().all(|line| line.len() <= 100), "{text}");
    }

    #[test]
    fn a_commented_line_of_the_template_is_a_valid_field() {
        let coding = Variant::named("coding").unwrap();
        let text = commented(&members(&coding, &answers(), Extent::Common));
        let is_field = |line: &&str| {
            COMMENTED_OUT.iter().any(|(name, ..)| line.starts_with(&format!("# {name}:")))
        };
        assert_eq!(text.lines().filter(is_field).count(), COMMENTED_OUT.len());
        let uncommented =
            |line: &str| format!("{}\n", if is_field(&line) { &line[2..] } else { line });
        let text: String = text.lines().map(uncommented).collect();
        let source = Source::packet(text.as_bytes()).unwrap();
        let opened = open(&source, OpenOptions::default()).unwrap();
        assert_eq!(opened.violations, [], "{text}");
        for (name, ..) in COMMENTED_OUT {
            assert!(opened.packet.get(name).is_some(), "{name}");
        }
    }

    #[test]
    fn the_template_has_every_field_of_the_help_page_and_no_other() {
        let rows = HELP.lines().filter(|line| line.starts_with("| `"));
        let cells = rows.filter_map(|row| row.split('|').nth(1));
        let explained: BTreeSet<&str> =
            cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
        let common = COMMON.iter().map(|(name, _)| *name);
        let written: BTreeSet<&str> =
            common.chain(COMMENTED_OUT.iter().map(|(name, ..)| *name)).collect();
        assert_eq!(written, explained);
    }
}
