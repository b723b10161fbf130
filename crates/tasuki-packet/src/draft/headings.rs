//! The fields that headings and labels stand for.

/// A place in a packet for the content of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A text field: the paragraphs and items as one text.
    Text(&'static str),
    /// A list: each item, and each paragraph.
    List(&'static str),
    /// A list whose check boxes are criteria, not progress.
    Criteria,
    /// Pairs of what was tried and what came of it.
    FailedApproaches,
    /// Names and values.
    Context,
    /// What the work does not cover.
    NotInScope,
}

const HEADINGS: &[(Place, &[&str])] = &[
    (
        Place::Text("goal"),
        &[
            "goal",
            "goals",
            "aim",
            "objective",
            "desired outcome",
            "expected behavior",
            "expected behaviour",
            "user story",
        ],
    ),
    (
        Place::Text("summary"),
        &[
            "summary",
            "why",
            "background",
            "motivation",
            "description",
            "overview",
            "situation",
            "current state",
            "problem",
            "tl;dr",
            "describe the bug",
            "actual behavior",
            "actual behaviour",
            "where we are",
        ],
    ),
    (
        Place::Text("next_request"),
        &["request", "next request", "next step", "what i need", "what we need from you", "ask"],
    ),
    (Place::Text("question"), &["question", "research question"]),
    (
        Place::List("completed"),
        &[
            "done",
            "completed",
            "what is done",
            "what's done",
            "finished",
            "progress",
            "so far",
            "work done",
        ],
    ),
    (
        Place::List("remaining"),
        &[
            "to do",
            "todo",
            "todos",
            "tasks",
            "remaining",
            "what is left",
            "what's left",
            "left",
            "open",
            "next steps",
            "steps",
            "plan",
            "what must be there",
            "what to do",
            "requirements",
            "work",
        ],
    ),
    (
        Place::List("decisions"),
        &["decisions", "decided", "settled details", "settled", "agreed", "what was decided"],
    ),
    (
        Place::List("pitfalls_hit"),
        &[
            "pitfalls",
            "pitfalls hit",
            "traps",
            "gotchas",
            "known issues",
            "watch out",
            "lessons",
            "lessons learned",
        ],
    ),
    (
        Place::FailedApproaches,
        &[
            "failed approaches",
            "what did not work",
            "what didn't work",
            "tried",
            "already tried",
            "dead ends",
        ],
    ),
    (Place::List("assumptions"), &["assumptions", "we assume"]),
    (
        Place::List("constraints"),
        &[
            "constraints",
            "constraint",
            "rules",
            "limits",
            "must not",
            "do not",
            "restrictions",
            "boundaries",
        ],
    ),
    (
        Place::List("inputs"),
        &[
            "inputs",
            "files",
            "links",
            "references",
            "resources",
            "read first",
            "see also",
            "material",
            "materials",
        ],
    ),
    (Place::List("expected_outputs"), &["outputs", "expected outputs", "deliverables", "results"]),
    (
        Place::Criteria,
        &[
            "acceptance",
            "acceptance criteria",
            "definition of done",
            "done means",
            "done when",
            "success criteria",
            "how to verify",
            "verification",
        ],
    ),
    (
        Place::List("failure_boundary"),
        &[
            "stop if",
            "stop when",
            "failure boundary",
            "when to stop",
            "stop conditions",
            "escalate if",
            "escalation",
        ],
    ),
    (
        Place::List("return_required"),
        &[
            "return",
            "return required",
            "what to return",
            "report back",
            "what to report",
            "send back",
        ],
    ),
    (Place::List("blockers"), &["blockers", "blocked by", "blocking"]),
    (Place::List("source_rules"), &["sources", "source rules"]),
    (Place::Context, &["environment", "versions", "context", "setup", "facts"]),
    (Place::NotInScope, &["non-goals", "non goals", "out of scope", "not in scope"]),
    (
        Place::List("notes"),
        &["notes", "note", "remarks", "additional context", "additional information"],
    ),
];

/// Labels of single lines, such as `To: ben`.
const LABELS: &[(&str, &[&str])] = &[
    ("from_agent", &["from", "sender", "author", "reporter"]),
    ("to_agent", &["to", "receiver", "assignee", "assigned to"]),
    ("task_id", &["task", "task id", "ticket", "issue", "id"]),
    ("status", &["status", "state"]),
    ("goal", &["goal"]),
    ("confidence", &["confidence"]),
    ("expires_at", &["expires", "expires at", "deadline"]),
];

/// Returns the place that a heading stands for.
pub(super) fn place(heading: &str) -> Option<Place> {
    let words = normalized(heading);
    HEADINGS.iter().find(|(_, names)| names.contains(&words.as_str())).map(|(place, _)| *place)
}

/// Returns the field and the value of a line with a label.
pub(super) fn label(line: &str) -> Option<(&'static str, &str)> {
    let (name, value) = line.split_once(':')?;
    let words = normalized(name);
    let (field, _) = LABELS.iter().find(|(_, names)| names.contains(&words.as_str()))?;
    Some((*field, value.trim().trim_matches('*').trim())).filter(|(_, value)| !value.is_empty())
}

/// Returns a heading in lower case, without marks at its ends and without a number before it.
fn normalized(heading: &str) -> String {
    let words = heading.trim().trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_mark = |c: char| !c.is_alphanumeric();
    words.trim_matches(is_mark).to_lowercase().replace('\u{2019}', "'")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::field::index_of;

    #[test]
    fn every_place_is_a_field_and_every_heading_has_one_place() {
        let mut seen = std::collections::BTreeSet::new();
        for (place, names) in HEADINGS {
            if let Place::Text(field) | Place::List(field) = place {
                assert!(index_of(field).is_some(), "{field}");
            }
            for name in *names {
                assert!(seen.insert(*name), "{name} has two places");
                assert_eq!(super::place(name), Some(*place), "{name}");
            }
        }
        assert!(LABELS.iter().all(|(field, _)| index_of(field).is_some()));
    }

    #[test]
    fn marks_and_numbers_around_a_heading_do_not_matter() {
        for heading in ["Next steps", "## 3. Next Steps:", "🚀 Next steps!"] {
            assert_eq!(
                place(heading.trim_start_matches('#')),
                Some(Place::List("remaining")),
                "{heading}"
            );
        }
        assert_eq!(place("Fun facts"), None);
        assert_eq!(label("**To:** @ben"), Some(("to_agent", "@ben")));
        assert_eq!(label("Status: blocked"), Some(("status", "blocked")));
        assert_eq!(label("See: below"), None);
        assert_eq!(label("To:"), None);
    }
}
