//! The sections of the human brief, each from the members it knows.

use serde_json::Value;

use super::page::{Page, States, fact, statement};
use crate::packet::Packet;
use crate::render::block::{Block, Line, Span, Table, cell, code_cell};
use crate::render::describe::{self, Show};
use crate::render::facts;
use crate::schema::Kind;

/// What is asked and until when, in the sender's words, from whom to whom.
pub(crate) fn request(page: &mut Page<'_>, packet: &Packet) {
    if let Some(asked) = page.fields.text("next_request").or_else(|| page.fields.text("goal")) {
        page.labelled("Asked:", asked);
    }
    let expires = page.fields.text("expires_at").map(str::to_owned);
    let fallback = || packet.get("fallback").and_then(facts::fallback_deadline);
    match expires.or_else(fallback) {
        Some(until) => page.labelled("Until:", &until),
        None if packet.kind() == Kind::Handoff => page.labelled("Until:", "no deadline"),
        None => {}
    }
    quoted_brief(page);
    page.prose("Question", "question");
    page.prose("Goal", "goal");
    route(page);
}

/// How it ended, and the evidence for each criterion.
pub(crate) fn outcome(page: &mut Page<'_>) {
    verdict(page);
    quoted_brief(page);
    route(page);
    summary(page);
    verification(page);
    page.statements("Changed paths", "changed_paths", States::Named);
    page.statements("Blockers", "blockers", States::Named);
    page.statements("Assumptions", "assumptions", States::Named);
    artifacts(page);
    cost(page);
}

/// What was decided, by whom, about which revision, and why.
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

/// What happened, what is done, what is left, what failed.
pub(crate) fn progress(page: &mut Page<'_>) {
    summary(page);
    page.statements("Done", "completed", States::All);
    page.statements("Left to do", "remaining", States::Named);
    failures(page);
    page.statements("Blockers", "blockers", States::Named);
    page.statements("Decisions", "decisions", States::Named);
    page.statements("Assumptions", "assumptions", States::Named);
    uncertainty(page);
}

/// What the receiver must keep to, and what must come back.
pub(crate) fn agreement(page: &mut Page<'_>) {
    page.statements("Constraints", "constraints", States::Named);
    page.statements("Authority", "authority", States::Named);
    page.statements("Acceptance", "acceptance", States::Named);
    page.statements("Failure boundary", "failure_boundary", States::Named);
    page.statements("What must come back", "return_required", States::Named);
    expected_outputs(page);
    page.statements("Rules for sources", "source_rules", States::Named);
}

/// Where every output is.
pub(crate) fn results(page: &mut Page<'_>) {
    verification(page);
    artifacts(page);
    page.statements("Changed paths", "changed_paths", States::Named);
    page.statements("Inputs", "inputs", States::Named);
}

/// The payload and the context.
pub(crate) fn data(page: &mut Page<'_>) {
    payload(page);
    if let Some(context) = page.fields.object("context") {
        page.pairs("Context", context.iter().map(|(name, value)| (name.as_str(), value)));
    }
    page.statements("Notes", "notes", States::Named);
}

/// Confidence, scope, provenance, cost, trigger, fallback.
pub(crate) fn circumstances(page: &mut Page<'_>) {
    let known: [(&str, &str, Show); 10] = [
        ("Confidence", "confidence", facts::confidence),
        ("Scope", "scope", facts::scope),
        ("Contract", "contract", describe::plain),
        ("Trigger", "trigger", facts::trigger),
        ("Fallback", "fallback", facts::fallback),
        ("A person may intercept", "can_intercept", yes_or_no),
        ("Supersedes", "supersedes", describe::plain),
        ("Expires", "expires_at", describe::plain),
        ("Packet type", "packet_type", describe::plain),
        ("Format version", "handoff_version", describe::plain),
    ];
    let rows = known
        .into_iter()
        .filter_map(|(label, name, show)| Some(fact(label, &show(filled(page, name)?))))
        .collect();
    page.table("GateContext", Table { head: vec!["Fact", "Value"], rows });
    cost(page);
    if let Some(provenance) = page.fields.object("provenance") {
        let rows =
            provenance.iter().map(|(name, value)| fact(name, &facts::joined(value))).collect();
        page.table("Provenance", Table { head: vec!["Of", "Named"], rows });
    }
}

/// What the regulated variant adds.
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
            // One row for each reference: they are looked up one by one.
            Some(Value::Array(values)) => {
                rows.extend(values.iter().map(|value| fact(label, &reference(value))));
            }
            Some(value) => rows.push(fact(label, &describe::plain(value))),
            None => {}
        }
    }
    page.table("Classification and regulation", Table { head: vec!["Fact", "Value"], rows });
}

/// Everything that no section has shown.
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
    page.prose("What happened", "summary");
    page.prose("What happened", "handoff_summary");
}

fn failures(page: &mut Page<'_>) {
    let approaches = page.fields.list("failed_approaches").iter();
    let mut lines: Vec<Line> =
        approaches.map(|value| vec![Span::text(&facts::failed_approach(value))]).collect();
    let pitfalls = page.fields.list("pitfalls_hit").iter();
    lines.extend(pitfalls.map(|value| statement(value, States::Named)));
    page.list("What failed", lines);
}

fn uncertainty(page: &mut Page<'_>) {
    page.prose("Uncertainty", "uncertainty");
    page.statements("Uncertainty", "uncertainty", States::Named);
}

fn verification(page: &mut Page<'_>) {
    let rows = page.fields.list("verification").iter().map(criterion).collect();
    page.table("Evidence", Table { head: vec!["Criterion", "Result", "Evidence", "More"], rows });
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
    let rows =
        page.fields.list("artifacts").iter().map(|value| row(value, &known, cells)).collect();
    let head = vec!["Kind", "Path", "Size", "Digest", "Type", "More"];
    page.table("Where the outputs are", Table { head, rows });
    page.statements("Evidence references", "evidence_refs", States::Named);
}

fn expected_outputs(page: &mut Page<'_>) {
    let outputs = page.fields.list("expected_outputs").iter();
    let lines = outputs.map(|value| vec![Span::text(&facts::expected_output(value))]).collect();
    page.list("Expected outputs", lines);
}

fn payload(page: &mut Page<'_>) {
    if let Some(payload) = page.fields.object("payload") {
        page.pairs("Payload", payload.iter().map(|(name, value)| (name.as_str(), value)));
        return;
    }
    let rows = page
        .fields
        .list("payload")
        .iter()
        .map(|value| row(value, &["label", "value"], |_, words| cell(words)))
        .collect();
    page.table("Payload", Table { head: vec!["Label", "Value", "More"], rows });
}

/// What the work has cost, and what it may still cost.
pub(crate) fn cost(page: &mut Page<'_>) {
    let known = [("Cost", "cost"), ("Budget", "budget")];
    let rows = known
        .into_iter()
        .filter_map(|(label, name)| Some(fact(label, &facts::cost(filled(page, name)?))))
        .collect();
    page.table("Cost and budget", Table { head: vec!["Fact", "Value"], rows });
}

/// The named members of an entry as cells, and all others in a last one.
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
