//! The tag of a revision, `"3-<first 16 hex of the digest>"`, and what `If-Match` makes of it.

use axum::http::HeaderMap;
use axum::http::header::{IF_MATCH, IF_NONE_MATCH};
use tasuki_engine::handoff::Handoff;
use tasuki_engine::refusal::{Refusal, RefusalCode};
use tasuki_packet::api;

use crate::operation::Operation;
use crate::problem::Problem;

/// How many digits of the digest a tag has.
const DIGITS: usize = 16;

/// The tag of a revision.
pub(crate) fn tag(revision: u32, digest: &str) -> String {
    let hex = digest.strip_prefix("sha256:").unwrap_or(digest);
    ["\"", &revision.to_string(), "-", &hex[..hex.len().min(DIGITS)], "\""].concat()
}

/// The tag of a handoff's current revision.
pub(crate) fn of(handoff: &api::Handoff) -> String {
    tag(handoff.revision, &handoff.digest)
}

/// The revision that the caller saw, if it says so. One that is not the current one is refused.
pub(crate) fn if_match(headers: &HeaderMap, handoff: &Handoff) -> Result<Option<u32>, Problem> {
    let Some(sent) = headers.get(IF_MATCH) else { return Ok(None) };
    let sent = sent.to_str().ok().ok_or_else(|| Problem::argument("`If-Match` is not ASCII"))?;
    if sent.trim() == "*" {
        return Ok(None);
    }
    let (revision, digest) = (handoff.facts.revision, &handoff.facts.sheet.digest);
    let current = tag(revision, digest);
    if sent.split(',').any(|one| one.trim() == current) {
        // The line checks the number again, in case somebody is faster.
        return Ok(Some(revision));
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
    fn what_is_known_is_not_sent_again() {
        let mut headers = HeaderMap::new();
        assert!(!is_known(&headers, "\"1-a\""));
        headers.insert(IF_NONE_MATCH, "\"2-b\", \"1-a\"".parse().unwrap());
        assert!(is_known(&headers, "\"1-a\"") && !is_known(&headers, "\"3-c\""));
    }
}
