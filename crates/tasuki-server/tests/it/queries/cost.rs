//! The cost of reads: each looks at a limited number of rows and then returns a cursor, and a token
//! and a project have a limited number of rows per second (T27).

use std::sync::Arc;
use std::time::Duration;

use tasuki_engine::limits::ROWS_PER_READ;
use tasuki_server::{Limits, Settings};
use tasuki_store::{Options, SqliteStore};
use tasuki_testkit::memory::MemoryStore;
use tempfile::TempDir;

use crate::support::client::Answer;
use crate::support::listener::Listener;
use crate::support::test_server::{TestServer, packet};

/// Reads that look at rows of a handoff or a list: one of each kind.
const READS: [&str; 13] = [
    "/v1/events",
    "/v1/events?since=0",
    "/v1/inbox",
    "/v1/stats",
    "/v1/search?q=ship",
    "/v1/decisions",
    "/v1/handoffs",
    "/v1/handoffs?all=true",
    "/v1/handoffs/t-1",
    "/v1/handoffs/t-1/trail",
    "/v1/tasks/t-1/timeline",
    "/v1/tasks/t-1/packet",
    "/v1/log/leaves",
];

/// Creates a server on a store in a folder, which is removed when it is dropped.
fn with(limits: Limits) -> (TestServer, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path(), Options::default()).unwrap();
    let server = TestServer::on(Arc::new(store), Settings { limits, ..Settings::default() });
    (server, folder)
}

#[test]
fn every_read_is_charged_to_its_token_and_its_project() {
    for path in READS {
        let (server, _folder) = with(Limits { rows_per_token: 1, ..Limits::default() });
        server.submitted("t-1");
        let ask = |by: &str| server.get(path).by(by).send();
        ask("pia").is(200);
        let refused = ask("pia").refuses(429, "TK-RATE-EXCEEDED");
        assert!(refused.header("retry-after").is_some(), "{path}");
        assert_ne!(ask("ana").status, 429, "another token of the project: {path}");
        server.get("/healthz").send().is(200);
    }
    let (server, _folder) = with(Limits { rows_per_project: 1, ..Limits::default() });
    server.submitted("t-1");
    server.get("/v1/events").by("ana").send().is(200);
    server.get("/v1/events").by("ben").send().refuses(429, "TK-RATE-EXCEEDED");
    server.get("/v1/events").by("other-ana").send().is(200);
}

#[test]
fn a_look_up_by_the_end_of_an_id_is_charged_with_the_rows_it_looks_at() {
    const HANDOFFS: u32 = 512;
    let limits = Limits { rows_per_token: HANDOFFS / 2, ..Limits::default() };
    let (server, _folder) =
        with(Limits { requests_per_token: 0, requests_per_project: 0, ..limits });
    let id = server.submitted("t-1");
    let requests: Vec<_> = (2..=HANDOFFS)
        .map(|number| {
            serde_json::json!({
                "method": "POST", "path": "/v1/handoffs",
                "content_type": "application/yaml", "body": packet(&format!("t-{number}"), ""),
            })
        })
        .collect();
    for requests in requests.chunks(256) {
        let batch = serde_json::json!({ "requests": requests });
        server.post("/v1/batch").by("ana").json(&batch).send().is(200);
    }
    let read = |name: &str, by: &str| server.get(&format!("/v1/handoffs/{name}")).by(by).send();
    // A whole id is looked up in an index.
    read(&id, "ben").is(200);
    read(&id, "ben").is(200);
    let ending = &id[id.len() - 8..];
    assert_eq!(read(ending, "ana").is(200).body["handoff"]["id"], *id);
    read(ending, "ana").refuses(429, "TK-RATE-EXCEEDED");
}

#[test]
fn a_read_within_a_batch_or_a_tool_is_charged_too() {
    let (server, _folder) = with(Limits { rows_per_token: 1, ..Limits::default() });
    let one = serde_json::json!({ "method": "GET", "path": "/v1/events" });
    let batch = serde_json::json!({ "requests": [one] });
    let ask = || -> Answer { server.post("/v1/batch").by("ana").json(&batch).send().is(200) };
    assert_eq!(ask().body["answers"][0]["status"], 200);
    assert_eq!(ask().body["answers"][0]["status"], 429);
}

/// A server on a memory store with many events, which are cheap to write there.
fn with_events(count: u32) -> (TestServer, String) {
    let store = Arc::new(MemoryStore::new());
    let limits = Limits { rows_per_token: 0, rows_per_project: 0, ..Limits::default() };
    let limits = Limits { requests_per_token: 0, requests_per_project: 0, ..limits };
    let server = TestServer::on(store, Settings { limits, ..Settings::default() });
    let (id, fence) = server.claimed("t-1");
    let checkpoint = "handoff_version: '1.0'\npacket_type: checkpoint\ncompleted: [parser]\n";
    let requests: Vec<_> = (0..256)
        .map(|_| {
            serde_json::json!({
                "method": "POST", "path": format!("/v1/handoffs/{id}/checkpoints?fence={fence}"),
                "content_type": "application/yaml", "body": checkpoint,
            })
        })
        .collect();
    for _ in 0..count.div_ceil(256) {
        let batch = serde_json::json!({ "requests": requests });
        let answer = server.post("/v1/batch").by("ben").json(&batch).send().is(200);
        assert_eq!(answer.body["answers"][0]["status"], 201, "{}", answer.text);
    }
    (server, id)
}

#[test]
fn a_search_for_rare_events_ends_with_a_cursor() {
    let (server, _) = with_events(ROWS_PER_READ + 1_000);
    let ask =
        |query: &str| server.get(&format!("/v1/events?{query}")).by("ana").send().is(200).body;
    // Forward: the page ends after the rows of one request, and the next one goes on behind it.
    let first = ask("since=0&reason=zz");
    assert_eq!((&first["items"], &first["more"]), (&serde_json::json!([]), &true.into()));
    let next: u64 = first["next"].as_str().unwrap().parse().unwrap();
    assert_eq!(next, u64::from(ROWS_PER_READ));
    let second = ask(&format!("since={next}&reason=zz"));
    assert_eq!(second["more"], serde_json::Value::Null);
    // Backward: the same, by `earlier`.
    let last = ask("reason=zz");
    let earlier = last["earlier"].as_u64().unwrap();
    assert!(last["more"] == true && earlier > 0);
    let before = ask(&format!("to={earlier}&type=party.added&limit=1"));
    assert_eq!(before["items"][0]["type"], "party.added");
    // Statistics: the totals continue, and are complete without `next`.
    let stats = |cursor: &str| server.get(&format!("/v1/stats{cursor}")).by("ana").send().is(200);
    let first = stats("");
    assert_eq!(first.body["items"], serde_json::json!([]));
    let cursor = first.body["next"].as_str().unwrap().to_owned();
    let second = stats(&format!("?cursor={cursor}")).body;
    assert_eq!(second["items"][0]["handoffs"], 1);
    assert_eq!(stats("").body, second, "complete totals are kept");
}

#[test]
fn a_stream_with_a_rare_filter_leaves_the_server_responsive() {
    let (server, _) = with_events(2_000);
    server.runtime.block_on(async {
        let mut streams = Vec::new();
        for _ in 0..8 {
            streams.push(Listener::open(&server, "ana", "?since=0&reason=zz", None).await);
        }
        let polled: Vec<_> = streams
            .into_iter()
            .map(|mut stream| tokio::spawn(async move { stream.next().await.is_none() }))
            .collect();
        let healthy = server.get("/healthz").sent();
        let healthy = tokio::time::timeout(Duration::from_secs(5), healthy).await;
        assert_eq!(healthy.unwrap().status, 200);
        for one in polled {
            one.abort();
        }
    });
}
