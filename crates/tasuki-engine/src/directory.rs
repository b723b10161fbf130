//! Parties, contracts, gates, rules and settings of a project: what changes seldom.
//!
//! The directory is loaded once and shared; every change makes a new version of it. `prepare` works
//! on one version, and the line refuses to decide by another.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tasuki_packet::canonical;
use tasuki_packet::contract::{Compiled, Contract, Identity, PartyName};
use tasuki_packet::gate::Gate;
use tasuki_packet::id::{PartyId, ProjectId};
use tasuki_packet::rules::{CompiledRules, Rules};

use crate::error::{Fault, FaultKind};
use crate::limits::{ATTEMPTS_DEFAULT, HOPS_DEFAULT, REWORKS_DEFAULT};
use crate::party::{Party, PartyKind};
use crate::refusal::{Refusal, RefusalCode};
use crate::sheet::Step;

/// What a project has agreed on.
#[derive(Debug, Clone)]
pub struct Directory {
    /// Grows with every change.
    pub version: u64,
    /// The project.
    pub project: ProjectId,
    /// The project's settings.
    pub settings: Settings,
    /// The rules of the project, if it has any.
    pub rules: Option<Arc<ProjectRules>>,
    parties: HashMap<PartyId, Arc<Party>>,
    names: HashMap<String, Vec<PartyId>>,
    contracts: BTreeMap<String, Vec<Arc<Published>>>,
    gates: HashMap<String, Arc<Gate>>,
    newest_gates: BTreeMap<String, String>,
}

/// The rules of a project, as they are stated and ready to look into packets.
#[derive(Debug)]
pub struct ProjectRules {
    /// As they are stated.
    pub stated: Rules,
    /// Ready to look into packets.
    pub compiled: CompiledRules,
}

/// A contract that can be used.
#[derive(Debug)]
pub struct Published {
    /// The contract with its schemas.
    pub compiled: Compiled,
    /// The digest over document and schemas.
    pub digest: String,
    /// What was published.
    pub record: ContractRecord,
}

/// One entry of the directory as it is stored.
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
}

/// A contract document with the schemas it refers to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContractRecord {
    /// The document.
    pub document: Value,
    /// Its schemas by the path it names them by.
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

/// What an operator may set for a project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Whether an edge without a contract is allowed.
    pub allows_edges_without_contract: bool,
    /// Whether a party that nobody added is added when it is first named.
    pub registers_on_first_use: bool,
    /// Whether a secret is cut out instead of refused.
    pub redacts_secrets: bool,
    /// The fallback where neither packet nor contract has one.
    pub ladder: Vec<Step>,
    /// How many handoffs a chain may have.
    pub hops: u32,
    /// How many claims of one receiver may lapse.
    pub attempts: u32,
    /// How many returns may fail.
    pub reworks: u32,
    /// How long a chain may take.
    pub chain_time: Option<tasuki_packet::duration::Duration>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            allows_edges_without_contract: true,
            registers_on_first_use: false,
            redacts_secrets: false,
            ladder: Vec::new(),
            hops: HOPS_DEFAULT,
            attempts: ATTEMPTS_DEFAULT,
            reworks: REWORKS_DEFAULT,
            chain_time: None,
        }
    }
}

impl Record {
    /// The kind and the key under which it is stored: a record with the same two replaces it.
    pub fn key(&self) -> (&'static str, String) {
        match self {
            Self::Party(party) => ("party", party.id.to_string()),
            Self::Contract(contract) => ("contract", contract.key()),
            Self::Gate(gate) => ("gate", canonical::digest(&gate.document)),
            Self::Rules(_) => ("rules", "rules".to_owned()),
            Self::Settings(_) => ("settings", "settings".to_owned()),
        }
    }
}

impl ContractRecord {
    fn key(&self) -> String {
        let part = |name: &str| self.document[name].as_str().unwrap_or_default().to_owned();
        format!("{}@{}", part("contract"), part("version"))
    }

    /// The digest over document and schemas.
    pub fn digest(&self) -> String {
        canonical::digest(&serde_json::json!({
            "document": self.document,
            "schemas": self.schemas,
        }))
    }
}

impl Directory {
    /// An empty directory.
    pub fn empty(project: ProjectId) -> Self {
        Self {
            version: 0,
            project,
            settings: Settings::default(),
            rules: None,
            parties: HashMap::new(),
            names: HashMap::new(),
            contracts: BTreeMap::new(),
            gates: HashMap::new(),
            newest_gates: BTreeMap::new(),
        }
    }

    /// The directory that these records make.
    ///
    /// # Errors
    ///
    /// A record that cannot be read again: the store is corrupt.
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

    /// Takes one record in.
    pub fn put(&mut self, record: &Record) -> Result<(), Fault> {
        match record {
            Record::Party(party) => self.put_party(party),
            Record::Contract(contract) => return self.put_contract(contract),
            Record::Gate(gate) => return self.put_gate(gate),
            Record::Rules(rules) => {
                let read = Rules::read(&rules.document).map_err(|_| corrupt("rules", "rules"))?;
                let compiled = read.compile().map_err(|_| corrupt("rules", "rules"))?;
                self.rules = Some(Arc::new(ProjectRules { stated: read, compiled }));
            }
            Record::Settings(settings) => self.settings = settings.clone(),
        }
        Ok(())
    }

    fn put_party(&mut self, party: &Party) {
        for ids in self.names.values_mut() {
            ids.retain(|id| *id != party.id);
        }
        for name in std::iter::once(&party.name).chain(&party.aliases) {
            let ids = self.names.entry(plain(name)).or_default();
            if !ids.contains(&party.id) {
                ids.push(party.id);
            }
        }
        self.parties.insert(party.id, Arc::new(party.clone()));
    }

    fn put_contract(&mut self, record: &ContractRecord) -> Result<(), Fault> {
        let published = Published::of(record).map_err(|_| corrupt("contract", &record.key()))?;
        let contract = published.compiled.contract();
        let versions = self.contracts.entry(contract.name.clone()).or_default();
        versions.retain(|other| other.compiled.contract().version != contract.version);
        versions.push(Arc::new(published));
        versions.sort_by_key(|published| published.compiled.contract().version);
        Ok(())
    }

    fn put_gate(&mut self, record: &GateRecord) -> Result<(), Fault> {
        let gate = Gate::read(&record.document).map_err(|_| corrupt("gate", "?"))?;
        let digest = gate.digest();
        self.newest_gates.insert(gate.name.clone(), digest.clone());
        self.gates.insert(digest, Arc::new(gate));
        Ok(())
    }

    /// The party with this id.
    pub fn party(&self, id: PartyId) -> Option<&Party> {
        self.parties.get(&id).map(Arc::as_ref)
    }

    /// The name of a party; an id that is not in the directory is printed as it is.
    pub fn name(&self, id: PartyId) -> String {
        self.party(id).map_or_else(|| id.to_string(), |party| party.name.clone())
    }

    /// All parties, by name.
    pub fn parties(&self) -> Vec<&Party> {
        let mut all: Vec<&Party> = self.parties.values().map(Arc::as_ref).collect();
        all.sort_by(|one, other| one.name.cmp(&other.name));
        all
    }

    /// The one party that a packet or a command calls by this name.
    ///
    /// # Errors
    ///
    /// If nobody or more than one party has the name.
    pub fn find(&self, name: &str) -> Result<&Party, Refusal> {
        if let Some(skill) = name.strip_prefix("skill:") {
            return self.with_skill(skill);
        }
        let ids = self.names.get(&plain(name)).map_or(&[][..], Vec::as_slice);
        // A party's own name comes before anybody's alias.
        let own = ids.iter().filter_map(|id| self.party(*id)).find(|party| party.name == name);
        match (own, ids) {
            (Some(party), _) => Ok(party),
            (None, [one]) => Ok(self.party(*one).expect("names are of parties")),
            (None, []) => Err(self.unknown(name)),
            (None, several) => {
                let names: Vec<String> = several.iter().map(|id| self.name(*id)).collect();
                let message = format!("`{name}` may be any of {}", names.join(", "));
                Err(Refusal::new(RefusalCode::PartyAmbiguous, message)
                    .hint("use the party's own name"))
            }
        }
    }

    fn with_skill(&self, skill: &str) -> Result<&Party, Refusal> {
        let has = |party: &&Party| party.skills.iter().any(|known| known == skill);
        // A role that has the skill comes first: any of its members may take the work.
        let mut able: Vec<&Party> = self.parties().into_iter().filter(has).collect();
        able.sort_by_key(|party| party.kind != PartyKind::Role);
        able.first().copied().ok_or_else(|| {
            Refusal::new(RefusalCode::PartyUnknown, format!("no party has the skill `{skill}`"))
                .hint(format!("`tasuki party add NAME --skill {skill}` adds one"))
        })
    }

    fn unknown(&self, name: &str) -> Refusal {
        let names: Vec<&str> =
            self.parties().into_iter().map(|party| party.name.as_str()).collect();
        let near = tasuki_packet::suggest::suggest(name, names.iter().copied());
        let hint = match near {
            Some(near) => format!("did you mean `{near}`? `tasuki party ls` lists all"),
            None => format!("add it with `tasuki party add {name}`"),
        };
        Refusal::new(RefusalCode::PartyUnknown, format!("no party is called `{name}`")).hint(hint)
    }

    /// Whether the party is that party, or a member of that role.
    pub fn is_or_is_in(&self, party: PartyId, other: PartyId) -> bool {
        party == other || self.party(other).is_some_and(|role| role.members.contains(&party))
    }

    /// Whether a party of this name is a member of the role of that name.
    pub fn is_member(&self, party: &str, role: &str) -> bool {
        let (Ok(party), Ok(role)) = (self.find(party), self.find(role)) else { return false };
        role.members.contains(&party.id)
    }

    /// A party's own id and those of the roles it is in: what it may claim.
    pub fn claims_for(&self, party: PartyId) -> Vec<PartyId> {
        let roles = self.parties().into_iter().filter(|role| role.members.contains(&party));
        std::iter::once(party).chain(roles.map(|role| role.id)).collect()
    }

    /// Whether only people can claim what goes to this party.
    pub fn is_people(&self, party: PartyId) -> bool {
        let is_human =
            |id: &PartyId| self.party(*id).is_some_and(|one| one.kind == PartyKind::Human);
        self.party(party).is_some_and(|found| match found.kind {
            PartyKind::Human => true,
            PartyKind::Agent => false,
            PartyKind::Role => !found.members.is_empty() && found.members.iter().all(is_human),
        })
    }

    /// Whether anybody can claim what goes to this party.
    pub fn leads_to_somebody(&self, party: PartyId) -> bool {
        self.party(party)
            .is_some_and(|found| found.kind != PartyKind::Role || !found.members.is_empty())
    }

    /// The contract of this name and version.
    pub fn contract(&self, identity: &Identity) -> Option<&Arc<Published>> {
        let versions = self.contracts.get(&identity.name)?;
        versions.iter().find(|one| one.compiled.contract().version == identity.version)
    }

    /// The versions of a contract, oldest first.
    pub fn versions(&self, name: &str) -> &[Arc<Published>] {
        self.contracts.get(name).map_or(&[], Vec::as_slice)
    }

    /// Every version of every contract.
    pub fn contracts(&self) -> impl Iterator<Item = &Arc<Published>> {
        self.contracts.values().flatten()
    }

    /// The newest version of each contract that covers an edge.
    pub fn contracts_on(&self, from: &str, to: &str) -> Vec<&Arc<Published>> {
        let newest = self.contracts.values().filter_map(|versions| versions.last());
        newest.filter(|published| self.covers(published.compiled.contract(), from, to)).collect()
    }

    /// Whether a contract is for this edge.
    pub fn covers(&self, contract: &Contract, from: &str, to: &str) -> bool {
        let names = |named: &[PartyName], party: &str| {
            named.iter().any(|name| {
                name.as_str() == party || name.is_role() && self.is_member(party, name.as_str())
            })
        };
        names(&contract.from, from) && names(&contract.to, to)
    }

    /// The gate with this digest.
    pub fn gate(&self, digest: &str) -> Option<&Arc<Gate>> {
        self.gates.get(digest)
    }

    /// The newest gate of this name, with its digest.
    pub fn newest_gate(&self, name: &str) -> Option<(&str, &Arc<Gate>)> {
        let digest = self.newest_gates.get(name)?;
        Some((digest, self.gates.get(digest)?))
    }

    /// The newest version of every gate, with its digest.
    pub fn gates(&self) -> impl Iterator<Item = (&str, &Arc<Gate>)> {
        self.newest_gates.keys().filter_map(|name| self.newest_gate(name))
    }
}

impl Published {
    /// Compiles what was published.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it.
    pub fn of(record: &ContractRecord) -> Result<Self, Vec<tasuki_packet::Violation>> {
        let contract = Contract::read(&record.document)?;
        let compiled = Compiled::new(&contract, &record.schemas)?;
        Ok(Self { compiled, digest: record.digest(), record: record.clone() })
    }
}

/// Names are compared without case, and with a hyphen for spaces: packets name parties freely.
fn plain(name: &str) -> String {
    name.trim().to_lowercase().split_whitespace().collect::<Vec<_>>().join("-")
}

fn corrupt(kind: &str, key: &str) -> Fault {
    let message = format!("table `directory`, entry `{kind}` `{key}`: the document is not valid");
    Fault::new(FaultKind::Corrupt, message).hint("restore a backup: `tasuki restore`")
}
