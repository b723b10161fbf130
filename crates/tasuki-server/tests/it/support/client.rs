//! Sends requests to a test server. Every response is checked against the OpenAPI document.

use std::fmt::Write as _;

use axum::body::{Body, to_bytes};
use axum::http::HeaderMap;
use serde_json::Value;
use tower::ServiceExt as _;

use crate::support::response_schemas::check_response;
use crate::support::test_server::TestServer;

pub(crate) struct Request<'w> {
    server: &'w TestServer,
    verb: &'static str,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
    /// `Null` if the response is not JSON.
    pub(crate) body: Value,
}

impl<'w> Request<'w> {
    pub(crate) fn new(server: &'w TestServer, verb: &'static str, path: &str) -> Self {
        let headers = vec![("host".to_owned(), "127.0.0.1:7420".to_owned())];
        Self { server, verb, path: path.to_owned(), headers, body: Vec::new() }
    }

    /// Adds the token of this name.
    pub(crate) fn by(self, name: &str) -> Self {
        let token = self.server.token(name);
        self.header("authorization", &format!("Bearer {token}"))
    }

    /// Adds the cookie of a signed-in person.
    pub(crate) fn with(self, cookie: &str) -> Self {
        self.header("cookie", cookie)
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn key(self, key: &str) -> Self {
        self.header("idempotency-key", key)
    }

    pub(crate) fn json(self, body: &Value) -> Self {
        self.body("application/json", body.to_string().as_bytes())
    }

    pub(crate) fn yaml(self, body: &str) -> Self {
        self.body("application/yaml", body.as_bytes())
    }

    pub(crate) fn body(mut self, media: &str, body: &[u8]) -> Self {
        self.body = body.to_vec();
        self.header("content-type", media)
    }

    pub(crate) fn send(self) -> Answer {
        let server = self.server;
        server.runtime.block_on(self.sent())
    }

    /// Sends the request from an asynchronous test.
    pub(crate) async fn sent(self) -> Answer {
        let mut request = axum::http::Request::builder().method(self.verb).uri(&self.path);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let request = request.body(Body::from(self.body)).unwrap();
        let response = self.server.router.clone().oneshot(request).await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let body = serde_json::from_slice(&bytes).unwrap_or_default();
        let answer = Answer { status, headers, text, body };
        check_response(self.verb, &self.path, &answer);
        answer
    }
}

impl Answer {
    /// Returns the response if it has this status.
    #[track_caller]
    pub(crate) fn is(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.text);
        self
    }

    /// Returns the response if it refuses with this status and code.
    #[track_caller]
    pub(crate) fn refuses(self, status: u16, code: &str) -> Self {
        assert_eq!((self.status, self.code()), (status, code), "{}", self.text);
        self
    }

    pub(crate) fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or_default()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// Returns status and body for a snapshot, without ids and digests, which change.
    pub(crate) fn shown(&self) -> String {
        let mut text = format!("{}", self.status);
        for name in ["retry-after", "www-authenticate"] {
            if let Some(value) = self.header(name) {
                write!(text, "\n{name}: {value}").unwrap();
            }
        }
        let body = match &self.body {
            Value::Null => self.text.clone(),
            body => serde_json::to_string_pretty(body).unwrap(),
        };
        format!("{text}\n{}", without_ids(&body))
    }
}

/// Replaces ids and digests, which change with every run.
pub(crate) fn without_ids(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_hexdigit()) {
        let run = rest[at..].chars().take_while(char::is_ascii_hexdigit).count();
        shown.push_str(&rest[..at]);
        let is_id = run >= 16;
        shown.push_str(if is_id { "…" } else { &rest[at..at + run] });
        rest = &rest[at + run..];
    }
    shown + rest
}
