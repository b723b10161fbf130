//! A listener of a stream, which may be disconnected anywhere.

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

/// A stream that is open.
pub(crate) struct Listener {
    body: Body,
    text: String,
}

/// One event as it came.
#[derive(Debug, Clone)]
pub(crate) struct StreamedEvent {
    pub(crate) id: Option<u64>,
    pub(crate) kind: String,
    pub(crate) data: Value,
}

impl Listener {
    /// Opens a stream with what comes after `/v1/events` and the last id that was seen.
    pub(crate) async fn open(
        server: &TestServer,
        by: &str,
        query: &str,
        seen: Option<u64>,
    ) -> Self {
        let response = Self::asked(server, by, query, seen.map(|id| id.to_string())).await;
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self { body: response.into_body(), text: String::new() }
    }

    /// The same for somebody who has signed in.
    pub(crate) async fn open_with(server: &TestServer, cookie: &str) -> Self {
        let request = Request::get("/v1/events")
            .header("host", "127.0.0.1:7420")
            .header("accept", "text/event-stream")
            .header("cookie", cookie);
        let response = server.router.clone().oneshot(request.body(Body::empty()).unwrap()).await;
        Self { body: response.unwrap().into_body(), text: String::new() }
    }

    pub(crate) async fn asked(
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

    /// The next piece of text; nothing if the stream has ended.
    pub(crate) async fn piece(&mut self) -> Option<String> {
        let frame = poll_fn(|context| Pin::new(&mut self.body).poll_frame(context)).await?;
        let data = frame.unwrap().into_data().unwrap();
        Some(String::from_utf8(data.to_vec()).unwrap())
    }

    /// The next event; nothing if the stream has ended.
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

    /// The next event, which must come soon.
    pub(crate) async fn soon(&mut self) -> StreamedEvent {
        let next = tokio::time::timeout(Duration::from_secs(10), self.next());
        next.await.expect("an event comes").expect("the stream goes on")
    }
}

/// The id that a browser keeps of a piece: the last one, with or without an event.
pub(crate) fn last_id(piece: &str) -> Option<u64> {
    let mut ids = piece.lines().filter_map(|line| line.strip_prefix("id: "));
    ids.next_back().map(|id| id.parse().unwrap())
}

/// An event of its lines, as the standard has it; comments are none.
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
