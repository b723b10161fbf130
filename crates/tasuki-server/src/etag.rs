//! The tag of a revision, `"3-<first 16 hex of the digest>"`, and what `If-Match` makes of it.
//!
//! A handoff's own tag ends with its receiver, which can change while the revision does not:
//! `"3-<first 16 hex of the digest>-<receiver>"`. Both can be matched.

use axum::http::HeaderMap;
use axum::http::header::{IF_MATCH, IF_NONE_MATCH};
use tasuki_engine::decision::Looked;
use tasuki_engine::handoff::Handoff;
use tasuki_engine::refusal::{Refusal, RefusalCode};
use tasuki_packet::api;

use crate::operation::Operation;
use crate::problem::Problem;
use crate::visitor::Visitor;

/// How many digits of the digest a tag has.
const DIGITS: usize = 16;

/// The tag of a revision.
pub(crate) fn tag(revision: u32, digest: &str) -> String {
    ["\"", &revision.to_string(), "-", digits(digest), "\""].concat()
}

fn digits(digest: &str) -> &str {
    let hex = digest.strip_prefix("sha256:").unwrap_or(digest);
    &hex[..hex.len().min(DIGITS)]
}

/// The tag of a handoff: its current revision, and whom it is for.
pub(crate) fn of(handoff: &api::Handoff) -> String {
    with_receiver(handoff.revision, &handoff.digest, &handoff.to)
}

fn with_receiver(revision: u32, digest: &str, receiver: &str) -> String {
    ["\"", &revision.to_string(), "-", digits(digest), "-", receiver, "\""].concat()
}

/// What the caller saw, if it says so. What is not the current tag is refused.
pub(crate) async fn if_match(
    visitor: &Visitor,
    headers: &HeaderMap,
    handoff: &Handoff,
) -> Result<Looked, Problem> {
    let Some(sent) = headers.get(IF_MATCH) else { return Ok(Looked::default()) };
    let sent = sent.to_str().ok().ok_or_else(|| Problem::argument("`If-Match` is not ASCII"))?;
    if sent.trim() == "*" {
        return Ok(Looked::default());
    }
    let (revision, digest) = (handoff.facts.revision, &handoff.facts.sheet.digest);
    let receiver = visitor.directory().await?.name(handoff.facts.receiver);
    let (of_packet, current) = (tag(revision, digest), with_receiver(revision, digest, &receiver));
    // The line checks both again, in case somebody is faster.
    let seen = Looked { revision: Some(revision), ..Looked::default() };
    let has = |tag: &str| sent.split(',').any(|one| one.trim() == tag);
    if has(&current) {
        return Ok(Looked { receiver: Some(receiver), ..seen });
    }
    if has(&of_packet) {
        return Ok(seen);
    }
    let message = format!("handoff {} is at {current} by now, you saw {sent}", handoff.id);
    Err(Refusal::new(RefusalCode::RevisionChanged, message)
        .hint("look at it again, then decide")
        .into())
}

/// A condition that nobody looks at is refused: whoever sends it relies on it.
pub(crate) fn must_count(operation: &Operation, headers: &HeaderMap) -> Result<(), Problem> {
    if operation.is_bound() || operation.is_read() || !headers.contains_key(IF_MATCH) {
        return Ok(());
    }
    Err(Problem::argument("`If-Match` does not count here").hint(
        "revisions, answers and decisions are bound to what was seen; leave it out elsewhere",
    ))
}

/// Whether the caller has this already.
pub(crate) fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    let sent = headers.get(IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    sent.is_some_and(|sent| {
        sent.split(',').any(|one| matches!(one.trim(), one if one == tag || one == "*"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_names_revision_and_digest() {
        let digest = format!("sha256:{}", "0123456789abcdef".repeat(4));
        assert_eq!(tag(3, &digest), "\"3-0123456789abcdef\"");
    }

    #[test]
    fn the_tag_of_a_handoff_names_its_receiver_too() {
        let digest = format!("sha256:{}", "0123456789abcdef".repeat(4));
        assert_eq!(with_receiver(3, &digest, "role:ops"), "\"3-0123456789abcdef-role:ops\"");
    }

    #[test]
    fn what_is_known_is_not_sent_again() {
        let mut headers = HeaderMap::new();
        assert!(!is_known(&headers, "\"1-a\""));
        headers.insert(IF_NONE_MATCH, "\"2-b\", \"1-a\"".parse().unwrap());
        assert!(is_known(&headers, "\"1-a\"") && !is_known(&headers, "\"3-c\""));
    }
}
