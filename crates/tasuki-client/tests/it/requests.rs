//! Single requests and their responses.

use std::time::Duration;

use serde_json::json;
use tasuki_client::api::ClaimRequest;
use tasuki_client::{ClaimProof, Client, Error, Submit};

use crate::fake_server::{Fake, Script};

const NONE: Duration = Duration::ZERO;

fn json(status: u16, body: &serde_json::Value) -> Script {
    Script::Response(status, "application/json", body.to_string())
}

fn whoami() -> Script {
    json(200, &json!({ "party": "ana", "kind": "agent", "project": "default", "scopes": ["read"] }))
}

pub(crate) fn header<'a>(asked: &'a str, name: &str) -> Option<&'a str> {
    asked.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

#[test]
fn a_token_is_sent_as_a_bearer_credential() {
    let fake = Fake::start(vec![whoami()]);
    let client = fake.client();
    assert_eq!(client.whoami().unwrap().party, "ana");
    assert!(!format!("{client:?}").contains("tasuki_secret"));
    let asked = fake.requests();
    assert!(asked[0].starts_with("GET /v1/whoami HTTP/1.1\n"), "{}", asked[0]);
    assert_eq!(header(&asked[0], "authorization"), Some("bearer tasuki_secret"));
    assert_eq!(header(&asked[0], "idempotency-key"), None);
}

#[test]
fn the_options_of_a_submission_are_query_parameters() {
    let fake = Fake::start(vec![json(201, &json!({ "n": 3 }))]);
    let submit = Submit {
        to: Some("role:team lead".to_owned()),
        hold: true,
        parent: Some(ClaimProof { handoff: "build/42".to_owned(), fence: 7 }),
        key: Some("mine".to_owned()),
        ..Submit::new(b"goal: Ship it\n")
    };
    assert_eq!(fake.client().submit(&submit).unwrap().n, Some(3));
    let asked = &fake.requests()[0];
    let line =
        "POST /v1/handoffs?to=role%3Ateam%20lead&hold=true&parent=build%2F42&fence=7 HTTP/1.1";
    assert_eq!(asked.lines().next(), Some(line));
    assert_eq!(header(asked, "idempotency-key"), Some("mine"));
    assert_eq!(header(asked, "content-type"), Some("application/yaml"));
    assert!(asked.ends_with("\ngoal: Ship it\n"), "{asked}");
}

#[test]
fn a_refusal_has_its_code_and_its_hint() {
    let problem = json!({
        "type": "/docs/errors/TK-CLAIM-STALE", "title": "Conflict", "status": 409,
        "detail": "fence 3 is not the current one", "code": "TK-CLAIM-STALE", "hint": "claim it again",
    });
    let fake =
        Fake::start(vec![Script::Response(409, "application/problem+json", problem.to_string())]);
    let holder = ClaimProof { handoff: "build-42".to_owned(), fence: 3 };
    let error = fake.client().checkpoint(&holder, b"{}").unwrap_err();
    assert_eq!(error.to_string(), "fence 3 is not the current one [TK-CLAIM-STALE]");
    let problem = error.problem().unwrap();
    assert_eq!((problem.status, problem.hint.as_deref()), (409, Some("claim it again")));
    assert_eq!(error.code(), Some("TK-CLAIM-STALE"));
}

#[test]
fn a_broken_connection_is_tried_again_with_the_same_key() {
    let fake = Fake::start(vec![Script::Broken, Script::Broken, json(201, &json!({}))]);
    fake.client().claim_next(&ClaimRequest::default()).unwrap();
    let asked = fake.requests();
    let keys: Vec<_> = asked.iter().filter_map(|one| header(one, "idempotency-key")).collect();
    assert_eq!(keys.len(), 3);
    assert!(keys[0].len() == 32 && keys.iter().all(|key| key == &keys[0]), "{keys:?}");
}

#[test]
fn two_calls_have_two_keys() {
    let fake = Fake::start(vec![json(201, &json!({})), json(201, &json!({}))]);
    let client = fake.client();
    client.claim_next(&ClaimRequest::default()).unwrap();
    client.claim_next(&ClaimRequest::default()).unwrap();
    let asked = fake.requests();
    assert_ne!(header(&asked[0], "idempotency-key"), header(&asked[1], "idempotency-key"));
}

#[test]
fn a_connection_that_stays_broken_is_an_error() {
    let fake = Fake::start(vec![Script::Broken, Script::Broken, Script::Broken]);
    let error = fake.client().whoami().unwrap_err();
    assert!(matches!(error, Error::Unreachable { .. }), "{error:?}");
    assert_eq!(fake.requests().len(), 3);
}

#[test]
fn an_unreachable_server_is_an_error() {
    let error = Client::new("http://127.0.0.1:1", "t").unwrap().whoami().unwrap_err();
    assert_eq!(error.to_string(), "cannot reach http://127.0.0.1:1: connection refused");
    assert_eq!(error.code(), None);
}

#[test]
fn a_response_of_another_service_is_an_error() {
    let page = |status| Script::Response(status, "text/html", "<html>Welcome</html>".to_owned());
    for (status, expected) in
        [(502, "status 502 without a problem document"), (200, "invalid body")]
    {
        let fake = Fake::start(vec![page(status)]);
        let error = fake.client().whoami().unwrap_err();
        assert!(matches!(error, Error::UnexpectedResponse { .. }), "{error:?}");
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn a_redirect_is_not_followed() {
    let fake = Fake::start(vec![Script::Response(302, "text/plain", String::new())]);
    let error = fake.client().whoami().unwrap_err();
    assert!(error.to_string().contains("status 302"), "{error}");
    assert_eq!(fake.requests().len(), 1);
}

#[test]
fn a_timeout_is_not_retried() {
    let fake = Fake::start(vec![Script::Silent]);
    let client = fake.client().timeout(Duration::from_millis(200));
    let error = client.inbox(None, None, NONE).unwrap_err();
    assert!(matches!(error, Error::TimedOut { .. }), "{error:?}");
    assert_eq!(error.to_string(), format!("request to {} timed out", fake.address()));
}

#[test]
fn a_wait_is_sent_as_a_preference() {
    let inbox = json!({ "party": "ana", "handoffs": [], "as_of_n": 4, "as_of": "2026-11-16T03:00:00Z", "more": false });
    let fake = Fake::start(vec![json(200, &inbox)]);
    let inbox = fake.client().inbox(Some(5), None, Duration::from_secs(20)).unwrap();
    assert_eq!(inbox.as_of_n, 4);
    let asked = &fake.requests()[0];
    assert!(asked.starts_with("GET /v1/inbox?limit=5 HTTP/1.1\n"), "{asked}");
    assert_eq!(header(asked, "prefer"), Some("wait=20"));
}

#[test]
fn an_address_without_a_scheme_is_refused() {
    let error = Client::new("tasuki.example.org", "t").unwrap_err();
    assert_eq!(
        error.to_string(),
        "invalid server address `tasuki.example.org`: expected a URL with http:// or https://"
    );
}
