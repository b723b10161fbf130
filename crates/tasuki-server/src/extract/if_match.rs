//! The header `If-Match`: compares the version that a caller saw with the current one.

use axum::http::HeaderMap;
use axum::http::header::IF_MATCH;
use tasuki_engine::model::{Handoff, Hold, State};
use tasuki_engine::refusal::{Refusal, RefusalCode};
use tasuki_engine::steps::SeenVersion;

use crate::extract::request_context::RequestContext;
use crate::operation::Operation;
use crate::respond::etag::{tag, with_receiver};
use crate::respond::problem::Problem;

/// Returns the version that the caller saw, if it sent one. Any other than the current one is refused;
/// `*` names none.
pub(crate) async fn if_match(
    context: &RequestContext,
    headers: &HeaderMap,
    handoff: &Handoff,
) -> Result<SeenVersion, Problem> {
    let Some(sent) = headers.get(IF_MATCH) else { return Ok(SeenVersion::default()) };
    let sent = sent.to_str().ok().ok_or_else(|| Problem::argument("`If-Match` is not ASCII"))?;
    if sent.trim() == "*" {
        return Ok(SeenVersion::default());
    }
    let (revision, digest) = (handoff.facts.revision, &handoff.facts.summary.digest);
    let receiver = context.directory().await?.name(handoff.facts.receiver);
    let action = match &handoff.progress.state {
        State::Held(Hold { approval_request: Some(asked), .. }) => Some(asked.digest.clone()),
        _ => None,
    };
    let current = with_receiver(revision, digest, &receiver, action.as_deref());
    let of_packet = tag(revision, digest);
    // The worker checks it again, in case of a concurrent change.
    let of = |digest: &String| SeenVersion {
        revision: Some(revision),
        digest: Some(digest.clone()),
        ..SeenVersion::default()
    };
    let has = |tag: &str| sent.split(',').any(|one| one.trim() == tag);
    if has(&current) {
        return Ok(SeenVersion {
            receiver: Some(receiver),
            ..of(action.as_ref().unwrap_or(digest))
        });
    }
    if has(&of_packet) {
        return Ok(of(digest));
    }
    let message = format!("handoff {} changed: it is at {current}, you saw {sent}", handoff.id);
    Err(Refusal::new(RefusalCode::RevisionChanged, message)
        .hint("read it again, then decide")
        .into())
}

/// Refuses a condition for an operation that does not evaluate it: the caller would rely on it.
pub(crate) fn check_supported(operation: &Operation, headers: &HeaderMap) -> Result<(), Problem> {
    if operation.is_conditional() || operation.is_read() || !headers.contains_key(IF_MATCH) {
        return Ok(());
    }
    Err(Problem::argument("`If-Match` is not supported here")
        .hint("send it with revisions, answers and decisions only"))
}
