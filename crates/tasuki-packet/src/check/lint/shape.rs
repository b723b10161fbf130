//! Lints the structure of a packet, without analyzing its prose.

use serde_json::Value;

use super::finding::Finding;
use crate::canonical;
use crate::document::{Members, pointer};
use crate::packet::{Certainty, Item, Packet};
use crate::schema::Kind;
use crate::violation::{Code, shorten};

/// LIMIT: bytes of a packet. A brief is a few hundred tokens with references, not a file. 8 KiB are
/// about 2,000 tokens.
const PACKET_BYTES_MANY: usize = 8 << 10;

/// LIMIT: characters per item. An item is one statement; a page belongs in an artifact.
const ITEM_CHARS_MANY: usize = 600;

/// LIMIT: members that a reader can keep apart.
const MEMBERS_MANY: usize = 30;

/// LIMIT: items that a reader still reads.
const ITEMS_MANY: usize = 40;

/// LIMIT: values of `payload` or `context` that a reader still reads.
const VALUES_MANY: usize = 60;

/// The known kinds of `evidence_refs`.
const EVIDENCE_KINDS: &[&str] = &["commit", "deploy", "trace", "log", "file", "check", "url"];

/// Members that hold the content of a file inline.
const INLINE_NAMES: &[&str] = &["content", "contents", "data", "body", "inline", "base64", "text"];

pub(super) fn check(packet: &Packet, findings: &mut Vec<Finding>) {
    if packet.kind() == Kind::Handoff {
        findings.extend(goal(packet));
        findings.extend(request(packet));
        findings.extend(progress(packet));
    }
    findings.extend(length(packet));
    items_length(packet, findings);
    packed(packet, findings);
    packed_data(packet, findings);
    evidence(packet, findings);
    evidence_kinds(packet, findings);
    findings.extend(confidence(packet));
    artifacts(packet, findings);
    findings.extend(ladder(packet));
}

fn is_blank(text: Option<&str>) -> bool {
    text.is_none_or(|text| text.trim().is_empty())
}

fn goal(packet: &Packet) -> Option<Finding> {
    is_blank(packet.text("goal")).then(|| {
        Finding::warning(
            Code::LintGoal,
            "/goal",
            "the packet has no `goal`",
            "state the objective in one sentence",
        )
    })
}

fn request(packet: &Packet) -> Option<Finding> {
    if !is_blank(packet.text("next_request")) {
        return None;
    }
    let message = "the packet has no `next_request`";
    let hint = "state what the receiver should do next";
    // Remaining work or a brief for people still shows the receiver where to start.
    let is_implied = !packet.list("remaining").is_empty() || !is_blank(packet.text("human_brief"));
    Some(if is_implied {
        Finding::advice(Code::LintRequest, "/next_request", message, hint)
    } else {
        Finding::warning(Code::LintRequest, "/next_request", message, hint)
    })
}

/// Advises to state the progress. Absent lists mean that it is not stated, `[]` that there is none.
fn progress(packet: &Packet) -> Option<Finding> {
    let is_stated = ["completed", "remaining"].iter().any(|name| packet.get(name).is_some());
    (!is_stated).then(|| {
        Finding::advice(
            Code::LintProgress,
            "/remaining",
            "the packet has neither `completed` nor `remaining`",
            "list what is done and what is left; `[]` states that there is nothing",
        )
    })
}

fn length(packet: &Packet) -> Option<Finding> {
    let bytes = canonical::bytes(&packet.to_value()).len();
    (bytes > PACKET_BYTES_MANY).then(|| {
        Finding::advice(
            Code::LintLong,
            "",
            format!("the packet has {bytes} bytes; the recommended limit is {PACKET_BYTES_MANY}"),
            "keep what the receiver needs to start, and move the rest to an artifact",
        )
    })
}

fn items_length(packet: &Packet, findings: &mut Vec<Finding>) {
    each_item(packet, |pointer, item| {
        let count = item.text.chars().count();
        if count > ITEM_CHARS_MANY {
            findings.push(Finding::advice(
                Code::LintLong,
                pointer,
                format!(
                    "the item has {count} characters; the recommended limit is {ITEM_CHARS_MANY}"
                ),
                "split it, or move it to an artifact",
            ));
        }
    });
}

/// Calls `visit` with every item of every list of the packet.
fn each_item(packet: &Packet, mut visit: impl FnMut(String, Item<'_>)) {
    for (name, value) in packet.members() {
        for (index, value) in value.as_array().into_iter().flatten().enumerate() {
            if let Some(item) = Item::of(value) {
                visit(pointer::join(&pointer::join("", name), &index.to_string()), item);
            }
        }
    }
}

fn packed(packet: &Packet, findings: &mut Vec<Finding>) {
    let count = packet.members().len();
    if count > MEMBERS_MANY {
        findings.push(Finding::advice(
            Code::LintPacked,
            "",
            format!("the packet has {count} members; the recommended limit is {MEMBERS_MANY}"),
            "group related members under `context` or `payload`",
        ));
    }
    for (name, value) in packet.members() {
        let count = value.as_array().map_or(0, Vec::len);
        if count > ITEMS_MANY {
            findings.push(Finding::advice(
                Code::LintPacked,
                pointer::join("", name),
                format!("`{name}` has {count} items; the recommended limit is {ITEMS_MANY}"),
                "keep what the next step needs, and refer to the rest",
            ));
        }
    }
}

/// Finds data that should be a file: an object with many values, or a long text in one.
fn packed_data(packet: &Packet, findings: &mut Vec<Finding>) {
    for name in ["payload", "context"] {
        let Some(value) = packet.get(name) else { continue };
        let place = pointer::join("", name);
        let count = values_in(value);
        if count > VALUES_MANY {
            findings.push(Finding::advice(
                Code::LintPacked,
                &*place,
                format!("`{name}` has {count} values; the recommended limit is {VALUES_MANY}"),
                "keep what the next step needs, and move the rest to an artifact",
            ));
        }
        pointer::each_text(value, &mut |inner, text| {
            let count = text.chars().count();
            if count > ITEM_CHARS_MANY {
                findings.push(Finding::advice(
                    Code::LintLong,
                    format!("{place}{inner}"),
                    format!(
                        "the value has {count} characters; the recommended limit is {ITEM_CHARS_MANY}"
                    ),
                    "move it to an artifact and refer to it",
                ));
            }
        });
    }
}

fn values_in(value: &Value) -> usize {
    match value {
        Value::Array(values) => values.iter().map(values_in).sum(),
        Value::Object(members) => members.values().map(values_in).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
    }
}

fn evidence(packet: &Packet, findings: &mut Vec<Finding>) {
    let has_evidence =
        |item: &Item<'_>| item.members.is_some_and(|members| has_some(members.get("evidence")));
    let mut shown = !packet.list("evidence_refs").is_empty();
    let mut count = 0;
    for (index, value) in packet.list("completed").iter().enumerate() {
        let Some(item) = Item::of(value) else { continue };
        count += 1;
        shown |= has_evidence(&item);
        if item.certainty() == Certainty::Verified && !has_evidence(&item) {
            findings.push(Finding::warning(
                Code::LintEvidence,
                format!("/completed/{index}"),
                "a completed step is marked `verified` but has no evidence",
                "add `evidence`, for example `commit:9f2c1e0`, or mark it `assumed`",
            ));
        }
    }
    if count > 0 && !shown {
        findings.push(Finding::advice(
            Code::LintEvidence,
            "/evidence_refs",
            match count {
                1 => "1 completed step without evidence".to_owned(),
                _ => format!("{count} completed steps without evidence"),
            },
            "add `evidence_refs`, for example `commit:9f2c1e0` or `log:ci-7`",
        ));
    }
}

fn has_some(value: Option<&Value>) -> bool {
    match value {
        Some(Value::String(text)) => !text.trim().is_empty(),
        Some(Value::Array(items)) => !items.is_empty(),
        _ => false,
    }
}

fn evidence_kinds(packet: &Packet, findings: &mut Vec<Finding>) {
    for (index, value) in packet.list("evidence_refs").iter().enumerate() {
        let Some(item) = Item::of(value) else { continue };
        let kind = item.text.split_once(':').map_or("", |(kind, _)| kind);
        if !EVIDENCE_KINDS.contains(&kind) {
            let message = if kind.is_empty() {
                "the evidence has no kind".to_owned()
            } else {
                format!("unknown evidence kind `{}`", shorten::text(kind))
            };
            findings.push(Finding::warning(
                Code::LintKind,
                format!("/evidence_refs/{index}"),
                message,
                "use one of commit, deploy, trace, log, file, check, url; other kinds are kept",
            ));
        }
    }
}

fn confidence(packet: &Packet) -> Option<Finding> {
    // Unfinished work has nothing yet to be confident of.
    let is_finished = packet.text("status") == Some("completed");
    (is_finished && packet.number("confidence").is_none()).then(|| {
        Finding::advice(
            Code::LintConfidence,
            "/confidence",
            "the work is marked as completed, but the packet has no `confidence`",
            "add `confidence`, a number from 0 to 1",
        )
    })
}

fn artifacts(packet: &Packet, findings: &mut Vec<Finding>) {
    for (index, value) in packet.list("artifacts").iter().enumerate() {
        let Some(artifact) = value.as_object() else { continue };
        let pointer = format!("/artifacts/{index}");
        let lacking: Vec<&str> =
            ["digest", "bytes"].into_iter().filter(|name| !artifact.contains_key(*name)).collect();
        if !lacking.is_empty() {
            findings.push(Finding::warning(
                Code::LintArtifact,
                &*pointer,
                format!("the artifact has no `{}`", lacking.join("` and no `")),
                "add them so that the receiver can check that it has the same file",
            ));
        }
        if let Some(name) = inline(artifact) {
            findings.push(Finding::warning(
                Code::LintArtifact,
                pointer::join(&pointer, name),
                format!("the artifact has inline content in `{name}`"),
                "store the file and refer to it by `path` and `digest`",
            ));
        }
    }
}

fn inline(artifact: &Members) -> Option<&'static str> {
    INLINE_NAMES.iter().copied().find(|name| artifact.contains_key(*name))
}

fn ladder(packet: &Packet) -> Option<Finding> {
    // The one-line form has no place for the dead letter and implies it.
    let last = packet.list("fallback").last()?;
    let ends = last.get("to").and_then(Value::as_str) == Some("dead_letter");
    (!ends).then(|| {
        Finding::warning(
            Code::LintLadder,
            "/fallback",
            "`fallback` does not end in `dead_letter`",
            "add `{ to: dead_letter }` as the last rung so that abandoned work becomes visible",
        )
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(packet: Value) -> Vec<String> {
        let mut findings = Vec::new();
        check(&Packet::from_value(packet).unwrap(), &mut findings);
        findings.iter().map(|f| format!("{} {}", f.code, f.pointer)).collect()
    }

    /// Returns a packet without findings, with these members added.
    fn with(members: &Value) -> Value {
        let mut packet =
            json!({"goal": "Ship it", "next_request": "Write the tests.", "remaining": []});
        packet.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        packet
    }

    #[test]
    fn a_good_packet_has_no_finding() {
        let packet = with(&json!({
            "completed": [{"text": "Scaffolded", "state": "verified", "evidence": "commit:9f2c1e0"}],
            "evidence_refs": ["commit:9f2c1e0", {"text": "url:https://ci.example/7"}],
            "confidence": 0.8,
            "artifacts": [{"kind": "output", "path": "a", "digest": "sha256:0", "bytes": 1}],
            "fallback": [{"to": "role:oncall"}, {"to": "dead_letter"}],
        }));
        assert_eq!(found(packet), Vec::<String>::new());
    }

    #[test]
    fn progress_that_is_not_stated_is_mentioned() {
        let packet = json!({"goal": "Ship it", "next_request": "Write the tests."});
        assert_eq!(found(packet.clone()), ["TK-LINT-PROGRESS /remaining"]);
        let mut stated = packet;
        stated["completed"] = json!([]);
        assert_eq!(found(stated), [""; 0]);
    }

    #[test]
    fn each_weakness_has_its_code_and_pointer() {
        let long = "word ".repeat(121);
        let many: Vec<String> = (0..41).map(|n| format!("step {n}")).collect();
        for (members, expected) in [
            (json!({"goal": " "}), "TK-LINT-GOAL /goal"),
            (json!({"next_request": null}), "TK-LINT-REQUEST /next_request"),
            (json!({"notes": ["short", long]}), "TK-LINT-LONG /notes/1"),
            (json!({"notes": vec!["word ".repeat(100); 20]}), "TK-LINT-LONG "),
            (json!({"context": {"x": {"y": "z".repeat(700)}}}), "TK-LINT-LONG /context/x/y"),
            (json!({"context": {"x": vec![1; 61]}}), "TK-LINT-PACKED /context"),
            (
                json!({"payload": {"rows": vec![json!({"a": 1, "b": 2}); 31]}}),
                "TK-LINT-PACKED /payload",
            ),
            (json!({"remaining": many}), "TK-LINT-PACKED /remaining"),
            (
                json!({"confidence": 1, "evidence_refs": ["log:a"],
                    "completed": [{"text": "Tested", "state": "verified"}]}),
                "TK-LINT-EVIDENCE /completed/0",
            ),
            (json!({"confidence": 1, "completed": ["Tested"]}), "TK-LINT-EVIDENCE /evidence_refs"),
            (json!({"evidence_refs": ["ticket:42"]}), "TK-LINT-KIND /evidence_refs/0"),
            (json!({"evidence_refs": ["somewhere"]}), "TK-LINT-KIND /evidence_refs/0"),
            (
                json!({"status": "completed", "completed": ["Tested"], "evidence_refs": ["log:a"]}),
                "TK-LINT-CONFIDENCE /confidence",
            ),
            (json!({"artifacts": [{"path": "a", "bytes": 1}]}), "TK-LINT-ARTIFACT /artifacts/0"),
            (
                json!({"artifacts": [{"path": "a", "bytes": 1, "digest": "d", "content": "x"}]}),
                "TK-LINT-ARTIFACT /artifacts/0/content",
            ),
            (json!({"fallback": [{"to": "role:oncall"}]}), "TK-LINT-LADDER /fallback"),
        ] {
            assert_eq!(found(with(&members)), [expected]);
        }
    }

    #[test]
    fn unfinished_work_needs_no_confidence() {
        let packet =
            json!({"completed": ["Tested"], "evidence_refs": ["log:a"], "status": "in_progress"});
        assert_eq!(found(with(&packet)), Vec::<String>::new());
    }

    #[test]
    fn steps_without_evidence_are_counted() {
        for (steps, expected) in [
            (json!(["a"]), "1 completed step without evidence"),
            (json!(["a", "b"]), "2 completed steps without evidence"),
        ] {
            let packet = Packet::from_value(with(&json!({"confidence": 1, "completed": steps})));
            let mut findings = Vec::new();
            check(&packet.unwrap(), &mut findings);
            let messages: Vec<_> = findings.iter().map(|finding| &finding.message).collect();
            assert_eq!(messages, [expected]);
        }
    }

    #[test]
    fn more_than_thirty_members_are_too_many() {
        let mut members = Members::new();
        for number in 0..29 {
            members.insert(format!("m{number}"), json!(1));
        }
        assert_eq!(found(with(&json!(members))), ["TK-LINT-PACKED "]);
    }

    #[test]
    fn only_a_handoff_needs_goal_request_and_progress() {
        assert_eq!(found(json!({"packet_type": "checkpoint"})), Vec::<String>::new());
        assert_eq!(found(json!({})).len(), 3);
    }

    #[test]
    fn the_one_line_fallback_is_fine() {
        let line = "escalate_to_oncall_if_not_progressed_within_300s";
        assert_eq!(found(with(&json!({"fallback": line}))), Vec::<String>::new());
    }
}
