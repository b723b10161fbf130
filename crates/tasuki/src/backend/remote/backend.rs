//! The backend for an exchange behind a server.

use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;
use tasuki_api as api;
use tasuki_api::problem::HttpErrorCode;
use tasuki_api::{
    AuditTrail, CheckpointRecord, ContractDetails, ContractSummary, DecisionRecord, EdgeStats,
    HandoffDetails, LogCheckReport, PolicyDetails, Project, SearchHit, SignInRequest, WorkTree,
};
use tasuki_client::{Error, HandoffQuery};
use tasuki_engine::command::Command;
use tasuki_engine::limits::PAGE_MAX;
use tasuki_engine::model::{EventFilter, Scope, Scopes};
use tasuki_engine::query::events::Page;
use tasuki_engine::query::trail::Trail;
use tasuki_engine::steps::{CreateToken, SignOff};
use tasuki_packet::Packet;
use tasuki_packet::id::HandoffId;

use super::events::EventRange;
use super::poll::{InboxPoller, PausingFollower};
use super::requests::{create_token_request, sign_off_request};
use super::server::{RemoteBackend, without_revision};
use super::stream::StreamFollower;
use crate::backend::problem::client_failure;
use crate::backend::{Backend, EventFollower, handoff_filter, parse_id};
use crate::config::Settings;
use crate::data_dir::sessions::{Sessions, StoredClaim};
use crate::exit::Failure;
use crate::input::password;
use crate::output::printer::Printer;
use crate::output::time::elapsed_seconds;

impl Backend for RemoteBackend {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn sessions(&self) -> Result<Sessions, Failure> {
        Ok(Sessions::in_folder(self.state_dir()?.join("sessions")))
    }

    fn drafts_dir(&self) -> Result<PathBuf, Failure> {
        self.state_dir()
    }

    fn own_name(&self) -> Result<String, Failure> {
        Ok(self.whoami()?.party.clone())
    }

    fn scopes(&self) -> Result<Scopes, Failure> {
        let words = self.whoami()?.scopes.iter();
        Ok(words.filter_map(|word| Scope::named(word)).collect())
    }

    fn run(&self, command: Command, key: Option<String>) -> Result<api::CommandResponse, Failure> {
        self.send(command, key)
    }

    fn subject_name(&self) -> Result<String, Failure> {
        match &self.settings.party {
            Some(party) => Ok(party.value.as_str().to_owned()),
            None => self.own_name(),
        }
    }

    fn create_token(&self, request: CreateToken) -> Result<api::CommandResponse, Failure> {
        self.client.create_token(&create_token_request(request)).map_err(client_failure)
    }

    /// Passwords are set on the machine of the exchange only.
    fn prompt_new_password(&self, _: &str) -> Result<Option<String>, Failure> {
        Ok(None)
    }

    fn store_password(&self, _: &str, _: &str) -> Result<(), Failure> {
        Ok(())
    }

    fn require_can_sign(&self) -> Result<(), Failure> {
        if self.whoami()?.kind != "human" {
            return Err(password::agent_cannot_sign());
        }
        password::require_prompt(self.may_prompt)
    }

    /// A token proves no password, so the person signs in for this one signature.
    fn sign_off(
        &self,
        mut request: SignOff,
        since: Timestamp,
    ) -> Result<api::CommandResponse, Failure> {
        let me = self.whoami()?;
        let typed = password::prompt(&me.party)?;
        request.seen.attention.seconds = Some(elapsed_seconds(since, self.now()));
        let project = me.project.as_deref().unwrap_or_default();
        let sign_in = SignInRequest::with_password(&me.party, &typed);
        let person = self.client.sign_in(&sign_in, project).map_err(sign_in_failure)?;
        let handoff = request.handoff.to_string();
        let signed = person.decide(&handoff, &sign_off_request(request, typed));
        // A session that is not closed here expires.
        drop(person.sign_out());
        signed.map_err(client_failure)
    }

    /// A server asks for a token or a session.
    fn unprotected(&self) -> Result<Option<&'static str>, Failure> {
        Ok(None)
    }

    /// The server applies them before it responds.
    fn apply_due(&self) -> Result<(), Failure> {
        Ok(())
    }

    fn next_event_number(&self) -> Result<u64, Failure> {
        Ok(self.page(EventRange::default(), &EventFilter::default(), 1)?.next)
    }

    fn resolve(&self, written: &str) -> Result<api::Handoff, Failure> {
        self.fetch_card(written)
    }

    fn resolve_id(&self, written: &str) -> Result<HandoffId, Failure> {
        // A full id needs no lookup, which needs the scope `read`.
        match without_revision(written).parse() {
            Ok(id) => Ok(id),
            Err(_) => parse_id(&self.fetch_by_short_name(without_revision(written))?),
        }
    }

    fn resolve_own_id(&self, written: &str) -> Result<HandoffId, Failure> {
        match self.resolve_id(written) {
            Err(_) if !self.can_read()? => Ok(self.placeholder_id(written)),
            found => found,
        }
    }

    fn can_read(&self) -> Result<bool, Failure> {
        self.has_read_scope()
    }

    fn is_claim_live(&self, claim: &StoredClaim) -> bool {
        let Ok(handoff) = self.resolve(&claim.handoff.to_string()) else { return false };
        handoff.child.is_none()
            && handoff.holder.is_some()
            && handoff.holder == self.own_name().ok()
    }

    fn inbox(&self, limit: u32, cursor: Option<&str>) -> Result<api::Inbox, Failure> {
        self.client.inbox(Some(limit), cursor, Duration::ZERO).map_err(client_failure)
    }

    fn acknowledge(&self, seen: Vec<api::FailureReference>) -> Result<api::Acknowledged, Failure> {
        self.client.acknowledge(seen).map_err(client_failure)
    }

    fn details(&self, handoff: &str, revision: Option<u32>) -> Result<HandoffDetails, Failure> {
        let mut shown = self.fetch_details(handoff)?;
        if let Some(revision) = revision.filter(|revision| *revision != shown.handoff.revision) {
            let packet = self.client.packet(&shown.handoff.id, Some(revision));
            shown.packet = packet.map_err(client_failure)?;
        }
        Ok(shown)
    }

    fn work_tree(&self, handoff: &str) -> Result<Option<WorkTree>, Failure> {
        Ok(self.details(handoff, None)?.work_tree)
    }

    fn checkpoints(&self, handoff: &str) -> Result<Vec<CheckpointRecord>, Failure> {
        let handoff = without_revision(handoff);
        all_pages(|cursor| self.client.checkpoints(handoff, Some(PAGE_MAX), cursor))
    }

    fn approval(&self, handoff: HandoffId) -> Result<Option<api::Approval>, Failure> {
        self.client.approval(&handoff.to_string()).map_err(client_failure)
    }

    fn packet_as_sent(&self, handoff: &str, revision: Option<u32>) -> Result<Vec<u8>, Failure> {
        self.client.packet_as_sent(without_revision(handoff), revision).map_err(client_failure)
    }

    fn returns(&self, handoff: &str) -> Result<Vec<api::Return>, Failure> {
        let handoff = without_revision(handoff);
        all_pages(|cursor| self.client.returns(handoff, Some(PAGE_MAX), cursor))
    }

    fn last_return(&self, handoff: &str) -> Result<Option<api::Return>, Failure> {
        let page = self
            .client
            .returns(without_revision(handoff), Some(1), None)
            .map_err(client_failure)?;
        Ok(page.items.into_iter().next())
    }

    fn packet(&self, handoff: HandoffId) -> Result<Packet, Failure> {
        packet(self.client.packet(&handoff.to_string(), None).map_err(client_failure)?)
    }

    fn continuation_packet(&self, handoff: HandoffId) -> Result<Packet, Failure> {
        let id = handoff.to_string();
        let exported = packet(self.client.continuation(&id).map_err(client_failure)?)?;
        if exported.get("audit_trail").is_none() {
            return Ok(exported);
        }
        let sent = packet(self.client.packet(&id, None).map_err(client_failure)?)?;
        Ok(restore_sent_trail(exported, &sent))
    }

    fn export_packet(&self, handoff: &str) -> Result<Packet, Failure> {
        packet(self.client.continuation(without_revision(handoff)).map_err(client_failure)?)
    }

    fn continuation(&self, handoff: &str, budget: usize) -> Result<api::Continuation, Failure> {
        self.client.brief(without_revision(handoff), Some(budget)).map_err(client_failure)
    }

    /// The response has the brief.
    fn chain_brief(&self, _: HandoffId, answer: &api::CommandResponse) -> Result<String, Failure> {
        Ok(answer.brief.clone().unwrap_or_default())
    }

    fn audit_trail(&self, handoff: &str) -> Result<AuditTrail, Failure> {
        self.client.trail(without_revision(handoff)).map_err(client_failure)
    }

    fn handoffs(&self, listing: &HandoffQuery, limit: u32) -> Result<Vec<api::Handoff>, Failure> {
        let mut asked = listing.clone();
        let mut found: Vec<api::Handoff> = Vec::new();
        let mut left = limit;
        while left > 0 {
            asked.limit = Some(left.min(PAGE_MAX));
            let page = self.client.handoffs(&asked).map_err(client_failure)?;
            left -= u32::try_from(page.items.len()).unwrap_or(left).min(left);
            found.extend(page.items);
            if page.next.is_none() {
                break;
            }
            asked.cursor = page.next;
        }
        Ok(found)
    }

    fn search(&self, words: &str, limit: u32) -> Result<Vec<SearchHit>, Failure> {
        let (mut found, mut cursor) = (Vec::new(), None);
        let wanted = usize::try_from(limit).unwrap_or(usize::MAX);
        while found.len() < wanted {
            let left = u32::try_from(wanted - found.len()).unwrap_or(PAGE_MAX).min(PAGE_MAX);
            let page =
                self.client.search(words, cursor.as_deref(), Some(left)).map_err(client_failure)?;
            found.extend(page.items);
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
        Ok(found)
    }

    fn stats(&self) -> Result<Vec<EdgeStats>, Failure> {
        self.client.stats().map_err(client_failure)
    }

    fn decisions(
        &self,
        cursor: Option<&str>,
    ) -> Result<(Vec<DecisionRecord>, Option<String>), Failure> {
        let page = self.client.decisions(cursor).map_err(client_failure)?;
        Ok((page.items, page.next))
    }

    fn events(&self, from: u64, filter: &EventFilter, limit: usize) -> Result<Page, Failure> {
        let mut gathered = Page { events: Vec::new(), next: from, is_cut: false, earlier: None };
        while gathered.events.len() < limit {
            let left = u32::try_from(limit - gathered.events.len()).unwrap_or(PAGE_MAX);
            let asked = left.min(PAGE_MAX);
            let since = Some(gathered.next.saturating_sub(1));
            let page = self.page(EventRange { since, ..EventRange::default() }, filter, asked)?;
            let is_full = page.events.len() >= usize::try_from(asked).unwrap_or(usize::MAX);
            let is_last = !is_full && !page.is_cut;
            gathered.events.extend(page.events);
            gathered.next = page.next;
            if is_last {
                break;
            }
        }
        Ok(gathered)
    }

    fn follow_events<'a>(
        &'a self,
        from: u64,
        filter: &EventFilter,
        printer: &'a Printer,
    ) -> Result<Box<dyn EventFollower + 'a>, Failure> {
        let stream = self.client.follow(filter, Some(from)).map_err(client_failure)?;
        Ok(Box::new(StreamFollower { stream, printer }))
    }

    fn follow_handoff<'a>(
        &'a self,
        handoff: HandoffId,
        from: u64,
        printer: &'a Printer,
    ) -> Result<Box<dyn EventFollower + 'a>, Failure> {
        if !self.has_read_scope()? {
            return Ok(Box::new(PausingFollower));
        }
        self.follow_events(from, &handoff_filter(handoff), printer)
    }

    fn follow_inbox<'a>(
        &'a self,
        printer: &'a Printer,
    ) -> Result<Box<dyn EventFollower + 'a>, Failure> {
        if !self.has_read_scope()? {
            return Ok(Box::new(InboxPoller { client: &self.client, printer }));
        }
        self.follow_events(self.next_event_number()?, &EventFilter::default(), printer)
    }

    fn last_events(&self, filter: &EventFilter, limit: usize) -> Result<Page, Failure> {
        let mut gathered = Page { events: Vec::new(), next: 0, is_cut: false, earlier: None };
        let mut range = EventRange::default();
        loop {
            let left = u32::try_from(limit - gathered.events.len()).unwrap_or(PAGE_MAX);
            let asked = left.min(PAGE_MAX);
            let page = self.page(range, filter, asked)?;
            if range.to.is_none() {
                gathered.next = page.next;
            }
            let is_full = page.events.len() >= usize::try_from(asked).unwrap_or(usize::MAX);
            let is_first = !is_full && page.earlier.is_none();
            range.to = page.earlier.or_else(|| page.events.first().map(|event| event.n));
            gathered.events.splice(0..0, page.events);
            if is_first || gathered.events.len() >= limit {
                return Ok(gathered);
            }
        }
    }

    fn history(&self, handoff: HandoffId) -> Result<Vec<api::Event>, Failure> {
        let id = handoff.to_string();
        let mut events = self.client.timeline(&id).map_err(client_failure)?;
        events.retain(|event| event.handoff.as_ref() == Some(&id));
        Ok(events)
    }

    fn timeline(&self, task: &str) -> Result<(Vec<api::Handoff>, Vec<api::Event>), Failure> {
        let events = self.client.timeline(without_revision(task)).map_err(client_failure)?;
        let task = events.iter().find_map(|event| event.task.clone());
        let listing = HandoffQuery { task, all: true, ..HandoffQuery::default() };
        let mut handoffs = self.handoffs(&listing, PAGE_MAX)?;
        handoffs.reverse();
        Ok((handoffs, events))
    }

    fn parties(&self) -> Result<Vec<api::Party>, Failure> {
        self.client.parties().map_err(client_failure)
    }

    fn party(&self, name: &str) -> Result<api::Party, Failure> {
        self.client.party(name).map_err(client_failure)
    }

    fn tokens(&self) -> Result<Vec<api::Token>, Failure> {
        self.client.tokens().map_err(client_failure)
    }

    fn contracts(&self) -> Result<Vec<ContractSummary>, Failure> {
        self.client.contracts().map_err(client_failure)
    }

    fn contract(&self, name: &str) -> Result<ContractDetails, Failure> {
        self.client.contract(name).map_err(client_failure)
    }

    fn gates(&self) -> Result<Vec<PolicyDetails>, Failure> {
        let lines = self.client.gates().map_err(client_failure)?;
        lines.iter().map(|line| self.gate(&line.gate)).collect()
    }

    fn gate(&self, name: &str) -> Result<PolicyDetails, Failure> {
        self.client.gate(name).map_err(client_failure)
    }

    fn rules(&self) -> Result<Option<PolicyDetails>, Failure> {
        let rules = self.client.rules().map_err(client_failure)?;
        Ok(rules.document.is_some().then_some(rules))
    }

    fn project(&self) -> Result<Project, Failure> {
        self.client.project().map_err(client_failure)
    }

    fn carries_snapshots(&self) -> bool {
        true
    }

    fn send_snapshot(&self, task: &str, bundle: Vec<u8>) -> Result<(), Failure> {
        self.client.add_snapshot(task, bundle).map(drop).map_err(client_failure)
    }

    fn newest_snapshot(&self, task: &str) -> Result<Option<api::Snapshot>, Failure> {
        Ok(self.client.snapshots(task).map_err(client_failure)?.into_iter().next())
    }

    fn snapshot_bundle(&self, task: &str, number: u64) -> Result<Vec<u8>, Failure> {
        self.client.snapshot_bundle(task, number).map_err(client_failure)
    }

    fn leaves(&self, from: u64, limit: u32) -> Result<Vec<String>, Failure> {
        let text = self.client.leaves(from, limit).map_err(client_failure)?;
        Ok(text.lines().map(str::to_owned).collect())
    }

    fn check_log(&self, from: u64, trail: Option<&Trail>) -> Result<LogCheckReport, Failure> {
        if trail.is_some() {
            return Err(Failure::usage("`--trail` does not work against a server")
                .hint("run it on the server, in the directory of its `.tasuki/`"));
        }
        self.client.check_log(from).map_err(client_failure)
    }
}

/// Converts a failed sign-in. The token identifies the person, so only the password can be wrong.
fn sign_in_failure(error: Error) -> Failure {
    match &error {
        Error::Refused(problem) if problem.code == HttpErrorCode::SignInWrong.as_str() => {
            password::wrong_password()
        }
        _ => client_failure(error),
    }
}

/// Reads a list to its end, page by page.
fn all_pages<T>(
    read: impl Fn(Option<&str>) -> Result<api::Page<T>, Error>,
) -> Result<Vec<T>, Failure> {
    let (mut items, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let page = read(cursor.as_deref()).map_err(client_failure)?;
        items.extend(page.items);
        cursor = page.next;
        if cursor.is_none() {
            return Ok(items);
        }
    }
}

/// Replaces the trail of an exported packet with the one that the sender wrote, if any.
fn restore_sent_trail(exported: Packet, sent: &Packet) -> Packet {
    let mut members = exported.into_members();
    match sent.get("audit_trail") {
        Some(written) => members.insert("audit_trail".to_owned(), written.clone()),
        None => members.shift_remove("audit_trail"),
    };
    Packet::new(members)
}

fn packet(value: Value) -> Result<Packet, Failure> {
    match value {
        Value::Object(members) => Ok(Packet::new(members)),
        _ => Err(malformed_response(&"not an object")),
    }
}

fn malformed_response(error: &dyn std::fmt::Display) -> Failure {
    Failure::usage(format!("malformed response of the server: {error}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_trail_of_a_handoff_is_not_passed_on() {
        let of = |value: Value| Packet::from_value(value).unwrap();
        let exported = || of(json!({ "goal": "Ship", "audit_trail": [{ "n": 7 }], "status": "x" }));
        let plain = restore_sent_trail(exported(), &of(json!({ "goal": "Ship" })));
        assert_eq!(plain.to_value().to_string(), r#"{"goal":"Ship","status":"x"}"#);
        let own = restore_sent_trail(exported(), &of(json!({ "audit_trail": [{ "own": 1 }] })));
        assert_eq!(own.get("audit_trail"), Some(&json!([{ "own": 1 }])));
    }
}
