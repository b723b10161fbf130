//! Streams: authorized listeners receive every event once and in order, also after reconnecting.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tasuki_engine::command::Command;
use tasuki_engine::engine::{Call, Engine};
use tasuki_engine::model::{PartyKind, Principal};
use tasuki_engine::ports::System;
use tasuki_engine::steps::AddParty;
use tasuki_server::Settings;
use tasuki_store::{Options, SqliteStore};

use crate::support::listener::{Listener, last_id};
use crate::support::test_server::{TestServer, packet};

#[test]
fn an_event_has_its_number_its_type_and_the_body_of_the_list() {
    let server = TestServer::new();
    server.runtime.block_on(async {
        let mut listener = Listener::open(&server, "ben", "", None).await;
        let id = submitted(&server, "one").await;
        let heard = listener.soon().await;
        let list = server.get("/v1/events?limit=1").by("ben").sent().await.is(200).body;
        assert_eq!(heard.data, list["items"][0]);
        assert_eq!(heard.kind, "handoff.submitted");
        assert_eq!((heard.id, heard.data["n"].as_u64()), (heard.id, heard.id));
        assert_eq!(heard.data["handoff"], id);
    });
}

#[test]
fn two_hundred_disconnects_lose_nothing_and_repeat_nothing() {
    let server = TestServer::new();
    server.runtime.block_on(async {
        let mut random = Random(11);
        let (mut ids, mut seen) = (Vec::new(), None);
        for round in 0..200 {
            let mut listener = Listener::open(&server, "ben", "?from=0", seen).await;
            if round % 4 == 0 {
                submitted(&server, &format!("task-{round}")).await;
            }
            // Disconnect at any point: before the first event, after some, within a chunk.
            for _ in 0..random.below(4) {
                let Ok(Some(heard)) =
                    tokio::time::timeout(Duration::from_millis(20), listener.next()).await
                else {
                    break;
                };
                seen = heard.id;
                ids.push(heard.id.unwrap());
            }
        }
        let end = server.get("/v1/events?limit=1").by("ben").sent().await.is(200).body;
        let last = end["items"][0]["n"].as_u64().unwrap();
        let mut listener = Listener::open(&server, "ben", "?from=0", seen).await;
        while ids.last() != Some(&last) {
            ids.push(listener.soon().await.id.unwrap());
        }
        assert_eq!(ids, (0..=last).collect::<Vec<_>>());
    });
}

#[test]
fn a_stream_begins_where_it_is_asked_to() {
    let server = TestServer::new();
    server.runtime.block_on(async {
        submitted(&server, "one").await;
        let n = |query: &'static str, seen: Option<u64>| {
            let server = &server;
            async move { Listener::open(server, "ben", query, seen).await.soon().await.id.unwrap() }
        };
        assert_eq!(n("?from=0", None).await, 0);
        assert_eq!(n("?since=3", None).await, 4);
        assert_eq!(n("?after=3", None).await, 4);
        // A reconnecting listener has seen more than at first.
        assert_eq!(n("?since=3", Some(5)).await, 6);
    });
}

#[test]
fn a_reader_ahead_of_the_log_is_reset() {
    let server = TestServer::new();
    server.runtime.block_on(async {
        let mut listener = Listener::open(&server, "ben", "", Some(9_999)).await;
        let heard = listener.soon().await;
        let leaves = heard.data["leaves"].as_u64().unwrap();
        assert_eq!((heard.kind.as_str(), heard.id), ("reset", Some(leaves - 1)));
        submitted(&server, "one").await;
        assert_eq!(listener.soon().await.id, Some(leaves));
        let refused = Listener::request(&server, "ben", "", Some("x".to_owned())).await;
        assert_eq!(refused.status(), 422);
    });
}

#[test]
fn filters_are_those_of_subscriptions() {
    let server = TestServer::new();
    server.runtime.block_on(async {
        let mut by_task = Listener::open(&server, "ben", "?task=two", None).await;
        let mut by_type = Listener::open(&server, "ben", "?type=claimed&actor=ben", None).await;
        let mut by_sender =
            Listener::open(&server, "ben", "?sender=ana&state=claimed&type=claimed", None).await;
        submitted(&server, "one").await;
        let two = submitted(&server, "two").await;
        server.post(&format!("/v1/handoffs/{two}/claims")).by("ben").sent().await.is(201);
        let heard = by_task.soon().await;
        assert_eq!(
            (heard.kind.as_str(), &heard.data["task"]),
            ("handoff.submitted", &json!("two"))
        );
        for stream in [&mut by_type, &mut by_sender] {
            let heard = stream.soon().await;
            assert_eq!(
                (heard.kind.as_str(), &heard.data["task"]),
                ("handoff.claimed", &json!("two"))
            );
        }
        let query = format!("?from=0&handoff={}", &two[two.len() - 8..]);
        let mut by_handoff = Listener::open(&server, "ben", &query, None).await;
        assert_eq!(by_handoff.soon().await.data["handoff"], two);
    });
}

#[test]
fn only_those_hear_who_may_and_only_of_their_project() {
    let server = TestServer::new();
    server.runtime.block_on(async {
        let refused = Listener::request(&server, "box", "", None).await;
        assert_eq!(refused.status(), 404);
        let mut other = Listener::open(&server, "other-ben", "", None).await;
        submitted(&server, "one").await;
        let text = packet("theirs", "");
        server.post("/v1/handoffs").by("other-ana").yaml(&text).sent().await.is(201);
        assert_eq!(other.soon().await.data["task"], "theirs");
    });
}

#[test]
fn a_token_that_is_revoked_hears_nothing_more() {
    let server = TestServer::new();
    server.runtime.block_on(async {
        let body = json!({ "party": "ben", "scopes": ["read"] });
        let made = server.post("/v1/tokens").by("pia").json(&body).sent().await.is(201).body;
        let text = made["token"]["text"].as_str().unwrap();
        let mut listener = Listener::open(&server, text, "", None).await;
        submitted(&server, "one").await;
        assert_eq!(listener.soon().await.data["task"], "one");
        let path = format!("/v1/tokens/{}", made["token"]["id"].as_str().unwrap());
        server.request("DELETE", &path).by("pia").sent().await.is(200);
        tokio::time::sleep(Duration::from_millis(1_100)).await;
        submitted(&server, "two").await;
        while let Some(heard) = listener.next().await {
            assert_ne!(heard.data["task"], "two");
        }
    });
}

#[test]
fn an_idle_session_expires_although_its_stream_is_open() {
    let ping = Duration::from_millis(20);
    let server = TestServer::with(Settings { ping, ..Settings::default() });
    let cookie = server.signed_in();
    server.runtime.block_on(async {
        let mut listener = Listener::open_with(&server, &cookie).await;
        for _ in 0..2 {
            server.advance(Duration::from_hours(7));
            // Long enough for the server to check the session again.
            let until = tokio::time::Instant::now() + Duration::from_millis(700);
            while let Ok(Some(_)) = tokio::time::timeout_at(until, listener.piece()).await {}
        }
        assert_eq!(listener.piece().await, None);
    });
    server.get("/v1/whoami").with(&cookie).send().refuses(401, "TK-SESSION-EXPIRED");
}

#[test]
fn an_idle_stream_sends_pings() {
    let usual = Settings::default();
    assert_eq!(usual.ping, Duration::from_secs(15));
    let server = TestServer::with(Settings { ping: Duration::from_millis(20), ..usual });
    server.runtime.block_on(async {
        let mut listener = Listener::open(&server, "ben", "?since=3", Some(8)).await;
        assert_eq!(listener.piece().await.as_deref(), Some("retry: 1000\nid: 8\n\n"));
        assert_eq!(listener.piece().await.as_deref(), Some(": ping\nid: 8\n\n"));
        assert_eq!(listener.piece().await.as_deref(), Some(": ping\nid: 8\n\n"));
        let mut from_first = Listener::open(&server, "ben", "?from=0&task=none", None).await;
        assert_eq!(from_first.piece().await.as_deref(), Some("retry: 1000\n\n"));
    });
}

#[test]
fn a_reader_that_is_cut_off_before_its_first_event_misses_nothing() {
    let server = TestServer::new();
    server.runtime.block_on(async {
        let mut listener = Listener::open(&server, "ben", "?task=two", None).await;
        let seen = last_id(&listener.piece().await.unwrap());
        drop(listener);
        submitted(&server, "one").await;
        submitted(&server, "two").await;
        let mut again = Listener::open(&server, "ben", "?task=two", seen).await;
        assert_eq!(again.soon().await.data["task"], "two");
    });
}

#[test]
fn a_reader_with_a_rare_filter_resumes_where_it_was() {
    let ping = Duration::from_millis(200);
    let server = TestServer::with(Settings { ping, ..Settings::default() });
    server.runtime.block_on(async {
        let mut listener = Listener::open(&server, "ben", "?task=two", None).await;
        let opened = last_id(&listener.piece().await.unwrap()).unwrap();
        submitted(&server, "one").await;
        let mut seen = opened;
        while seen == opened {
            seen = last_id(&listener.piece().await.unwrap()).unwrap();
        }
        let end = server.get("/v1/events?limit=1").by("ben").sent().await.is(200).body;
        assert_eq!(json!(seen), end["items"][0]["n"]);
    });
}

#[test]
fn writes_of_another_process_are_streamed() {
    let folder = tempfile::tempdir().unwrap();
    let open = || {
        let options = Options { serve: true, ..Options::default() };
        Arc::new(SqliteStore::open(folder.path(), options).unwrap())
    };
    let server = TestServer::on(open(), Settings::default());
    server.runtime.block_on(async {
        let mut listener = Listener::open(&server, "ben", "", None).await;
        let engine = Engine::start(open(), Arc::new(System), Arc::new(System));
        let project = engine.project("default").await.unwrap();
        let kind = Some(PartyKind::Agent);
        let command =
            Command::AddParty(AddParty { name: "cem".to_owned(), kind, ..AddParty::default() });
        let call = Call { project, principal: Principal::system(), command, key: None };
        engine.run(call).await.unwrap();
        assert_eq!(listener.soon().await.kind, "party.added");
        engine.close();
    });
}

#[test]
fn a_thousand_streams_receive_the_same_event() {
    let server = TestServer::new();
    server.runtime.block_on(async {
        let mut listeners = Vec::new();
        for _ in 0..1_000 {
            listeners.push(Listener::open(&server, "pia", "", None).await);
        }
        submitted(&server, "one").await;
        for listener in &mut listeners {
            assert_eq!(listener.soon().await.data["task"], "one");
        }
    });
}

async fn submitted(server: &TestServer, task: &str) -> String {
    let answer = server.post("/v1/handoffs").by("ana").yaml(&packet(task, "")).sent().await;
    answer.is(201).body["handoff"]["id"].as_str().unwrap().to_owned()
}

/// Deterministic pseudo-random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

#[test]
fn a_stream_takes_no_limit() {
    let server = TestServer::new();
    let ask = server.get("/v1/events?limit=1").by("ana").header("accept", "text/event-stream");
    ask.send().refuses(422, "TK-ARGUMENT-INVALID");
}
