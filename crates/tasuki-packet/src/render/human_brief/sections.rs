//! The sections of the human brief.

use serde_json::Value;

use super::page::{Page, fact, marked};
use crate::packet::Packet;
use crate::render::block::{Block, Line, Table, cell, code_cell};
use crate::render::describe::{self, Show};
use crate::render::facts;
use crate::schema::Kind;

/// Adds the request and its deadline in the sender's words, and the parties.
pub(crate) fn request(page: &mut Page<'_>, packet: &Packet) {
    if let Some(request) = page.fields.text("next_request").or_else(|| page.fields.text("goal")) {
        page.labelled("Request:", request);
    }
    let expires = page.fields.text("expires_at").map(str::to_owned);
    let fallback = || packet.get("fallback").and_then(facts::fallback_deadline);
    match expires.or_else(fallback) {
        Some(deadline) => page.labelled("Deadline:", &deadline),
        None if packet.kind() == Kind::Handoff => page.labelled("Deadline:", "none"),
        None => {}
    }
    quoted_brief(page);
    page.prose("Question", "question");
    page.prose("Goal", "goal");
    route(page);
}

/// Adds the status, the verdict and the evidence for each criterion.
pub(crate) fn outcome(page: &mut Page<'_>) {
    verdict(page);
    verification(page);
    quoted_brief(page);
    route(page);
    summary(page);
    page.statements("Changed paths", "changed_paths");
    page.statements("Blockers", "blockers");
    page.statements("Assumptions", "assumptions");
    artifacts(page);
    cost(page);
}

pub(crate) fn decision(page: &mut Page<'_>) {
    let decided = [
        ("Decision:", "decision"),
        ("By:", "from_agent"),
        ("Reason:", "reason"),
        ("Meaning:", "meaning"),
        ("To:", "to"),
    ];
    for (label, name) in decided {
        if let Some(words) = page.fields.text(name) {
            page.labelled(label, words);
        }
    }
    let revision = page.fields.value("revision").map(describe::plain);
    let digest = page.fields.text("digest");
    page.words([("Revision:", revision.as_deref()), ("Digest:", digest)]);
    quoted_brief(page);
    route(page);
}

/// Adds the summary and the completed, remaining and failed work.
pub(crate) fn progress(page: &mut Page<'_>) {
    summary(page);
    page.steps("Done", "completed");
    page.steps("Remaining", "remaining");
    failures(page);
    page.statements("Blockers", "blockers");
    page.statements("Decisions", "decisions");
    page.statements("Assumptions", "assumptions");
    uncertainty(page);
}

/// Adds the constraints of the receiver and the requirements for the return.
pub(crate) fn agreement(page: &mut Page<'_>) {
    page.statements("Constraints", "constraints");
    page.statements("Authority", "authority");
    page.statements("Acceptance", "acceptance");
    page.statements("Failure boundary", "failure_boundary");
    page.statements("Sign-offs due", "sign_offs_due");
    page.statements("Required in the return", "return_required");
    expected_outputs(page);
    page.statements("Source rules", "source_rules");
}

/// Adds the location of every output.
pub(crate) fn results(page: &mut Page<'_>) {
    verification(page);
    artifacts(page);
    page.statements("Changed paths", "changed_paths");
    page.statements("Inputs", "inputs");
    secret_refs(page);
}

pub(crate) fn data(page: &mut Page<'_>) {
    payload(page);
    if let Some(context) = page.fields.object("context") {
        page.pairs("Context", context.iter().map(|(name, value)| (name.as_str(), value)));
    }
    page.statements("Notes", "notes");
}

/// Adds confidence, scope, provenance, cost, trigger and fallback.
pub(crate) fn details(page: &mut Page<'_>) {
    let known: [(&str, &str, Show); 11] = [
        ("Confidence", "confidence", facts::confidence),
        ("Scope", "scope", facts::scope),
        ("Contract", "contract", describe::plain),
        ("Profile", "profile", describe::plain),
        ("Trigger", "trigger", facts::trigger),
        ("Fallback", "fallback", facts::fallback),
        ("Can be intercepted", "can_intercept", yes_or_no),
        ("Supersedes", "supersedes", describe::plain),
        ("Expires", "expires_at", describe::plain),
        ("Packet type", "packet_type", describe::plain),
        ("Format version", "handoff_version", describe::plain),
    ];
    let rows = known
        .into_iter()
        .filter_map(|(label, name, show)| Some(fact(label, &show(filled(page, name)?))))
        .collect();
    page.table("Details", Table { head: vec!["Field", "Value"], rows });
    cost(page);
    if let Some(provenance) = page.fields.object("provenance") {
        let rows =
            provenance.iter().map(|(name, value)| fact(name, &facts::joined(value))).collect();
        page.table("Provenance", Table { head: vec!["Kind", "Entries"], rows });
    }
}

/// Adds the fields of the regulated variant.
pub(crate) fn regulation(page: &mut Page<'_>) {
    let known = [
        ("Classification", "classification"),
        ("Regulation", "regulation_refs"),
        ("Sign-off gates", "sign_off_gates"),
        ("Retention", "retention"),
        ("Purpose", "purpose"),
        ("Lawful basis", "lawful_basis"),
        ("Contains", "contains"),
        ("Accountable person", "accountable_person"),
        ("Clinical", "clinical"),
    ];
    let mut rows = Vec::new();
    for (label, name) in known {
        match filled(page, name) {
            // One row per reference: references are looked up one by one.
            Some(Value::Array(values)) if !values.is_empty() => {
                rows.extend(values.iter().map(|value| fact(label, &reference(value))));
            }
            Some(value) => rows.push(fact(label, &describe::plain(value))),
            None => {}
        }
    }
    page.table("Classification and regulation", Table { head: vec!["Field", "Value"], rows });
}

/// Adds everything that no other section has shown.
pub(crate) fn other(page: &mut Page<'_>) {
    let rest = page.fields.rest();
    page.pairs("Other fields", rest);
}

fn verdict(page: &mut Page<'_>) {
    let known =
        [("Status:", page.fields.text("status")), ("Verdict:", page.fields.text("verdict"))];
    page.words(known);
}

fn quoted_brief(page: &mut Page<'_>) {
    if let Some(words) = page.fields.text("human_brief") {
        page.push(Block::Quote(crate::render::text::visible(words.trim())));
    }
}

fn route(page: &mut Page<'_>) {
    let known = [
        ("From:", page.fields.text("from_agent")),
        ("To:", page.fields.text("to_agent").or_else(|| page.fields.text("target_agent"))),
        ("Task:", page.fields.text("task_id")),
        ("Status:", page.fields.text("status")),
    ];
    page.words(known);
}

fn summary(page: &mut Page<'_>) {
    page.prose("Summary", "summary");
    page.prose("Summary", "handoff_summary");
}

fn failures(page: &mut Page<'_>) {
    page.entries("Failed approaches", "failed_approaches", |value| {
        marked(value, &facts::failed_approach(value))
    });
    page.statements("Pitfalls", "pitfalls_hit");
}

fn uncertainty(page: &mut Page<'_>) {
    page.prose("Uncertainty", "uncertainty");
    page.statements("Uncertainty", "uncertainty");
}

fn secret_refs(page: &mut Page<'_>) {
    page.prose("Secrets by reference", "secret_ref");
    let head = vec!["Name", "Reference", "More"];
    page.rows("Secrets by reference", "secret_ref", head, |value| {
        row(value, &["name", "ref"], |_, words| cell(words))
    });
}

fn verification(page: &mut Page<'_>) {
    page.prose("Verification", "verification");
    let head = vec!["Criterion", "Result", "Evidence", "More"];
    page.rows("Verification", "verification", head, criterion);
}

fn criterion(value: &Value) -> Vec<Line> {
    let known = ["criterion", "result", "evidence"];
    row(value, &known, |_, words| cell(words))
}

fn artifacts(page: &mut Page<'_>) {
    let known = ["kind", "path", "bytes", "digest", "media_type"];
    let cells = |name: &str, words: &str| match name {
        "path" | "digest" => code_cell(words),
        "bytes" => cell(&format!("{words} bytes")),
        _ => cell(words),
    };
    let head = vec!["Kind", "Path", "Size", "Digest", "Type", "More"];
    page.rows("Artifacts", "artifacts", head, |value| row(value, &known, cells));
    page.statements("Evidence references", "evidence_refs");
}

fn expected_outputs(page: &mut Page<'_>) {
    page.entries("Expected outputs", "expected_outputs", |value| {
        marked(value, &facts::expected_output(value))
    });
}

fn payload(page: &mut Page<'_>) {
    if let Some(payload) = page.fields.object("payload") {
        page.pairs("Payload", payload.iter().map(|(name, value)| (name.as_str(), value)));
        return;
    }
    page.rows("Payload", "payload", vec!["Label", "Value", "More"], |value| {
        row(value, &["label", "value"], |_, words| cell(words))
    });
}

pub(crate) fn cost(page: &mut Page<'_>) {
    let known = [("Cost", "cost"), ("Budget", "budget")];
    let rows = known
        .into_iter()
        .filter_map(|(label, name)| Some(fact(label, &facts::cost(filled(page, name)?))))
        .collect();
    page.table("Cost and budget", Table { head: vec!["Field", "Value"], rows });
}

/// Returns the known members of an entry as cells, and all others in a last cell.
fn row(value: &Value, known: &[&str], show: impl Fn(&str, &str) -> Line) -> Vec<Line> {
    let Some(members) = value.as_object() else {
        let mut cells: Vec<Line> = vec![cell(&describe::plain(value))];
        cells.resize_with(known.len() + 1, Vec::new);
        return cells;
    };
    let member = |name: &&str| facts::member(members, name).map(|words| show(name, &words));
    let mut cells: Vec<Line> = known.iter().map(|name| member(name).unwrap_or_default()).collect();
    cells.push(cell(&describe::pairs(members, known)));
    cells
}

fn reference(value: &Value) -> String {
    let Some(members) = value.as_object() else { return describe::plain(value) };
    match (facts::member(members, "scheme"), facts::member(members, "ref")) {
        (Some(scheme), Some(of)) => {
            let more = describe::pairs(members, &["scheme", "ref"]);
            let more = if more.is_empty() { more } else { format!(" ({more})") };
            format!("{scheme} {of}{more}")
        }
        _ => describe::plain(value),
    }
}

fn filled<'p>(page: &mut Page<'p>, name: &str) -> Option<&'p Value> {
    page.fields.value(name).filter(|value| !describe::is_empty(value))
}

fn yes_or_no(value: &Value) -> String {
    match value.as_bool() {
        Some(true) => "yes".to_owned(),
        Some(false) => "no".to_owned(),
        None => describe::plain(value),
    }
}
