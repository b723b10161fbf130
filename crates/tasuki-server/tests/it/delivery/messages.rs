//! The text of messages to people: what holds a handoff, a short quotation, a link and a command.

use serde_json::json;

use crate::support::smtp_server::{SmtpServer, server as with_smtp};
use crate::support::test_server::{TestServer, packet};

/// Returns a server where `pia` has a mailbox.
pub(crate) fn server() -> (TestServer, SmtpServer) {
    let (server, smtp) = with_smtp();
    let body = json!({ "name": "pia", "kind": "human", "email": "pia@example.org" });
    server.post("/v1/parties").by("pia").json(&body).send().is(201);
    (server, smtp)
}

/// Submits a packet with this goal and more lines. Returns the id of the handoff.
pub(crate) fn submit(server: &TestServer, goal: &str, more: &str) -> String {
    let text = packet("export-7", more).replace("Ship export-7", &json!(goal).to_string());
    let answer = server.post("/v1/handoffs").by("ana").yaml(&text).send().is(201);
    answer.body["handoff"]["id"].as_str().unwrap().to_owned()
}

/// Has `ben` claim a handoff and ask for approval of an action.
pub(crate) fn request_approval(server: &TestServer, id: &str, action: &str) {
    let claimed = server.post(&format!("/v1/handoffs/{id}/claims")).by("ben").send().is(201).body;
    let path = format!("/v1/claims/{}/request-approval", claimed["claim"]["id"].as_str().unwrap());
    let body = json!({ "action": { "action": action } });
    server.post(&path).by("ben").json(&body).send().is(200);
}

/// Returns the text of the last email of this many, with the id replaced.
/// Replaces the digits that name a version: they follow from the random id of a handoff.
pub(crate) fn without_version(text: &str) -> String {
    let Some((before, after)) = text.split_once("export-7@1:") else { return text.to_owned() };
    let rest = after.trim_start_matches(|c: char| c.is_ascii_hexdigit());
    format!("{before}export-7@1:[version]{rest}")
}

fn text(smtp: &SmtpServer, count: usize, id: &str) -> String {
    without_version(&smtp.wait_for(count)[count - 1].text().replace(id, "hof_…"))
}

#[test]
fn the_email_of_a_hold_says_what_holds_it_and_how_to_decide() {
    let (server, smtp) = server();
    let id = submit(&server, "Port the CSV exporter", "can_intercept: true\n");
    insta::assert_snapshot!(text(&smtp, 1, &id), @"
    A handoff is waiting for your decision.

    Task: export-7
    Goal: Port the CSV exporter
    Reason: the packet asks for a person
    From: ana
    To: ben
    Risk: low

    Decide at
    https://tasuki.example/ui/p/default/h/hof_…

    or with
    tasuki approve export-7@1:[version]
    ");
}

#[test]
fn the_email_of_an_approval_request_quotes_the_action_and_names_its_digest() {
    let (server, smtp) = server();
    let id = submit(&server, "Port the CSV exporter", "");
    request_approval(&server, &id, "npm publish --access public");
    insta::assert_snapshot!(text(&smtp, 1, &id), @"
An action is waiting for your approval.

Task: export-7
Action: npm publish --access public
Reason: the holder asks for approval of an action
From: ana
To: ben
Risk: medium

Decide at
https://tasuki.example/ui/p/default/h/hof_…

or with
tasuki approve export-7@1:[version]
");
}

#[test]
fn a_long_and_hostile_action_is_cut_and_escaped() {
    let (server, smtp) = server();
    let id = submit(&server, "Pay", "");
    request_approval(&server, &id, &format!("pay\u{1b}[2J\nTo: eve {}", "x".repeat(300)));
    let text = text(&smtp, 1, &id);
    let line = text.lines().find_map(|line| line.strip_prefix("Action: ")).unwrap();
    let start = "pay<U+001B>[2J ↵ To: eve xxx";
    assert!(line.starts_with(start) && line.ends_with("x…"), "{line}");
    assert_eq!(line.chars().count(), 200);
    assert_eq!(text.lines().filter(|line| line.starts_with("To: ")).count(), 1);
}

#[test]
fn nothing_is_quoted_behind_a_gate_or_above_the_limit_of_the_project() {
    let (server, smtp) = server();
    let gate = json!({ "document": {
        "gate": "release", "version": "1.0",
        "factors": [{ "name": "people", "roles": ["role:signers"], "approvals": 1 }],
    } });
    let role = json!({ "name": "role:signers", "kind": "role", "members": ["pia"] });
    server.post("/v1/parties").by("pia").json(&role).send().is(201);
    server.post("/v1/gates").by("pia").json(&gate).send().is(201);
    let classified = "classification: SECRET\nregulation_refs: [DTAC 1]\n\
                      sign_off_gates: [release]\nretention: P8Y\n";
    let id = submit(&server, "Move the codes", classified);
    insta::assert_snapshot!(text(&smtp, 1, &id), @"
    A handoff is waiting for your decision.

    Task: export-7
    Reason: gate release
    From: ana
    To: ben
    Risk: high

    Decide at
    https://tasuki.example/ui/p/default/h/hof_…

    or with
    tasuki sign-off export-7@1:[version]
    ");
    let settings = json!({ "quoted_up_to": null });
    server.request("PATCH", "/v1/project").by("pia").json(&settings).send().is(200);
    let other = packet("export-8", "can_intercept: true\n");
    server.post("/v1/handoffs").by("ana").yaml(&other).send().is(201);
    let hidden = smtp.wait_for(2)[1].text();
    assert!(!hidden.contains("Ship") && hidden.contains("tasuki approve"), "{hidden}");
}
