//! Entity tags. The tag of a revision is `"3-<first 16 hex of the digest>"`.
//!
//! The tag of a handoff also has its receiver, which can change while the revision does not:
//! `"3-<first 16 hex of the digest>-<receiver>"`. Both tags can be matched. While the holder waits
//! for approval of an action, the tag ends with the full digest of the action: the holder chooses
//! the bytes, and one revision can have several actions.

use axum::http::HeaderMap;
use axum::http::header::IF_NONE_MATCH;
use tasuki_api as api;

/// The number of digits of the digest in a tag.
const DIGITS: usize = 16;

pub(crate) fn tag(revision: u32, digest: &str) -> String {
    ["\"", &revision.to_string(), "-", digits(digest), "\""].concat()
}

fn digits(digest: &str) -> &str {
    let hex = hex(digest);
    &hex[..hex.len().min(DIGITS)]
}

/// Returns the tag of a handoff: its current revision and its receiver.
pub(crate) fn of_handoff(handoff: &api::Handoff) -> String {
    let action = handoff.action.as_ref().map(|action| action.digest.as_str());
    with_receiver(handoff.revision, &handoff.digest, &handoff.to, action)
}

/// Returns the tag of a revision with its receiver and, while it waits for approval, the action.
pub(crate) fn with_receiver(
    revision: u32,
    digest: &str,
    receiver: &str,
    action: Option<&str>,
) -> String {
    let action = action.map(|action| ["-", hex(action)].concat()).unwrap_or_default();
    ["\"", &revision.to_string(), "-", digits(digest), "-", receiver, &action, "\""].concat()
}

fn hex(digest: &str) -> &str {
    digest.strip_prefix("sha256:").unwrap_or(digest)
}

/// Returns `true` if the caller already has this version.
pub(crate) fn is_not_modified(headers: &HeaderMap, tag: &str) -> bool {
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
        let of = |action| with_receiver(3, &digest, "role:ops", action);
        assert_eq!(of(None), "\"3-0123456789abcdef-role:ops\"");
        assert_eq!(of(Some("sha256:beef")), "\"3-0123456789abcdef-role:ops-beef\"");
    }

    #[test]
    fn a_matching_tag_is_not_modified() {
        let mut headers = HeaderMap::new();
        assert!(!is_not_modified(&headers, "\"1-a\""));
        headers.insert(IF_NONE_MATCH, "\"2-b\", \"1-a\"".parse().unwrap());
        assert!(is_not_modified(&headers, "\"1-a\"") && !is_not_modified(&headers, "\"3-c\""));
    }
}
