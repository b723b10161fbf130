//! Replays the response to a request that was handled before and is sent again with its key.
//!
//! A handler resolves the revision, the claim and the handoff before it builds a command. The first request
//! has changed them, so the handler may refuse the second. Therefore a key is bound to the digest of the
//! HTTP request, not to that of the command.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::body::Body;
use axum::extract::Request;
use axum::http;
use axum::http::header::IF_MATCH;
use axum::response::{IntoResponse as _, Response};
use serde::de::IgnoredAny;
use serde_json::Value;
use tasuki_engine::model::RequestKey;
use tasuki_packet::canonical::{self, digest_of_bytes};
use tasuki_packet::document::limits::PACKET_BYTES_MAX;
use tasuki_packet::id::{PartyId, ProjectId};
use tasuki_packet::read::Source;

use crate::extract::request_context::Admitted;
use crate::extract::{arrival, body, idempotency};
use crate::operation::{Operation, ResponseBody};
use crate::respond::command_response::CommandResponse;
use crate::respond::problem::Problem;
use crate::state::Shared;

/// A request with a key, whose response may be replayed.
#[derive(Debug)]
pub(crate) struct Replay {
    project: ProjectId,
    party: PartyId,
    request: RequestKey,
    reached: EngineReached,
}

/// Set once a command reaches the engine, which replays by key itself.
#[derive(Debug, Clone, Default)]
pub(crate) struct EngineReached(Arc<AtomicBool>);

impl EngineReached {
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Computes the digest of a request with a key. Other requests are not touched.
pub(crate) async fn prepare(
    app: &Shared,
    operation: &Operation,
    request: &mut Request,
) -> Result<Option<Replay>, Problem> {
    let is_command = operation.response == ResponseBody::document::<tasuki_api::CommandResponse>();
    let key = if is_command { idempotency::key(request.headers())? } else { None };
    let admitted = request.extensions().get::<Admitted>();
    let caller =
        admitted.map(|admitted| (admitted.caller.project, admitted.caller.principal.party));
    let Some((key, (project, party))) = key.zip(caller) else { return Ok(None) };
    let sent = std::mem::take(request.body_mut());
    let limit = if body::states_work_tree(request.headers()) {
        body::PACKET_REQUEST_BYTES_MAX
    } else {
        PACKET_BYTES_MAX
    };
    let sent = arrival::receive(request.headers(), sent, app, limit).await?;
    let request_key = RequestKey { key, digest: Some(digest(operation, request, &sent)) };
    let reached = EngineReached::default();
    request.extensions_mut().insert((request_key.clone(), reached.clone()));
    *request.body_mut() = Body::from(sent);
    Ok(Some(Replay { project, party, request: request_key, reached }))
}

impl Replay {
    /// Returns the response that the request had before, in place of a refusal by a handler that no longer
    /// finds what the request was about.
    pub(crate) async fn response_or(
        self,
        app: &Shared,
        operation: &Operation,
        refused: Response,
    ) -> Response {
        let is_before_engine = matches!(refused.status().as_u16(), 404 | 409 | 412 | 422);
        if !is_before_engine || self.reached.0.load(Ordering::Relaxed) {
            return refused;
        }
        match app.engine.replay(self.project, self.party, &self.request).await {
            Ok(Some(answer)) => {
                CommandResponse { answer, has_key: true, is_created: operation.success == 201 }
                    .into_response()
            }
            Ok(None) => refused,
            // A caller does not retry after a refusal, and the request may have been handled.
            Err(fault) => Problem::from(fault).into_response(),
        }
    }
}

/// The digest of method, address, condition and body.
fn digest<B>(operation: &Operation, request: &http::Request<B>, sent: &[u8]) -> String {
    let seen = request.headers().get(IF_MATCH).map_or(&[][..], |value| value.as_bytes());
    let address = request.uri().path_and_query().map_or("", |address| address.as_str());
    let packet = body::states_work_tree(request.headers())
        .then(|| body::packet_request(sent).ok())
        .flatten()
        .map(|request| request.packet.into_bytes());
    // A repeated request may come from another work tree.
    let sent = packet.as_deref().unwrap_or(sent);
    let body =
        if operation.may_carry_password() { without_password(sent) } else { canonical_body(sent) };
    let all = [request.method().as_str().as_bytes(), address.as_bytes(), seen, &*body];
    let mut hashed = Vec::with_capacity(sent.len() + address.len() + 64);
    for part in all {
        hashed.extend_from_slice(&part.len().to_be_bytes());
        hashed.extend_from_slice(part);
    }
    digest_of_bytes(&hashed)
}

/// The body of a decision without its password, which would be easy to guess from the digest. A body that
/// cannot be parsed is refused by the handler anyway.
fn without_password(sent: &[u8]) -> Cow<'_, [u8]> {
    let mut body = parse(sent).unwrap_or_default();
    if let Some(members) = body.as_object_mut() {
        members.remove("password");
    }
    Cow::Owned(canonical::bytes(&body))
}

/// The canonical form of a body; one that cannot be parsed as it was sent.
fn canonical_body(sent: &[u8]) -> Cow<'_, [u8]> {
    let is_json = serde_json::from_slice::<IgnoredAny>(sent).is_ok();
    let body = if is_json { parse(sent) } else { parse_packet(sent) };
    body.map_or(Cow::Borrowed(sent), |body| Cow::Owned(canonical::bytes(&body)))
}

fn parse(sent: &[u8]) -> Option<Value> {
    Source::plain(sent).and_then(|source| Ok(source.read_plain()?.to_value())).ok()
}

/// Parses YAML and Markdown as a packet, so that `1.0` is text in a field of type text.
fn parse_packet(sent: &[u8]) -> Option<Value> {
    Source::packet(sent).and_then(|source| Ok(source.read_packet()?.to_value())).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::operations as op;

    fn of(method: &str, address: &str, seen: Option<&str>, body: &str) -> String {
        of_operation(&op::REVISE, method, address, seen, body)
    }

    fn of_operation(
        operation: &Operation,
        method: &str,
        address: &str,
        seen: Option<&str>,
        body: &str,
    ) -> String {
        let mut request = Request::builder().method(method).uri(address);
        if let Some(seen) = seen {
            request = request.header(IF_MATCH, seen);
        }
        digest(operation, &request.body(()).unwrap(), body.as_bytes())
    }

    #[test]
    fn everything_that_is_said_counts_except_a_password() {
        let one = of("POST", "/v1/handoffs/a/decisions", None, "{}");
        assert_eq!(one, of("POST", "/v1/handoffs/a/decisions", None, "{}"));
        assert_ne!(one, of("PUT", "/v1/handoffs/a/decisions", None, "{}"));
        assert_ne!(one, of("POST", "/v1/handoffs/b/decisions", None, "{}"));
        assert_ne!(one, of("POST", "/v1/handoffs/a/decisions?x=1", None, "{}"));
        assert_ne!(one, of("POST", "/v1/handoffs/a/decisions", Some("\"1-0\""), "{}"));
        assert_eq!(one, of("POST", "/v1/handoffs/a/decisions", None, "{ }\n"));
        let of_body = |body: &str| of("POST", "/v1/x", None, body);
        assert_eq!(of_body(r#"{"a":1.0,"b":"\u0041"}"#), of_body(r#"{ "b": "A", "a": 1 }"#));
        assert_ne!(of_body(r#"{"a":1}"#), of_body(r#"{"a":"1"}"#));
        assert_ne!(of_body(r#"{"a":1,"a":2}"#), of_body(r#"{"a":2}"#), "that one is refused");
        assert_eq!(of_body("a: 1\n"), of_body("a: 1 # a remark\n"));
        assert_ne!(of_body("a: 1\n"), of_body("a: 2\n"));
        assert_eq!(of_body("handoff_version: 1.0\n"), of_body(r#"{"handoff_version":"1.0"}"#));
        let decided = |body: &str| of_operation(&op::DECIDE, "POST", "/v1/x", None, body);
        assert_eq!(decided(r#"{"deny":true,"password":"a"}"#), decided(r#"{"deny":true}"#));
        assert_eq!(decided("deny: true\npassword: a\n"), decided(r#"{"deny":true}"#));
        assert_ne!(decided(r#"{"deny":true}"#), decided(r#"{"deny":false}"#));
    }
}
