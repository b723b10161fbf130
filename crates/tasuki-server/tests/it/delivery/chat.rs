//! Messages to Slack and ntfy: same delivery log, retries and guard as webhooks.

use std::time::Duration;

use serde_json::{Value, json};
use tasuki_server::Settings;

use crate::delivery::messages::without_version;
use crate::delivery::webhooks;
use crate::support::test_server::{TestServer, packet};
use crate::support::until::until;
use crate::support::webhook_receiver::{WebhookReceiver, response, status};

/// The answer of ntfy to a message.
const NTFY: &str = r#"{"id":"hwQ2YpKdmg","time":1763200800,"event":"message","topic":"ops"}"#;

fn add(server: &TestServer, body: &Value) -> String {
    let answer = server.post("/v1/subscriptions").by("pia").json(body).send().is(201);
    answer.body["subscription"]["id"].as_str().unwrap().to_owned()
}

fn slack(server: &TestServer, receiver: &WebhookReceiver) -> String {
    add(server, &json!({ "slack": format!("http://{}/services/T0/B0/xyz", receiver.address) }))
}

/// Submits a handoff that is held. Returns its id.
fn held(server: &TestServer, goal: &str) -> String {
    let text = packet("export-7", "can_intercept: true\n");
    let text = text.replace("Ship export-7", &json!(goal).to_string());
    let answer = server.post("/v1/handoffs").by("ana").yaml(&text).send().is(201);
    answer.body["handoff"]["id"].as_str().unwrap().to_owned()
}

/// Returns the attempts of a subscription, oldest first.
fn attempts(server: &TestServer, id: &str) -> Vec<Value> {
    let path = format!("/v1/subscriptions/{id}/deliveries");
    let body = server.get(&path).by("pia").send().is(200).body;
    body["items"].as_array().unwrap().iter().rev().cloned().collect()
}

#[test]
fn slack_gets_one_message_per_hold_with_a_link_and_a_command() {
    let (server, receiver) = webhooks::server(|_| status(200));
    let id = slack(&server, &receiver);
    let handoff = held(&server, "Port <!channel> & <https://evil.example|x>");
    server.submitted("not-held");
    let message = receiver.wait_for(1)[0].clone();
    assert_eq!(message.path, "/services/T0/B0/xyz");
    let shown = serde_json::to_string_pretty(&message.json()).unwrap().replace(&handoff, "hof_…");
    let shown = without_version(&shown);
    insta::assert_snapshot!(shown, @r#"
    {
      "text": "A handoff is waiting for a decision: export-7",
      "mrkdwn": false,
      "blocks": [
        {
          "type": "section",
          "text": {
            "type": "plain_text",
            "text": "A handoff is waiting for a decision.\n\nTask: export-7\nGoal: Port &lt;!channel&gt; &amp; &lt;https://evil.example|x&gt;\nReason: the packet asks for a person\nFrom: ana\nTo: ben\nRisk: low"
          }
        },
        {
          "type": "section",
          "text": {
            "type": "mrkdwn",
            "text": "<https://tasuki.example/ui/p/default/h/hof_…|Open in Tasuki>\nor run `tasuki approve export-7@1:[version]`"
          }
        }
      ]
    }
    "#);
    until(|| attempts(&server, &id).len() == 1);
    assert_eq!(attempts(&server, &id)[0]["status"], 200);
    let path = format!("/v1/subscriptions/{id}");
    let listed = server.get(&path).by("pia").send().is(200).body;
    assert_eq!(listed["url"], format!("http://{}/…", receiver.address));
    assert_eq!(receiver.all().len(), 1);
}

#[test]
fn a_subscriber_to_every_event_still_gets_one_message_per_hold() {
    let (server, receiver) = webhooks::server(|_| status(200));
    let url = format!("http://{}/services/T0/B0/xyz", receiver.address);
    add(&server, &json!({ "slack": url, "filter": { "party": "ana" } }));
    held(&server, "Port it");
    server.submitted("next");
    let titles: Vec<String> = receiver
        .wait_for(2)
        .iter()
        .map(|message| message.json()["text"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        titles,
        ["A handoff is waiting for a decision: export-7", "handoff.submitted: next"]
    );
}

#[test]
fn ntfy_gets_the_message_at_its_server_with_its_token() {
    let (server, receiver) = webhooks::server(|_| response(200, NTFY));
    let url = format!("http://{}/ntfy/ops", receiver.address);
    let id = add(&server, &json!({ "ntfy": url, "ntfy_token": "tk_xyz" }));
    let handoff = held(&server, "Port the exporter");
    let message = receiver.wait_for(1)[0].clone();
    assert_eq!(
        (message.path.as_str(), &*message.headers["authorization"]),
        ("/ntfy", "Bearer tk_xyz")
    );
    let shown = serde_json::to_string_pretty(&message.json()).unwrap().replace(&handoff, "hof_…");
    let shown = without_version(&shown);
    insta::assert_snapshot!(shown, @r#"
    {
      "topic": "ops",
      "title": "A handoff is waiting for a decision: export-7",
      "message": "A handoff is waiting for a decision.\n\nTask: export-7\nGoal: Port the exporter\nReason: the packet asks for a person\nFrom: ana\nTo: ben\nRisk: low\ntasuki approve export-7@1:[version]",
      "priority": 3,
      "click": "https://tasuki.example/ui/p/default/h/hof_…",
      "actions": [
        {
          "action": "view",
          "label": "Open",
          "url": "https://tasuki.example/ui/p/default/h/hof_…"
        }
      ]
    }
    "#);
    let path = format!("/v1/subscriptions/{id}/test");
    let tried = server.post(&path).by("pia").send().is(200).body;
    assert_eq!((&tried["status"], &tried["response"]), (&json!(200), &json!(NTFY)));
}

#[test]
fn an_answer_of_something_else_is_a_failure_and_is_retried() {
    let (server, receiver) = webhooks::server(|number| match number {
        0 => response(200, "<html>Sign in to the guest network</html>"),
        1 => response(302, ""),
        // The connection ends without an answer.
        2 => String::new(),
        _ => status(200),
    });
    let id = slack(&server, &receiver);
    held(&server, "Port it");
    // The clock goes on once per attempt: many hours later there would be a reminder too.
    for count in 1..4 {
        until(|| attempts(&server, &id).len() == count);
        server.advance(Duration::from_hours(1));
    }
    until(|| attempts(&server, &id).len() == 4);
    let lines: Vec<String> = attempts(&server, &id)
        .iter()
        .map(|one| format!("{} {}", one["status"], one["response"].as_str().unwrap()))
        .collect();
    assert_eq!(
        lines[0],
        "null the answer is not one of Slack: <html>Sign in to the guest network</html>"
    );
    assert_eq!((&*lines[1], &*lines[3]), ("302 ", "200 ok"));
    assert!(lines[2].starts_with("null connection lost"), "{lines:?}");
}

#[test]
fn a_channel_with_links_needs_the_public_url() {
    let server = TestServer::new();
    let refusal = |body: &Value| {
        let refused = server.post("/v1/subscriptions").by("pia").json(body).send();
        let body = refused.refuses(422, "TK-CHANNEL-UNSET").body;
        format!("{}\n{}", body["detail"].as_str().unwrap(), body["hint"].as_str().unwrap())
    };
    let slack = refusal(&json!({ "slack": "https://hooks.slack.com/services/T0/B0/xyz" }));
    assert_eq!(slack, refusal(&json!({ "ntfy": "https://ntfy.sh/ops" })));
    insta::assert_snapshot!(slack, @r#"
    `server.public_url` is not set, so links in messages would lead nowhere
    an operator sets it in tasuki.toml: `[server]`, `public_url = "https://…"`
    "#);
}

#[test]
fn a_chat_cannot_be_in_an_internal_network() {
    let public_url = Some("https://tasuki.example".to_owned());
    let server = TestServer::with(Settings { public_url, ..Settings::default() });
    let canary = WebhookReceiver::new(&server, |_| status(200));
    let url = format!("http://{}/ops", canary.address);
    for body in
        [json!({ "slack": url }), json!({ "ntfy": url }), json!({ "ntfy": "https://10.0.0.1/ops" })]
    {
        let refused = server.post("/v1/subscriptions").by("pia").json(&body).send();
        refused.refuses(422, "TK-CHANNEL-REFUSED");
    }
    let both = json!({ "slack": url, "ntfy": url });
    server
        .post("/v1/subscriptions")
        .by("pia")
        .json(&both)
        .send()
        .refuses(422, "TK-ARGUMENT-INVALID");
    assert!(canary.all().is_empty());
}
