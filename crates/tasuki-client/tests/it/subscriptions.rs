//! The requests of subscriptions.

use serde_json::{Value, json};
use tasuki_client::Client;
use tasuki_client::api::{EventFilter, ReplayRequest, Signing, SubscriptionRequest};
use tasuki_packet::leaf::EventType;

use crate::fake_server::{Fake, Script};

/// One call of a client.
type Call = fn(&Client);

fn subscription() -> Value {
    json!({ "id": "sub_1", "party": "ana", "kind": "webhook", "url": "https://a.example/", "status": "active", "created_at": "2026-11-16T03:00:00Z", "from": 3 })
}

fn delivery() -> Value {
    json!({ "n": 4, "at": "2026-11-16T03:00:00Z", "attempt": 1, "status": 204, "millis": 12, "response": "" })
}

/// Returns the first line and the body of the request that a call sends.
fn asked(body: &Value, call: impl FnOnce(&Client)) -> (String, String) {
    let fake = Fake::start(vec![Script::Response(200, "application/json", body.to_string())]);
    call(&fake.client());
    let asked = fake.requests().remove(0);
    let line = asked.lines().next().unwrap().trim_end_matches(" HTTP/1.1").to_owned();
    (line, asked.lines().last().unwrap().to_owned())
}

#[test]
fn a_webhook_or_a_mailbox_is_added() {
    let answer = json!({ "subscription": subscription() });
    let webhook = SubscriptionRequest {
        url: Some("https://a.example/".to_owned()),
        signing: Signing::KeyPair,
        filter: EventFilter { kinds: vec![EventType::Held], ..EventFilter::default() },
        ..SubscriptionRequest::default()
    };
    let (line, body) = asked(&answer, |client| {
        let subscription = client.subscribe(&webhook).unwrap().subscription.unwrap();
        assert_eq!((subscription.id.as_str(), subscription.from), ("sub_1", 3));
    });
    assert_eq!(line, "POST /v1/subscriptions");
    let expected = json!({ "url": "https://a.example/", "signing": "key_pair", "filter": { "type": ["handoff.held"] } });
    assert_eq!(serde_json::from_str::<Value>(&body).unwrap(), expected);

    let mailbox = SubscriptionRequest {
        party: Some("ana".to_owned()),
        address: Some("ana@example.org".to_owned()),
        ..SubscriptionRequest::default()
    };
    let (_, body) = asked(&answer, |client| drop(client.subscribe(&mailbox).unwrap()));
    let expected = json!({ "party": "ana", "address": "ana@example.org" });
    assert_eq!(serde_json::from_str::<Value>(&body).unwrap(), expected);
}

#[test]
fn each_operation_has_its_address() {
    let answer = json!({ "subscription": subscription() });
    let calls: [(&str, Value, Call); 9] = [
        ("GET /v1/subscriptions", json!({ "items": [subscription()], "next": null }), |client| {
            assert_eq!(client.subscriptions().unwrap().len(), 1);
        }),
        ("GET /v1/subscriptions/a1", subscription(), |client| {
            assert_eq!(client.subscription("a1").unwrap().status, "active");
        }),
        ("POST /v1/subscriptions/a1/disable", answer.clone(), |client| {
            drop(client.disable_subscription("a1").unwrap());
        }),
        ("POST /v1/subscriptions/a1/enable", answer.clone(), |client| {
            drop(client.enable_subscription("a1").unwrap());
        }),
        ("POST /v1/subscriptions/a1/rotate", answer.clone(), |client| {
            drop(client.rotate_secret("a1").unwrap());
        }),
        ("DELETE /v1/subscriptions/a1", answer, |client| {
            drop(client.remove_subscription("a1").unwrap());
        }),
        (
            "GET /v1/subscriptions/a1/deliveries?limit=2",
            json!({ "items": [delivery()], "next": null }),
            |client| {
                let page = client.deliveries("a1", Some(2), None).unwrap();
                assert_eq!(page.items[0].status, Some(204));
            },
        ),
        ("POST /v1/subscriptions/a1/test", delivery(), |client| {
            assert_eq!(client.test_subscription("a1").unwrap().millis, 12);
        }),
        (
            "POST /v1/subscriptions/a1/replay",
            json!({ "deliveries": [delivery()], "next": 5 }),
            |client| {
                let range = ReplayRequest { from: 4, to: 9 };
                assert_eq!(client.replay("a1", &range).unwrap().next, Some(5));
            },
        ),
    ];
    for (expected, body, call) in calls {
        let (line, body) = asked(&body, call);
        assert_eq!(line, expected);
        if line.ends_with("replay") {
            assert_eq!(body, r#"{"from":4,"to":9}"#);
        }
    }
}
