//! The backend for a local exchange.

use std::cell::Cell;
use std::path::PathBuf;

use jiff::Timestamp;
use tasuki_api as api;
use tasuki_api::{
    AuditTrail, CheckpointRecord, ContractDetails, ContractSummary, DecisionRecord, EdgeStats,
    HandoffDetails, LogCheckReport, PolicyDetails, Project, SearchHit, WorkTree,
};
use tasuki_client::HandoffQuery;
use tasuki_engine::command::Command;
use tasuki_engine::error::Error;
use tasuki_engine::limits::PAGE_MAX;
use tasuki_engine::model::{EventFilter, Handoff, Principal, Scopes, StateWord, TokenRecord};
use tasuki_engine::ports::{Order, Query};
use tasuki_engine::query::continuation::{Reader, chain_brief};
use tasuki_engine::query::decisions::decisions;
use tasuki_engine::query::events::{Bounds, Page, event, last, since};
use tasuki_engine::query::inbox::InboxPage;
use tasuki_engine::query::stats::stats;
use tasuki_engine::query::trail::{Trail, trail};
use tasuki_engine::steps::{CreateToken, SignOff};
use tasuki_engine::view;
use tasuki_packet::Packet;
use tasuki_packet::id::{HandoffId, PartyId};

use super::exchange::Exchange;
use super::follow::StorePoller;
use super::password as stored_password;
use crate::backend::refusal::{fault_failure, refusal_failure};
use crate::backend::{Backend, EventFollower, handoff_filter};
use crate::config::Settings;
use crate::data_dir::sessions::{Sessions, StoredClaim};
use crate::exit::{Exit, Failure};
use crate::input::password;
use crate::output::escape::excerpt as quoted;
use crate::output::printer::Printer;
use crate::output::time::elapsed_seconds;

/// A local exchange, and its caller.
pub(crate) struct LocalBackend {
    pub(crate) exchange: Exchange,
    pub(crate) principal: Principal,
    /// `true` if the caller can be asked for a password.
    pub(super) may_prompt: bool,
    /// Set when a person has proven that they may add another one.
    pub(super) is_introduced: Cell<bool>,
}

impl LocalBackend {
    /// Returns a backend for a caller.
    pub(crate) fn new(exchange: Exchange, principal: Principal, may_prompt: bool) -> Self {
        Self { exchange, principal, may_prompt, is_introduced: Cell::new(false) }
    }

    /// Returns a backend for queries that need no caller.
    pub(crate) fn anonymous(exchange: Exchange) -> Self {
        Self::new(exchange, Principal::system(), false)
    }

    fn reader(&self) -> Result<Reader<'_>, Failure> {
        self.exchange.reader(&self.principal)
    }

    fn view(&self, handoff: &Handoff) -> Result<api::Handoff, Failure> {
        let mut cards = self.views(std::slice::from_ref(handoff))?;
        Ok(cards.swap_remove(0))
    }

    /// Returns handoffs as the caller may see them.
    fn views(&self, handoffs: &[Handoff]) -> Result<Vec<api::Handoff>, Failure> {
        Ok(self.reader()?.cards(handoffs))
    }

    fn query(&self, listing: &HandoffQuery) -> Result<Query, Failure> {
        let directory = self.exchange.directory()?;
        let party = |name: &Option<String>| -> Result<Vec<PartyId>, Failure> {
            let Some(name) = name else { return Ok(Vec::new()) };
            let found = directory.find(name).map_err(|refusal| refusal_failure(&refusal))?;
            Ok(vec![found.id])
        };
        let unfinished =
            StateWord::ALL.into_iter().filter(|s| s.is_open() || *s == StateWord::Dead);
        Ok(Query {
            states: match listing.states.as_slice() {
                [] if listing.all => Vec::new(),
                [] => unfinished.collect(),
                named => named.iter().filter_map(|word| StateWord::named(word)).collect(),
            },
            task: listing.task.clone(),
            senders: party(&listing.from)?,
            receivers: party(&listing.to)?,
            ..Query::default()
        })
    }
}

impl Backend for LocalBackend {
    fn settings(&self) -> &Settings {
        &self.exchange.settings
    }

    fn now(&self) -> Timestamp {
        self.exchange.engine.now()
    }

    fn sessions(&self) -> Result<Sessions, Failure> {
        Ok(Sessions::of(self.exchange.data_dir()))
    }

    fn drafts_dir(&self) -> Result<PathBuf, Failure> {
        Ok(self.exchange.data_dir().path().to_owned())
    }

    fn own_name(&self) -> Result<String, Failure> {
        self.exchange.own_name()
    }

    fn scopes(&self) -> Result<Scopes, Failure> {
        Ok(self.principal.scopes)
    }

    fn run(&self, command: Command, key: Option<String>) -> Result<api::CommandResponse, Failure> {
        self.exchange.run(&self.prove(&command)?, command, key)
    }

    fn subject_name(&self) -> Result<String, Failure> {
        Ok(self.exchange.directory()?.name(self.principal.party))
    }

    /// Write access to the data directory makes an operator, who may create tokens. A token of a person
    /// decides, so it needs their password.
    fn create_token(&self, request: CreateToken) -> Result<api::CommandResponse, Failure> {
        self.prove_token(&request.party)?;
        self.exchange.run(&Principal::system(), Command::CreateToken(request), None)
    }

    fn prompt_new_password(&self, name: &str) -> Result<Option<String>, Failure> {
        if !self.may_prompt {
            return Ok(None);
        }
        self.prove_introduction(Some(name))?;
        password::prompt_new(name)
    }

    fn store_password(&self, name: &str, hash: &str) -> Result<(), Failure> {
        stored_password::store_password(&self.exchange, name, hash)
    }

    fn require_can_sign(&self) -> Result<(), Failure> {
        if !self.principal.is_human() {
            return Err(password::agent_cannot_sign());
        }
        stored_password::require_password(&self.exchange, &self.own_name()?, self.may_prompt)
    }

    fn sign_off(
        &self,
        mut request: SignOff,
        since: Timestamp,
    ) -> Result<api::CommandResponse, Failure> {
        let signer = self.authenticated()?;
        request.seen.attention.seconds = Some(elapsed_seconds(since, self.now()));
        self.exchange.run(&signer, Command::SignOff(request), None)
    }

    fn unprotected(&self) -> Result<Option<&'static str>, Failure> {
        Ok((!self.has_passwords()?).then_some(UNPROTECTED))
    }

    fn apply_due(&self) -> Result<(), Failure> {
        self.exchange.apply_due(&self.principal)
    }

    fn next_event_number(&self) -> Result<u64, Failure> {
        Ok(self.exchange.wait(self.exchange.engine.head(self.exchange.project))?.leaves)
    }

    fn resolve(&self, written: &str) -> Result<api::Handoff, Failure> {
        self.view(&self.exchange.resolve(written)?)
    }

    fn resolve_id(&self, written: &str) -> Result<HandoffId, Failure> {
        Ok(self.exchange.resolve(written)?.id)
    }

    fn resolve_own_id(&self, written: &str) -> Result<HandoffId, Failure> {
        self.resolve_id(written)
    }

    fn can_read(&self) -> Result<bool, Failure> {
        Ok(true)
    }

    fn is_claim_live(&self, claim: &StoredClaim) -> bool {
        let read = self.exchange.store.handoff(self.exchange.project, claim.handoff);
        let found = self.exchange.read(read).ok().flatten();
        found.is_some_and(|handoff| {
            handoff.progress.child.is_none()
                && handoff.claim().is_some_and(|live| live.fence == claim.fence)
        })
    }

    fn inbox(&self, limit: u32, cursor: Option<&str>) -> Result<api::Inbox, Failure> {
        let behind = cursor.and_then(|cursor| cursor.parse().ok());
        let exchange = &self.exchange;
        let (engine, project) = (&exchange.engine, exchange.project);
        let page = InboxPage { behind, ..InboxPage::first(limit) };
        exchange.wait(engine.inbox(project, &self.principal, page))
    }

    fn acknowledge(&self, seen: Vec<api::FailureReference>) -> Result<api::Acknowledged, Failure> {
        let exchange = &self.exchange;
        let (engine, project) = (&exchange.engine, exchange.project);
        let parsed = seen.iter().filter_map(|one| Some((one.handoff.parse().ok()?, one.n)));
        let seen: Vec<(HandoffId, u64)> = parsed.collect();
        let acknowledged = exchange.wait(engine.acknowledge(project, &self.principal, &seen))?;
        Ok(api::Acknowledged { acknowledged })
    }

    fn details(&self, handoff: &str, revision: Option<u32>) -> Result<HandoffDetails, Failure> {
        let handoff = self.exchange.resolve(handoff)?;
        let revision = revision.unwrap_or(handoff.facts.revision);
        let details = self.exchange.details(&self.principal, &handoff, revision)?;
        self.exchange.mark_delivered(&self.principal, &handoff);
        Ok(details)
    }

    fn work_tree(&self, handoff: &str) -> Result<Option<WorkTree>, Failure> {
        let handoff = self.exchange.resolve(handoff)?;
        let revision = handoff.facts.revision;
        Ok(self.exchange.details(&self.principal, &handoff, revision)?.work_tree)
    }

    fn checkpoints(&self, handoff: &str) -> Result<Vec<CheckpointRecord>, Failure> {
        let handoff = self.exchange.resolve(handoff)?;
        self.exchange.wait(self.reader()?.checkpoints(&handoff))
    }

    fn approval(&self, handoff: HandoffId) -> Result<Option<api::Approval>, Failure> {
        let handoff = self.exchange.resolve(&handoff.to_string())?;
        self.exchange.wait(self.reader()?.approval(&handoff))
    }

    fn packet_as_sent(&self, handoff: &str, revision: Option<u32>) -> Result<Vec<u8>, Failure> {
        let handoff = self.exchange.resolve(handoff)?;
        let revision = revision.unwrap_or(handoff.facts.revision);
        let sent = self.exchange.wait(self.reader()?.revision(&handoff, revision))?.sent;
        self.exchange.mark_delivered(&self.principal, &handoff);
        Ok(sent)
    }

    fn returns(&self, handoff: &str) -> Result<Vec<api::Return>, Failure> {
        let handoff = self.exchange.resolve(handoff)?;
        self.exchange.wait(self.reader()?.returns(&handoff))
    }

    fn last_return(&self, handoff: &str) -> Result<Option<api::Return>, Failure> {
        let handoff = self.exchange.resolve(handoff)?;
        self.exchange.wait(self.reader()?.last_return(&handoff))
    }

    fn packet(&self, handoff: HandoffId) -> Result<Packet, Failure> {
        let handoff = self.exchange.resolve(&handoff.to_string())?;
        let revision = handoff.facts.revision;
        Ok(self.exchange.wait(self.reader()?.revision(&handoff, revision))?.packet)
    }

    fn continuation_packet(&self, handoff: HandoffId) -> Result<Packet, Failure> {
        let handoff = self.exchange.resolve(&handoff.to_string())?;
        Ok(self.exchange.wait(self.reader()?.link(&handoff))?.composed())
    }

    fn export_packet(&self, handoff: &str) -> Result<Packet, Failure> {
        let handoff = self.exchange.resolve(handoff)?;
        let packet = self.exchange.wait(self.reader()?.exported(&handoff))?;
        self.exchange.mark_delivered(&self.principal, &handoff);
        Ok(packet)
    }

    fn continuation(&self, handoff: &str, budget: usize) -> Result<api::Continuation, Failure> {
        let handoff = self.exchange.resolve(handoff)?;
        let continuation = self.exchange.wait(self.reader()?.continuation(&handoff, budget))?;
        self.exchange.mark_delivered(&self.principal, &handoff);
        Ok(continuation)
    }

    fn chain_brief(&self, handoff: HandoffId, _: &api::CommandResponse) -> Result<String, Failure> {
        let taken = self.exchange.resolve(&handoff.to_string())?;
        Ok(chain_brief(&self.exchange.wait(self.reader()?.chain(&taken))?))
    }

    fn audit_trail(&self, handoff: &str) -> Result<AuditTrail, Failure> {
        let handoff = self.exchange.resolve(handoff)?;
        let id = handoff.id;
        let rows = self.exchange.read(self.exchange.store.leaves_of(self.exchange.project, id))?;
        let decisions = self.exchange.wait(self.reader()?.decisions_if_allowed(&handoff))?;
        let entries = trail(&rows)
            .map_err(|error| Failure::refused(error.to_string()).hint("run `tasuki log check`"))?;
        Ok(AuditTrail { handoff: id.to_string(), entries, decisions })
    }

    fn handoffs(&self, listing: &HandoffQuery, limit: u32) -> Result<Vec<api::Handoff>, Failure> {
        let mut query = self.query(listing)?;
        let mut found: Vec<api::Handoff> = Vec::new();
        let mut left = limit;
        while left > 0 {
            query.limit = left.min(PAGE_MAX);
            let read = self.exchange.store.handoffs(self.exchange.project, query.clone());
            let page = self.exchange.read(read)?;
            let Some(last) = page.last() else { break };
            query.after = Some(last.id);
            let count = u32::try_from(page.len()).unwrap_or(u32::MAX);
            found.extend(self.views(&page)?);
            if count < query.limit {
                break;
            }
            left -= count;
        }
        Ok(found)
    }

    fn search(&self, words: &str, limit: u32) -> Result<Vec<SearchHit>, Failure> {
        let (mut found, mut behind) = (Vec::new(), None);
        let wanted = usize::try_from(limit).unwrap_or(usize::MAX);
        while found.len() < wanted {
            let left = u32::try_from(wanted - found.len()).unwrap_or(limit);
            let page = self.exchange.wait(self.reader()?.search(words, behind, left))?;
            found.extend(page.found);
            behind = page.next;
            if behind.is_none() {
                break;
            }
        }
        Ok(found.into_iter().map(view::search_hit).collect())
    }

    fn stats(&self) -> Result<Vec<EdgeStats>, Failure> {
        let (store, project) = (self.exchange.engine.store().as_ref(), self.exchange.project);
        let read = async { stats(store, project).await.map_err(Error::from) };
        self.exchange.wait(read)
    }

    fn decisions(
        &self,
        cursor: Option<&str>,
    ) -> Result<(Vec<DecisionRecord>, Option<String>), Failure> {
        let from = cursor.and_then(|cursor| cursor.parse().ok()).unwrap_or_default();
        let (store, project) = (self.exchange.engine.store().as_ref(), self.exchange.project);
        let read = async { decisions(store, project, from, PAGE_MAX).await.map_err(Error::from) };
        let (page, next) = self.exchange.wait(read)?;
        let mut shown = Vec::new();
        for decided in page {
            // A gate may hide the packet from the caller.
            let handoff = self.exchange.resolve(&decided.handoff)?;
            let revision = u32::try_from(decided.revision).unwrap_or(u32::MAX);
            if self.reader()?.may_read(&handoff, revision) {
                shown.push(decided);
            }
        }
        Ok((shown, next.map(|next| next.to_string())))
    }

    fn events(&self, from: u64, filter: &EventFilter, limit: usize) -> Result<Page, Failure> {
        let store = self.exchange.engine.store().as_ref();
        let read = since(store, self.exchange.project, from, filter, Bounds::of_events(limit));
        self.exchange.read(Box::pin(read))
    }

    fn follow_handoff<'a>(
        &'a self,
        handoff: HandoffId,
        from: u64,
        printer: &'a Printer,
    ) -> Result<Box<dyn EventFollower + 'a>, Failure> {
        self.follow_events(from, &handoff_filter(handoff), printer)
    }

    fn follow_inbox<'a>(
        &'a self,
        printer: &'a Printer,
    ) -> Result<Box<dyn EventFollower + 'a>, Failure> {
        self.follow_events(self.next_event_number()?, &EventFilter::default(), printer)
    }

    fn follow_events<'a>(
        &'a self,
        from: u64,
        filter: &EventFilter,
        _: &'a Printer,
    ) -> Result<Box<dyn EventFollower + 'a>, Failure> {
        Ok(Box::new(StorePoller { backend: self, from, filter: filter.clone() }))
    }

    fn last_events(&self, filter: &EventFilter, limit: usize) -> Result<Page, Failure> {
        let store = self.exchange.engine.store().as_ref();
        self.exchange.read(Box::pin(last(
            store,
            self.exchange.project,
            None,
            filter,
            Bounds::of_events(limit),
        )))
    }

    fn history(&self, handoff: HandoffId) -> Result<Vec<api::Event>, Failure> {
        let read = self.exchange.store.leaves_of(self.exchange.project, handoff);
        let rows = self.exchange.read(read)?;
        let events = rows.iter().map(event).collect::<Result<_, _>>();
        events.map_err(|error| fault_failure(&error))
    }

    fn timeline(&self, task: &str) -> Result<(Vec<api::Handoff>, Vec<api::Event>), Failure> {
        let task = self.exchange.resolve(task)?.facts.task.clone();
        let query =
            Query { task: Some(task), order: Order::Oldest, limit: PAGE_MAX, ..Query::default() };
        let read = self.exchange.store.handoffs(self.exchange.project, query);
        let handoffs = self.exchange.read(read)?;
        let mut events = Vec::new();
        for handoff in &handoffs {
            events.extend(self.history(handoff.id)?);
        }
        events.sort_by_key(|event| event.n);
        Ok((self.views(&handoffs)?, events))
    }

    fn parties(&self) -> Result<Vec<api::Party>, Failure> {
        let directory = self.exchange.directory()?;
        Ok(directory.parties().into_iter().map(|party| view::party(&directory, party)).collect())
    }

    fn party(&self, name: &str) -> Result<api::Party, Failure> {
        let directory = self.exchange.directory()?;
        let party = directory.find(name).map_err(|refusal| refusal_failure(&refusal))?;
        Ok(view::party_card(&directory, party))
    }

    fn tokens(&self) -> Result<Vec<api::Token>, Failure> {
        let directory = self.exchange.directory()?;
        let uses = self.exchange.read(self.exchange.store.token_uses())?;
        let shown =
            |token: &TokenRecord| view::used_token(&directory, token, uses.get(&token.id).copied());
        Ok(directory.tokens().into_iter().map(shown).collect())
    }

    fn contracts(&self) -> Result<Vec<ContractSummary>, Failure> {
        let directory = self.exchange.directory()?;
        Ok(directory.contracts().map(|one| view::contract_summary(one)).collect())
    }

    fn contract(&self, name: &str) -> Result<ContractDetails, Failure> {
        let directory = self.exchange.directory()?;
        let found = match name.parse() {
            Ok(identity) => directory.contract(&identity),
            Err(_) => directory.versions(name).last(),
        };
        let published =
            found.ok_or_else(|| not_published("contract", "TK-CONTRACT-UNKNOWN", name))?;
        Ok(view::contract_details(published))
    }

    fn gates(&self) -> Result<Vec<PolicyDetails>, Failure> {
        let directory = self.exchange.directory()?;
        let gates = directory.gates();
        Ok(gates.map(|(digest, gate)| PolicyDetails::new(gate.to_value(), digest)).collect())
    }

    fn gate(&self, name: &str) -> Result<PolicyDetails, Failure> {
        let directory = self.exchange.directory()?;
        let found = directory.newest_gate(name);
        let (digest, gate) = found.ok_or_else(|| not_published("gate", "TK-GATE-UNKNOWN", name))?;
        Ok(PolicyDetails::new(gate.to_value(), digest))
    }

    fn rules(&self) -> Result<Option<PolicyDetails>, Failure> {
        let directory = self.exchange.directory()?;
        let rules = directory.rules.as_ref();
        Ok(rules.map(|rules| PolicyDetails::new(rules.stated.to_value(), rules.stated.digest())))
    }

    fn project(&self) -> Result<Project, Failure> {
        let head = self.exchange.wait(self.exchange.engine.head(self.exchange.project))?;
        let settings = self.exchange.directory()?.settings.members();
        Ok(Project {
            project: Some(self.exchange.settings.project.value.as_str().to_owned()),
            id: self.exchange.project.to_string(),
            halted: head.is_halted,
            settings,
        })
    }

    fn carries_snapshots(&self) -> bool {
        false
    }

    fn send_snapshot(&self, _: &str, _: Vec<u8>) -> Result<(), Failure> {
        Ok(())
    }

    fn newest_snapshot(&self, _: &str) -> Result<Option<api::Snapshot>, Failure> {
        Ok(None)
    }

    fn snapshot_bundle(&self, _: &str, _: u64) -> Result<Vec<u8>, Failure> {
        Ok(Vec::new())
    }

    fn leaves(&self, from: u64, limit: u32) -> Result<Vec<String>, Failure> {
        let read = self.exchange.store.leaves(self.exchange.project, from, limit);
        Ok(self.exchange.read(read)?.into_iter().map(|row| row.leaf).collect())
    }

    fn check_log(&self, from: u64, trail: Option<&Trail>) -> Result<LogCheckReport, Failure> {
        self.exchange.check_log(from, trail.unwrap_or(&Trail::default()))
    }
}

/// The note about a store in which no person has a password.
const UNPROTECTED: &str = "note: no person has a password, so any process with access to this directory can approve; set one with `tasuki party add NAME --human`";

/// Returns the failure for a document that is not published.
fn not_published(what: &str, code: &str, name: &str) -> Failure {
    let message = format!("unknown {what} `{}` [{code}]", quoted(name));
    Failure { exit: Exit::NotFound, ..Failure::usage(message) }
        .hint(format!("`tasuki {what} list` lists the {what}s of the project"))
}
