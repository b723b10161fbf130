//! Streams of events from servers whose connections break.

use std::time::{Duration, Instant};

use serde_json::json;
use tasuki_client::api::EventFilter;
use tasuki_client::{Client, Error, EventStream, StreamItem};
use tasuki_packet::leaf::EventType;

use crate::fake_server::{Fake, Script};
use crate::requests::header;

const SOON: Duration = Duration::from_secs(10);

/// Returns the next item as text.
fn next_item(stream: &mut EventStream) -> String {
    match stream.next_within(SOON).unwrap() {
        Some(StreamItem::Event(event)) => format!("{} {}", event.n, event.kind),
        Some(StreamItem::Reset { leaves }) => format!("reset to {leaves}"),
        Some(StreamItem::Lost(error)) => format!("lost: {error}"),
        None => "nothing".to_owned(),
    }
}

macro_rules! event {
    ($n:literal) => {
        concat!(
            "id: ", $n, "\nevent: handoff.claimed\ndata: {\"n\":", $n,
            ",\"at\":\"2026-11-16T03:00:00Z\",\"type\":\"handoff.claimed\",\"actor\":\"ana\",\"attributes\":{}}\n\n"
        )
    };
}

fn problem(status: u16, code: &str) -> Script {
    let body = json!({
        "type": format!("/docs/errors/{code}"), "title": "No", "status": status,
        "detail": "not now", "code": code,
    });
    Script::Response(status, "application/problem+json", body.to_string())
}

#[test]
fn a_stream_continues_after_the_last_received_event() {
    let half = concat!(event!(7), ": ping\n\n", event!(8), "id: 9\nevent: handoff.cl");
    let rest = concat!(event!(9), event!(10));
    let fake = Fake::start(vec![
        Script::Streamed(half),
        Script::Broken,
        problem(503, "TK-STORE-UNAVAILABLE"),
        Script::Response(502, "text/html", "<html>Bad gateway</html>".to_owned()),
        Script::Held(rest),
    ]);
    let filter = EventFilter {
        kinds: vec![EventType::Claimed, EventType::Held],
        sender: Some("ana".to_owned()),
        ..EventFilter::default()
    };
    let mut stream = fake.client().follow(&filter, Some(7)).unwrap();
    let all: Vec<String> = (0..5).map(|_| next_item(&mut stream)).collect();
    assert_eq!(all[..2], ["7 handoff.claimed", "8 handoff.claimed"]);
    // The lost connection is reported once.
    assert!(all[2].starts_with("lost: cannot reach http://127.0.0.1:"), "{}", all[2]);
    assert_eq!(all[3..], ["9 handoff.claimed", "10 handoff.claimed"]);
    assert_eq!(stream.position(), 11);
    drop(stream);
    let asked = fake.requests();
    let seen: Vec<_> = asked.iter().map(|one| header(one, "last-event-id").unwrap()).collect();
    assert_eq!(seen, ["6", "8", "8", "8", "8"]);
    for one in &asked {
        let line = "GET /v1/events?type=handoff.claimed%2Chandoff.held&sender=ana HTTP/1.1";
        assert_eq!(one.lines().next(), Some(line));
        assert_eq!(header(one, "accept"), Some("text/event-stream"));
    }
}

#[test]
fn no_event_is_returned_twice() {
    let again = concat!(event!(3), event!(4), event!(5));
    let fake = Fake::start(vec![Script::Streamed(event!(4)), Script::Held(again)]);
    let mut stream = fake.client().follow(&EventFilter::default(), Some(4)).unwrap();
    assert_eq!(
        [next_item(&mut stream), next_item(&mut stream)],
        ["4 handoff.claimed", "5 handoff.claimed"]
    );
}

#[test]
fn events_that_the_filter_skipped_are_not_requested_again() {
    let rarely = "retry: 1\nid: 6\n\n: ping\nid: 40\n\n";
    let fake = Fake::start(vec![Script::Streamed(rarely), Script::Held(event!(41))]);
    let mut stream = fake.client().follow(&EventFilter::default(), Some(7)).unwrap();
    assert_eq!(next_item(&mut stream), "41 handoff.claimed");
    drop(stream);
    let asked = fake.requests();
    let seen: Vec<_> = asked.iter().map(|one| header(one, "last-event-id").unwrap()).collect();
    assert_eq!(seen, ["6", "40"]);
}

#[test]
fn a_stream_from_now_on_requests_the_last_event_number_first() {
    let page = json!({ "items": [], "next": "41" }).to_string();
    let fake = Fake::start(vec![
        Script::Response(200, "application/json", page),
        Script::Streamed(""),
        Script::Held(event!(42)),
    ]);
    let mut stream = fake.client().follow(&EventFilter::default(), None).unwrap();
    assert_eq!(next_item(&mut stream), "42 handoff.claimed");
    drop(stream);
    let asked = fake.requests();
    assert!(asked[0].starts_with("GET /v1/events?limit=1 HTTP/1.1\n"), "{}", asked[0]);
    // The connection broke before the first event, and none is missed.
    assert_eq!(header(&asked[1], "last-event-id"), Some("41"));
    assert_eq!(header(&asked[2], "last-event-id"), Some("41"));
}

#[test]
fn a_stream_can_begin_with_event_0() {
    let fake = Fake::start(vec![Script::Streamed(""), Script::Held(event!(0))]);
    let mut stream = fake.client().follow(&EventFilter::default(), Some(0)).unwrap();
    assert_eq!(next_item(&mut stream), "0 handoff.claimed");
    drop(stream);
    for one in fake.requests() {
        assert!(one.starts_with("GET /v1/events?from=0 HTTP/1.1\n"), "{one}");
        assert_eq!(header(&one, "last-event-id"), None);
    }
}

#[test]
fn a_stream_continues_after_the_log_was_restored() {
    let reset = "id: 2\nevent: reset\ndata: {\"leaves\":3}\n\n";
    let fake = Fake::start(vec![Script::Streamed(reset), Script::Held(event!(3))]);
    let mut stream = fake.client().follow(&EventFilter::default(), Some(90)).unwrap();
    assert_eq!(
        [next_item(&mut stream), next_item(&mut stream)],
        ["reset to 3", "3 handoff.claimed"]
    );
    drop(stream);
    assert_eq!(header(&fake.requests()[1], "last-event-id"), Some("2"));
}

#[test]
fn a_refusal_ends_the_stream() {
    let fake = Fake::start(vec![Script::Streamed(""), problem(401, "TK-TOKEN-REVOKED")]);
    let mut stream = fake.client().follow(&EventFilter::default(), Some(1)).unwrap();
    let error = stream.next().unwrap().unwrap_err();
    assert_eq!(error.code(), Some("TK-TOKEN-REVOKED"));
    assert!(stream.next().is_none());
}

#[test]
fn an_unreachable_server_is_an_error_at_the_start() {
    let client = Client::new("http://127.0.0.1:1", "t").unwrap();
    let error = client.follow(&EventFilter::default(), Some(1)).unwrap_err();
    assert!(matches!(error, Error::Unreachable { .. }), "{error:?}");
}

#[test]
fn a_response_that_is_not_a_stream_is_an_error() {
    let page = Script::Response(200, "application/json", "{}".to_owned());
    let fake = Fake::start(vec![page]);
    let error = fake.client().follow(&EventFilter::default(), Some(1)).unwrap_err();
    assert!(error.to_string().ends_with("not a stream of events"), "{error}");
    let fake = Fake::start(vec![Script::Held("id: 1\ndata: {\"n\":\"one\"}\n\n")]);
    let mut stream = fake.client().follow(&EventFilter::default(), Some(1)).unwrap();
    let error = stream.next_within(SOON).unwrap_err();
    assert!(error.to_string().contains("invalid event in the stream"), "{error}");
}

#[test]
fn a_stream_continues_after_a_wait_without_items() {
    let fake = Fake::start(vec![Script::Held(event!(5))]);
    let mut stream = fake.client().follow(&EventFilter::default(), Some(5)).unwrap();
    assert_eq!(next_item(&mut stream), "5 handoff.claimed");
    let began = Instant::now();
    assert!(stream.next_within(Duration::from_millis(100)).unwrap().is_none());
    assert!(stream.next_within(Duration::ZERO).unwrap().is_none());
    assert!(began.elapsed() < Duration::from_secs(5));
    drop(stream);
    // The stream kept one connection, and closed it when it was dropped.
    assert_eq!(fake.requests().len(), 1);
}

#[test]
fn a_wait_ends_while_the_stream_is_disconnected() {
    let fake = Fake::start(vec![Script::Streamed("retry: 600000\n\n")]);
    let mut stream = fake.client().follow(&EventFilter::default(), Some(5)).unwrap();
    let began = Instant::now();
    assert!(stream.next_within(Duration::from_millis(200)).unwrap().is_none());
    assert!(began.elapsed() < Duration::from_secs(5));
}
