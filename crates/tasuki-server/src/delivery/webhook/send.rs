//! Sends one request to one receiver: to a checked address, within 15 seconds, without following
//! redirects.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, DATE, HOST, RETRY_AFTER, USER_AGENT};
use axum::http::{HeaderMap, Request, Response};
use hyper::body::{Body as _, Incoming};
use jiff::Timestamp;
use jiff::fmt::rfc2822;
use tasuki_engine::limits::DELIVERY_RESPONSE_BYTES_MAX;

use super::connection::{Connection, ConnectionPool};
use super::resolve::{self, Resolve};
use super::target::{Origin, Target};
use crate::delivery::outcome::Outcome;

/// LIMIT: total time of one request.
pub(super) const TIME_MAX: Duration = Duration::from_secs(15);

/// A JSON document to post, with headers of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HttpMessage {
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: String,
}

#[derive(Debug, Clone)]
pub(crate) struct Sender {
    resolver: Arc<dyn Resolve>,
    allowed: Vec<Origin>,
    pool: Arc<ConnectionPool>,
}

impl Sender {
    pub(crate) fn new(resolver: Arc<dyn Resolve>, allowed: Vec<Origin>) -> Self {
        Self { resolver, allowed, pool: Arc::default() }
    }

    /// Checks that a request may reach this URL and that the receiver accepts connections now.
    pub(crate) async fn check(&self, url: &str) -> Result<(), Unreachable> {
        let target = parse(url).map_err(Unreachable::Forbidden)?;
        let found = resolve::addresses(&*self.resolver, &self.allowed, &target.origin);
        let found = tokio::time::timeout(TIME_MAX, found)
            .await
            .unwrap_or_else(|_| Err(format!("resolving `{}` timed out", target.origin.host)));
        let addresses = found.map_err(Unreachable::Forbidden)?;
        let opening = Connection::open(&target.origin, &addresses);
        match tokio::time::timeout(TIME_MAX, opening).await {
            Ok(opened) => opened.map(drop).map_err(Unreachable::NotListening),
            Err(_) => Err(Unreachable::NotListening(format!("no connection within {TIME_MAX:?}"))),
        }
    }

    pub(crate) async fn send(&self, url: &str, message: &HttpMessage, now: Timestamp) -> Outcome {
        let began = Instant::now();
        let sent = tokio::time::timeout(TIME_MAX, self.try_send(url, message, now)).await;
        let sent = sent.unwrap_or_else(|_| Err(format!("no response within {TIME_MAX:?}")));
        let millis = u32::try_from(began.elapsed().as_millis()).unwrap_or(u32::MAX);
        match sent {
            Ok((status, retry_after, response)) => {
                Outcome { status: Some(status), retry_after, millis, response, is_refused: false }
            }
            Err(response) => Outcome { millis, ..Outcome::failed(response) },
        }
    }

    async fn try_send(
        &self,
        url: &str,
        message: &HttpMessage,
        now: Timestamp,
    ) -> Result<(u16, Option<Duration>, String), String> {
        let target = parse(url)?;
        let addresses = resolve::addresses(&*self.resolver, &self.allowed, &target.origin).await?;
        let request =
            || request(&target, message).map_err(|error| format!("invalid request: {error}"));
        let kept = self.pool.take(&target.origin, &addresses);
        let (connection, response) = if let Some(answered) = sent_over(kept, request()?).await {
            answered
        } else {
            let mut fresh = Connection::open(&target.origin, &addresses).await?;
            let response = fresh.send(request()?).await;
            (fresh, response.map_err(|error| format!("connection lost: {error}"))?)
        };
        let (status, wait) = (response.status().as_u16(), retry_after(response.headers(), now));
        let (prefix, has_ended) = read_prefix(response.into_body()).await;
        if has_ended {
            self.pool.put(target.origin, connection);
        }
        Ok((status, wait, prefix))
    }
}

/// Sends a request over a pooled connection. Returns `None` on failure: the receiver may have
/// closed the idle connection, which is no failure of the delivery.
async fn sent_over(
    kept: Option<Connection>,
    request: Request<Body>,
) -> Option<(Connection, Response<Incoming>)> {
    let mut kept = kept?;
    let response = kept.send(request).await.ok()?;
    Some((kept, response))
}

/// The reason why a URL cannot receive requests.
#[derive(Debug)]
pub(crate) enum Unreachable {
    /// The URL is invalid, not allowed or cannot be resolved.
    Forbidden(String),
    /// The receiver does not accept connections.
    NotListening(String),
}

fn parse(url: &str) -> Result<Target, String> {
    Target::read(url).ok_or_else(|| "invalid URL".to_owned())
}

fn request(target: &Target, message: &HttpMessage) -> Result<Request<Body>, axum::http::Error> {
    let request = Request::post(&target.path)
        .header(HOST, target.origin.authority())
        .header(USER_AGENT, concat!("tasuki/", env!("CARGO_PKG_VERSION")))
        .header(CONTENT_TYPE, "application/json");
    let headers = message.headers.iter();
    let request = headers.fold(request, |request, (name, value)| request.header(*name, value));
    request.body(Body::from(message.body.clone()))
}

/// Returns the delay of `Retry-After`, given in seconds or as a date. A date is compared with the
/// receiver's own clock if the response has a `Date`.
fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let wanted = text(RETRY_AFTER)?;
    if let Ok(seconds) = wanted.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let there = text(DATE).and_then(instant).unwrap_or(now);
    Duration::try_from(instant(wanted)?.duration_since(there)).ok()
}

fn instant(date: &str) -> Option<Timestamp> {
    rfc2822::parse(date).ok().map(|date| date.timestamp())
}

/// Reads the beginning of a body. Returns `true` with it if that is the whole body.
async fn read_prefix(mut body: Incoming) -> (String, bool) {
    let (mut bytes, mut has_ended) = (Vec::new(), body.is_end_stream());
    while bytes.len() < DELIVERY_RESPONSE_BYTES_MAX && !has_ended {
        let frame = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await;
        has_ended = frame.is_none();
        let Some(Ok(frame)) = frame else { break };
        if let Ok(data) = frame.into_data() {
            let room = DELIVERY_RESPONSE_BYTES_MAX - bytes.len();
            bytes.extend_from_slice(&data[..data.len().min(room)]);
        }
    }
    (tasuki_engine::ports::deliveries::shortened(&String::from_utf8_lossy(&bytes)), has_ended)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_date_of_the_receivers_clock() {
        let now = "2026-11-15T10:00:00Z".parse().unwrap();
        let wait = |after: &'static str, date: Option<&'static str>| {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, after.parse().unwrap());
            if let Some(date) = date {
                headers.insert(DATE, date.parse().unwrap());
            }
            retry_after(&headers, now).map(|wait| wait.as_secs())
        };
        assert_eq!(wait("120", None), Some(120));
        assert_eq!(wait("Sun, 15 Nov 2026 10:10:00 GMT", None), Some(600));
        let slow = Some("Sun, 15 Nov 2026 09:55:00 GMT");
        assert_eq!(wait("Sun, 15 Nov 2026 10:10:00 GMT", slow), Some(900));
        assert_eq!(wait("Sun, 15 Nov 2026 09:00:00 GMT", None), None, "in the past");
        assert_eq!([wait("-5", None), wait("soon", None)], [None, None]);
        assert_eq!(retry_after(&HeaderMap::new(), now), None);
    }
}
