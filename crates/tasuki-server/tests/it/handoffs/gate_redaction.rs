//! What a gate keeps back is in no list either.

use serde_json::{Value, json};

use crate::support::world::{World, packet};

/// A gate on the edges to these, which `pia` signs.
fn gated(world: &World, from: &str, to: &str) {
    let gate = json!({ "document": {
        "gate": "release", "version": "1.0",
        "factors": [{ "name": "people", "roles": ["people"], "approvals": 1 }],
    } });
    let role = json!({ "name": "role:people", "members": ["pia"] });
    world.post("/v1/parties").by("pia").json(&role).send().is(201);
    world.post("/v1/gates").by("pia").json(&gate).send().is(201);
    let contract = json!({ "document": {
        "contract": "work", "version": "1.0", "from": [from], "to": [to], "gates": ["release"],
        "payload_schema": {}, "scope": { "is": "work" }, "confidence": { "required": false },
        "provenance": { "require": [] }, "fallback": [{ "to": "dead_letter" }],
    } });
    world.post("/v1/contracts").by("pia").json(&contract).send().is(201);
}

#[test]
fn a_list_keeps_back_the_goal_of_what_a_gate_keeps_back() {
    let world = World::new();
    gated(&world, "ana", "ben");
    let id = world.submitted("closed");
    let goal = |who: &str, path: &str, list: &str| {
        let body = world.get(path).by(who).send().is(200).body;
        let found = body[list].as_array().unwrap().iter().find(|one| one["id"] == json!(id));
        found.unwrap()["goal"].clone()
    };
    assert_eq!(goal("ben", "/v1/handoffs", "items"), Value::Null);
    assert_eq!(goal("ana", "/v1/handoffs", "items"), "Ship closed");
    assert_eq!(goal("pia", "/v1/handoffs", "items"), "Ship closed");
    assert_eq!(goal("pia", "/v1/inbox", "handoffs"), "Ship closed");
    world
        .get(&format!("/v1/handoffs/{id}/returns"))
        .by("ben")
        .send()
        .refuses(409, "TK-GATE-UNSIGNED");
}

#[test]
fn what_a_gate_keeps_back_can_be_named() {
    let world = World::new();
    gated(&world, "ana", "ben");
    let id = world.submitted("closed");
    let card = |who: &str| world.get("/v1/handoffs/closed?packet=false").by(who).send();
    world.get("/v1/handoffs/closed").by("ben").send().refuses(409, "TK-GATE-UNSIGNED");
    let shown = card("ben").is(200);
    assert_eq!((&shown.body["handoff"]["id"], &shown.body["packet"]), (&json!(id), &Value::Null));
    assert_eq!(shown.body["handoff"]["goal"], Value::Null);
    assert_eq!(card("pia").is(200).body["handoff"]["goal"], "Ship closed");
    card("box").is(404);
    card("other-ben").is(404);
}

#[test]
fn whoever_only_names_a_handoff_has_not_read_it() {
    let world = World::new();
    let id = world.submitted("open");
    world.get("/v1/handoffs/open?packet=false").by("ben").send().is(200);
    let decline = json!({ "reason": "Not for me" });
    world.post(&format!("/v1/handoffs/{id}/declines")).by("ben").json(&decline).send().is(201);
    let timeline = world.get("/v1/tasks/open/timeline").by("ana").send().is(200);
    assert!(!timeline.text.contains("handoff.delivered"), "{}", timeline.text);
}

#[test]
fn a_receiver_knows_what_happened_to_its_own_and_to_nothing_else() {
    let world = World::new();
    let first = world.submitted("mine");
    let decline = json!({ "reason": "Not for me" });
    world.post("/v1/handoffs/mine/declines").by("ben").json(&decline).send().is(201);
    let token = json!({ "party": "ben", "scopes": ["receive"] });
    let made = world.post("/v1/tokens").by("pia").json(&token).send().is(201);
    let text = made.body["token"]["text"].as_str().unwrap();
    let timeline = |who: &str| world.get(&format!("/v1/tasks/{first}/timeline")).by(who).send();
    let all = timeline("ana").is(200);
    assert_eq!(timeline(text).is(200).body, all.body);
    let packet = packet("other", "").replace("to_agent: ben", "to_agent: pia");
    world.post("/v1/handoffs").by("ana").yaml(&packet).send().is(201);
    let other = world.get("/v1/tasks/other/timeline").by(text).send();
    other.refuses(404, "TK-HANDOFF-UNKNOWN");
    world.get("/v1/events?handoff=mine").by(text).send().refuses(403, "TK-SCOPE-MISSING");
}

#[test]
fn a_receiver_names_its_own_without_reading_packets() {
    let world = World::new();
    world.submitted("mine");
    let token = json!({ "party": "ben", "scopes": ["receive"] });
    let made = world.post("/v1/tokens").by("pia").json(&token).send().is(201);
    let text = made.body["token"]["text"].as_str().unwrap();
    world.get("/v1/handoffs/mine?packet=false").by(text).send().is(200);
    world.get("/v1/handoffs/mine").by(text).send().refuses(403, "TK-SCOPE-MISSING");
    let token = json!({ "party": "pia", "scopes": ["receive"] });
    let made = world.post("/v1/tokens").by("pia").json(&token).send().is(201);
    let other = made.body["token"]["text"].as_str().unwrap();
    world.get("/v1/handoffs/mine?packet=false").by(other).send().is(404);
}
