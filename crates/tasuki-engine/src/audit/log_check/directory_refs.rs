//! References from leaves and handoffs to the directory: party names, terms and signatures.
//!
//! The directory is read after the end of the log. Until then each reference is kept once, with the
//! first leaf that has it.

use std::collections::HashMap;

use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::Hash;
use tasuki_packet::policy::gate::Gate;

use super::check::Problem;
use crate::model::document::hash_of_digest;
use crate::model::{Party, Record, terms};

/// The references to compare with the directory.
#[derive(Debug, Default)]
pub(super) struct DirectoryRefs {
    /// The names used for each party.
    names: HashMap<(PartyId, String), u64>,
    terms: HashMap<TermsRef, u64>,
    /// The smallest number of people who had signed at a gate when a handoff was claimed.
    signed: HashMap<Hash, (usize, u64)>,
}

/// The contract and the gates of a handoff, with their policy hash.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct TermsRef {
    pub(super) contract: Option<String>,
    pub(super) gates: Vec<String>,
    pub(super) policy: Option<Hash>,
}

impl DirectoryRefs {
    pub(super) fn record_name(&mut self, party: PartyId, name: &str, n: u64) {
        self.names.entry((party, name.to_owned())).or_insert(n);
    }

    pub(super) fn record_terms(&mut self, terms: &TermsRef, n: u64) {
        if !self.terms.contains_key(terms) {
            self.terms.insert(terms.clone(), n);
        }
    }

    /// Records the number of people who had signed at a gate when a handoff was claimed.
    pub(super) fn record_signers(&mut self, gate: Hash, people: usize, n: u64) {
        let known = self.signed.entry(gate).or_insert((people, n));
        if people < known.0 {
            *known = (people, n);
        }
    }

    /// Returns the first reference that does not match the directory.
    pub(super) fn compare(&self, records: &[Record]) -> Option<Problem> {
        let parties = parties(records);
        let names = self.names.iter().filter_map(|(called, n)| misnamed(&parties, called, *n));
        let digests = digests(records);
        let terms =
            self.terms.iter().filter(|(terms, _)| terms.policy != expected_policy(&digests, terms));
        let terms = terms.map(|(_, n)| {
            Problem::new(*n, "the terms of the handoff do not match its policy hash")
        });
        let gates = records.iter().filter_map(read_gate);
        let unsigned = gates.filter_map(|gate| {
            let (people, n) = self.signed.get(&hash_of_digest(&gate.digest()))?;
            (*people < signers(&gate)).then(|| {
                let what = format!("claimed before gate `{}` was signed", gate.name);
                Problem::new(*n, what)
            })
        });
        names.chain(terms).chain(unsigned).min_by_key(|problem| problem.n)
    }
}

/// Returns the digests of all contracts, by `name@version`.
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

/// Returns the policy hash of a contract and gates; `None` without either.
fn expected_policy(digests: &HashMap<String, String>, terms: &TermsRef) -> Option<Hash> {
    if terms.contract.is_none() && terms.gates.is_empty() {
        return None;
    }
    let digest = terms.contract.as_ref().map(|name| digests.get(name).map_or("", String::as_str));
    Some(terms::policy(digest, &terms.gates))
}

fn read_gate(record: &Record) -> Option<Gate> {
    if let Record::Gate(gate) = record { Gate::read(&gate.document).ok() } else { None }
}

/// Returns the minimum number of people that the gate requires.
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

/// Reports a name that is not one of the party's. An unregistered party is named by its id.
fn misnamed(
    parties: &HashMap<PartyId, &Party>,
    (id, name): &(PartyId, String),
    n: u64,
) -> Option<Problem> {
    let has = |party: &&Party| party.name == *name || party.aliases.contains(name);
    let is_own = parties.get(id).is_some_and(has) || *name == id.to_string();
    (!is_own).then(|| Problem::new(n, format!("`{name}` is not a name of party {id}")))
}
