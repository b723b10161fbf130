//! The directory: parties, tokens, subscriptions, contracts, gates, rules and settings of a
//! project.
//!
//! The directory is loaded once and shared; every change creates a new version. `prepare` works on
//! one version, and the worker refuses to decide on another.

pub(crate) mod address;
pub mod party;
pub mod settings;
pub mod subscription;
pub mod token;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tasuki_packet::credential::ending;
use tasuki_packet::id::{PartyId, ProjectId, SubscriptionId, TokenId};
use tasuki_packet::leaf::Hash;
use tasuki_packet::policy::contract::{CompiledContract, Contract, Identity, PartyName};
use tasuki_packet::policy::gate::Gate;
use tasuki_packet::policy::rules::{CompiledRules, Rules};
use tasuki_packet::{Violation, canonical};

use crate::error::{Fault, FaultKind};
use crate::model::Pauses;
pub use crate::model::Settings;
use crate::model::SubscriptionRecord;
use crate::model::Terms;
use crate::model::TokenRecord;
use crate::model::terms::policy;
use crate::model::{Party, PartyKind};
use crate::refusal::{Refusal, RefusalCode};

/// The parties and the policy of a project.
#[derive(Debug, Clone)]
pub struct Directory {
    /// The version, incremented by every change.
    pub version: u64,
    /// The project.
    pub project: ProjectId,
    /// The project's settings.
    pub settings: Settings,
    /// The rules of the project, if any.
    pub rules: Option<Arc<ProjectRules>>,
    /// The periods in which deadlines or leases did not run.
    pub pauses: Pauses,
    parties: HashMap<PartyId, Arc<Party>>,
    /// All parties sorted by name, for frequent iteration.
    by_name: Vec<Arc<Party>>,
    /// The people among them, sorted by name.
    people: Vec<Arc<Party>>,
    names: HashMap<String, Vec<PartyId>>,
    contracts: BTreeMap<String, Vec<Arc<Published>>>,
    gates: HashMap<String, Arc<Gate>>,
    newest_gates: BTreeMap<String, String>,
    /// Tokens by the last digits of their ids, which are part of their texts.
    tokens: HashMap<String, Arc<TokenRecord>>,
    subscriptions: BTreeMap<SubscriptionId, Arc<SubscriptionRecord>>,
}

/// The rules of a project, as a document and compiled.
#[derive(Debug)]
pub struct ProjectRules {
    /// The rules as stated.
    pub stated: Rules,
    /// The compiled rules.
    pub compiled: CompiledRules,
}

/// A published contract.
#[derive(Debug)]
pub struct Published {
    /// The name and version, as `name@version`.
    pub identity: String,
    /// The contract with its schemas.
    pub compiled: CompiledContract,
    /// The digest of document and schemas.
    pub digest: String,
    /// The policy hash of a packet under this contract and no gate.
    pub policy: Hash,
    /// The published document and schemas.
    pub record: ContractRecord,
}

/// A stored entry of the directory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "snake_case")]
pub enum Record {
    /// A party.
    Party(Party),
    /// A version of a contract.
    Contract(ContractRecord),
    /// A version of a gate.
    Gate(GateRecord),
    /// The rules.
    Rules(RulesRecord),
    /// The settings.
    Settings(Settings),
    /// A token.
    Token(TokenRecord),
    /// A subscription.
    Subscription(Box<SubscriptionRecord>),
    /// The pauses.
    Pauses(Pauses),
}

/// A contract document with its schemas.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContractRecord {
    /// The document.
    pub document: Value,
    /// The schemas by the path that the document uses.
    #[serde(default)]
    pub schemas: BTreeMap<String, Value>,
}

/// A gate document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateRecord {
    /// The document.
    pub document: Value,
}

/// The rules document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RulesRecord {
    /// The document.
    pub document: Value,
}

impl Record {
    /// Returns the kind and key of the stored entry. A record with the same two replaces it.
    pub fn key(&self) -> (&'static str, String) {
        match self {
            Self::Party(party) => ("party", party.id.to_string()),
            Self::Contract(contract) => ("contract", contract.key()),
            Self::Gate(gate) => ("gate", canonical::digest(&gate.document)),
            Self::Rules(_) => ("rules", "rules".to_owned()),
            Self::Settings(_) => ("settings", "settings".to_owned()),
            Self::Token(token) => ("token", token.id.to_string()),
            Self::Subscription(record) => ("subscription", record.id.to_string()),
            Self::Pauses(_) => ("pauses", "pauses".to_owned()),
        }
    }
}

impl ContractRecord {
    fn key(&self) -> String {
        let part = |name: &str| self.document[name].as_str().unwrap_or_default().to_owned();
        format!("{}@{}", part("contract"), part("version"))
    }

    /// Returns the digest of document and schemas.
    pub fn digest(&self) -> String {
        canonical::digest(&serde_json::json!({
            "document": self.document,
            "schemas": self.schemas,
        }))
    }
}

impl Directory {
    /// Creates an empty directory.
    pub fn empty(project: ProjectId) -> Self {
        Self {
            version: 0,
            project,
            settings: Settings::default(),
            rules: None,
            pauses: Pauses::default(),
            parties: HashMap::default(),
            by_name: Vec::new(),
            people: Vec::new(),
            names: HashMap::new(),
            contracts: BTreeMap::new(),
            gates: HashMap::new(),
            newest_gates: BTreeMap::new(),
            tokens: HashMap::new(),
            subscriptions: BTreeMap::new(),
        }
    }

    /// Builds a directory from its records.
    ///
    /// # Errors
    ///
    /// Fails if a record cannot be parsed, which means that the store is corrupt.
    pub fn of(
        project: ProjectId,
        version: u64,
        records: impl IntoIterator<Item = Record>,
    ) -> Result<Self, Fault> {
        let mut directory = Self { version, ..Self::empty(project) };
        for record in records {
            directory.put(&record)?;
        }
        Ok(directory)
    }

    /// Adds or replaces one record.
    pub fn put(&mut self, record: &Record) -> Result<(), Fault> {
        match record {
            Record::Party(party) => self.put_party(party),
            Record::Contract(contract) => return self.put_contract(contract),
            Record::Gate(gate) => return self.put_gate(gate),
            Record::Rules(rules) => {
                let corrupt = |found: Vec<Violation>| corrupt("rules", "rules", &found);
                let read = Rules::read(&rules.document).map_err(corrupt)?;
                let compiled = read.compile().map_err(corrupt)?;
                self.rules = Some(Arc::new(ProjectRules { stated: read, compiled }));
            }
            Record::Settings(settings) => self.settings = settings.clone(),
            Record::Pauses(pauses) => self.pauses = pauses.clone(),
            Record::Token(token) => {
                self.tokens.insert(token.ending(), Arc::new(token.clone()));
            }
            Record::Subscription(record) if record.is_removed() => {
                self.subscriptions.remove(&record.id);
            }
            Record::Subscription(record) => {
                self.subscriptions.insert(record.id, Arc::new(SubscriptionRecord::clone(record)));
            }
        }
        Ok(())
    }

    /// Adds or replaces one party.
    pub(crate) fn put_party(&mut self, party: &Party) {
        let party = Arc::new(party.clone());
        if self.parties.insert(party.id, Arc::clone(&party)).is_some() {
            self.remove_from_indexes(party.id);
        }
        for name in std::iter::once(&party.name).chain(&party.aliases) {
            let ids = self.names.entry(normalized(name).into_owned()).or_default();
            if !ids.contains(&party.id) {
                ids.push(party.id);
            }
        }
        if party.kind == PartyKind::Human {
            put_by_name(&mut self.people, Arc::clone(&party));
        }
        put_by_name(&mut self.by_name, party);
    }

    /// Removes a party from the name indexes.
    fn remove_from_indexes(&mut self, party: PartyId) {
        for ids in self.names.values_mut() {
            ids.retain(|id| *id != party);
        }
        self.by_name.retain(|other| other.id != party);
        self.people.retain(|other| other.id != party);
    }

    fn put_contract(&mut self, record: &ContractRecord) -> Result<(), Fault> {
        let published =
            Published::of(record).map_err(|found| corrupt("contract", &record.key(), &found))?;
        let contract = published.compiled.contract();
        let versions = self.contracts.entry(contract.name.clone()).or_default();
        versions.retain(|other| other.compiled.contract().version != contract.version);
        versions.push(Arc::new(published));
        versions.sort_by_key(|published| published.compiled.contract().version);
        Ok(())
    }

    fn put_gate(&mut self, record: &GateRecord) -> Result<(), Fault> {
        let gate = Gate::read(&record.document)
            .map_err(|found| corrupt("gate", &canonical::digest(&record.document), &found))?;
        let digest = gate.digest();
        // A store returns records in any order, so the version decides which gate is newest.
        let is_newest =
            self.newest_gate(&gate.name).is_none_or(|(_, known)| known.version <= gate.version);
        if is_newest {
            self.newest_gates.insert(gate.name.clone(), digest.clone());
        }
        self.gates.insert(digest, Arc::new(gate));
        Ok(())
    }

    /// Returns the party with this id.
    pub fn party(&self, id: PartyId) -> Option<&Party> {
        self.parties.get(&id).map(Arc::as_ref)
    }

    /// Returns the name of a party, or the id if it is unknown.
    pub fn name(&self, id: PartyId) -> String {
        self.called(id).into_owned()
    }

    /// Returns the name of a party without copying it, or the id if it is unknown.
    pub fn called(&self, id: PartyId) -> Cow<'_, str> {
        match self.party(id) {
            Some(party) => Cow::Borrowed(&party.name),
            None => Cow::Owned(id.to_string()),
        }
    }

    /// Returns all parties, sorted by name.
    pub fn parties(&self) -> Vec<&Party> {
        self.by_name.iter().map(Arc::as_ref).collect()
    }

    /// Returns the people, sorted by name.
    pub fn people(&self) -> impl Iterator<Item = &Party> {
        self.people.iter().map(Arc::as_ref)
    }

    /// Returns the party that a packet or a command refers to by this name.
    ///
    /// # Errors
    ///
    /// Refuses a name that no party or more than one party has.
    pub fn find(&self, name: &str) -> Result<&Party, Refusal> {
        if let Some(skill) = name.strip_prefix(SKILL) {
            return self.skilled(skill).first().copied().ok_or_else(|| unskilled(skill));
        }
        let ids = self.names.get(&*normalized(name)).map_or(&[][..], Vec::as_slice);
        // A party's own name takes precedence over an alias.
        let own = ids.iter().filter_map(|id| self.party(*id)).find(|party| party.name == name);
        match (own, ids) {
            (Some(party), _) => Ok(party),
            (None, [one]) => self.party(*one).ok_or_else(|| self.unknown(name)),
            (None, []) => Err(self.unknown(name)),
            (None, several) => {
                let names: Vec<String> =
                    several.iter().map(|id| format!("`{}`", self.name(*id))).collect();
                let message = format!("`{name}` is ambiguous: it matches {}", names.join(", "));
                Err(Refusal::new(RefusalCode::PartyAmbiguous, message)
                    .hint("use the party's own name"))
            }
        }
    }

    /// Returns the party that a fallback rung names. A name without a party is tried as a role,
    /// because the one-line form writes `oncall` for `role:oncall`.
    pub fn rung(&self, name: &str) -> Option<&Party> {
        self.find_rung(name).ok()
    }

    /// Returns the party that a fallback rung names.
    ///
    /// # Errors
    ///
    /// If the name is unknown or ambiguous.
    pub fn find_rung(&self, name: &str) -> Result<&Party, Refusal> {
        self.find(name).or_else(|refusal| {
            let is_unknown = refusal.code == RefusalCode::PartyUnknown;
            let role = if is_unknown { self.find(&format!("role:{name}")).ok() } else { None };
            role.ok_or(refusal)
        })
    }

    /// Returns the parties with a skill that can claim, roles first, then by name.
    ///
    /// Roles come first because any of their members may claim the work.
    pub fn skilled(&self, skill: &str) -> Vec<&Party> {
        let is_able = |party: &&Party| {
            party.skills.iter().any(|known| known == skill) && self.has_eligible_receiver(party.id)
        };
        let all = self.by_name.iter().map(Arc::as_ref);
        let mut able: Vec<&Party> = all.filter(is_able).collect();
        able.sort_by_key(|party| party.kind != PartyKind::Role);
        able
    }

    fn unknown(&self, name: &str) -> Refusal {
        let names = self.by_name.iter().map(|party| party.name.as_str());
        let near = tasuki_packet::violation::suggest(name, names);
        let valid = party::plain(name);
        let hint = match near {
            Some(near) => format!("did you mean `{near}`? `tasuki party list` lists all"),
            None if valid == name => format!("add it with `tasuki party add {name}`"),
            None => format!("add it with `tasuki party add {valid} --alias \"{name}\"`"),
        };
        Refusal::new(RefusalCode::PartyUnknown, format!("unknown party `{name}`")).hint(hint)
    }

    /// Returns `true` if `party` is `other` or a member of it.
    pub fn is_or_is_in(&self, party: PartyId, other: PartyId) -> bool {
        party == other || self.party(other).is_some_and(|role| role.members.contains(&party))
    }

    /// Returns `true` if the party with this name is a member of the role with that name.
    pub fn is_member(&self, party: &str, role: &str) -> bool {
        let (Ok(party), Ok(role)) = (self.find(party), self.find(role)) else { return false };
        role.members.contains(&party.id)
    }

    /// Returns the ids that a party may claim for: its own and those of its roles.
    pub fn claims_for(&self, party: PartyId) -> Vec<PartyId> {
        let roles = self.by_name.iter().filter(|role| role.members.contains(&party));
        std::iter::once(party).chain(roles.map(|role| role.id)).collect()
    }

    /// Returns `true` if only people can claim work for this party.
    pub fn is_people(&self, party: PartyId) -> bool {
        let is_human =
            |id: &PartyId| self.party(*id).is_some_and(|one| one.kind == PartyKind::Human);
        self.party(party).is_some_and(|found| match found.kind {
            PartyKind::Human => true,
            PartyKind::Agent => false,
            PartyKind::Role => !found.members.is_empty() && found.members.iter().all(is_human),
        })
    }

    /// Returns `true` if any party can claim work for this party.
    pub fn has_eligible_receiver(&self, party: PartyId) -> bool {
        self.party(party)
            .is_some_and(|found| found.kind != PartyKind::Role || !found.members.is_empty())
    }

    /// Returns the token with this id.
    pub fn token(&self, id: TokenId) -> Option<&TokenRecord> {
        self.token_ending_with(&ending(id.as_bytes())).filter(|token| token.id == id)
    }

    /// Returns the token whose id ends with these 8 digits, which are part of its text.
    pub fn token_ending_with(&self, ending: &str) -> Option<&TokenRecord> {
        self.tokens.get(ending).map(Arc::as_ref)
    }

    /// Returns all tokens, oldest first.
    pub fn tokens(&self) -> Vec<&TokenRecord> {
        let mut all: Vec<&TokenRecord> = self.tokens.values().map(Arc::as_ref).collect();
        all.sort_by_key(|token| token.id);
        all
    }

    /// Returns the subscription with this id.
    pub fn subscription(&self, id: SubscriptionId) -> Option<&SubscriptionRecord> {
        self.subscriptions.get(&id).map(Arc::as_ref)
    }

    /// Returns all subscriptions, oldest first.
    pub fn subscriptions(&self) -> Vec<&Arc<SubscriptionRecord>> {
        self.subscriptions.values().collect()
    }

    /// Returns the contract with this name and version.
    pub fn contract(&self, identity: &Identity) -> Option<&Arc<Published>> {
        let versions = self.contracts.get(&identity.name)?;
        versions.iter().find(|one| one.compiled.contract().version == identity.version)
    }

    /// Returns the contract that a handoff's terms name.
    pub fn contract_of(&self, terms: &Terms) -> Option<&Arc<Published>> {
        let identity = terms.contract.as_deref()?;
        let (name, _) = identity.split_once('@')?;
        self.versions(name).iter().find(|published| published.identity == identity)
    }

    /// Returns the versions of a contract, oldest first.
    pub fn versions(&self, name: &str) -> &[Arc<Published>] {
        self.contracts.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns every version of every contract.
    pub fn contracts(&self) -> impl Iterator<Item = &Arc<Published>> {
        self.contracts.values().flatten()
    }

    /// Returns the newest version of each contract that covers the edge.
    pub fn contracts_on(&self, from: &str, to: &str) -> Vec<&Arc<Published>> {
        let newest = self.contracts.values().filter_map(|versions| versions.last());
        newest.filter(|published| self.covers(published.compiled.contract(), from, to)).collect()
    }

    /// Returns `true` if a contract covers the edge.
    pub fn covers(&self, contract: &Contract, from: &str, to: &str) -> bool {
        let names = |named: &[PartyName], party: &str| {
            named.iter().any(|name| {
                name.as_str() == party || name.is_role() && self.is_member(party, name.as_str())
            })
        };
        names(&contract.from, from) && names(&contract.to, to)
    }

    /// Returns the gate with this name and version.
    pub fn published_gate(&self, identity: &Identity) -> Option<&Arc<Gate>> {
        self.gates.values().find(|gate| gate.identity() == *identity)
    }

    /// Returns the gate with this digest.
    pub fn gate(&self, digest: &str) -> Option<&Arc<Gate>> {
        self.gates.get(digest)
    }

    /// Returns the newest gate with this name, and its digest.
    pub fn newest_gate(&self, name: &str) -> Option<(&str, &Arc<Gate>)> {
        let digest = self.newest_gates.get(name)?;
        Some((digest, self.gates.get(digest)?))
    }

    /// Returns the newest version of every gate, with its digest.
    pub fn gates(&self) -> impl Iterator<Item = (&str, &Arc<Gate>)> {
        self.newest_gates.keys().filter_map(|name| self.newest_gate(name))
    }
}

impl Published {
    /// Compiles a published contract.
    ///
    /// # Errors
    ///
    /// Returns all violations of the document.
    pub fn of(record: &ContractRecord) -> Result<Self, Vec<Violation>> {
        let contract = Contract::read(&record.document)?;
        let compiled = CompiledContract::new(&contract, &record.schemas)?;
        let digest = record.digest();
        let policy = policy(Some(&digest), &[]);
        let identity = contract.identity().to_string();
        Ok(Self { identity, compiled, digest, policy, record: record.clone() })
    }
}

/// Inserts a party into a list sorted by name.
fn put_by_name(all: &mut Vec<Arc<Party>>, party: Arc<Party>) {
    let at = all.partition_point(|other| (&other.name, other.id) < (&party.name, party.id));
    all.insert(at, party);
}

/// The prefix that names a receiver by skill.
pub(crate) const SKILL: &str = "skill:";

/// Returns the refusal for a skill that no eligible party has.
pub(crate) fn unskilled(skill: &str) -> Refusal {
    Refusal::new(RefusalCode::PartyUnknown, format!("no eligible party has the skill `{skill}`"))
        .hint(format!("add one with `tasuki party add NAME --skill {skill}`"))
}

/// Normalizes a name for comparison: lower case, and hyphens for spaces.
fn normalized(name: &str) -> Cow<'_, str> {
    // Most names are already normalized.
    if name.bytes().all(|byte| byte.is_ascii_graphic() && !byte.is_ascii_uppercase()) {
        return Cow::Borrowed(name);
    }
    Cow::Owned(name.trim().to_lowercase().split_whitespace().collect::<Vec<_>>().join("-"))
}

fn corrupt(kind: &str, key: &str, found: &[Violation]) -> Fault {
    let first = found.first().map_or_else(String::new, Violation::to_string);
    let message = format!("invalid entry `{kind}` `{key}` in table `directory`: {first}");
    Fault::new(FaultKind::Corrupt, message).hint("restore a backup with `tasuki restore`")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::World;

    #[track_caller]
    fn check(world: &World, name: &str, expected: &str) {
        let found = match world.state.directory.find(name) {
            Ok(party) => party.name.clone(),
            Err(refusal) => world.read_aloud(&refusal),
        };
        assert_eq!(found, expected, "{name}");
    }

    #[test]
    fn a_party_is_found_by_its_name_and_its_aliases_without_case_and_with_spaces() {
        let mut world = World::new();
        world.add("web-scraper", PartyKind::Agent);
        world.change("ben", |party, _| party.aliases = vec!["Benjamin the Agent".to_owned()]);
        for name in ["web-scraper", "Web Scraper", " WEB  scraper "] {
            check(&world, name, "web-scraper");
        }
        for name in ["ben", "Ben", "benjamin the agent", "Benjamin-the-agent"] {
            check(&world, name, "ben");
        }
        check(&world, "Role:Team", "role:team");
        // Only the current name and aliases count.
        world.change("ben", |party, _| party.aliases.clear());
        assert!(world.state.directory.find("Benjamin the Agent").is_err());
    }

    #[test]
    fn an_ambiguous_alias_is_refused_unless_it_is_a_partys_own_name() {
        let mut world = World::new();
        world.change("cem", |party, _| {
            party.aliases = vec!["the agent".to_owned(), "ben".to_owned()];
        });
        world.change("ben", |party, _| party.aliases = vec!["the agent".to_owned()]);
        check(&world, "ben", "ben");
        let refusal = world.state.directory.find("The Agent").unwrap_err();
        insta::assert_snapshot!(world.read_aloud(&refusal), @"
        TK-PARTY-AMBIGUOUS: `The Agent` is ambiguous: it matches `cem`, `ben`
        hint: use the party's own name
        ");
    }

    #[test]
    fn an_unknown_name_gets_a_hint() {
        let world = World::new();
        let hint = |name: &str| world.state.directory.find(name).unwrap_err().hint.unwrap();
        insta::assert_snapshot!(hint("bem"), @"did you mean `ben`? `tasuki party list` lists all");
        insta::assert_snapshot!(hint("hermes-main"), @"add it with `tasuki party add hermes-main`");
        insta::assert_snapshot!(hint("Hermes Main"), @r#"add it with `tasuki party add hermes-main --alias "Hermes Main"`"#);
        insta::assert_snapshot!(hint("skill:python"), @"add one with `tasuki party add NAME --skill python`");
    }

    #[test]
    fn a_skill_finds_roles_first_and_skips_parties_that_cannot_claim() {
        let mut world = World::new();
        world.change("role:nobody", |party, _| party.skills = vec!["python".to_owned()]);
        assert!(world.state.directory.find("skill:python").is_err());
        world.change("cem", |party, _| party.skills = vec!["python".to_owned()]);
        world.change("ana", |party, _| party.skills = vec!["python".to_owned()]);
        check(&world, "skill:python", "ana");
        world.change("role:team", |party, _| party.skills = vec!["python".to_owned()]);
        check(&world, "skill:python", "role:team");
    }

    #[test]
    fn parties_stay_sorted_by_name_after_every_change() {
        let mut world = World::new();
        let listed = |world: &World| {
            let directory = &world.state.directory;
            let all = directory.parties();
            assert!(all.is_sorted_by_key(|party| &party.name));
            let people: Vec<String> = directory.people().map(|one| one.name.clone()).collect();
            (all.len(), people.join(" "))
        };
        let (before, people) = listed(&world);
        assert_eq!(people, "pia quin");
        world.add("amy", PartyKind::Human);
        assert_eq!(listed(&world), (before + 1, "amy pia quin".to_owned()));
        world.change("amy", |party, _| party.name = "zoe".to_owned());
        assert_eq!(listed(&world), (before + 1, "pia quin zoe".to_owned()));
        world.change("pia", |party, _| party.kind = PartyKind::Agent);
        assert_eq!(listed(&world), (before + 1, "quin zoe".to_owned()));
    }

    #[test]
    fn who_may_claim_and_who_is_people() {
        let world = World::new();
        let directory = &world.state.directory;
        let names = |party: &str| {
            let ids = directory.claims_for(world.id(party));
            ids.into_iter().map(|id| directory.name(id)).collect::<Vec<_>>()
        };
        assert_eq!(names("ben"), ["ben", "role:team"]);
        assert_eq!(names("ana"), ["ana"]);
        for (party, is_people, leads) in [
            ("ana", false, true),
            ("pia", true, true),
            ("role:team", false, true),
            ("role:people", true, true),
            ("role:nobody", false, false),
        ] {
            assert_eq!(directory.is_people(world.id(party)), is_people, "{party}");
            assert_eq!(directory.has_eligible_receiver(world.id(party)), leads, "{party}");
        }
    }

    #[test]
    fn the_newest_gate_has_the_highest_version_in_any_insertion_order() {
        let gate = |version: &str| {
            let factors = json!([{"name": "eyes", "roles": ["people"], "approvals": 1}]);
            let document = json!({"gate": "release", "version": version, "factors": factors});
            Record::Gate(GateRecord { document })
        };
        for order in [["1.2", "1.10"], ["1.10", "1.2"]] {
            let records = order.map(gate);
            let directory = Directory::of(ProjectId::new(1, [1; 10]), 1, records).unwrap();
            let (_, newest) = directory.newest_gate("release").unwrap();
            assert_eq!(newest.identity().to_string(), "release@1.10");
            assert_eq!(directory.gates().count(), 1);
            assert!(directory.published_gate(&"release@1.2".parse().unwrap()).is_some());
        }
    }

    #[test]
    fn versions_of_a_contract_are_in_their_order_and_the_newest_covers_its_edges() {
        let mut world = World::new();
        for (version, to) in [("1.10", "ben"), ("1.2", "cem"), ("1.9", "cem")] {
            world.contract(&json!({"version": version, "to": [to]}));
        }
        let directory = &world.state.directory;
        let versions: Vec<String> = directory
            .versions("work")
            .iter()
            .map(|one| one.compiled.contract().version.to_string())
            .collect();
        assert_eq!(versions, ["1.2", "1.9", "1.10"]);
        assert_eq!(directory.contracts_on("ana", "ben").len(), 1);
        assert_eq!(directory.contracts_on("ana", "cem").len(), 0);
        assert_eq!(directory.contracts().count(), 3);
    }

    #[test]
    fn a_record_that_cannot_be_parsed_is_a_fault_that_names_it() {
        let broken = [
            Record::Gate(GateRecord { document: json!({"gate": "x"}) }),
            Record::Rules(RulesRecord { document: json!({"rules": 1}) }),
            Record::Contract(ContractRecord {
                document: json!({"contract": "work", "version": "1.0"}),
                schemas: BTreeMap::new(),
            }),
        ];
        let faults = broken.map(|record| {
            Directory::of(ProjectId::new(1, [1; 10]), 1, [record]).unwrap_err().to_string()
        });
        insta::assert_snapshot!(faults.join("\n"), @"
        invalid entry `gate` `sha256:af5ee9f1b365cbe5123737375d7e3f650c565f7d87e419bf8a29e7271a065786` in table `directory`: TK-FIELD-MISSING: missing required field `version`
        invalid entry `rules` `rules` in table `directory`: TK-FIELD-TYPE: `/rules` must be a list, not a number
        invalid entry `contract` `work@1.0` in table `directory`: TK-FIELD-MISSING: missing required field `from`
        ");
    }
}
