//! Matches the items of two lists.
//!
//! Items are matched by content, not by index. The longest common subsequence is kept, an equal
//! item elsewhere was moved, and an item with the same name but other members was edited. All other
//! items were removed or added.

use std::collections::{HashMap, VecDeque};

use serde_json::Value;

use crate::canonical;

/// The members that name an item, most specific first. A plain text is an item's `text`.
const NAMING_MEMBERS: [&str; 8] =
    ["id", "text", "label", "name", "path", "criterion", "tried", "gate"];

/// LIMIT: the number of equal items, nearest first, that one item is compared with. Without a
/// bound, a list of equal items would take quadratic time.
const EQUALS_MAX: usize = 32;

/// Two matching items, by their indexes in the two lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) before: usize,
    pub(super) after: usize,
    pub(super) kind: MatchKind,
}

/// The way in which two items match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MatchKind {
    /// Equal, and in the same order as the other kept items.
    Kept,
    /// Equal, but in another place.
    Moved,
    /// Different, but with the same name.
    Edited,
}

/// Returns the matching items, in the order of the second list. An item is in at most one pair.
pub(super) fn align(before: &[Value], after: &[Value]) -> Vec<Pair> {
    let mut alignment = Alignment {
        pairs: Vec::new(),
        is_open_before: vec![true; before.len()],
        is_open_after: vec![true; after.len()],
    };
    let before_forms: Vec<_> = before.iter().map(|item| Some(canonical::bytes(item))).collect();
    let after_forms: Vec<_> = after.iter().map(|item| Some(canonical::bytes(item))).collect();
    for (before, after) in longest_increasing(&equal_pairs(&before_forms, &after_forms)) {
        alignment.close(before, after, MatchKind::Kept);
    }
    alignment.match_open(&before_forms, &after_forms, MatchKind::Moved);
    for member in NAMING_MEMBERS {
        let names_before: Vec<_> = before.iter().map(|item| name(item, member)).collect();
        let names_after: Vec<_> = after.iter().map(|item| name(item, member)).collect();
        alignment.match_open(&names_before, &names_after, MatchKind::Edited);
    }
    alignment.pairs.sort_by_key(|pair| pair.after);
    alignment.pairs
}

/// Returns the longest chain of pairs in which both indexes increase.
///
/// INVARIANT: the pairs are sorted by the first index, then by the second one in descending order,
/// so that a chain cannot use a first index twice.
pub(super) fn longest_increasing(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // `ends[n]` is the pair with the smallest second index that ends a chain of n + 1 pairs.
    let mut ends: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (index, (_, after)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < *after);
        previous.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(length) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let last = ends.last().copied();
    let mut chain: Vec<_> =
        std::iter::successors(last, |index| previous[*index]).map(|index| pairs[index]).collect();
    chain.reverse();
    chain
}

struct Alignment {
    pairs: Vec<Pair>,
    is_open_before: Vec<bool>,
    is_open_after: Vec<bool>,
}

impl Alignment {
    fn close(&mut self, before: usize, after: usize, kind: MatchKind) {
        self.is_open_before[before] = false;
        self.is_open_after[after] = false;
        self.pairs.push(Pair { before, after, kind });
    }

    /// Matches the remaining items with the same key, in order.
    fn match_open<K: std::hash::Hash + Eq>(
        &mut self,
        before: &[Option<K>],
        after: &[Option<K>],
        kind: MatchKind,
    ) {
        let mut open: HashMap<&K, VecDeque<usize>> = HashMap::new();
        for (index, key) in before.iter().enumerate() {
            if let (Some(key), true) = (key, self.is_open_before[index]) {
                open.entry(key).or_default().push_back(index);
            }
        }
        for (index, key) in after.iter().enumerate() {
            let key = key.as_ref().filter(|_| self.is_open_after[index]);
            if let Some(partner) = key.and_then(|key| open.get_mut(key)?.pop_front()) {
                self.close(partner, index, kind);
            }
        }
    }
}

/// Returns all pairs of equal keys, sorted for [`longest_increasing`].
fn equal_pairs<K: std::hash::Hash + Eq>(before: &[K], after: &[K]) -> Vec<(usize, usize)> {
    let mut places: HashMap<&K, Vec<usize>> = HashMap::new();
    for (index, key) in after.iter().enumerate() {
        places.entry(key).or_default().push(index);
    }
    let mut pairs = Vec::new();
    for (index, key) in before.iter().enumerate() {
        let Some(equals) = places.get(key) else { continue };
        let nearest = equals.partition_point(|place| *place < index);
        let start = nearest.saturating_sub(EQUALS_MAX / 2);
        let end = equals.len().min(nearest + EQUALS_MAX / 2);
        pairs.extend(equals[start..end].iter().rev().map(|place| (index, *place)));
    }
    pairs
}

fn name<'v>(item: &'v Value, member: &str) -> Option<&'v str> {
    match item {
        Value::String(text) => (member == "text").then_some(text),
        Value::Object(members) => members.get(member)?.as_str(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn items_are_found_by_content() {
        check(&json!(["a", "b", "c"]), &json!(["a", "c"]), "0=0 2=1");
        check(&json!(["a", "b"]), &json!(["b", "a", "b"]), "0=1 1=2");
        check(&json!(["a", "b", "c", "d"]), &json!(["d", "a", "b", "c"]), "3>0 0=1 1=2 2=3");
        check(&json!([1, 1.0, "1"]), &json!([1.0, "1"]), "1=0 2=1");
        check(&json!([{"a": 1, "b": 2}]), &json!([{"b": 2, "a": 1}]), "0=0");
        check(&json!([]), &json!(["a"]), "");
    }

    #[test]
    fn an_item_keeps_its_name_when_it_is_edited() {
        check(&json!([{"id": "t", "x": 1}]), &json!(["new", {"id": "t", "x": 2}]), "0~1");
        check(&json!(["a", "b"]), &json!([{"text": "b"}, "a"]), "1~0 0=1");
        check(
            &json!([{"path": "p", "x": 1}, {"path": "p", "x": 2}]),
            &json!([{"path": "p", "x": 3}, {"path": "p", "x": 4}]),
            "0~0 1~1",
        );
    }

    #[test]
    fn long_lists_of_equal_items_stay_cheap() {
        let before = vec![json!("x"); 5_000];
        let mut after = before.clone();
        after.insert(0, json!("y"));
        assert_eq!(align(&before, &after).len(), 5_000);
    }

    fn check(before: &Value, after: &Value, expected: &str) {
        let (before, after) = (before.as_array().unwrap(), after.as_array().unwrap());
        let shown: Vec<_> = align(before, after)
            .into_iter()
            .map(|pair| {
                let kind = match pair.kind {
                    MatchKind::Kept => '=',
                    MatchKind::Moved => '>',
                    MatchKind::Edited => '~',
                };
                format!("{}{kind}{}", pair.before, pair.after)
            })
            .collect();
        assert_eq!(shown.join(" "), expected);
    }
}
