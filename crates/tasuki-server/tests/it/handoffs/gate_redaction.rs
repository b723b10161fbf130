//! Lists hide what a gate hides.

use serde_json::{Value, json};

use crate::support::test_server::{TestServer, packet};

/// Adds a gate on these edges that `pia` signs.
fn gated(server: &TestServer, from: &str, to: &str) {
    let gate = json!({ "document": {
        "gate": "release", "version": "1.0",
        "factors": [{ "name": "people", "roles": ["people"], "approvals": 1 }],
    } });
    let role = json!({ "name": "role:people", "members": ["pia"] });
    server.post("/v1/parties").by("pia").json(&role).send().is(201);
    server.post("/v1/gates").by("pia").json(&gate).send().is(201);
    let contract = json!({ "document": {
        "contract": "work", "version": "1.0", "from": [from], "to": [to], "gates": ["release"],
        "payload_schema": {}, "scope": { "is": "work" }, "confidence": { "required": false },
        "provenance": { "require": [] }, "fallback": [{ "to": "dead_letter" }],
    } });
    server.post("/v1/contracts").by("pia").json(&contract).send().is(201);
}

#[test]
fn a_list_hides_the_goal_that_a_gate_hides() {
    let server = TestServer::new();
    gated(&server, "ana", "ben");
    let id = server.submitted("closed");
    let goal = |who: &str, path: &str, list: &str| {
        let body = server.get(path).by(who).send().is(200).body;
        let found = body[list].as_array().unwrap().iter().find(|one| one["id"] == json!(id));
        found.unwrap()["goal"].clone()
    };
    assert_eq!(goal("ben", "/v1/handoffs", "items"), Value::Null);
    assert_eq!(goal("ana", "/v1/handoffs", "items"), "Ship closed");
    assert_eq!(goal("pia", "/v1/handoffs", "items"), "Ship closed");
    assert_eq!(goal("pia", "/v1/inbox", "handoffs"), "Ship closed");
    server
        .get(&format!("/v1/handoffs/{id}/returns"))
        .by("ben")
        .send()
        .refuses(409, "TK-GATE-UNSIGNED");
}

#[test]
fn a_hidden_handoff_can_be_named() {
    let server = TestServer::new();
    gated(&server, "ana", "ben");
    let id = server.submitted("closed");
    let card = |who: &str| server.get("/v1/handoffs/closed?packet=false").by(who).send();
    server.get("/v1/handoffs/closed").by("ben").send().refuses(409, "TK-GATE-UNSIGNED");
    let shown = card("ben").is(200);
    assert_eq!((&shown.body["handoff"]["id"], &shown.body["packet"]), (&json!(id), &Value::Null));
    assert_eq!(shown.body["handoff"]["goal"], Value::Null);
    assert_eq!(card("pia").is(200).body["handoff"]["goal"], "Ship closed");
    card("box").is(404);
    card("other-ben").is(404);
}

#[test]
fn naming_a_handoff_does_not_mark_it_delivered() {
    let server = TestServer::new();
    let id = server.submitted("open");
    server.get("/v1/handoffs/open?packet=false").by("ben").send().is(200);
    let decline = json!({ "reason": "Not for me" });
    server.post(&format!("/v1/handoffs/{id}/declines")).by("ben").json(&decline).send().is(201);
    let timeline = server.get("/v1/tasks/open/timeline").by("ana").send().is(200);
    assert!(!timeline.text.contains("handoff.delivered"), "{}", timeline.text);
}

#[test]
fn a_receiver_sees_events_of_its_own_handoffs_only() {
    let server = TestServer::new();
    let first = server.submitted("mine");
    let decline = json!({ "reason": "Not for me" });
    server.post("/v1/handoffs/mine/declines").by("ben").json(&decline).send().is(201);
    let token = json!({ "party": "ben", "scopes": ["receive"] });
    let made = server.post("/v1/tokens").by("pia").json(&token).send().is(201);
    let text = made.body["token"]["text"].as_str().unwrap();
    let timeline = |who: &str| server.get(&format!("/v1/tasks/{first}/timeline")).by(who).send();
    let all = timeline("ana").is(200);
    assert_eq!(timeline(text).is(200).body, all.body);
    let packet = packet("other", "").replace("to_agent: ben", "to_agent: pia");
    server.post("/v1/handoffs").by("ana").yaml(&packet).send().is(201);
    let other = server.get("/v1/tasks/other/timeline").by(text).send();
    other.refuses(404, "TK-HANDOFF-UNKNOWN");
    server.get("/v1/events?handoff=mine").by(text).send().refuses(403, "TK-SCOPE-MISSING");
}

#[test]
fn a_receiver_can_name_its_handoffs_without_the_read_scope() {
    let server = TestServer::new();
    server.submitted("mine");
    let token = json!({ "party": "ben", "scopes": ["receive"] });
    let made = server.post("/v1/tokens").by("pia").json(&token).send().is(201);
    let text = made.body["token"]["text"].as_str().unwrap();
    server.get("/v1/handoffs/mine?packet=false").by(text).send().is(200);
    server.get("/v1/handoffs/mine").by(text).send().refuses(403, "TK-SCOPE-MISSING");
    let token = json!({ "party": "pia", "scopes": ["receive"] });
    let made = server.post("/v1/tokens").by("pia").json(&token).send().is(201);
    let other = made.body["token"]["text"].as_str().unwrap();
    server.get("/v1/handoffs/mine?packet=false").by(other).send().is(404);
}
