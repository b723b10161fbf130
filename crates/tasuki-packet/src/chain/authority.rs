//! Authority may only narrow: a party passes on at most what it was given.
//!
//! A packet without `authority` states no limit, so the last stated limit still applies. An empty
//! list is a statement: nothing may be passed on.

use serde_json::Value;

use crate::document::pointer;
use crate::packet::{Item, Packet};
use crate::violation::{Code, Violation};

/// Returns `true` if the authority `parent` includes `child`. A trailing `*` is the only wildcard.
///
/// ```
/// use tasuki_packet::chain::covers;
///
/// assert!(covers("write:src/*", "write:src/lib/*"));
/// assert!(!covers("write:src/", "write:src/lib.rs"));
/// assert!(!covers("write:src/*", "write:src/../secrets"));
/// ```
pub fn covers(parent: &str, child: &str) -> bool {
    match parent.strip_suffix('*') {
        Some(start) => child.strip_prefix(start).is_some_and(|rest| !climbs(rest)),
        None => parent == child,
    }
}

/// Returns the maximum authority of a chain's receiver: the last `authority` stated. The most
/// recent packet is the last one.
///
/// Returns `None` if no packet states one.
pub fn limit<'p>(chain: &[&'p Packet]) -> Option<Vec<&'p str>> {
    chain.iter().rev().find_map(|packet| stated(packet))
}

/// Returns every authority that `child` passes on and `parent` does not include.
pub fn widened(parent: &Packet, child: &Packet) -> Vec<Violation> {
    widened_along(&[parent], child)
}

/// Returns every authority that `child` passes on beyond the limit of the preceding chain.
///
/// A packet without `authority` must not lift the limit. Check a chain with this function, not pair
/// by pair.
pub fn widened_along(chain: &[&Packet], child: &Packet) -> Vec<Violation> {
    let Some(limit) = limit(chain) else { return Vec::new() };
    let passed_on = child.list("authority").iter().enumerate();
    passed_on
        .filter_map(|(index, value)| Some((index, Item::of(value)?.text)))
        .filter(|(_, authority)| !limit.iter().any(|given| covers(given, authority)))
        .map(|(index, authority)| violation(index, authority, &limit))
        .collect()
}

fn violation(index: usize, surplus: &str, limit: &[&str]) -> Violation {
    let pointer = pointer::join("/authority", &index.to_string());
    let message = format!("`{surplus}` exceeds the sender's authority");
    let allowed = if limit.is_empty() { "nothing".to_owned() } else { limit.join(", ") };
    Violation::new(Code::AuthorityWidened, pointer, message)
        .found(surplus)
        .allowed(allowed)
        .hint("remove it, or request more authority from the party that granted it")
}

fn stated(packet: &Packet) -> Option<Vec<&str>> {
    // INVARIANT: unreadable values grant no authority. A value of another type is an empty list.
    match packet.get("authority")? {
        Value::Null => None,
        Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_) => Some(packet.items("authority").map(|item| item.text).collect()),
    }
}

/// Returns `true` if the text matched by a `*` would leave the parent location.
fn climbs(rest: &str) -> bool {
    let lower =
        rest.to_ascii_lowercase().replace("%2e", ".").replace("%2f", "/").replace("%5c", "/");
    lower.split(['/', '\\']).any(|part| part == "..")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn packet(value: Value) -> Packet {
        Packet::from_value(value).unwrap()
    }

    #[test]
    fn a_last_star_is_the_only_wildcard() {
        for (parent, child, is_covered) in [
            ("deploy:staging", "deploy:staging", true),
            ("deploy:staging", "deploy:production", false),
            ("deploy:*", "deploy:production", true),
            ("deploy:staging", "deploy:*", false),
            ("*", "anything:at all", true),
            ("*:src", "write:src", false),
            ("write:src/*", "write:src/a/*", true),
            ("write:src/*", "write:src*", false),
            ("write:src/*", "write:src/a..b", true),
            ("write:src/*", "write:src/..", false),
            ("write:src/*", "write:src/%2E%2e/etc", false),
            ("write:src/*", "write:src/a\\..\\b", false),
        ] {
            assert_eq!(covers(parent, child), is_covered, "{parent} over {child}");
        }
    }

    #[test]
    fn excess_authority_is_reported() {
        let parent = packet(json!({"authority": ["write:src/*"]}));
        let child = packet(json!({"authority": ["write:src/lib.rs", "deploy:production"]}));
        let violations = widened(&parent, &child);
        assert_eq!(violations.len(), 1);
        insta::assert_snapshot!(violations[0], @"TK-AUTHORITY-WIDENED: `deploy:production` exceeds the sender's authority");
        assert_eq!(violations[0].pointer, "/authority/1");
        assert_eq!(violations[0].allowed.as_deref(), Some("write:src/*"));
    }

    #[test]
    fn an_absent_list_is_no_limit_and_an_empty_list_is_one() {
        let child = packet(json!({"authority": ["write:src/"]}));
        for (parent, count) in [
            (json!({}), 0),
            (json!({"authority": null}), 0),
            (json!({"authority": []}), 1),
            (json!({"authority": "write:src/"}), 1),
        ] {
            assert_eq!(widened(&packet(parent.clone()), &child).len(), count, "{parent}");
        }
    }

    #[test]
    fn a_packet_without_authority_does_not_lift_the_limit() {
        let first = packet(json!({"authority": ["read:*"]}));
        let silent = packet(json!({}));
        let third = packet(json!({"authority": ["write:src/"]}));
        assert_eq!(widened(&silent, &third), []);
        assert_eq!(widened_along(&[&first, &silent], &third).len(), 1);
    }
}
