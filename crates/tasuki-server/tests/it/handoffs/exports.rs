//! Exports: composed packets, and the decisions of people.

use serde_json::{Value, json};

use crate::support::test_server::{TestServer, packet};

#[test]
fn a_packet_of_the_regulated_variant_is_exported_with_its_audit_trail() {
    let server = TestServer::new();
    let gate = json!({ "document": {
        "gate": "release", "version": "1.0",
        "factors": [{ "name": "people", "roles": ["people"], "approvals": 1 }],
    } });
    server.post("/v1/gates").by("pia").json(&gate).send().is(201);
    let regulated = "classification: OFFICIAL\nregulation_refs: [DTAC 1]\n\
                     sign_off_gates: [release]\nretention: P5Y\n";
    server.post("/v1/handoffs").by("ana").yaml(&packet("a", regulated)).send().is(201);
    let composed = server.get("/v1/tasks/a/packet").by("ana").send().is(200).body;
    assert_eq!(composed["audit_trail"][0]["event"], "handoff.submitted");
    let yaml = server.get("/v1/tasks/a/packet?as=yaml").by("ana").send().is(200).text;
    assert!(yaml.contains("audit_trail:\n"), "{yaml}");
    let plain = server.submitted("b");
    let composed = server.get(&format!("/v1/tasks/{plain}/packet")).by("ana").send().is(200).body;
    assert_eq!(composed["audit_trail"], Value::Null);
}

fn exported(server: &TestServer) -> Vec<Value> {
    let page = server.get("/v1/decisions").by("pia").send().is(200).body;
    page["items"].as_array().unwrap().clone()
}

#[test]
fn every_decision_of_a_person_is_exported_and_none_of_an_agent() {
    let server = TestServer::new();
    let decide = |id: &str, who: &str, body: Value| {
        server.post(&format!("/v1/handoffs/{id}/decisions")).by(who).json(&body).send().is(201);
    };
    let id = server.submitted("a");
    decide(&id, "ana", json!({ "decision": "reroute", "to": "pia", "reason": "Ben is away" }));
    assert_eq!(exported(&server), Vec::<Value>::new());
    decide(&id, "pia", json!({ "decision": "cancel", "reason": "Not needed" }));
    let all = exported(&server);
    assert_eq!(all.len(), 1);
    assert_eq!((&all[0]["person"], &all[0]["decision"]), (&json!("pia"), &json!("cancel")));
    assert_eq!(
        (&all[0]["reason"], &all[0]["packet"]["goal"]),
        (&json!("Not needed"), &json!("Ship a"))
    );
}

#[test]
fn decisions_come_in_pages_that_are_not_too_large() {
    let server = TestServer::new();
    let large = format!("extensions: {{ x: {{ text: {} }} }}\n", "x".repeat(500_000));
    for n in 0..12 {
        let packet = packet(&format!("t{n}"), &large);
        server.post("/v1/handoffs").by("ana").yaml(&packet).send().is(201);
        let cancel = json!({ "decision": "cancel", "reason": "Not needed" });
        server.post(&format!("/v1/handoffs/t{n}/decisions")).by("pia").json(&cancel).send().is(201);
    }
    let pages = |query: &str| {
        let (mut cursor, mut counts) = ("0".to_owned(), Vec::new());
        loop {
            let path = format!("/v1/decisions?cursor={cursor}{query}");
            let page = server.get(&path).by("pia").send().is(200).body;
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
    let server = TestServer::new();
    let id = server.submitted("a");
    let claims = format!("/v1/handoffs/{id}/claims");
    let claim = server.post(&claims).by("ben").send().is(201).body["claim"]["id"].clone();
    let ask = |action: &str| {
        let path = format!("/v1/claims/{}/request-approval", claim.as_str().unwrap());
        let body = json!({ "action": { "run": action } });
        server.post(&path).by("ben").json(&body).send().is(200);
    };
    let decide = |body: Value| {
        server.post(&format!("/v1/handoffs/{id}/decisions")).by("pia").json(&body).send().is(201);
    };
    ask("make publish");
    server.accept(&id);
    ask("make wipe");
    decide(json!({ "decision": "reject", "reason": "Never" }));
    ask("make deploy");
    let edit = format!("/v1/handoffs/{id}/revisions?edit=true&reason=Dry");
    let edit = server.post(&edit).by("pia").header("if-match", &server.etag(&id));
    edit.json(&json!({ "run": "make deploy DRY=1" })).send().is(201);
    let actions: Vec<String> = exported(&server)
        .iter()
        .map(|one| {
            assert_eq!(one["packet"]["goal"], "Ship a");
            format!("{}: {} -> {}", one["decision"], one["action"]["run"], one["edited"]["run"])
        })
        .collect();
    assert_eq!(
        actions,
        [
            r#""accept": "make publish" -> null"#,
            r#""reject": "make wipe" -> null"#,
            r#""edit": "make deploy" -> "make deploy DRY=1""#,
        ]
    );
}
