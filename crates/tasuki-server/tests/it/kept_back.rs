//! What a gate keeps back is in no list either.

use serde_json::{Value, json};

use crate::world::World;

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
        "scope": { "is": "work" }, "fallback": [{ "to": "dead_letter" }],
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
