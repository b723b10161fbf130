//! Webhooks: at least once, in order, signed, and given up if the receiver stays away.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tasuki_api::Secret;
use tasuki_engine::model::SigningSecret;
use tasuki_server::Settings;
use tasuki_server::webhook::{Origin, SystemResolver, signature};
use tasuki_testkit::memory::MemoryStore;
use tokio::net::TcpListener;

use crate::support::test_server::{TestServer, packet};
use crate::support::until::until;
use crate::support::webhook_receiver::{ReceivedWebhook, WebhookReceiver, status};

/// Returns a server with a receiver that it may reach.
pub(crate) fn server(
    script: impl Fn(usize) -> String + Send + Sync + 'static,
) -> (TestServer, WebhookReceiver) {
    server_on(Arc::new(MemoryStore::new()), script)
}

/// Returns a server on the given store.
fn server_on(
    store: Arc<MemoryStore>,
    script: impl Fn(usize) -> String + Send + Sync + 'static,
) -> (TestServer, WebhookReceiver) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let listener = runtime.block_on(async {
        let bound = TcpListener::bind("127.0.0.1:0").await.unwrap();
        bound.into_std().unwrap()
    });
    let origin = Origin::read(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    let public_url = Some("https://tasuki.example".to_owned());
    let settings = Settings { webhook_origins: vec![origin], public_url, ..Settings::default() };
    let server = TestServer::with_resolver(store, settings, Arc::new(SystemResolver));
    let listener = {
        let _inside = server.runtime.enter();
        TcpListener::from_std(listener).unwrap()
    };
    let receiver = WebhookReceiver::on(&server, listener, Arc::new(script));
    (server, receiver)
}

/// Adds a subscription of `pia` to the receiver.
fn added(server: &TestServer, receiver: &WebhookReceiver, more: &Value) -> Value {
    let mut body = json!({ "url": format!("http://{}/hook?a=b", receiver.address) });
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    let answer = server.post("/v1/subscriptions").by("pia").json(&body).send();
    answer.is(201).body["subscription"].clone()
}

fn shown(server: &TestServer, id: &Value) -> Value {
    let path = format!("/v1/subscriptions/{}", id.as_str().unwrap());
    server.get(&path).by("pia").send().is(200).body
}

fn signed(received: &ReceivedWebhook, secret: &str) -> String {
    let secret = SigningSecret { secret: Secret(secret.to_owned()), until: None };
    let seconds = received.headers["webhook-timestamp"].parse().unwrap();
    signature::header(&[&secret], received.id(), seconds, received.body.as_bytes())
}

#[test]
fn an_absent_receiver_is_reported_at_once() {
    let (server, receiver) = server(|_| status(200));
    added(&server, &receiver, &json!({}));
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let settings =
        Settings { webhook_origins: vec![Origin::read(&nobody).unwrap()], ..Settings::default() };
    let server =
        TestServer::with_resolver(Arc::new(MemoryStore::new()), settings, Arc::new(SystemResolver));
    let body = json!({ "url": nobody });
    let refused = server.post("/v1/subscriptions").by("pia").json(&body).send();
    refused.refuses(422, "TK-CHANNEL-UNREACHABLE");
}

#[test]
fn an_event_arrives_signed_and_thin() {
    let (server, receiver) = server(|_| status(204));
    let made = added(&server, &receiver, &json!({ "filter": { "type": ["handoff.submitted"] } }));
    let id = server.submitted("one");
    let received = &receiver.wait_for(1)[0];
    let body = received.json();
    assert_eq!(
        (&body["type"], &body["data"]["handoff"]),
        (&json!("handoff.submitted"), &json!(id))
    );
    assert_eq!(body["timestamp"], body["data"]["at"]);
    let project = body["data"]["project"].as_str().unwrap();
    assert_eq!(received.id(), format!("{project}:{}", body["data"]["n"]));
    let secret = made["secret"].as_str().unwrap();
    assert_eq!(received.headers["webhook-signature"], signed(received, secret));
    assert!(!received.body.contains("Ship one"), "no packet content");
}

#[test]
fn a_reason_is_sent_unless_the_work_is_classified() {
    let (server, receiver) = server(|_| status(204));
    added(&server, &receiver, &json!({ "filter": { "type": ["cancelled"] } }));
    let gate = json!({ "document": {
        "gate": "release", "version": "1.0",
        "factors": [{ "name": "people", "roles": ["people"], "approvals": 1 }],
    } });
    server.post("/v1/gates").by("pia").json(&gate).send().is(201);
    let classified = "classification: OFFICIAL\nregulation_refs: [DTAC 1]\n\
        sign_off_gates: [release]\nretention: P8Y\n";
    for (task, more) in [("open", ""), ("kept", classified)] {
        server.post("/v1/handoffs").by("ana").yaml(&packet(task, more)).send().is(201);
        let body = json!({ "decision": "cancel", "reason": "Nobody needs it" });
        let path = format!("/v1/handoffs/{task}/decisions");
        server.post(&path).by("ana").json(&body).send().is(201);
    }
    let received = receiver.wait_for(2);
    assert_eq!(received[0].json()["data"]["reason"], "Nobody needs it");
    assert_eq!(received[1].json()["data"]["task"], "kept");
    assert_eq!(received[1].json()["data"]["reason"], Value::Null);
}

#[test]
fn a_key_pair_shows_only_its_public_half() {
    let (server, receiver) = server(|_| status(200));
    let made = added(&server, &receiver, &json!({ "signing": "key_pair" }));
    assert!(made["public_key"].as_str().unwrap().starts_with("whpk_"));
    assert_eq!(made["secret"], Value::Null);
    assert_eq!(shown(&server, &made["id"])["public_key"], made["public_key"]);
    server.submitted("one");
    assert!(receiver.wait_for(1)[0].headers["webhook-signature"].starts_with("v1a,"));
}

#[test]
fn both_secrets_sign_for_a_day_after_a_change() {
    let (server, receiver) = server(|_| status(200));
    let made = added(&server, &receiver, &json!({ "filter": { "type": ["handoff.submitted"] } }));
    let path = format!("/v1/subscriptions/{}/rotate", made["id"].as_str().unwrap());
    let new = server.post(&path).by("pia").send().is(200).body["subscription"]["secret"].clone();
    let secrets = [new.as_str().unwrap(), made["secret"].as_str().unwrap()];
    server.submitted("one");
    let first = &receiver.wait_for(1)[0];
    let both = secrets.map(|secret| signed(first, secret)).join(" ");
    assert_eq!(first.headers["webhook-signature"], both);
    server.advance(Duration::from_hours(24));
    server.submitted("two");
    let second = &receiver.wait_for(2)[1];
    assert_eq!(second.headers["webhook-signature"], signed(second, secrets[0]));
}

#[test]
fn a_receiver_that_fails_half_the_time_gets_everything_in_order() {
    let (server, receiver) = server(|number| status(if number % 2 == 0 { 503 } else { 200 }));
    let made = added(&server, &receiver, &json!({}));
    for task in ["one", "two", "three"] {
        server.submitted(task);
    }
    let mut received = Vec::new();
    for attempts in 1..=6 {
        received = receiver.wait_for(attempts);
        wait_for_attempts(&server, &made["id"], attempts);
        // A failed delivery is retried after at most five and a half seconds.
        server.advance(Duration::from_secs(6));
    }
    let numbers: Vec<u64> = received.iter().map(ReceivedWebhook::n).collect();
    let first = numbers[0];
    assert_eq!(numbers, [first, first, first + 1, first + 1, first + 2, first + 2]);
    assert_eq!(received[0].id(), received[1].id(), "the id is the same on every attempt");
    assert_ne!(received[0].headers["webhook-timestamp"], received[1].headers["webhook-timestamp"]);
}

#[test]
fn retry_after_is_honoured() {
    let wait = "HTTP/1.1 429 x\r\nretry-after: 3600\r\ncontent-length: 0\r\n\r\n".to_owned();
    let (server, receiver) =
        server(move |number| if number == 0 { wait.clone() } else { status(200) });
    let made = added(&server, &receiver, &json!({ "filter": { "type": ["handoff.submitted"] } }));
    server.submitted("one");
    receiver.wait_for(1);
    wait_for_attempts(&server, &made["id"], 1);
    server.advance(Duration::from_mins(59));
    std::thread::sleep(Duration::from_millis(1_500));
    assert_eq!(receiver.all().len(), 1);
    server.advance(Duration::from_mins(2));
    receiver.wait_for(2);
}

#[test]
fn a_gone_receiver_is_disabled_at_once() {
    let (server, receiver) = server(|_| status(410));
    let made = added(&server, &receiver, &json!({ "filter": { "type": ["handoff.submitted"] } }));
    server.submitted("one");
    receiver.wait_for(1);
    until(|| shown(&server, &made["id"])["because"] == "gone");
    let events = server.get("/v1/events?type=subscription.disabled").by("pia").send().is(200).body;
    assert_eq!(events["items"][0]["actor"], "system");
}

#[test]
fn a_receiver_that_fails_for_120_hours_is_disabled_and_resumes_when_enabled() {
    let (server, receiver) = server(|number| status(if number < 2 { 500 } else { 200 }));
    let made = added(&server, &receiver, &json!({ "filter": { "type": ["handoff.submitted"] } }));
    server.submitted("one");
    receiver.wait_for(1);
    wait_for_attempts(&server, &made["id"], 1);
    server.advance(Duration::from_hours(121));
    receiver.wait_for(2);
    until(|| shown(&server, &made["id"])["because"] == "failing");
    let path = format!("/v1/subscriptions/{}/enable", made["id"].as_str().unwrap());
    server.post(&path).by("pia").send().is(200);
    let received = receiver.wait_for(3);
    assert_eq!(received[2].id(), received[0].id());
}

#[test]
fn a_redirect_is_a_failure_and_is_not_followed() {
    let to = "HTTP/1.1 302 x\r\nlocation: http://169.254.169.254/\r\ncontent-length: 0\r\n\r\n";
    let (server, receiver) = server(move |_| to.to_owned());
    let made = added(&server, &receiver, &json!({}));
    let path = format!("/v1/subscriptions/{}/test", made["id"].as_str().unwrap());
    let tried = server.post(&path).by("pia").send().is(200).body;
    assert_eq!(tried["status"], 302);
    server.submitted("one");
    receiver.wait_for(2);
    let path = format!("/v1/subscriptions/{}/deliveries", made["id"].as_str().unwrap());
    until(|| server.get(&path).by("pia").send().is(200).body["items"][0]["status"] == 302);
}

#[test]
fn attempts_are_kept_with_the_beginning_of_the_response() {
    let long = "x".repeat(1_000);
    let text = format!("HTTP/1.1 200 x\r\ncontent-length: 1000\r\n\r\n{long}");
    let (server, receiver) = server(move |_| text.clone());
    let made = added(&server, &receiver, &json!({ "filter": { "type": ["handoff.submitted"] } }));
    server.submitted("one");
    let n = receiver.wait_for(1)[0].n();
    let path = format!("/v1/subscriptions/{}/deliveries", made["id"].as_str().unwrap());
    until(|| server.get(&path).by("pia").send().is(200).body["items"][0]["n"] == n);
    let kept = server.get(&path).by("pia").send().is(200).body["items"][0].clone();
    assert_eq!((&kept["status"], &kept["attempt"]), (&json!(200), &json!(1)));
    assert_eq!(kept["response"].as_str().unwrap().len(), 256);
}

#[test]
fn attempts_come_in_pages() {
    let (server, receiver) = server(|_| status(200));
    let made = added(&server, &receiver, &json!({ "filter": { "type": ["handoff.submitted"] } }));
    for task in ["one", "two", "three"] {
        server.submitted(task);
    }
    let mut expected: Vec<_> = receiver.wait_for(3).iter().map(|one| json!(one.n())).collect();
    expected.reverse();
    wait_for_attempts(&server, &made["id"], 3);
    let path = format!("/v1/subscriptions/{}/deliveries?limit=2", made["id"].as_str().unwrap());
    let first = server.get(&path).by("pia").send().is(200).body;
    let next = first["next"].as_str().unwrap();
    let second = server.get(&format!("{path}&cursor={next}")).by("pia").send().is(200).body;
    let seen: Vec<_> = [&first, &second]
        .iter()
        .flat_map(|page| page["items"].as_array().unwrap())
        .map(|one| one["n"].clone())
        .collect();
    assert_eq!((seen, &second["next"]), (expected, &json!(null)));
    server.get(&format!("{path}&cursor=x")).by("pia").send().refuses(422, "TK-ARGUMENT-INVALID");
}

#[test]
fn a_range_is_delivered_again_with_the_same_ids() {
    let (server, receiver) = server(|_| status(200));
    let made = added(&server, &receiver, &json!({ "filter": { "type": ["handoff.submitted"] } }));
    server.submitted("one");
    server.submitted("two");
    let received = receiver.wait_for(2);
    let body = json!({ "from": 0, "to": received[0].n() });
    let path = format!("/v1/subscriptions/{}/replay", made["id"].as_str().unwrap());
    let replayed = server.post(&path).by("pia").json(&body).send().is(200).body;
    assert_eq!(replayed["deliveries"].as_array().unwrap().len(), 1);
    let again = &receiver.wait_for(3)[2];
    assert_eq!((again.id(), &again.body), (received[0].id(), &received[0].body));
    for (from, to) in [(2, 1), (900, 901)] {
        let nothing = json!({ "from": from, "to": to });
        server.post(&path).by("pia").json(&nothing).send().refuses(422, "TK-ARGUMENT-INVALID");
    }
    server.post(&path).by("pia").key("k").json(&body).send().refuses(422, "TK-ARGUMENT-INVALID");
    let test = path.replace("/replay", "/test");
    server.post(&test).by("pia").key("k").send().refuses(422, "TK-ARGUMENT-INVALID");
}

#[test]
fn a_removed_subscription_receives_nothing_more() {
    let (server, receiver) = server(|_| status(200));
    let made = added(&server, &receiver, &json!({ "filter": { "type": ["handoff.submitted"] } }));
    let path = format!("/v1/subscriptions/{}", made["id"].as_str().unwrap());
    server.request("DELETE", &path).by("pia").send().is(200);
    server.get(&path).by("pia").send().refuses(404, "TK-SUBSCRIPTION-UNKNOWN");
    server.submitted("one");
    std::thread::sleep(Duration::from_millis(1_500));
    assert!(receiver.all().is_empty());
}

#[test]
fn a_batch_of_deliveries_is_one_commit() {
    let store = Arc::new(MemoryStore::new());
    let (server, receiver) = server_on(Arc::clone(&store), |_| status(200));
    let made = added(&server, &receiver, &json!({ "filter": { "type": ["handoff.submitted"] } }));
    let commits = || {
        let project = receiver.all()[0].json()["data"]["project"].as_str().unwrap().to_owned();
        store.commits_beside(project.parse().unwrap())
    };
    server.submitted("first");
    wait_for_attempts(&server, &made["id"], 1);
    let before = commits();
    server.submitted("second");
    wait_for_attempts(&server, &made["id"], 2);
    assert_eq!(commits() - before, 1);
    // Queued events are sent one by one and recorded together.
    let path = |verb: &str| format!("/v1/subscriptions/{}/{verb}", made["id"].as_str().unwrap());
    server.post(&path("disable")).by("pia").send().is(200);
    for n in 0..64 {
        server.submitted(&format!("piled-up-{n}"));
    }
    let before = commits();
    server.post(&path("enable")).by("pia").send().is(200);
    wait_for_attempts(&server, &made["id"], 50);
    receiver.wait_for(66);
    let spent = commits() - before;
    assert!(spent < 32, "{spent} commits for 64 deliveries");
    let numbers: Vec<u64> = receiver.all().iter().map(ReceivedWebhook::n).collect();
    assert!(numbers.is_sorted(), "{numbers:?}");
}

/// Waits until this many attempts are recorded, so that the clock may advance.
fn wait_for_attempts(server: &TestServer, id: &Value, count: usize) {
    let path = format!("/v1/subscriptions/{}/deliveries", id.as_str().unwrap());
    until(|| {
        let body = server.get(&path).by("pia").send().is(200).body;
        body["items"].as_array().unwrap().len() >= count
    });
}

#[test]
fn a_person_manages_their_own_subscriptions_without_being_an_operator() {
    let (server, receiver) = server(|_| status(200));
    let url = format!("http://{}/hook", receiver.address);
    let others =
        server.post("/v1/subscriptions").by("pia").json(&json!({ "url": url, "party": "ben" }));
    let others = others.send().is(201).body["subscription"]["id"].as_str().unwrap().to_owned();
    let cookie = server.signed_in();
    let by_pia = |verb, path: &str| server.request(verb, path).with(&cookie);
    let add = |body: Value| by_pia("POST", "/v1/subscriptions").json(&body).send();
    let own = add(json!({ "url": url })).is(201).body["subscription"].clone();
    assert_eq!(own["party"], "pia");
    assert_eq!(add(json!({ "url": url, "party": "ben" })).is(403).code(), "TK-NOT-ALLOWED");
    let listed = by_pia("GET", "/v1/subscriptions").send().is(200);
    assert_eq!(listed.body["items"].as_array().unwrap().len(), 1);
    let path = |id: &str, end: &str| format!("/v1/subscriptions/{id}{end}");
    for (verb, end) in [
        ("GET", ""),
        ("GET", "/deliveries"),
        ("POST", "/test"),
        ("POST", "/rotate"),
        ("POST", "/disable"),
        ("POST", "/enable"),
        ("DELETE", ""),
    ] {
        let id = own["id"].as_str().unwrap();
        assert_eq!(
            by_pia(verb, &path(&others, end)).send().is(404).code(),
            "TK-SUBSCRIPTION-UNKNOWN"
        );
        let by_agent = server.request(verb, &path(&others, end)).by("ben").send().is(403);
        assert_eq!(by_agent.code(), "TK-SCOPE-MISSING");
        by_pia(verb, &path(id, end)).send().is(200);
    }
}
