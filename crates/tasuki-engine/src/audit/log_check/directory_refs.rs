//! What leaves and handoffs say of the directory: whose names, which terms, how many signatures.
//!
//! The directory is read when the log has ended, so that it is noted until then: each thing once,
//! with the first leaf that says it.

use std::collections::HashMap;

use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::Hash;
use tasuki_packet::policy::gate::Gate;

use super::check::Problem;
use crate::model::document::hash_of_digest;
use crate::model::{Party, Record, terms};

/// What is to be compared with the directory.
#[derive(Debug, Default)]
pub(super) struct Named {
    /// What a party was called.
    names: HashMap<(PartyId, String), u64>,
    bound: HashMap<Bound, u64>,
    /// By how many people a gate was signed when somebody claimed; the fewest.
    signed: HashMap<Hash, (usize, u64)>,
}

/// The contract and the gates of a handoff, with the hash that stands for them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Bound {
    pub(super) contract: Option<String>,
    pub(super) gates: Vec<String>,
    pub(super) policy: Option<Hash>,
}

impl Named {
    pub(super) fn call(&mut self, party: PartyId, name: &str, n: u64) {
        self.names.entry((party, name.to_owned())).or_insert(n);
    }

    pub(super) fn bind(&mut self, bound: &Bound, n: u64) {
        if !self.bound.contains_key(bound) {
            self.bound.insert(bound.clone(), n);
        }
    }

    /// Somebody claimed what so many people had signed at a gate.
    pub(super) fn sign(&mut self, gate: Hash, people: usize, n: u64) {
        let known = self.signed.entry(gate).or_insert((people, n));
        if people < known.0 {
            *known = (people, n);
        }
    }

    /// The first that is otherwise in the directory.
    pub(super) fn compare(&self, records: &[Record]) -> Option<Problem> {
        let parties = parties(records);
        let names = self.names.iter().filter_map(|(called, n)| misnamed(&parties, called, *n));
        let digests = digests(records);
        let bound = self.bound.iter().filter(|(bound, _)| bound.policy != told(&digests, bound));
        let bound = bound.map(|(_, n)| {
            Problem::new(*n, "the handoff has other terms than its leaf was written under")
        });
        let gates = records.iter().filter_map(read_gate);
        let unsigned = gates.filter_map(|gate| {
            let (people, n) = self.signed.get(&hash_of_digest(&gate.digest()))?;
            (*people < signers(&gate)).then(|| {
                let what = format!("it was claimed before gate `{}` was signed", gate.name);
                Problem::new(*n, what)
            })
        });
        names.chain(bound).chain(unsigned).min_by_key(|problem| problem.n)
    }
}

/// The digests of all contracts, by `name@version`.
fn digests(records: &[Record]) -> HashMap<String, String> {
    let digest = |record: &Record| {
        if let Record::Contract(contract) = record {
            Some((record.key().1, contract.digest()))
        } else {
            None
        }
    };
    records.iter().filter_map(digest).collect()
}

/// The hash that stands for a contract and gates. Nothing agreed is nothing to stand for.
fn told(digests: &HashMap<String, String>, bound: &Bound) -> Option<Hash> {
    if bound.contract.is_none() && bound.gates.is_empty() {
        return None;
    }
    let digest = bound.contract.as_ref().map(|name| digests.get(name).map_or("", String::as_str));
    Some(terms::policy(digest, &bound.gates))
}

fn read_gate(record: &Record) -> Option<Gate> {
    if let Record::Gate(gate) = record { Gate::read(&gate.document).ok() } else { None }
}

/// How many people it takes at least, whoever they are.
fn signers(gate: &Gate) -> usize {
    let factors = gate.factors.iter().map(|factor| factor.approvals);
    let count = if gate.distinct.across_factors {
        factors.sum::<u32>()
    } else {
        factors.max().unwrap_or_default()
    };
    usize::try_from(count).unwrap_or(usize::MAX)
}

fn parties<'r>(records: &'r [Record]) -> HashMap<PartyId, &'r Party> {
    let party = |record: &'r Record| {
        if let Record::Party(party) = record { Some((party.id, party)) } else { None }
    };
    records.iter().filter_map(party).collect()
}

/// A party is called by a name of its own; one that nobody has registered, by its id.
fn misnamed(
    parties: &HashMap<PartyId, &Party>,
    (id, name): &(PartyId, String),
    n: u64,
) -> Option<Problem> {
    let has = |party: &&Party| party.name == *name || party.aliases.contains(name);
    let is_own = parties.get(id).is_some_and(has) || *name == id.to_string();
    (!is_own).then(|| Problem::new(n, format!("it calls {id} `{name}`, which is no name of it")))
}
