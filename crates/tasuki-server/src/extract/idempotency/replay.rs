//! A request that was done before, and is sent again with its key because the answer was lost.
//!
//! A door looks things up before it makes a command: the revision that was seen, the claim that is meant,
//! the thing itself. Doing the request has changed them, so that the door would refuse it the second time.
//! Hence a request with a key is known again by what it says, not by the command that it became.

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
use tasuki_engine::same_request::RequestKey;
use tasuki_packet::canonical::{self, digest_of_bytes};
use tasuki_packet::id::{PartyId, ProjectId};
use tasuki_packet::limits::PACKET_BYTES_MAX;
use tasuki_packet::read::Source;

use crate::extract::body;
use crate::extract::idempotency;
use crate::extract::request_context::Entered;
use crate::operation::{Gives, Operation};
use crate::respond::command_response::Answered;
use crate::respond::problem::Problem;
use crate::state::Shared;

/// A command that somebody asks for with a key.
#[derive(Debug)]
pub(crate) struct Keyed {
    project: ProjectId,
    party: PartyId,
    request: RequestKey,
    reached: Reached,
}

/// Whether a command came as far as the engine, which knows its key and needs nobody to look again.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reached(Arc<AtomicBool>);

impl Reached {
    pub(crate) fn note(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Takes note of what a request with a key says. Others are not touched.
pub(crate) async fn note(
    app: &Shared,
    operation: &Operation,
    request: &mut Request,
) -> Result<Option<Keyed>, Problem> {
    let is_command = operation.gives == Gives::Document("Answer");
    let key = if is_command { idempotency::key(request.headers())? } else { None };
    let entered = request.extensions().get::<Entered>();
    let caller = entered.map(|entered| (entered.caller.project, entered.caller.principal.party));
    let Some((key, (project, party))) = key.zip(caller) else { return Ok(None) };
    let sent = std::mem::take(request.body_mut());
    let sent = body::arrived(request.headers(), sent, app, PACKET_BYTES_MAX).await?;
    let noted = RequestKey { key, request: Some(digest(operation, request, &sent)) };
    let reached = Reached::default();
    request.extensions_mut().insert((noted.clone(), reached.clone()));
    *request.body_mut() = Body::from(sent);
    Ok(Some(Keyed { project, party, request: noted, reached }))
}

impl Keyed {
    /// The answer that the request had before, in place of the refusal of a door that no longer finds what
    /// the request was about.
    pub(crate) async fn again(
        self,
        app: &Shared,
        operation: &Operation,
        refused: Response,
    ) -> Response {
        let is_of_door = matches!(refused.status().as_u16(), 404 | 409 | 412 | 422);
        if !is_of_door || self.reached.0.load(Ordering::Relaxed) {
            return refused;
        }
        match app.engine.again(self.project, self.party, &self.request).await {
            Ok(Some(answer)) => {
                Answered { answer, has_key: true, is_made: operation.success == 201 }
                    .into_response()
            }
            Ok(None) => refused,
            // Whoever hears a refusal does not ask again, and it may have been done.
            Err(fault) => Problem::from(fault).into_response(),
        }
    }
}

/// The digest of all that a request says.
fn digest<B>(operation: &Operation, request: &http::Request<B>, sent: &[u8]) -> String {
    let seen = request.headers().get(IF_MATCH).map_or(&[][..], |value| value.as_bytes());
    let address = request.uri().path_and_query().map_or("", |address| address.as_str());
    let body = if operation.may_carry_password() { without_password(sent) } else { plainly(sent) };
    let all = [request.method().as_str().as_bytes(), address.as_bytes(), seen, &*body];
    let mut said = Vec::with_capacity(sent.len() + address.len() + 64);
    for part in all {
        said.extend_from_slice(&part.len().to_be_bytes());
        said.extend_from_slice(part);
    }
    digest_of_bytes(&said)
}

/// A decision without the password that was typed for it, which would be easy to guess from its hash. What
/// cannot be read is refused by its door anyway.
fn without_password(sent: &[u8]) -> Cow<'_, [u8]> {
    let mut said = read(sent).unwrap_or_default();
    if let Some(members) = said.as_object_mut() {
        members.remove("password");
    }
    Cow::Owned(canonical::bytes(&said))
}

/// What a body says, in the one form of all its spellings; what cannot be read, as it is.
fn plainly(sent: &[u8]) -> Cow<'_, [u8]> {
    let is_json = serde_json::from_slice::<IgnoredAny>(sent).is_ok();
    let said = if is_json { read(sent) } else { read_packet(sent) };
    said.map_or(Cow::Borrowed(sent), |said| Cow::Owned(canonical::bytes(&said)))
}

fn read(sent: &[u8]) -> Option<Value> {
    Source::plain(sent).and_then(|source| Ok(source.read_plain()?.to_value())).ok()
}

/// YAML and Markdown as a packet's are read: `1.0` is a text where its field wants one.
fn read_packet(sent: &[u8]) -> Option<Value> {
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
        let said = |body: &str| of("POST", "/v1/x", None, body);
        assert_eq!(said(r#"{"a":1.0,"b":"\u0041"}"#), said(r#"{ "b": "A", "a": 1 }"#));
        assert_ne!(said(r#"{"a":1}"#), said(r#"{"a":"1"}"#));
        assert_ne!(said(r#"{"a":1,"a":2}"#), said(r#"{"a":2}"#), "that one is refused");
        assert_eq!(said("a: 1\n"), said("a: 1 # a remark\n"));
        assert_ne!(said("a: 1\n"), said("a: 2\n"));
        assert_eq!(said("handoff_version: 1.0\n"), said(r#"{"handoff_version":"1.0"}"#));
        let decided = |body: &str| of_operation(&op::DECIDE, "POST", "/v1/x", None, body);
        assert_eq!(decided(r#"{"deny":true,"password":"a"}"#), decided(r#"{"deny":true}"#));
        assert_eq!(decided("deny: true\npassword: a\n"), decided(r#"{"deny":true}"#));
        assert_ne!(decided(r#"{"deny":true}"#), decided(r#"{"deny":false}"#));
    }
}
