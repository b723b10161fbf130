//! Routes beside the API: health, metrics, pages.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use serde_json::json;
use tasuki_engine::engine::Engine;
use tasuki_engine::ports::System;
use tasuki_server::{App, Settings, router};
use tasuki_store::{Options, SqliteStore};
use tower::ServiceExt as _;

use crate::support::client::Answer;
use crate::support::test_server::TestServer;

fn browse(server: &TestServer, path: &str) -> Answer {
    server.get(path).header("accept", "text/html,application/xhtml+xml").send()
}

#[test]
fn health_probes_respond() {
    let server = TestServer::new();
    assert_eq!(server.get("/healthz").send().is(200).text, "ok\n");
    assert_eq!(server.get("/readyz").send().is(200).text, "ready\n");
    server.get("/healthz").header("host", "evil.example").send().refuses(421, "TK-HOST-UNKNOWN");
}

#[test]
fn metrics_have_waiting_times() {
    let server = TestServer::new();
    let (id, token) = {
        let id = server.submitted("a");
        server.advance(std::time::Duration::from_secs(90));
        let answer = server.post(&format!("/v1/handoffs/{id}/claims")).by("ben").send().is(201);
        (id, answer.body["claim"]["fence"].as_u64().unwrap())
    };
    server.get("/metrics").send().is(200);
    server.advance(std::time::Duration::from_mins(10));
    let path = format!("/v1/handoffs/{id}/returns?fence={token}");
    let packet = "handoff_version: '1.0'\npacket_type: return\nstatus: completed\nsummary: Done\n";
    server.post(&path).by("ben").yaml(packet).send().is(201);
    let text = server.get("/metrics").send().is(200).text;
    let edge = "project=\"default\",from=\"ana\",to=\"ben\"";
    for line in [
        format!("tasuki_stage_seconds_bucket{{{edge},stage=\"submit_to_claim\",le=\"60\"}} 0"),
        format!("tasuki_stage_seconds_bucket{{{edge},stage=\"submit_to_claim\",le=\"300\"}} 1"),
        format!("tasuki_stage_seconds_sum{{{edge},stage=\"submit_to_claim\"}} 90"),
        format!("tasuki_stage_seconds_sum{{{edge},stage=\"claim_to_return\"}} 600"),
        "tasuki_requests_total{operation=\"claim\",status=\"201\"} 1".to_owned(),
        "tasuki_handoffs{project=\"default\",state=\"done\"} 1".to_owned(),
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
}

#[test]
fn metrics_have_every_project_and_fractions_of_seconds() {
    let folder = tempfile::tempdir().unwrap();
    let open = || {
        let options = Options { serve: true, ..Options::default() };
        Arc::new(SqliteStore::open(folder.path(), options).unwrap())
    };
    let before = TestServer::on(open(), Settings::default());
    for (task, millis) in [("a", 300), ("b", 1_500)] {
        let id = before.submitted(task);
        before.advance(Duration::from_millis(millis));
        before.post(&format!("/v1/handoffs/{id}/claims")).by("ben").send().is(201);
    }
    // A second server that has served no request.
    let engine = Engine::start(open(), Arc::new(System), Arc::new(System));
    let router = router(App::new(engine, open(), Settings::default()));
    let request = axum::http::Request::get("/metrics").header("host", "localhost");
    let request = request.body(Body::empty()).unwrap();
    let text = before.runtime.block_on(async {
        let response = router.oneshot(request).await.unwrap();
        let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        String::from_utf8(bytes.to_vec()).unwrap()
    });
    let edge = "project=\"default\",from=\"ana\",to=\"ben\",stage=\"submit_to_claim\"";
    for line in [
        "tasuki_handoffs{project=\"default\",state=\"claimed\"} 2".to_owned(),
        format!("tasuki_stage_seconds_bucket{{{edge},le=\"1\"}} 1"),
        format!("tasuki_stage_seconds_bucket{{{edge},le=\"5\"}} 2"),
        format!("tasuki_stage_seconds_sum{{{edge}}} 1.8"),
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
}

#[test]
fn metrics_count_every_request_of_a_batch() {
    let server = TestServer::new();
    let single = |task: &str| {
        json!({
            "method": "POST", "path": "/v1/handoffs",
            "body": crate::support::test_server::packet(task, ""), "content_type": "application/yaml",
        })
    };
    let halt = json!({ "method": "POST", "path": "/v1/halt" });
    let requests = json!({ "requests": [single("a"), single("b"), halt] });
    server.post("/v1/batch").by("ana").json(&requests).send().is(200);
    let text = server.get("/metrics").send().is(200).text;
    for line in [
        "tasuki_requests_total{operation=\"batch\",status=\"200\"} 1",
        "tasuki_requests_total{operation=\"submit\",status=\"201\"} 2",
        "tasuki_requests_total{operation=\"halt\",status=\"403\"} 1",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
}

#[test]
fn metrics_are_refused_behind_a_proxy() {
    let hosts = vec!["tasuki.example".to_owned()];
    let server = TestServer::with(Settings { hosts, ..Settings::default() });
    let forwarded = server.get("/metrics").header("x-forwarded-for", "203.0.113.7").send();
    forwarded.refuses(404, "TK-ROUTE-UNKNOWN");
    // A proxy that sends only the name it was called by.
    let by_name = server.get("/metrics").header("host", "tasuki.example").send();
    by_name.refuses(404, "TK-ROUTE-UNKNOWN");
    server.get("/metrics").send().is(200);
    let open = TestServer::with(Settings { has_open_metrics: true, ..Settings::default() });
    open.get("/metrics").header("x-forwarded-for", "203.0.113.7").send().is(200);
}

#[test]
fn every_code_is_explained_to_people_and_to_programs() {
    let server = TestServer::new();
    let refused = server.get("/v1/inbox").send();
    let page = refused.body["type"].as_str().unwrap();
    let markdown = server.get(page).send().is(200);
    assert!(markdown.text.starts_with("# TK-CREDENTIAL-MISSING\n"));
    let html = browse(&server, page).is(200);
    assert!(html.text.contains("<h1>TK-CREDENTIAL-MISSING</h1>"));
    let policy = html.header("content-security-policy").unwrap();
    assert!(policy.contains("style-src 'self'") && !policy.contains("script"), "{policy}");
    assert!(browse(&server, "/docs/errors").is(200).text.contains("/docs/errors/TK-CLAIM-STALE"));
    server.get("/docs/errors/TK-NOTHING").send().refuses(404, "TK-ROUTE-UNKNOWN");
    server.get("/docs/errors/..%2FREADME").send().is(404);
}

#[test]
fn the_interface_and_the_packet_have_pages_without_script() {
    let server = TestServer::new();
    let docs = browse(&server, "/docs").is(200);
    for operation in tasuki_server::operations::ALL {
        assert!(docs.text.contains(&format!("id=\"{}\"", operation.id)), "{}", operation.id);
    }
    let schema = browse(&server, "/v1/handoff/schema?variant=regulated").is(200);
    assert!(schema.text.contains("<code>classification</code></td><td class=\"faint\">required"));
    for page in [docs, schema] {
        assert!(!page.text.contains("<script"));
        assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    }
    assert!(server.get("/docs/style.css").send().is(200).text.contains("body {"));
}

#[test]
fn the_api_reference_has_every_operation_and_no_dead_link() {
    let server = TestServer::new();
    let docs = browse(&server, "/docs").is(200);
    assert!(docs.text.contains("<h2 id=\"of-handoffs\">Handoffs</h2>"));
    assert!(docs.text.contains("Needs the scope <code>submit</code>."), "code is rendered as code");
    assert!(!docs.text.contains('`'));
    for link in docs.text.split("href=\"#").skip(1) {
        let target = link.split('"').next().unwrap();
        assert!(docs.text.contains(&format!("id=\"{target}\"")), "{target} is nowhere");
    }
}

#[test]
fn a_refusal_in_a_browser_is_a_page() {
    let server = TestServer::new();
    let page = browse(&server, "/nowhere").is(404);
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(page.header("content-security-policy").unwrap().contains("style-src 'self'"));
    assert!(page.text.contains("<h1>"), "{}", page.text);
    assert!(page.text.contains("href=\"/docs/errors/TK-ROUTE-UNKNOWN\""));
    let whole = browse(&server, "/docs/errors/TK-NOTHING").is(404);
    let head =
        server.request("HEAD", "/docs/errors/TK-NOTHING").header("accept", "text/html").send();
    assert_eq!(whole.header("content-length"), Some(whole.text.len().to_string().as_str()));
    assert_eq!((head.is(404).headers, whole.text.is_empty()), (whole.headers, false));
    server.get("/nowhere").send().refuses(404, "TK-ROUTE-UNKNOWN");
    let api = browse(&server, "/v1/inbox").is(401);
    assert_eq!(api.body["code"], "TK-CREDENTIAL-MISSING", "the API responds with JSON");
}

#[test]
fn a_packet_page_loads_only_its_stylesheet() {
    let server = TestServer::new();
    let id = server.submitted("a");
    let page = server.get(&format!("/v1/handoffs/{id}/packet?as=html")).by("ana").send().is(200);
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; style-src 'unsafe-inline'"), "{policy}");
    assert!(policy.ends_with("sandbox") && page.text.contains("<style>"));
}
