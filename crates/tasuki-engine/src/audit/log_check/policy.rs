//! Compares every entry of the directory with the log.

use std::collections::HashMap;

use jiff::Timestamp;
use tasuki_packet::leaf::{Attribute, Attributes, EventType, Hash, Leaf};

use super::check::Problem;
use crate::model::document::hash_of_digest;
use crate::model::state::{empty_head, fence_floor};
use crate::model::{Head, Party, Pauses, Record, TokenRecord};

/// The directory entries that the log implies.
#[derive(Debug, Default)]
pub(super) struct Policy {
    /// Contracts and gates by hash, with the number of their leaf.
    published: HashMap<Hash, u64>,
    rules: Option<(Hash, u64)>,
    settings: Option<(Hash, u64)>,
    /// Parties, with the number and the attributes of the last leaf about each.
    parties: HashMap<String, (u64, Attributes)>,
    tokens: HashMap<String, LoggedToken>,
    /// Current subscriptions, with the number of the leaf that added them.
    subscriptions: HashMap<String, u64>,
    /// The pauses, with the number of the last leaf about them.
    pauses: Option<(Pauses, u64)>,
    /// The halt flag and the claim epoch.
    halt: Option<(bool, u64)>,
    /// The fence floor that a restore has set.
    fence_floor: Option<u64>,
}

/// The log's view of a token.
#[derive(Debug)]
struct LoggedToken {
    n: u64,
    attributes: Attributes,
    is_revoked: bool,
}

impl Policy {
    /// Applies a leaf.
    #[expect(clippy::wildcard_enum_match_arm, reason = "few of many events matter here")]
    pub(super) fn take(&mut self, leaf: &Leaf) {
        let hash = |name: &str| match leaf.attributes.get(name) {
            Some(Attribute::Hash(hash)) => Some(*hash),
            _ => None,
        };
        let n = leaf.number;
        match leaf.event {
            EventType::ContractPublished => self.publish(hash("contract"), n),
            EventType::GatePublished => self.publish(hash("gate"), n),
            EventType::RulesPublished => self.rules = hash("rules").map(|hash| (hash, n)),
            EventType::ProjectChanged => self.settings = hash("settings").map(|hash| (hash, n)),
            EventType::PartyAdded
            | EventType::PartyChanged
            | EventType::PartyAway
            | EventType::PartyBack => {
                if let Some(Attribute::Id(id)) = leaf.attributes.get("party") {
                    self.parties.insert(id.to_string(), (n, leaf.attributes.clone()));
                }
            }
            EventType::TokenCreated => {
                let attributes = leaf.attributes.clone();
                let logged = LoggedToken { n, attributes, is_revoked: false };
                self.tokens.insert(id_in(leaf, "credential"), logged);
            }
            EventType::SubscriptionAdded => {
                self.subscriptions.insert(id_in(leaf, "subscription"), n);
            }
            EventType::SubscriptionRemoved => {
                self.subscriptions.remove(&id_in(leaf, "subscription"));
            }
            EventType::TokenRevoked => {
                if let Some(token) = self.tokens.get_mut(&id_in(leaf, "credential")) {
                    (token.n, token.is_revoked) = (n, true);
                }
            }
            EventType::ProjectHalted | EventType::ProjectLifted => self.halt(leaf),
            EventType::LogRestored => {
                self.fence_floor = self.fence_floor.max(Some(fence_floor(leaf.time)));
            }
            EventType::OutageRecorded => {
                let from = match leaf.attributes.get("from") {
                    Some(Attribute::Instant(from)) => *from,
                    _ => leaf.time,
                };
                self.pause(leaf, |pauses, until| pauses.away(from, until));
            }
            _ => {}
        }
    }

    fn halt(&mut self, leaf: &Leaf) {
        let is_halted = leaf.event == EventType::ProjectHalted;
        let epoch = match leaf.attributes.get("epoch") {
            Some(Attribute::Integer(epoch)) => *epoch,
            _ => 0,
        };
        self.halt = Some((is_halted, epoch));
        self.pause(leaf, if is_halted { Pauses::halted } else { Pauses::lifted });
    }

    fn pause(&mut self, leaf: &Leaf, step: impl FnOnce(&Pauses, Timestamp) -> Pauses) {
        let (pauses, _) = self.pauses.take().unwrap_or_default();
        self.pauses = Some((step(&pauses, leaf.time), leaf.number));
    }

    fn publish(&mut self, hash: Option<Hash>, n: u64) {
        if let Some(hash) = hash {
            self.published.insert(hash, n);
        }
    }

    /// Describes the first difference between the head of the log and its leaves. Unless the walk
    /// began at leaf 0, a value without a leaf is unknown.
    pub(super) fn difference(&self, head: &Head, is_whole: bool) -> Option<String> {
        let begun = empty_head(head.project, head.last_at, head.fingerprint_key);
        let at_first = (begun.is_halted, begun.claim_epoch);
        let halt = self.halt.or(is_whole.then_some(at_first));
        let floor = self.fence_floor.or(is_whole.then_some(begun.fence_floor));
        if let Some((is_halted, _)) = halt.filter(|halt| halt.0 != head.is_halted) {
            let word = |is_halted| if is_halted { "halted" } else { "not halted" };
            let (logged, is) = (word(is_halted), word(head.is_halted));
            return Some(format!(
                "the project is {logged} by its leaves, but {is} in the head of the log"
            ));
        }
        if halt.is_some_and(|(_, epoch)| epoch != head.claim_epoch) {
            return Some("the claim epoch differs from the head of the log".to_owned());
        }
        let is_floor = floor.is_none_or(|floor| floor == head.fence_floor);
        (!is_floor).then(|| "the fence floor differs from the head of the log".to_owned())
    }

    /// Returns the first entry of the directory that does not match the log.
    pub(super) fn compare(&mut self, records: &[Record], head: &Head) -> Option<Problem> {
        let mut problems: Vec<Problem> =
            records.iter().filter_map(|record| self.judge(record, head)).collect();
        let missing = |(_, n): (Hash, u64)| Problem::new(n, "the entry published here is missing");
        problems.extend(self.published.drain().map(missing));
        problems.extend(self.rules.take().map(missing));
        problems.extend(self.settings.take().map(missing));
        problems.extend(
            self.parties.drain().map(|(id, (n, _))| {
                Problem::new(n, format!("the party {id} added here is missing"))
            }),
        );
        problems.extend(self.tokens.drain().map(|(id, logged)| {
            Problem::new(logged.n, format!("the token {id} created here is missing"))
        }));
        problems.extend(self.subscriptions.drain().map(|(id, n)| {
            Problem::new(n, format!("the subscription {id} added here is missing"))
        }));
        problems.extend(
            self.pauses
                .take()
                .map(|(_, n)| Problem::new(n, "the halt or outage recorded here is missing")),
        );
        problems.into_iter().min_by_key(|problem| problem.n)
    }

    fn judge(&mut self, record: &Record, head: &Head) -> Option<Problem> {
        let (kind, key) = record.key();
        let last = head.leaves.saturating_sub(1);
        let unknown = || Problem::new(last, format!("{kind} `{key}` is not in the log"));
        let current = |logged: Option<(Hash, u64)>, digest: &str| match logged {
            Some((hash, _)) if hash == hash_of_digest(digest) => None,
            Some((_, n)) => {
                Some(Problem::new(n, format!("the {kind} differ from those published here")))
            }
            None => Some(unknown()),
        };
        match record {
            Record::Contract(contract) => {
                let hash = hash_of_digest(&contract.digest());
                self.published.remove(&hash).is_none().then(unknown)
            }
            Record::Gate(gate) => {
                let digest = tasuki_packet::policy::gate::Gate::read(&gate.document)
                    .map(|gate| gate.digest());
                let hash = digest.ok().map(|digest| hash_of_digest(&digest));
                let known = hash.and_then(|hash| self.published.remove(&hash));
                known.is_none().then(unknown)
            }
            Record::Rules(rules) => {
                let read = tasuki_packet::policy::rules::Rules::read(&rules.document).ok();
                let digest = read.map(|rules| rules.digest()).unwrap_or_default();
                current(self.rules.take(), &digest)
            }
            // The initial settings of a project are in no leaf.
            Record::Settings(_) if self.settings.is_none() => None,
            Record::Settings(settings) => current(self.settings.take(), &settings.digest()),
            Record::Party(party) => match self.parties.remove(&key) {
                Some((_, logged)) if is_logged(&logged, party, head) => None,
                Some((n, _)) => Some(Problem::new(
                    n,
                    format!("the party {key} differs from the one recorded here"),
                )),
                None => Some(unknown()),
            },
            Record::Token(token) => match self.tokens.remove(&key) {
                Some(logged) if logged.matches(token) => None,
                Some(logged) => {
                    let what = format!("the token {key} differs from the one recorded here");
                    Some(Problem::new(logged.n, what))
                }
                None => Some(unknown()),
            },
            Record::Subscription(record) => {
                let is_logged = self.subscriptions.remove(&key).is_some();
                (is_logged == record.is_removed()).then(unknown)
            }
            Record::Pauses(pauses) => match self.pauses.take() {
                Some((logged, _)) if logged == *pauses => None,
                Some((_, n)) => {
                    Some(Problem::new(n, "the halts and outages differ from those recorded here"))
                }
                None => Some(unknown()),
            },
        }
    }
}

impl LoggedToken {
    /// Returns `true` if secret, owner, scopes, networks, receivers, expiry and revocation match the log.
    fn matches(&self, token: &TokenRecord) -> bool {
        let mut attributes = Attributes::from([
            ("credential", Attribute::Id(token.id.into())),
            ("party", Attribute::Id(token.party.into())),
            ("scopes", Attribute::Words(token.scopes.words())),
            ("until", Attribute::Instant(token.expires_at)),
        ]);
        let networks = token.commitment_to_networks();
        if let Some(hash) = networks {
            attributes.insert("networks", Attribute::Hash(hash));
        }
        let receivers = token.commitment_to_receivers();
        if let Some(hash) = receivers {
            attributes.insert("receivers", Attribute::Hash(hash));
        }
        // Older leaves do not commit to the secret.
        if self.attributes.get("secret").is_some() {
            attributes.insert("secret", Attribute::Hash(token.commitment_to_secret()));
        }
        self.attributes == attributes && self.is_revoked == token.revoked_at.is_some()
    }
}

/// Returns `true` if a party has the kind that its leaf names, and the members, names and rights
/// that the leaf commits to. Older leaves do not commit to them.
fn is_logged(logged: &Attributes, party: &Party, head: &Head) -> bool {
    let is_kind = logged.get("kind") == Some(&Attribute::Word(party.kind.as_str()));
    let stated = Attribute::Hash(party.commitment(head));
    is_kind && logged.get("stated").is_none_or(|logged| *logged == stated)
}

fn id_in(leaf: &Leaf, attribute: &str) -> String {
    match leaf.attributes.get(attribute) {
        Some(Attribute::Id(id)) => id.to_string(),
        _ => String::new(),
    }
}
