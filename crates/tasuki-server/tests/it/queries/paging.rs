//! Paged lists: no item is missing or repeated, and a filter that matches nothing is refused.

use serde_json::{Value, json};

use crate::support::test_server::{TestServer, packet};

#[test]
fn search_results_come_in_pages() {
    let server = TestServer::new();
    for task in ["a", "b", "c"] {
        let body = packet(task, "summary: a bulk of work\n");
        server.post("/v1/handoffs").by("ana").yaml(&body).send().is(201);
        // Word and reason are in one leaf, and a page may end between them.
        let reason = json!({ "decision": "cancel", "reason": "bulk is late" });
        server
            .post(&format!("/v1/handoffs/{task}/decisions"))
            .by("ana")
            .json(&reason)
            .send()
            .is(201);
    }
    let found = |query: &str| {
        let path = format!("/v1/search?q=bulk{query}");
        server.get(&path).by("ana").send().is(200).body
    };
    let all = found("&limit=50");
    assert_eq!(all.get("next"), None);
    let all = all["items"].as_array().unwrap().clone();
    assert!(all.len() >= 6, "{all:?}");
    for limit in [1, 2, 4] {
        let (mut pages, mut cursor) = (Vec::<Value>::new(), String::new());
        loop {
            let page = found(&format!("&limit={limit}{cursor}"));
            pages.extend(page["items"].as_array().unwrap().iter().cloned());
            let Some(next) = page["next"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        assert_eq!(pages, all, "pages of {limit}");
    }
    server.get("/v1/search?q=bulk&cursor=x").by("ana").send().is(422);
}

#[test]
fn an_inbox_is_ordered_by_deadline_if_asked() {
    let server = TestServer::new();
    for (task, hour) in [("a", 14), ("b", 12), ("c", 13)] {
        let more = format!("expires_at: '2026-11-15T{hour}:00:00Z'\n");
        server.post("/v1/handoffs").by("ana").yaml(&packet(task, &more)).send().is(201);
    }
    let mut tasks = Vec::new();
    let mut cursor = String::new();
    loop {
        let path = format!("/v1/inbox?order=deadline&limit=1{cursor}");
        let page = server.get(&path).by("ben").send().is(200).body;
        let handoffs = page["handoffs"].as_array().unwrap();
        tasks.extend(handoffs.iter().map(|one| one["task"].as_str().unwrap().to_owned()));
        let Some(next) = page["next"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(tasks, ["b", "c", "a"]);
    let path = "/v1/inbox?order=due";
    server.get(path).by("ben").send().refuses(422, "TK-ARGUMENT-INVALID");
}

#[test]
fn a_page_of_nothing_is_refused_everywhere() {
    let server = TestServer::new();
    server.post("/v1/handoffs").by("ana").yaml(&packet("a", "")).send().is(201);
    for path in [
        "/v1/handoffs?",
        "/v1/handoffs/a/returns?",
        "/v1/dead?",
        "/v1/inbox?",
        "/v1/events?",
        "/v1/search?q=note&",
        "/v1/decisions?",
        "/v1/log/leaves?from=0&",
    ] {
        let asked = |limit: &str| server.get(&format!("{path}limit={limit}")).by("ana").send();
        let refused = asked("0").refuses(422, "TK-ARGUMENT-INVALID").body;
        assert_eq!(refused["detail"], "`limit` must be 1 to 500, not 0", "{path}");
        asked("1").is(200);
        asked("501").is(200);
    }
}

#[test]
fn events_are_read_backwards_too() {
    let server = TestServer::new();
    server.post("/v1/handoffs").by("ana").yaml(&packet("a", "")).send().is(201);
    server.post("/v1/handoffs/a/claims").by("ben").send().is(201);
    let numbers = |query: &str| -> Vec<u64> {
        let page = server.get(&format!("/v1/events?{query}")).by("ana").send().is(200).body;
        page["items"].as_array().unwrap().iter().map(|one| one["n"].as_u64().unwrap()).collect()
    };
    let all = numbers("from=0&limit=500");
    let last = *all.last().unwrap();
    assert_eq!(numbers(&format!("to={last}&limit=2")), [last - 2, last - 1]);
    assert_eq!(numbers("from=1&to=3"), [1, 2]);
    assert_eq!(numbers("to=0"), [0; 0]);
    let stream = server.get("/v1/events?to=3").by("ana").header("accept", "text/event-stream");
    stream.send().is(422);
}

#[test]
fn events_are_filtered_by_every_field() {
    let server = TestServer::new();
    server.post("/v1/handoffs").by("ana").yaml(&packet("a", "")).send().is(201);
    server.post("/v1/handoffs/a/claims").by("ben").send().is(201);
    let kinds = |query: &str| -> Vec<String> {
        let page = server.get(&format!("/v1/events?from=0&{query}")).by("ana").send().is(200).body;
        let kind = |one: &Value| one["type"].as_str().unwrap().to_owned();
        page["items"].as_array().unwrap().iter().map(kind).collect()
    };
    assert_eq!(kinds("before=offered&state=claimed"), ["handoff.claimed"]);
    assert_eq!(kinds("earliest=2030-01-01T00:00:00Z"), [""; 0]);
    assert_eq!(kinds("latest=2020-01-01T00:00:00Z"), [""; 0]);
    assert_eq!(kinds("reason=unused+words"), [""; 0]);
    for impossible in ["risk=huge", "state=hled", "before=hled", "trigger=nonsense", "earliest=x"] {
        server.get(&format!("/v1/events?{impossible}")).by("ana").send().is(422);
    }
}
