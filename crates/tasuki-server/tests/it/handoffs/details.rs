//! The details that a person reads before a decision: deadlines and where they lead, the ladder,
//! their claim, the commands that they may give, checkpoints, and versions of an action.

use serde_json::{Value, json};

use crate::support::test_server::{PASSWORD, TestServer, packet};

const LADDER: &str = "fallback: [{ after: 20m, to: 'role:people' }, { to: dead_letter }]\n";

/// Submits a handoff with more lines in its packet. Returns its id.
fn submitted(server: &TestServer, more: &str) -> String {
    let answer = server.post("/v1/handoffs").by("ana").yaml(&packet("a", more)).send().is(201);
    answer.body["handoff"]["id"].as_str().unwrap().to_owned()
}

fn people(server: &TestServer) {
    let role = json!({ "name": "role:people", "members": ["pia"] });
    server.post("/v1/parties").by("pia").json(&role).send().is(201);
}

fn shown(server: &TestServer, id: &str, who: &str) -> Value {
    server.get(&format!("/v1/handoffs/{id}")).by(who).send().is(200).body
}

fn seen(server: &TestServer, id: &str, cookie: &str) -> Value {
    server.get(&format!("/v1/handoffs/{id}")).with(cookie).send().is(200).body
}

fn allowed(details: &Value) -> Vec<&str> {
    let verbs = details["allowed"].as_array();
    verbs.into_iter().flatten().map(|verb| verb.as_str().unwrap()).collect()
}

#[test]
fn a_handoff_says_which_deadline_is_next_and_where_it_leads() {
    let server = TestServer::new();
    people(&server);
    let id = submitted(&server, LADDER);
    let details = shown(&server, &id, "ana");
    let handoff = &details["handoff"];
    assert_eq!(handoff["due_for"], "no_progress");
    let next = json!({ "to": "role:people", "at": handoff["due_at"], "on": "no_progress" });
    assert_eq!(handoff["next_rung"], next);
    let ladder = json!([
        { "to": "role:people", "after": "20m", "used": false },
        { "to": "dead_letter", "used": false },
    ]);
    assert_eq!(details["ladder"], ladder);
    server.advance(std::time::Duration::from_mins(20));
    let details = shown(&server, &id, "ana");
    assert_eq!(details["handoff"]["to"], "role:people", "as it said");
    assert_eq!(details["ladder"][0]["used"], true);
}

#[test]
fn a_holder_reads_its_own_claim_and_no_one_else_does() {
    let server = TestServer::new();
    let (id, fence) = server.claimed("a");
    let details = shown(&server, &id, "ben");
    assert_eq!(details["handoff"]["due_for"], "lease");
    assert_eq!(
        (&details["claim"]["fence"], &details["claim"]["holder"]),
        (&json!(fence), &json!("ben"))
    );
    assert_eq!(details["claim"]["until"], details["handoff"]["due_at"]);
    assert_eq!(shown(&server, &id, "ana")["claim"], Value::Null);
    let released = format!("/v1/claims/{}/release", details["claim"]["id"].as_str().unwrap());
    server.post(&released).by("ben").send().is(200);
    assert_eq!(shown(&server, &id, "ben")["claim"], Value::Null);
}

#[test]
fn the_allowed_commands_follow_state_and_caller() {
    let server = TestServer::new();
    people(&server);
    let id = submitted(&server, "can_intercept: true\n");
    let cookie = server.signed_in();
    let person = seen(&server, &id, &cookie);
    assert_eq!(
        allowed(&person),
        ["accept", "edit", "reject", "reroute", "intercept", "cancel", "ask"]
    );
    assert_eq!(allowed(&shown(&server, &id, "ana")), ["reroute", "cancel"], "the sender");
    assert!(allowed(&shown(&server, &id, "ben")).is_empty(), "the receiver");
    let body = json!({
        "decision": "accept", "revision": 1, "receiver": "ben",
        "digest": person["handoff"]["digest"],
    });
    server.post(&format!("/v1/handoffs/{id}/decisions")).with(&cookie).json(&body).send().is(201);
    assert_eq!(allowed(&shown(&server, &id, "ben")), ["claim", "decline", "ask"]);
    server.post(&format!("/v1/handoffs/{id}/claims")).by("ben").send().is(201);
    assert_eq!(allowed(&shown(&server, &id, "ben")), ["return", "release"]);
    assert_eq!(allowed(&seen(&server, &id, &cookie)), ["reroute", "intercept", "cancel"]);
}

#[test]
fn a_signature_is_allowed_to_those_who_can_give_it() {
    let server = TestServer::new();
    people(&server);
    let gate = json!({ "document": {
        "gate": "release", "version": "1.0",
        "factors": [{ "name": "people", "roles": ["people"], "approvals": 1 }],
    } });
    server.post("/v1/gates").by("pia").json(&gate).send().is(201);
    let contract = json!({ "document": {
        "contract": "work", "version": "1.0", "from": ["ana"], "to": ["ben"], "gates": ["release"],
        "payload_schema": {}, "scope": { "is": "work" }, "confidence": { "required": false },
        "provenance": { "require": [] }, "fallback": [{ "to": "dead_letter" }],
    } });
    server.post("/v1/contracts").by("pia").json(&contract).send().is(201);
    let id = submitted(&server, "");
    let cookie = server.signed_in();
    let verbs = |body: &Value| allowed(body).contains(&"sign_off");
    assert!(verbs(&seen(&server, &id, &cookie)), "a session: the password is asked with it");
    assert!(!verbs(&shown(&server, &id, "pia")), "a token never signs");
    let signed = json!({
        "decision": "sign_off", "revision": 1, "opened": ["packet"], "password": PASSWORD,
        "digest": seen(&server, &id, &cookie)["handoff"]["digest"],
    });
    server.post(&format!("/v1/handoffs/{id}/decisions")).with(&cookie).json(&signed).send().is(201);
    assert!(!verbs(&seen(&server, &id, &cookie)));
}

#[test]
fn checkpoints_are_listed_with_their_packets() {
    let server = TestServer::new();
    let (id, fence) = server.claimed("a");
    let path = format!("/v1/handoffs/{id}/checkpoints");
    for done in ["scaffold", "tests"] {
        let checkpoint = json!({
            "handoff_version": "1.0", "packet_type": "checkpoint", "status": "in_progress",
            "completed": [done],
        });
        server.post(&format!("{path}?fence={fence}")).by("ben").json(&checkpoint).send().is(201);
    }
    let first = server.get(&format!("{path}?limit=1")).by("ana").send().is(200).body;
    assert_eq!(first["items"][0]["packet"]["completed"], json!(["scaffold"]));
    assert_eq!(first["items"][0]["by"], "ben");
    let cursor = first["next"].as_str().unwrap();
    let rest = server.get(&format!("{path}?cursor={cursor}")).by("ana").send().is(200).body;
    assert_eq!(rest["items"][0]["packet"]["completed"], json!(["tests"]));
    assert_eq!((rest["items"].as_array().unwrap().len(), &rest["next"]), (1, &Value::Null));
}

#[test]
fn a_handoff_shows_what_is_done_and_left_now() {
    let server = TestServer::new();
    let steps = "completed: [plan]\nremaining: [code, tests, docs]\n";
    let sent = packet("a", "").replace("completed: [scaffold]\nremaining: [tests]\n", steps);
    let answer = server.post("/v1/handoffs").by("ana").yaml(&sent).send().is(201);
    let id = answer.body["handoff"]["id"].as_str().unwrap().to_owned();
    let before = shown(&server, &id, "ana");
    assert_eq!(before["handoff"]["steps"], json!({ "done": 1, "left": 3 }));
    assert_eq!(before["handoff"]["alive_at"], Value::Null, "no one holds it");
    assert_eq!(before["progress"]["left"][0], json!({ "number": 2, "text": "code" }));
    let claimed = server.post(&format!("/v1/handoffs/{id}/claims")).by("ben").send().is(201);
    let fence = claimed.body["claim"]["fence"].clone();
    let path = format!("/v1/handoffs/{id}/checkpoints");
    for checkpoint in [
        json!({ "packet_type": "checkpoint", "completed": ["Docs"] }),
        json!({ "packet_type": "checkpoint", "completed": ["code"], "summary": "half way" }),
    ] {
        server.advance(std::time::Duration::from_mins(5));
        server.post(&format!("{path}?fence={fence}")).by("ben").json(&checkpoint).send().is(201);
    }
    let details = shown(&server, &id, "ana");
    let (handoff, progress) = (&details["handoff"], &details["progress"]);
    assert_eq!(handoff["steps"], json!({ "done": 3, "left": 1 }));
    assert_eq!(progress["left"], json!([{ "number": 3, "text": "tests" }]));
    let done: Vec<(&Value, &Value)> = progress["done"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| (&step["number"], &step["text"]))
        .collect();
    assert_eq!(
        done,
        [(&json!(1), &json!("plan")), (&json!(2), &json!("code")), (&json!(4), &json!("docs"))]
    );
    assert_eq!(progress["done"][0].get("at"), None, "the packet completed it");
    let notes = progress["checkpoints"].as_array().unwrap();
    assert_eq!(
        (&notes[0]["text"], &notes[0]["steps"]),
        (&json!("Docs"), &json!({ "done": 2, "left": 2 }))
    );
    assert_eq!((&notes[1]["text"], &notes[1]["by"]), (&json!("code"), &json!("ben")));
    assert_eq!(progress["done"][1]["at"], notes[1]["at"]);
    assert_eq!(progress["alive_at"], notes[1]["at"]);
    let listed = server.get(&path).by("ana").send().is(200).body;
    assert_eq!(listed["items"][1]["text"], "code");
    assert_eq!(listed["items"][1]["steps"], json!({ "done": 3, "left": 1 }));
    // A renewal is a sign of life, but no progress.
    server.advance(std::time::Duration::from_mins(5));
    let claim = shown(&server, &id, "ben")["claim"]["id"].as_str().unwrap().to_owned();
    server.post(&format!("/v1/claims/{claim}/renew")).by("ben").send().is(200);
    let renewed = shown(&server, &id, "ana");
    assert!(renewed["progress"]["alive_at"].as_str() > notes[1]["at"].as_str(), "{renewed}");
    assert_eq!(renewed["handoff"]["steps"], json!({ "done": 3, "left": 1 }));
}

#[test]
fn an_edited_action_keeps_every_version_and_the_attention_of_its_editor() {
    let server = TestServer::new();
    let (id, _) = server.claimed("a");
    let claim = shown(&server, &id, "ben")["claim"]["id"].as_str().unwrap().to_owned();
    let asked = json!({ "action": { "run": "deploy", "percent": 100 } });
    let path = format!("/v1/claims/{claim}/request-approval");
    server.post(&path).by("ben").json(&asked).send().is(200);
    let cookie = server.signed_in();
    let edit = format!("/v1/handoffs/{id}/revisions?edit=true&seconds=17&opened=packet,evidence");
    let edited = json!({ "run": "deploy", "percent": 5 });
    let shown_to_her = server.get(&format!("/v1/handoffs/{id}")).with(&cookie).send().is(200);
    let tag = shown_to_her.header("etag").unwrap();
    server.post(&edit).with(&cookie).header("if-match", tag).json(&edited).send().is(201);
    let versions = server.get(&format!("/v1/handoffs/{id}/actions")).by("ben").send().is(200).body;
    let versions = versions["items"].as_array().unwrap();
    let by: Vec<&Value> = versions.iter().map(|one| &one["by"]).collect();
    assert_eq!(by, ["ben", "pia"]);
    assert_eq!((&versions[0]["action"], &versions[1]["action"]), (&asked["action"], &edited));
    let decision = shown(&server, &id, "ben")["decisions"][0].clone();
    assert_eq!((&decision["decision"], &decision["seconds"]), (&json!("edit"), &json!(17)));
    assert_eq!(decision["opened"], json!(["packet", "evidence"]));
}

#[test]
fn a_person_learns_which_projects_they_are_in() {
    let server = TestServer::new();
    let cookie = server.signed_in();
    let who = server.get("/v1/whoami").with(&cookie).send().is(200).body;
    let names: Vec<&Value> =
        who["projects"].as_array().unwrap().iter().map(|one| &one["project"]).collect();
    assert_eq!(names, ["default"], "not `other`");
    assert_eq!(who["projects"][0]["halted"], false);
    assert_eq!(server.get("/v1/whoami").by("ana").send().is(200).body["projects"], Value::Null);
}
