//! A listener of a stream that can disconnect at any point.

use std::future::poll_fn;
use std::pin::Pin;
use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use axum::response::Response;
use hyper::body::Body as _;
use serde_json::Value;
use tower::ServiceExt as _;

use crate::support::test_server::TestServer;

pub(crate) struct Listener {
    body: Body,
    text: String,
}

#[derive(Debug, Clone)]
pub(crate) struct StreamedEvent {
    pub(crate) id: Option<u64>,
    pub(crate) kind: String,
    pub(crate) data: Value,
}

impl Listener {
    /// Opens a stream with a query of `/v1/events` and the last seen id.
    pub(crate) async fn open(
        server: &TestServer,
        by: &str,
        query: &str,
        seen: Option<u64>,
    ) -> Self {
        let response = Self::request(server, by, query, seen.map(|id| id.to_string())).await;
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self { body: response.into_body(), text: String::new() }
    }

    /// Opens a stream for a signed-in person.
    pub(crate) async fn open_with(server: &TestServer, cookie: &str) -> Self {
        let request = Request::get("/v1/events")
            .header("host", "127.0.0.1:7420")
            .header("accept", "text/event-stream")
            .header("cookie", cookie);
        let response = server.router.clone().oneshot(request.body(Body::empty()).unwrap()).await;
        Self { body: response.unwrap().into_body(), text: String::new() }
    }

    pub(crate) async fn request(
        server: &TestServer,
        by: &str,
        query: &str,
        seen: Option<String>,
    ) -> Response {
        let mut request = Request::get(format!("/v1/events{query}"))
            .header("host", "127.0.0.1:7420")
            .header("accept", "text/event-stream")
            .header("authorization", format!("Bearer {}", server.token(by)));
        if let Some(seen) = seen {
            request = request.header("last-event-id", seen);
        }
        server.router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap()
    }

    /// Returns the next chunk of text; `None` if the stream has ended.
    pub(crate) async fn piece(&mut self) -> Option<String> {
        let frame = poll_fn(|context| Pin::new(&mut self.body).poll_frame(context)).await?;
        let data = frame.unwrap().into_data().unwrap();
        Some(String::from_utf8(data.to_vec()).unwrap())
    }

    /// Returns the next event; `None` if the stream has ended.
    pub(crate) async fn next(&mut self) -> Option<StreamedEvent> {
        loop {
            if let Some((block, rest)) = self.text.split_once("\n\n") {
                let (block, rest) = (block.to_owned(), rest.to_owned());
                self.text = rest;
                if let Some(heard) = read(&block) {
                    return Some(heard);
                }
                continue;
            }
            let piece = self.piece().await?;
            self.text.push_str(&piece);
        }
    }

    /// Returns the next event, which must arrive soon.
    pub(crate) async fn soon(&mut self) -> StreamedEvent {
        let next = tokio::time::timeout(Duration::from_secs(10), self.next());
        next.await.expect("an event arrives").expect("the stream is open")
    }
}

/// Returns the id that a browser keeps: the last one, with or without an event.
pub(crate) fn last_id(piece: &str) -> Option<u64> {
    let mut ids = piece.lines().filter_map(|line| line.strip_prefix("id: "));
    ids.next_back().map(|id| id.parse().unwrap())
}

/// Parses an event; comments are not events.
fn read(block: &str) -> Option<StreamedEvent> {
    let of = |name: &str| {
        block
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(": ").map(str::to_owned))
    };
    let data = serde_json::from_str(&of("data")?).unwrap();
    Some(StreamedEvent {
        id: of("id").map(|id| id.parse().unwrap()),
        kind: of("event").unwrap(),
        data,
    })
}
