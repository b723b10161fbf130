//! The schema of a request refuses `null` exactly where the server does.

use serde_json::{Value, json};
use tasuki_server::openapi;

use crate::support::test_server::TestServer;

/// Returns `true` if the schema of this name accepts a body.
fn is_described(name: &str, body: &Value) -> bool {
    let document = openapi::document();
    let mut schema = json!({ "$ref": format!("#/components/schemas/{name}") });
    schema["components"] = document["components"].clone();
    jsonschema::validator_for(&schema).unwrap().is_valid(body)
}

/// Returns the body, and the body with `null` in the place of each member.
fn with_nulls(body: &Value) -> Vec<Value> {
    let names = body.as_object().unwrap().keys();
    let nulled = names.map(|name| {
        let mut nulled = body.clone();
        nulled[name] = Value::Null;
        nulled
    });
    std::iter::once(body.clone()).chain(nulled).collect()
}

#[test]
fn a_request_for_approval_refuses_null_as_its_schema_does() {
    let server = TestServer::new();
    let body = json!({ "action": { "run": "deploy" }, "to": "pia", "ends_task": false });
    let mut refused = 0;
    for (number, body) in with_nulls(&body).iter().enumerate() {
        let id = server.submitted(&format!("task-{number}"));
        let claims = format!("/v1/handoffs/{id}/claims");
        let claimed = server.post(&claims).by("ben").json(&json!({})).send().is(201);
        let claim = claimed.body["claim"]["id"].as_str().unwrap().to_owned();
        let asked = server.post(&format!("/v1/claims/{claim}/request-approval")).by("ben");
        let is_taken = asked.json(body).send().status == 200;
        assert_eq!(is_taken, is_described("ApprovalRequest", body), "{body}");
        refused += usize::from(!is_taken);
    }
    assert_eq!(refused, 1, "an action of `null`");
}

#[test]
fn a_batch_refuses_null_as_its_schema_does() {
    let server = TestServer::new();
    let item = json!({
        "method": "POST", "path": "/v1/handoffs", "key": "k", "if_match": "*",
        "body": "goal: x", "content_type": "application/yaml",
    });
    let items = with_nulls(&item).into_iter().chain([Value::Null]);
    let batches = items.map(|item| json!({ "requests": [item] }));
    let mut refused = 0;
    for batch in batches.chain([json!({ "requests": null }), Value::Null]) {
        let is_taken = server.post("/v1/batch").by("ana").json(&batch).send().status == 200;
        assert_eq!(is_taken, is_described("BatchRequest", &batch), "{batch}");
        refused += usize::from(!is_taken);
    }
    assert_eq!(refused, 5, "the method, the path, an item, the list and the body");
}
