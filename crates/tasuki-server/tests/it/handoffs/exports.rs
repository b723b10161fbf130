//! What leaves the exchange: composed packets, and the decisions of people.

use serde_json::{Value, json};

use crate::support::world::{World, packet};

#[test]
fn a_packet_of_the_regulated_variant_is_exported_with_its_audit_trail() {
    let world = World::new();
    let gate = json!({ "document": {
        "gate": "release", "version": "1.0",
        "factors": [{ "name": "people", "roles": ["people"], "approvals": 1 }],
    } });
    world.post("/v1/gates").by("pia").json(&gate).send().is(201);
    let regulated = "classification: OFFICIAL\nregulation_refs: [DTAC 1]\n\
                     sign_off_gates: [release]\nretention: P5Y\n";
    world.post("/v1/handoffs").by("ana").yaml(&packet("a", regulated)).send().is(201);
    let composed = world.get("/v1/tasks/a/packet").by("ana").send().is(200).body;
    assert_eq!(composed["audit_trail"][0]["event"], "handoff.submitted");
    let yaml = world.get("/v1/tasks/a/packet?as=yaml").by("ana").send().is(200).text;
    assert!(yaml.contains("audit_trail:\n"), "{yaml}");
    let plain = world.submitted("b");
    let composed = world.get(&format!("/v1/tasks/{plain}/packet")).by("ana").send().is(200).body;
    assert_eq!(composed["audit_trail"], Value::Null);
}

fn exported(world: &World) -> Vec<Value> {
    let page = world.get("/v1/decisions").by("pia").send().is(200).body;
    page["items"].as_array().unwrap().clone()
}

#[test]
fn every_decision_of_a_person_is_exported_and_none_of_an_agent() {
    let world = World::new();
    let decide = |id: &str, who: &str, body: Value| {
        world.post(&format!("/v1/handoffs/{id}/decisions")).by(who).json(&body).send().is(201);
    };
    let id = world.submitted("a");
    decide(&id, "ana", json!({ "decision": "reroute", "to": "pia", "reason": "Ben is away" }));
    assert_eq!(exported(&world), Vec::<Value>::new());
    decide(&id, "pia", json!({ "decision": "cancel", "reason": "Not needed" }));
    let all = exported(&world);
    assert_eq!(all.len(), 1);
    assert_eq!((&all[0]["person"], &all[0]["decision"]), (&json!("pia"), &json!("cancel")));
    assert_eq!(
        (&all[0]["reason"], &all[0]["packet"]["goal"]),
        (&json!("Not needed"), &json!("Ship a"))
    );
}

#[test]
fn decisions_come_in_pages_that_are_not_too_large() {
    let world = World::new();
    let large = format!("extensions: {{ x: {{ text: {} }} }}\n", "x".repeat(500_000));
    for n in 0..12 {
        let packet = packet(&format!("t{n}"), &large);
        world.post("/v1/handoffs").by("ana").yaml(&packet).send().is(201);
        let cancel = json!({ "decision": "cancel", "reason": "Not needed" });
        world.post(&format!("/v1/handoffs/t{n}/decisions")).by("pia").json(&cancel).send().is(201);
    }
    let pages = |query: &str| {
        let (mut cursor, mut counts) = ("0".to_owned(), Vec::new());
        loop {
            let path = format!("/v1/decisions?cursor={cursor}{query}");
            let page = world.get(&path).by("pia").send().is(200).body;
            counts.push(page["items"].as_array().unwrap().len());
            match page["next"].as_str() {
                Some(next) => next.clone_into(&mut cursor),
                None => return counts,
            }
        }
    };
    assert_eq!(pages("&limit=5"), [5, 5, 2, 0]);
    assert_eq!(pages(""), [9, 3, 0]);
}

#[test]
fn a_decision_on_an_action_is_exported_with_the_action_and_its_edit() {
    let world = World::new();
    let id = world.submitted("a");
    let claims = format!("/v1/handoffs/{id}/claims");
    let claim = world.post(&claims).by("ben").send().is(201).body["claim"]["id"].clone();
    let ask = |action: &str| {
        let path = format!("/v1/claims/{}/hold", claim.as_str().unwrap());
        let body = json!({ "action": { "run": action } });
        world.post(&path).by("ben").json(&body).send().is(200);
    };
    let decide = |body: Value| {
        world.post(&format!("/v1/handoffs/{id}/decisions")).by("pia").json(&body).send().is(201);
    };
    ask("make publish");
    decide(json!({ "decision": "accept" }));
    ask("make wipe");
    decide(json!({ "decision": "reject", "reason": "Never" }));
    ask("make deploy");
    let edit = format!("/v1/handoffs/{id}/revisions?edit=true&reason=Dry");
    world.post(&edit).by("pia").json(&json!({ "run": "make deploy DRY=1" })).send().is(201);
    let told: Vec<String> = exported(&world)
        .iter()
        .map(|one| {
            assert_eq!(one["packet"]["goal"], "Ship a");
            format!("{}: {} -> {}", one["decision"], one["action"]["run"], one["edited"]["run"])
        })
        .collect();
    assert_eq!(
        told,
        [
            r#""accept": "make publish" -> null"#,
            r#""reject": "make wipe" -> null"#,
            r#""edit": "make deploy" -> "make deploy DRY=1""#,
        ]
    );
}
