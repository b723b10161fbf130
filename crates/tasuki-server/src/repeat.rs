//! A request that was done before, and is sent again with its key because the answer was lost.
//!
//! A door looks things up before it makes a command: the revision that was seen, the claim that is meant,
//! the thing itself. Doing the request has changed them, so that the door would refuse it the second time.
//! Hence a request with a key is known again by what it says, not by the command that it became.

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::IF_MATCH;
use axum::http::request::Parts;
use axum::response::{IntoResponse as _, Response};
use serde_json::{Map, Value};
use tasuki_engine::same_request::RequestKey;
use tasuki_packet::canonical::digest_of_bytes;
use tasuki_packet::id::{PartyId, ProjectId};
use tasuki_packet::limits::PACKET_BYTES_MAX;

use crate::answer::Answered;
use crate::app::Shared;
use crate::body;
use crate::idempotency;
use crate::operation::{Gives, Operation};
use crate::problem::Problem;
use crate::visitor::Entered;

/// A command that somebody asks for with a key.
#[derive(Debug)]
pub(crate) struct Keyed {
    project: ProjectId,
    party: PartyId,
    request: RequestKey,
}

/// Takes note of what a request with a key says. Others are not touched.
pub(crate) async fn note(
    app: &Shared,
    operation: &Operation,
    request: Request,
) -> Result<(Request, Option<Keyed>), Problem> {
    let is_command = operation.gives == Gives::Document("Answer");
    let key = if is_command { idempotency::key(request.headers())? } else { None };
    let (Some(key), Some(entered)) = (key, request.extensions().get::<Entered>().cloned()) else {
        return Ok((request, None));
    };
    let (mut parts, sent) = request.into_parts();
    let sent = body::arrived(&parts.headers, sent, app, PACKET_BYTES_MAX).await?;
    let request = RequestKey { key, request: Some(digest(&parts, &sent)) };
    parts.extensions.insert(request.clone());
    let (project, party) = (entered.caller.project, entered.caller.principal.party);
    let keyed = Keyed { project, party, request };
    Ok((Request::from_parts(parts, Body::from(sent)), Some(keyed)))
}

impl Keyed {
    /// The answer that the request had before, in place of a refusal.
    pub(crate) async fn again(
        self,
        app: &Shared,
        operation: &Operation,
        refused: Response,
    ) -> Response {
        match app.engine.again(self.project, self.party, &self.request).await {
            Ok(Some(answer)) => {
                Answered { answer, has_key: true, is_made: operation.success == 201 }
                    .into_response()
            }
            Ok(None) | Err(_) => refused,
        }
    }
}

/// The digest of all that a request says. A password is no part of it: it would be easy to guess from
/// its hash.
fn digest(parts: &Parts, sent: &[u8]) -> String {
    let seen = parts.headers.get(IF_MATCH).map_or(&[][..], |value| value.as_bytes());
    let address = parts.uri.path_and_query().map_or("", |address| address.as_str());
    let without = without_password(sent);
    let body = without.as_deref().unwrap_or(sent);
    let all = [parts.method.as_str().as_bytes(), address.as_bytes(), seen, body];
    let mut said = Vec::with_capacity(sent.len() + address.len() + 64);
    for part in all {
        said.extend_from_slice(&part.len().to_be_bytes());
        said.extend_from_slice(part);
    }
    digest_of_bytes(&said)
}

fn without_password(sent: &[u8]) -> Option<Vec<u8>> {
    let mut members: Map<String, Value> = serde_json::from_slice(sent).ok()?;
    members.remove("password")?;
    Some(Value::Object(members).to_string().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(method: &str, address: &str, seen: Option<&str>, body: &str) -> String {
        let mut request = Request::builder().method(method).uri(address);
        if let Some(seen) = seen {
            request = request.header(IF_MATCH, seen);
        }
        let (parts, ()) = request.body(()).unwrap().into_parts();
        digest(&parts, body.as_bytes())
    }

    #[test]
    fn everything_that_is_said_counts_except_a_password() {
        let one = of("POST", "/v1/handoffs/a/decisions", None, "{}");
        assert_eq!(one, of("POST", "/v1/handoffs/a/decisions", None, "{}"));
        assert_ne!(one, of("PUT", "/v1/handoffs/a/decisions", None, "{}"));
        assert_ne!(one, of("POST", "/v1/handoffs/b/decisions", None, "{}"));
        assert_ne!(one, of("POST", "/v1/handoffs/a/decisions?x=1", None, "{}"));
        assert_ne!(one, of("POST", "/v1/handoffs/a/decisions", Some("\"1-0\""), "{}"));
        assert_ne!(one, of("POST", "/v1/handoffs/a/decisions", None, "{ }"));
        assert_eq!(one, of("POST", "/v1/handoffs/a/decisions", None, r#"{"password":"a"}"#));
    }
}
