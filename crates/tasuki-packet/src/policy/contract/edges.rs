//! The edges of a set of contracts: which party may hand over to which, under which contract.
//!
//! Only the newest version of each contract counts. Older versions stay in the folder because
//! versions are immutable, and a loop that a newer version removed must not be reported.

use std::collections::{BTreeMap, HashSet};

use super::document::Contract;

#[derive(Debug, Clone, Copy)]
pub(super) struct Edge<'c> {
    pub(super) from: &'c str,
    pub(super) to: &'c str,
    pub(super) contract: &'c Contract,
}

/// Returns the newest version of each contract, by name.
pub(super) fn newest<'c>(contracts: impl IntoIterator<Item = &'c Contract>) -> Vec<&'c Contract> {
    let mut newest: BTreeMap<&str, &Contract> = BTreeMap::new();
    for contract in contracts {
        let known = newest.entry(&contract.name).or_insert(contract);
        if contract.version > known.version {
            *known = contract;
        }
    }
    newest.into_values().collect()
}

/// Returns every edge of these contracts, ordered by sender, receiver and contract.
pub(super) fn edges<'c>(contracts: &[&'c Contract]) -> Vec<Edge<'c>> {
    let mut edges = Vec::new();
    for contract in contracts {
        for from in &contract.from {
            let pair = |to| Edge { from: from.as_str(), to, contract };
            edges.extend(contract.to.iter().map(|to| pair(to.as_str())));
        }
    }
    edges.sort_by_key(|edge| (edge.from, edge.to, &edge.contract.name));
    edges.dedup_by_key(|edge| (edge.from, edge.to, &edge.contract.name));
    edges
}

/// Returns the pairs of sender and receiver that may hand work back: the reverse of each edge whose
/// contract allows returns. An edge of such a pair is a return contract.
pub(super) fn return_pairs<'c>(edges: &[Edge<'c>]) -> HashSet<(&'c str, &'c str)> {
    let allowed = edges.iter().filter(|edge| edge.contract.returns.allowed);
    allowed.map(|edge| (edge.to, edge.from)).collect()
}
