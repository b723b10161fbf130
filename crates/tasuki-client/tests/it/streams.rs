//! Events as they happen, from servers that go away in every way.

use std::time::{Duration, Instant};

use serde_json::json;
use tasuki_client::{Client, Error, Filter, Stream, StreamItem};

use crate::fake_server::{Answer, Fake};
use crate::requests::header;

const SOON: Duration = Duration::from_secs(10);

/// The next thing that is told, in a word.
fn told(stream: &mut Stream) -> String {
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

fn problem(status: u16, code: &str) -> Answer {
    let body = json!({
        "type": format!("/docs/errors/{code}"), "title": "No", "status": status,
        "detail": "not now", "code": code,
    });
    Answer::Said(status, "application/problem+json", body.to_string())
}

#[test]
fn it_goes_on_after_the_last_event_that_came() {
    let half = concat!(event!(7), ": ping\n\n", event!(8), "id: 9\nevent: handoff.cl");
    let rest = concat!(event!(9), event!(10));
    let fake = Fake::start(vec![
        Answer::Streamed(half),
        Answer::Broken,
        problem(503, "TK-STORE-UNAVAILABLE"),
        Answer::Said(502, "text/html", "<html>Bad gateway</html>".to_owned()),
        Answer::Held(rest),
    ]);
    let filter = Filter {
        kinds: vec!["handoff.claimed".to_owned(), "handoff.held".to_owned()],
        sender: Some("ana".to_owned()),
        ..Filter::default()
    };
    let mut stream = fake.client().follow(&filter, Some(7)).unwrap();
    let all: Vec<String> = (0..5).map(|_| told(&mut stream)).collect();
    assert_eq!(all[..2], ["7 handoff.claimed", "8 handoff.claimed"]);
    // That it is away is told once.
    assert!(all[2].starts_with("lost: cannot reach http://127.0.0.1:"), "{}", all[2]);
    assert_eq!(all[3..], ["9 handoff.claimed", "10 handoff.claimed"]);
    assert_eq!(stream.position(), 11);
    drop(stream);
    let asked = fake.asked();
    let seen: Vec<_> = asked.iter().map(|one| header(one, "last-event-id").unwrap()).collect();
    assert_eq!(seen, ["6", "8", "8", "8", "8"]);
    for one in &asked {
        let line = "GET /v1/events?type=handoff.claimed%2Chandoff.held&sender=ana HTTP/1.1";
        assert_eq!(one.lines().next(), Some(line));
        assert_eq!(header(one, "accept"), Some("text/event-stream"));
    }
}

#[test]
fn what_came_before_is_not_told_twice() {
    let again = concat!(event!(3), event!(4), event!(5));
    let fake = Fake::start(vec![Answer::Streamed(event!(4)), Answer::Held(again)]);
    let mut stream = fake.client().follow(&Filter::default(), Some(4)).unwrap();
    assert_eq!([told(&mut stream), told(&mut stream)], ["4 handoff.claimed", "5 handoff.claimed"]);
}

#[test]
fn what_was_not_for_us_is_not_looked_through_again() {
    let rarely = "retry: 1\nid: 6\n\n: ping\nid: 40\n\n";
    let fake = Fake::start(vec![Answer::Streamed(rarely), Answer::Held(event!(41))]);
    let mut stream = fake.client().follow(&Filter::default(), Some(7)).unwrap();
    assert_eq!(told(&mut stream), "41 handoff.claimed");
    drop(stream);
    let asked = fake.asked();
    let seen: Vec<_> = asked.iter().map(|one| header(one, "last-event-id").unwrap()).collect();
    assert_eq!(seen, ["6", "40"]);
}

#[test]
fn from_now_on_is_from_a_number_that_is_asked_for_first() {
    let page = json!({ "items": [], "next": "41" }).to_string();
    let fake = Fake::start(vec![
        Answer::Said(200, "application/json", page),
        Answer::Streamed(""),
        Answer::Held(event!(42)),
    ]);
    let mut stream = fake.client().follow(&Filter::default(), None).unwrap();
    assert_eq!(told(&mut stream), "42 handoff.claimed");
    drop(stream);
    let asked = fake.asked();
    assert!(asked[0].starts_with("GET /v1/events?limit=1 HTTP/1.1\n"), "{}", asked[0]);
    // Nothing had come when the connection was lost, and nothing is missed.
    assert_eq!(header(&asked[1], "last-event-id"), Some("41"));
    assert_eq!(header(&asked[2], "last-event-id"), Some("41"));
}

#[test]
fn the_first_event_of_all_is_asked_for_by_its_number() {
    let fake = Fake::start(vec![Answer::Streamed(""), Answer::Held(event!(0))]);
    let mut stream = fake.client().follow(&Filter::default(), Some(0)).unwrap();
    assert_eq!(told(&mut stream), "0 handoff.claimed");
    drop(stream);
    for one in fake.asked() {
        assert!(one.starts_with("GET /v1/events?from=0 HTTP/1.1\n"), "{one}");
        assert_eq!(header(&one, "last-event-id"), None);
    }
}

#[test]
fn a_log_that_was_restored_is_told_and_gone_on_with() {
    let reset = "id: 2\nevent: reset\ndata: {\"leaves\":3}\n\n";
    let fake = Fake::start(vec![Answer::Streamed(reset), Answer::Held(event!(3))]);
    let mut stream = fake.client().follow(&Filter::default(), Some(90)).unwrap();
    assert_eq!([told(&mut stream), told(&mut stream)], ["reset to 3", "3 handoff.claimed"]);
    drop(stream);
    assert_eq!(header(&fake.asked()[1], "last-event-id"), Some("2"));
}

#[test]
fn a_refusal_ends_it() {
    let fake = Fake::start(vec![Answer::Streamed(""), problem(401, "TK-TOKEN-REVOKED")]);
    let mut stream = fake.client().follow(&Filter::default(), Some(1)).unwrap();
    let error = stream.next().unwrap().unwrap_err();
    assert_eq!(error.code(), Some("TK-TOKEN-REVOKED"));
    assert!(stream.next().is_none());
}

#[test]
fn who_is_away_at_the_beginning_is_said_at_once() {
    let client = Client::new("http://127.0.0.1:1", "t").unwrap();
    let error = client.follow(&Filter::default(), Some(1)).unwrap_err();
    assert!(matches!(error, Error::Unreachable { .. }), "{error:?}");
}

#[test]
fn an_answer_that_is_no_stream_is_said() {
    let page = Answer::Said(200, "application/json", "{}".to_owned());
    let fake = Fake::start(vec![page]);
    let error = fake.client().follow(&Filter::default(), Some(1)).unwrap_err();
    assert!(error.to_string().ends_with("what it sends is no stream of events"), "{error}");
    let fake = Fake::start(vec![Answer::Held("id: 1\ndata: {\"n\":\"one\"}\n\n")]);
    let mut stream = fake.client().follow(&Filter::default(), Some(1)).unwrap();
    let error = stream.next_within(SOON).unwrap_err();
    assert!(error.to_string().contains("an event of its stream cannot be read"), "{error}");
}

#[test]
fn patience_ends_and_the_stream_goes_on_later() {
    let fake = Fake::start(vec![Answer::Held(event!(5))]);
    let mut stream = fake.client().follow(&Filter::default(), Some(5)).unwrap();
    assert_eq!(told(&mut stream), "5 handoff.claimed");
    let began = Instant::now();
    assert!(stream.next_within(Duration::from_millis(100)).unwrap().is_none());
    assert!(stream.next_within(Duration::ZERO).unwrap().is_none());
    assert!(began.elapsed() < Duration::from_secs(5));
    drop(stream);
    // The connection was one and the same, and ended with the stream.
    assert_eq!(fake.asked().len(), 1);
}

#[test]
fn patience_ends_while_the_server_is_away_too() {
    let fake = Fake::start(vec![Answer::Streamed("retry: 600000\n\n")]);
    let mut stream = fake.client().follow(&Filter::default(), Some(5)).unwrap();
    let began = Instant::now();
    assert!(stream.next_within(Duration::from_millis(200)).unwrap().is_none());
    assert!(began.elapsed() < Duration::from_secs(5));
}
