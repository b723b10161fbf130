//! Requests retried with their idempotency key run once and get the same response, even after the
//! first run changed what the request refers to.

use serde_json::{Value, json};
use tasuki_engine::command::Command;
use tasuki_engine::steps::submit;

use crate::support::client::{Answer, Request};
use crate::support::test_server::{TestServer, packet};

/// Sends a request twice with one key, and once with another body.
#[track_caller]
fn check_repeated<'w>(request: impl Fn() -> Request<'w>, status: u16) -> Answer {
    let first = request().key("k").send().is(status);
    assert_eq!(first.header("idempotency-replayed"), None);
    let again = request().key("k").send().is(status);
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(again.body["handoff"], first.body["handoff"]);
    first
}

fn submitted(server: &TestServer, task: &str) -> Value {
    server.post("/v1/handoffs").by("ana").yaml(&packet(task, "")).send().is(201).body["handoff"]
        .clone()
}

fn claimed(server: &TestServer, task: &str) -> String {
    submitted(server, task);
    let answer = server.post(&format!("/v1/handoffs/{task}/claims")).by("ben").send().is(201);
    answer.body["claim"]["id"].as_str().expect("an id").to_owned()
}

#[test]
fn a_revision_is_replayed_by_its_key() {
    let server = TestServer::new();
    submitted(&server, "a");
    let shown = server.get("/v1/handoffs/a").by("ana").send().is(200);
    let tag = shown.header("etag").unwrap().to_owned();
    let revised = packet("a", "summary: other\n");
    let request = || {
        server.post("/v1/handoffs/a/revisions").by("ana").header("if-match", &tag).yaml(&revised)
    };
    let first = check_repeated(request, 201);
    assert_eq!(first.body["handoff"]["revision"], 2);
    request().send().refuses(412, "TK-REVISION-CHANGED");
    let other = request().key("k").yaml(&packet("a", "summary: another\n"));
    other.send().refuses(412, "TK-REVISION-CHANGED");
}

#[test]
fn a_release_is_replayed_by_its_key() {
    let server = TestServer::new();
    let claim = claimed(&server, "a");
    check_repeated(|| server.post(&format!("/v1/claims/{claim}/release")).by("ben"), 200);
    let claim = claimed(&server, "b");
    let parking = json!({ "for": "1h" });
    let park = || server.post(&format!("/v1/claims/{claim}/park")).by("ben").json(&parking);
    park().key("k").send().is(200);
    server.clock.advance(std::time::Duration::from_secs(5));
    park().key("k").send().is(200);
    park().send().refuses(409, "TK-CLAIM-STALE");
}

#[test]
fn a_replay_keeps_the_first_meaning_of_a_name() {
    let server = TestServer::new();
    let old = submitted(&server, "a");
    let body = packet("a", "summary: other\n");
    let request = || server.post("/v1/handoffs?supersedes=a").by("ana").yaml(&body);
    let first = check_repeated(request, 201);
    assert_ne!(first.body["handoff"]["id"], old["id"]);
    assert_eq!(first.body["handoff"]["state"], "offered");
}

#[test]
fn a_setting_is_changed_once() {
    let server = TestServer::new();
    let set =
        |members: &Value| Request::new(&server, "PATCH", "/v1/project").by("pia").json(members);
    set(&json!({ "hops": 6 })).key("k").send().is(200);
    set(&json!({ "attempts": 9 })).send().is(200);
    set(&json!({ "hops": 6 })).key("k").send().is(200);
    set(&json!({ "hops": 7 })).key("k").send().refuses(422, "TK-KEY-REUSED");
    let both = json!({ "requests": [
        { "method": "PATCH", "path": "/v1/project", "body": { "hops": 7 } },
        { "method": "PATCH", "path": "/v1/project", "body": { "reworks": 4 } },
    ]});
    server.post("/v1/batch").by("pia").json(&both).send().is(200);
    let settings = server.get("/v1/project").by("pia").send().is(200).body["settings"].clone();
    assert_eq!((&settings["hops"], &settings["attempts"]), (&json!(7), &json!(9)));
    assert_eq!(settings["reworks"], 4);
}

#[test]
fn a_condition_is_evaluated_or_refused() {
    let server = TestServer::new();
    submitted(&server, "a");
    let wrong = "\"99-deadbeefdeadbeef\"";
    server.post("/v1/handoffs/a/claims").by("ben").header("if-match", wrong).send().is(422);
    let asked = json!({ "question": "which?", "blocking": true });
    server.post("/v1/handoffs/a/questions").by("ben").json(&asked).send().is(201);
    let text = json!({ "answer": "this one" });
    let answer = || server.post("/v1/handoffs/a/answers").by("ana").json(&text);
    answer().header("if-match", wrong).send().refuses(412, "TK-REVISION-CHANGED");
    answer().send().is(201);
    let blind = json!({ "decision": "cancel", "revision": 77 });
    let cancel = server.post("/v1/handoffs/a/decisions").by("ana").json(&blind);
    cancel.send().refuses(412, "TK-REVISION-CHANGED");
}

#[test]
fn a_key_used_over_http_is_not_used_again_on_the_store_itself() {
    let server = TestServer::new();
    let body = packet("a", "");
    server.post("/v1/handoffs").by("ana").key("k").yaml(&body).send().is(201);
    let source = body.into_bytes();
    let same = Command::Submit(submit::Submit { source, ..submit::Submit::default() });
    // The key is bound to the HTTP request, which the store does not see.
    let refused = server.try_with_key_in_other_process("ana", same, "k").unwrap_err();
    assert_eq!(refused.to_string(), "this idempotency key was used for another request");
}

#[test]
fn a_packet_has_the_same_digest_in_any_format() {
    let server = TestServer::new();
    let yaml = packet("a", "");
    server.post("/v1/handoffs").by("ana").key("k").yaml(&yaml).send().is(201);
    let remarked = format!("# Sent again\n{yaml}");
    let again = server.post("/v1/handoffs").by("ana").key("k").yaml(&remarked).send().is(201);
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    let form = json!({
        "remaining": ["tests"], "completed": ["scaffold"], "goal": "Ship a", "status": "in_progress",
        "to_agent": "ben", "from_agent": "ana", "task_id": "a", "handoff_version": "1.0", "payload": [],
    });
    let again = server.post("/v1/handoffs").by("ana").key("k").json(&form).send().is(201);
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    let other = packet("a", "summary: other\n");
    let other = server.post("/v1/handoffs").by("ana").key("k").yaml(&other).send();
    other.refuses(422, "TK-KEY-REUSED");
}
