//! Returns are visible to all readers of the packet, and to every sender up the chain.

use serde_json::{Value, json};

use crate::support::test_server::{TestServer, packet};

const ASKS: &str = "return_required: [status, summary, verification]\n\
                    acceptance: [{ id: tests, text: All tests pass }]\n";

fn return_of(summary: &str) -> Value {
    json!({
        "handoff_version": "1.0", "packet_type": "return", "status": "completed",
        "summary": summary, "changed_paths": ["src/part.rs"],
        "verification": [{ "criterion": "tests", "result": "pass", "evidence": "log:ci-7" }],
    })
}

/// Submits a handoff that requires a return. Returns its id.
fn submitted(server: &TestServer, task: &str) -> String {
    let answer = server.post("/v1/handoffs").by("ana").yaml(&packet(task, ASKS)).send().is(201);
    answer.body["handoff"]["id"].as_str().unwrap().to_owned()
}

fn claimed(server: &TestServer, id: &str, who: &str, statement: &Value) -> u64 {
    let claims = format!("/v1/handoffs/{id}/claims");
    let answer = server.post(&claims).by(who).json(statement).send().is(201);
    answer.body["claim"]["fence"].as_u64().unwrap()
}

fn returned(server: &TestServer, id: &str, who: &str, summary: &str) {
    let token = claimed(server, id, who, &json!({}));
    let path = format!("/v1/handoffs/{id}/returns?fence={token}");
    server.post(&path).by(who).json(&return_of(summary)).send().is(201);
}

fn judged(server: &TestServer, id: &str, result: &str, reason: &str) {
    let body = json!({ "result": result, "reason": reason, "return": server.return_id(id) });
    server.post(&format!("/v1/handoffs/{id}/verdicts")).by("ana").json(&body).send().is(201);
}

fn shown(server: &TestServer, id: &str, who: &str) -> Value {
    server.get(&format!("/v1/handoffs/{id}")).by(who).send().is(200).body
}

#[test]
fn the_sender_reads_the_return_and_then_the_verdict() {
    let server = TestServer::new();
    let id = submitted(&server, "a");
    assert_eq!(shown(&server, &id, "ana")["return"], Value::Null);
    returned(&server, &id, "ben", "All tests pass");
    let back = &shown(&server, &id, "ana")["return"];
    assert_eq!((&back["by"], &back["handoff"]), (&json!("ben"), &json!(id)));
    assert_eq!(back["packet"], return_of("All tests pass"));
    assert_eq!(back["verdict"], Value::Null);
    judged(&server, &id, "fail", "The bundle is 400 kB");
    let back = &shown(&server, &id, "ana")["return"];
    assert_eq!(back["packet"]["summary"], "All tests pass");
    let verdict = &back["verdict"];
    assert_eq!((&verdict["result"], &verdict["by"]), (&json!("fail"), &json!("ana")));
    assert_eq!(verdict["reason"], "The bundle is 400 kB");
}

#[test]
fn returns_are_listed_newest_first_in_pages() {
    let server = TestServer::new();
    let id = submitted(&server, "a");
    for summary in ["First", "Second"] {
        returned(&server, &id, "ben", summary);
        judged(&server, &id, "fail", "Once more");
    }
    returned(&server, &id, "ben", "Third");
    let path = format!("/v1/handoffs/{id}/returns");
    let page = |query: &str| server.get(&format!("{path}{query}")).by("ana").send().is(200).body;
    let summaries = |page: &Value| -> Vec<String> {
        let items = page["items"].as_array().unwrap();
        items.iter().map(|one| one["packet"]["summary"].as_str().unwrap().to_owned()).collect()
    };
    let whole = page("");
    assert_eq!(summaries(&whole), ["Third", "Second", "First"]);
    assert_eq!(whole["next"], Value::Null);
    assert_eq!(whole["items"][0]["verdict"], Value::Null);
    assert_eq!(whole["items"][2]["verdict"]["result"], "fail");
    let first = page("?limit=2");
    assert_eq!(summaries(&first), ["Third", "Second"]);
    let next = first["next"].as_str().unwrap();
    assert_eq!(summaries(&page(&format!("?limit=2&cursor={next}"))), ["First"]);
    assert!(summaries(&page("?cursor=ret_00000000000000000000000000000000")).is_empty());
    server.get(&format!("{path}?cursor=x")).by("ana").send().refuses(422, "TK-ARGUMENT-INVALID");
    server.get(&path).by("box").send().refuses(404, "TK-ROUTE-UNKNOWN");
}

#[test]
fn the_claim_statement_is_shown_until_the_next_claim() {
    let server = TestServer::new();
    let id = submitted(&server, "a");
    let statement = json!({
        "read_back": { "goal": "Make it small", "first_step": "Read the tests" },
        "drift": { "findings": [{ "what": "branch", "outcome": "differs" }] },
    });
    let token = claimed(&server, &id, "ben", &statement);
    let claim = &shown(&server, &id, "ana")["claim_statement"];
    assert_eq!(claim["by"], "ben");
    assert_eq!(
        (&claim["read_back"], &claim["drift"]),
        (&statement["read_back"], &statement["drift"])
    );
    let path = format!("/v1/handoffs/{id}/returns?fence={token}");
    server.post(&path).by("ben").json(&return_of("Done")).send().is(201);
    assert_eq!(shown(&server, &id, "ana")["claim_statement"]["by"], "ben");
    judged(&server, &id, "fail", "Once more");
    claimed(&server, &id, "ben", &json!({}));
    assert_eq!(shown(&server, &id, "ana")["claim_statement"], Value::Null);
}

#[test]
fn a_contract_verdict_has_its_findings() {
    let server = TestServer::new();
    let contract = json!({ "document": {
        "contract": "work", "version": "1.0", "from": ["ana"], "to": ["ben"],
        "verify": "automatic", "returns": { "require": ["verification"] },
        "payload_schema": {}, "scope": { "is": "work" }, "confidence": { "required": false },
        "provenance": { "require": [] }, "fallback": [{ "to": "dead_letter" }],
    } });
    server.post("/v1/contracts").by("pia").json(&contract).send().is(201);
    let id = submitted(&server, "a");
    returned(&server, &id, "ben", "All tests pass");
    let card = shown(&server, &id, "ana");
    assert_eq!(card["handoff"]["state"], "done");
    let verdict = &card["return"]["verdict"];
    assert_eq!((&verdict["result"], &verdict["by"]), (&json!("pass"), &json!("contract")));
    assert_eq!(verdict["found"]["done"], true);
}

/// Passes a handoff from `ana` to `ben` on to `cem`. Returns both handoffs.
fn passed_on(server: &TestServer) -> (String, String) {
    let first = submitted(server, "a");
    let token = claimed(server, &first, "ben", &json!({}));
    let further = packet("a", ASKS).replace("from_agent: ana\nto_agent: ben", "to_agent: cem");
    let path = format!("/v1/handoffs?parent={first}&fence={token}");
    let answer = server.post(&path).by("ben").yaml(&further).send().is(201).body;
    (first, answer["handoff"]["id"].as_str().unwrap().to_owned())
}

fn token_of(server: &TestServer, name: &str) -> String {
    server.post("/v1/parties").by("pia").json(&json!({ "name": name })).send().is(201);
    let body = json!({ "party": name, "scopes": ["submit", "receive", "read"] });
    let answer = server.post("/v1/tokens").by("pia").json(&body).send().is(201).body;
    answer["token"]["text"].as_str().unwrap().to_owned()
}

#[test]
fn the_last_return_is_shown_to_every_sender_up_the_chain() {
    let server = TestServer::new();
    let cem = token_of(&server, "cem");
    let (first, last) = passed_on(&server);
    returned(&server, &last, &cem, "Finished by cem");
    let top = shown(&server, &first, "ana");
    assert_eq!(top["handoff"]["state"], "passed_on");
    assert_eq!((&top["return"]["handoff"], &top["return"]["by"]), (&json!(last), &json!("cem")));
    assert_eq!(top["return"]["packet"]["summary"], "Finished by cem");
    let list = server.get(&format!("/v1/handoffs/{first}/returns")).by("ana").send().is(200).body;
    assert_eq!(list["items"][0], top["return"]);
    assert_eq!(shown(&server, &last, "ben")["return"], top["return"]);
}
