//! Finds loops: a handoff must not return to an earlier party unless a contract allows it.
//!
//! An edge is one-way. An edge in the opposite direction is allowed only if the contract says
//! `returns: { allowed: true }`. That edge is then a return contract, and it is excluded here. In
//! any loop that remains, work could circulate forever.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::edges::{Edge, return_pairs};

/// A loop without a return contract.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Loop<'c> {
    /// The parties in handoff order, starting with the first by name. The last hands over to the
    /// first.
    pub(super) parties: Vec<&'c str>,
}

type Receivers<'c> = BTreeMap<&'c str, BTreeSet<&'c str>>;

/// LIMIT: reported loops. Users repair these first.
const LOOPS_MAX: usize = 50;

/// Returns a shortest loop for each party that is part of one.
pub(super) fn loops<'c>(edges: &[Edge<'c>]) -> Vec<Loop<'c>> {
    let mut receivers: Receivers<'c> = BTreeMap::new();
    let returns = return_pairs(edges);
    for edge in edges.iter().filter(|edge| !returns.contains(&(edge.from, edge.to))) {
        receivers.entry(edge.from).or_default().insert(edge.to);
    }
    let mut loops = BTreeSet::new();
    for start in receivers.keys() {
        loops.extend(shortest_loop(start, &receivers));
        if loops.len() >= LOOPS_MAX {
            break;
        }
    }
    loops.into_iter().collect()
}

/// Searches outwards from `start` until an edge leads back to it.
fn shortest_loop<'c>(start: &'c str, receivers: &Receivers<'c>) -> Option<Loop<'c>> {
    let mut senders: BTreeMap<&str, &str> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(party) = queue.pop_front() {
        for receiver in receivers.get(party).into_iter().flatten() {
            if *receiver == start {
                return Some(Loop::new(start, party, &senders));
            }
            if !senders.contains_key(receiver) {
                senders.insert(receiver, party);
                queue.push_back(receiver);
            }
        }
    }
    None
}

impl<'c> Loop<'c> {
    /// Builds the loop from `start` to `last`, rotated to begin with the first party by name. The
    /// same loop found from two parties is then equal.
    fn new(start: &'c str, last: &'c str, senders: &BTreeMap<&'c str, &'c str>) -> Self {
        let mut parties = vec![last];
        let mut party = last;
        while party != start
            && let Some(sender) = senders.get(party)
        {
            party = sender;
            parties.push(party);
        }
        parties.reverse();
        let first = parties.iter().enumerate().min_by_key(|(_, name)| **name);
        let first = first.map_or(0, |(index, _)| index);
        parties.rotate_left(first);
        Self { parties }
    }

    pub(super) fn pairs(&self) -> impl Iterator<Item = (&'c str, &'c str)> {
        let next = self.parties.iter().cycle().skip(1);
        self.parties.iter().zip(next).map(|(from, to)| (*from, *to))
    }
}

impl std::fmt::Display for Loop<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for party in &self.parties {
            write!(f, "{party} -> ")?;
        }
        f.write_str(self.parties.first().copied().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::policy::contract::document::Contract;
    use crate::policy::contract::edges::edges;

    /// Edges as `a>b` (one-way) and `a=b` (with return).
    #[track_caller]
    fn check(written: &str, expected: &[&str]) {
        let read = |edge: &str| {
            let (from, to) = edge.split_once(['>', '=']).unwrap();
            let name = format!("{from}-to-{to}");
            let returns = json!({"allowed": edge.contains('=')});
            let document = json!({
                "contract": name, "version": "1.0", "from": [from], "to": [to], "returns": returns,
            });
            Contract::read(&document).unwrap()
        };
        let contracts: Vec<Contract> = written.split(' ').map(read).collect();
        let all: Vec<&Contract> = contracts.iter().collect();
        let edges = edges(&all);
        let found: Vec<String> = loops(&edges).iter().map(ToString::to_string).collect();
        assert_eq!(found, expected, "{written}");
    }

    #[test]
    fn one_way_chains_have_no_loop() {
        check("a>b b>c a>c", &[]);
    }

    #[test]
    fn a_way_back_needs_an_allowed_return() {
        check("a>b b>a", &["a -> b -> a"]);
        check("a=b b>a", &[]);
        check("a>b b=a", &[]);
        check("a>a", &["a -> a"]);
        check("a=a", &[]);
    }

    #[test]
    fn a_longer_loop_is_reported_once_and_by_its_names() {
        check("b>c c>a a>b", &["a -> b -> c -> a"]);
        check("a>b b>c c>d d>b", &["b -> c -> d -> b"]);
        check("a>b b>a c>d d>c", &["a -> b -> a", "c -> d -> c"]);
    }

    #[test]
    fn an_allowed_return_opens_only_its_own_loop() {
        check("planner=coder coder>planner coder=reviewer reviewer>coder", &[]);
        check(
            "planner=coder coder>planner coder>reviewer reviewer>coder",
            &["coder -> reviewer -> coder"],
        );
        check("a>b b>c a=c c>a", &[]);
        check("a=b b=c c>a", &["a -> b -> c -> a"]);
    }
}
