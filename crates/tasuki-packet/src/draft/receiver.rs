//! Proposes a receiver for a draft, from the contracts and rules of a project.
//!
//! A contract names who may receive from whom. Its words and those of the text decide between
//! several: each shared word counts once, and a party that the text names counts most. A rule counts
//! if its words occur in the text and its edge names a receiver. Without a clear winner there is no
//! proposal; guessing would send work to the wrong party.

use std::collections::{BTreeMap, BTreeSet};

use crate::policy::contract::{Contract, PartyName};
use crate::policy::rules::Rules;

/// A party that could receive the work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The party or role.
    pub party: String,
    /// The number of words that speak for it.
    pub score: usize,
    /// The contract or rule that names it, and the words.
    pub reason: String,
}

/// The candidates, best first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Proposal {
    /// The parties that contracts and rules name.
    pub candidates: Vec<Candidate>,
}

/// The weight of a party that the text names.
const NAMED: usize = 10;

impl Proposal {
    /// Returns the best candidate, if it is better than every other.
    pub fn receiver(&self) -> Option<&Candidate> {
        match self.candidates.as_slice() {
            [] => None,
            [only] => Some(only),
            [first, second, ..] => (first.score > second.score).then_some(first),
        }
    }
}

/// Proposes a receiver for a text. `sender` limits the contracts to those it may send under.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::draft::receiver::propose;
/// use tasuki_packet::policy::contract::Contract;
///
/// let contract = |name: &str, to: &str, about: &str| {
///     let document = json!({"contract": name, "version": "1.0", "from": ["planner"], "to": [to], "description": about});
///     Contract::read(&document).unwrap()
/// };
/// let contracts = [contract("build", "coder", "A change to write"), contract("check", "role:reviewer", "A patch to review")];
/// let proposal = propose("Please review the cache patch.", Some("planner"), &contracts, &[]);
/// assert_eq!(proposal.receiver().unwrap().party, "role:reviewer");
/// assert!(propose("Hello", None, &contracts, &[]).receiver().is_none());
/// ```
pub fn propose(
    text: &str,
    sender: Option<&str>,
    contracts: &[Contract],
    rules: &[Rules],
) -> Proposal {
    let words = words(text);
    let mut found: BTreeMap<String, Candidate> = BTreeMap::new();
    let mut add = |party: &str, score: usize, reason: String| {
        let candidate = Candidate { party: party.to_owned(), score, reason };
        let known = found.entry(party.to_owned()).or_insert_with(|| candidate.clone());
        if known.score < candidate.score {
            *known = candidate;
        }
    };
    for contract in contracts {
        let may_send =
            sender.is_none_or(|sender| contract.from.iter().any(|party| party.as_str() == sender));
        if may_send {
            let about = contract_words(contract);
            let shared: Vec<&str> = words.intersection(&about).map(String::as_str).collect();
            for party in &contract.to {
                let name = party.as_str();
                let score = shared.len() + named(&words, name);
                add(name, score, because(&format!("contract {}", contract.identity()), &shared));
            }
        }
    }
    for (rule, party) in rule_edges(rules, sender) {
        let stated: Vec<&str> = rule
            .when
            .words
            .iter()
            .map(String::as_str)
            .filter(|phrase| has_phrase(text, phrase))
            .collect();
        if !stated.is_empty() {
            let score = stated.len() + named(&words, party);
            add(party, score, because(&format!("rule {}", rule.name), &stated));
        }
    }
    let mut candidates: Vec<_> = found.into_values().collect();
    candidates.sort_by(|left, right| {
        right.score.cmp(&left.score).then_with(|| left.party.cmp(&right.party))
    });
    Proposal { candidates }
}

/// Returns the rules whose edge names a receiver for this sender.
fn rule_edges<'r>(
    rules: &'r [Rules],
    sender: Option<&'r str>,
) -> impl Iterator<Item = (&'r crate::policy::rules::Rule, &'r str)> {
    let entries = rules.iter().flat_map(|rules| &rules.entries);
    entries.flat_map(move |rule| {
        rule.when.conditions.edge.iter().filter_map(move |edge| {
            let is_from =
                |party: &str| edge.from.as_ref().is_none_or(|from| from.as_str() == party);
            let applies = sender.is_none_or(is_from);
            Some((rule, edge.to.as_ref().filter(|_| applies)?.as_str()))
        })
    })
}

fn because(source: &str, words: &[&str]) -> String {
    match words {
        [] => source.to_owned(),
        words => format!("{source}: {}", words.join(", ")),
    }
}

/// Returns the weight of a party whose name is in the text.
fn named(words: &BTreeSet<String>, party: &str) -> usize {
    let name = party.trim_start_matches("role:");
    if words.contains(&stem(name)) { NAMED } else { 0 }
}

/// Returns the words of the contract's name, description and scope.
fn contract_words(contract: &Contract) -> BTreeSet<String> {
    let scope = contract.scope.as_ref().map_or("", |scope| scope.is.as_str());
    let about = contract.description.as_deref().unwrap_or_default();
    // The parties are counted by name, and `a-to-b` says no more.
    let parties = contract.from.iter().chain(&contract.to).map(PartyName::as_str);
    let parties: BTreeSet<String> = parties.flat_map(words).collect();
    let all = words(&format!("{} {about} {scope}", contract.name));
    all.difference(&parties).cloned().collect()
}

/// LIMIT: characters of a word that says something about the work.
const WORD_CHARS_MIN: usize = 4;

/// Words that are in every text.
const COMMON: &[&str] = &[
    "with", "that", "this", "from", "what", "when", "then", "they", "have", "must", "will", "work",
    "into", "their", "which", "before", "after", "about", "there",
];

/// Returns the words of a text in lower case, by their stems.
fn words(text: &str) -> BTreeSet<String> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let parts = text.split(|c: char| !is_word(c)).map(|word| word.trim_matches(['-', '.', '_']));
    let parts = parts.flat_map(|word| word.split('-').chain(std::iter::once(word)));
    let long = parts.filter(|word| word.chars().count() >= WORD_CHARS_MIN);
    long.map(stem).filter(|word| !COMMON.contains(&word.as_str())).collect()
}

/// Returns a word without a plural ending.
fn stem(word: &str) -> String {
    let word = word.to_lowercase();
    word.strip_suffix('s').filter(|rest| !rest.ends_with('s')).map_or(word.clone(), str::to_owned)
}

fn has_phrase(text: &str, phrase: &str) -> bool {
    let fold = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let (text, phrase) = (fold(text), fold(phrase));
    text.match_indices(&phrase).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + phrase.len()..].chars().next();
        [before, after].into_iter().flatten().all(|c| !c.is_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn contract(name: &str, from: &str, to: &str, description: &str) -> Contract {
        let document = json!({ "contract": name, "version": "1.0", "from": [from], "to": [to], "description": description });
        Contract::read(&document).unwrap()
    }

    fn contracts() -> Vec<Contract> {
        vec![
            contract(
                "planner-to-coder",
                "planner",
                "coder",
                "A change to write, with acceptance criteria",
            ),
            contract("coder-to-reviewer", "coder", "role:reviewer", "A patch to review"),
            contract(
                "correlation",
                "correlator",
                "role:investigator",
                "An incident with a proposed root cause",
            ),
        ]
    }

    fn rules(document: &Value) -> Vec<Rules> {
        vec![Rules::read(document).unwrap()]
    }

    fn check(text: &str, sender: Option<&str>, rules: &[Rules], expected: Option<&str>) {
        let proposal = propose(text, sender, &contracts(), rules);
        let party = proposal.receiver().map(|candidate| candidate.party.as_str());
        assert_eq!(party, expected, "{proposal:?}");
    }

    #[test]
    fn words_and_names_decide() {
        check(
            "An incident: checkout is slow, the root cause is unknown",
            None,
            &[],
            Some("role:investigator"),
        );
        check("Someone should look at this", None, &[], None);
        check("@coder please look at the incident", None, &[], Some("coder"));
    }

    #[test]
    fn a_sender_with_one_contract_has_one_receiver() {
        check("Someone should look at this", Some("planner"), &[], Some("coder"));
        check("Someone should look at this", Some("ana"), &[], None);
    }

    #[test]
    fn a_rule_names_a_receiver_if_its_words_occur() {
        let rules = rules(&json!({ "rules": [{
            "name": "money", "when": { "words": ["refund"], "edge": [{ "to": "role:billing" }] }, "then": "hold",
        }] }));
        check("Customer wants a refund of 20 EUR", Some("ana"), &rules, Some("role:billing"));
        check("Customer wants a refundable ticket", Some("ana"), &rules, None);
        let proposal = propose("a refund", Some("ana"), &contracts(), &rules);
        assert_eq!(proposal.candidates[0].reason, "rule money: refund");
    }
}
