//! What commands ask of an exchange, asked of a server.

use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;
use tasuki_client::Error;
use tasuki_client::{
    ContractLine, ContractShown, Document, Found, Listing, LogChecked, Project, Shown,
};
use tasuki_engine::command::Command;
use tasuki_engine::decision::SignOff;
use tasuki_engine::enrol::CreateToken;
use tasuki_engine::events::{Filter, Page};
use tasuki_engine::limits::PAGE_MAX;
use tasuki_engine::log_check::{Trail, TrailEntry};
use tasuki_engine::principal::{Scope, Scopes};
use tasuki_packet::id::HandoffId;
use tasuki_packet::problem::DoorCode;
use tasuki_packet::{Packet, api};

use super::events::{Range, wanted};
use super::poll::{Knocking, Pausing};
use super::requests::{created, signature};
use super::server::{There, plain};
use super::stream::Following;
use crate::backend::problem::failed;
use crate::backend::{Door, Follow, id_of, of_handoff};
use crate::config::Settings;
use crate::data_dir::sessions::{Claim, Sessions};
use crate::exit::Failure;
use crate::input::password;
use crate::output::printer::Printer;
use crate::output::time::ago_seconds;

impl Door for There {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn sessions(&self) -> Result<Sessions, Failure> {
        Ok(Sessions::in_folder(self.folder()?.join("sessions")))
    }

    fn drafts(&self) -> Result<PathBuf, Failure> {
        self.folder()
    }

    fn own_name(&self) -> Result<String, Failure> {
        Ok(self.whoami()?.party.clone())
    }

    fn scopes(&self) -> Result<Scopes, Failure> {
        let words = self.whoami()?.scopes.iter();
        Ok(words.filter_map(|word| Scope::named(word)).collect())
    }

    fn run(&self, command: Command, key: Option<String>) -> Result<api::Answer, Failure> {
        self.ask(command, key)
    }

    fn named(&self) -> Result<String, Failure> {
        match &self.settings.party {
            Some(party) => Ok(party.value.as_str().to_owned()),
            None => self.own_name(),
        }
    }

    fn create_token(&self, request: CreateToken) -> Result<api::Answer, Failure> {
        self.client.create_token(&created(request)).map_err(failed)
    }

    /// A password goes over no network but to sign in.
    fn choose_password(&self, _: &str) -> Result<Option<String>, Failure> {
        Ok(None)
    }

    fn keep_password(&self, _: &str, _: &str) -> Result<(), Failure> {
        Ok(())
    }

    fn can_sign(&self) -> Result<(), Failure> {
        if self.whoami()?.kind != "human" {
            return Err(password::agents_do_not_sign());
        }
        password::at_a_terminal()
    }

    /// A token proves no password, so the person signs in for this one signature.
    fn sign_off(&self, mut request: SignOff, since: Timestamp) -> Result<api::Answer, Failure> {
        let me = self.whoami()?;
        let typed = password::typed(&me.party)?;
        request.looked.seconds = Some(ago_seconds(since, self.now()));
        let project = me.project.as_deref().unwrap_or_default();
        let person = self.client.sign_in(&me.party, &typed, project).map_err(not_signed_in)?;
        let handoff = request.handoff.to_string();
        let signed = person.sign_off(&handoff, &signature(request, typed));
        // A session that does not end now ends by itself.
        drop(person.sign_out());
        signed.map_err(failed)
    }

    /// The server does so before it answers.
    fn settle(&self) -> Result<(), Failure> {
        Ok(())
    }

    fn next_event(&self) -> Result<u64, Failure> {
        Ok(self.page(Range::default(), &Filter::default(), 1)?.next)
    }

    fn find(&self, written: &str) -> Result<api::Handoff, Failure> {
        self.card(written)
    }

    fn id(&self, written: &str) -> Result<HandoffId, Failure> {
        // Whoever may only write can still name what they were told.
        match plain(written).parse() {
            Ok(id) => Ok(id),
            Err(_) => id_of(&self.named(plain(written))?),
        }
    }

    fn own_id(&self, written: &str) -> Result<HandoffId, Failure> {
        match self.id(written) {
            Err(_) if !self.may_look()? => Ok(self.stand_in(written)),
            found => found,
        }
    }

    fn may_look(&self) -> Result<bool, Failure> {
        self.may_read()
    }

    fn is_live(&self, claim: &Claim) -> bool {
        let Ok(handoff) = self.find(&claim.handoff.to_string()) else { return false };
        handoff.child.is_none()
            && handoff.holder.is_some()
            && handoff.holder == self.own_name().ok()
    }

    fn inbox(&self, limit: u32, cursor: Option<&str>) -> Result<api::Inbox, Failure> {
        self.client.inbox(Some(limit), cursor, Duration::ZERO).map_err(failed)
    }

    fn shown(&self, handoff: &str, revision: Option<u32>) -> Result<Shown, Failure> {
        let mut shown = self.look_at(handoff)?;
        if let Some(revision) = revision.filter(|revision| *revision != shown.handoff.revision) {
            let packet = self.client.packet(&shown.handoff.id, Some(revision));
            shown.packet = packet.map_err(failed)?;
        }
        Ok(shown)
    }

    fn sent(&self, handoff: &str, revision: Option<u32>) -> Result<Vec<u8>, Failure> {
        self.client.packet_as_sent(plain(handoff), revision).map_err(failed)
    }

    fn last_return(&self, handoff: &str) -> Result<Option<api::Return>, Failure> {
        let page = self.client.returns(plain(handoff), Some(1), None).map_err(failed)?;
        Ok(page.items.into_iter().next())
    }

    fn packet(&self, handoff: HandoffId) -> Result<Packet, Failure> {
        packet(self.client.packet(&handoff.to_string(), None).map_err(failed)?)
    }

    fn composed(&self, handoff: HandoffId) -> Result<Packet, Failure> {
        let id = handoff.to_string();
        let exported = packet(self.client.continuation(&id).map_err(failed)?)?;
        if exported.get("audit_trail").is_none() {
            return Ok(exported);
        }
        let sent = packet(self.client.packet(&id, None).map_err(failed)?)?;
        Ok(with_trail_of(exported, &sent))
    }

    fn exported(&self, handoff: &str) -> Result<Packet, Failure> {
        packet(self.client.continuation(plain(handoff)).map_err(failed)?)
    }

    fn continuation(&self, handoff: &str, budget: usize) -> Result<api::Continuation, Failure> {
        self.client.brief(plain(handoff), Some(budget)).map_err(failed)
    }

    /// It came with the answer.
    fn chain_brief(&self, _: HandoffId, answer: &api::Answer) -> Result<String, Failure> {
        Ok(answer.brief.clone().unwrap_or_default())
    }

    fn trail(&self, handoff: &str) -> Result<(HandoffId, Vec<TrailEntry>), Failure> {
        let trail = self.client.trail(plain(handoff)).map_err(failed)?;
        let id = trail.handoff.parse().map_err(|error| odd(&error))?;
        let entries = trail.audit_trail.into_iter().map(serde_json::from_value);
        Ok((id, entries.collect::<Result<_, _>>().map_err(|error| odd(&error))?))
    }

    fn handoffs(&self, listing: &Listing, limit: u32) -> Result<Vec<api::Handoff>, Failure> {
        let mut asked = listing.clone();
        let mut found: Vec<api::Handoff> = Vec::new();
        let mut left = limit;
        while left > 0 {
            asked.limit = Some(left.min(PAGE_MAX));
            let page = self.client.handoffs(&asked).map_err(failed)?;
            left -= u32::try_from(page.items.len()).unwrap_or(left).min(left);
            found.extend(page.items);
            if page.next.is_none() {
                break;
            }
            asked.cursor = page.next;
        }
        Ok(found)
    }

    fn search(&self, words: &str, limit: u32) -> Result<Vec<Found>, Failure> {
        let (mut found, mut cursor) = (Vec::new(), None);
        let wanted = usize::try_from(limit).unwrap_or(usize::MAX);
        while found.len() < wanted {
            let left = u32::try_from(wanted - found.len()).unwrap_or(PAGE_MAX).min(PAGE_MAX);
            let page = self.client.search(words, cursor.as_deref(), Some(left)).map_err(failed)?;
            found.extend(page.items);
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
        Ok(found)
    }

    fn stats(&self) -> Result<Vec<Value>, Failure> {
        self.client.stats().map_err(failed)
    }

    fn decisions(&self, cursor: Option<&str>) -> Result<(Vec<Value>, Option<String>), Failure> {
        let page = self.client.decisions(cursor).map_err(failed)?;
        Ok((page.items, page.next))
    }

    fn events(&self, from: u64, filter: &Filter, limit: usize) -> Result<Page, Failure> {
        let mut gathered = Page { events: Vec::new(), next: from };
        while gathered.events.len() < limit {
            let left = u32::try_from(limit - gathered.events.len()).unwrap_or(PAGE_MAX);
            let asked = left.min(PAGE_MAX);
            let since = Some(gathered.next.saturating_sub(1));
            let page = self.page(Range { since, ..Range::default() }, filter, asked)?;
            let is_last = page.events.len() < usize::try_from(asked).unwrap_or(usize::MAX);
            gathered.events.extend(page.events);
            gathered.next = page.next;
            if is_last {
                break;
            }
        }
        Ok(gathered)
    }

    fn follow<'a>(
        &'a self,
        from: u64,
        filter: &Filter,
        printer: &'a Printer,
    ) -> Result<Box<dyn Follow + 'a>, Failure> {
        let stream = self.client.follow(&wanted(filter), Some(from)).map_err(failed)?;
        Ok(Box::new(Following { stream, printer }))
    }

    fn follow_one<'a>(
        &'a self,
        handoff: HandoffId,
        from: u64,
        printer: &'a Printer,
    ) -> Result<Box<dyn Follow + 'a>, Failure> {
        if !self.may_read()? {
            return Ok(Box::new(Pausing));
        }
        self.follow(from, &of_handoff(handoff), printer)
    }

    fn follow_inbox<'a>(&'a self, printer: &'a Printer) -> Result<Box<dyn Follow + 'a>, Failure> {
        if !self.may_read()? {
            return Ok(Box::new(Knocking { client: &self.client, printer }));
        }
        self.follow(self.next_event()?, &Filter::default(), printer)
    }

    fn last_events(&self, filter: &Filter, limit: usize) -> Result<Page, Failure> {
        let mut gathered = Page { events: Vec::new(), next: 0 };
        let mut range = Range::default();
        loop {
            let left = u32::try_from(limit - gathered.events.len()).unwrap_or(PAGE_MAX);
            let asked = left.min(PAGE_MAX);
            let page = self.page(range, filter, asked)?;
            if range.to.is_none() {
                gathered.next = page.next;
            }
            let is_first = page.events.len() < usize::try_from(asked).unwrap_or(usize::MAX);
            range.to = page.events.first().map(|event| event.n);
            gathered.events.splice(0..0, page.events);
            if is_first || gathered.events.len() >= limit {
                return Ok(gathered);
            }
        }
    }

    fn history(&self, handoff: HandoffId) -> Result<Vec<api::Event>, Failure> {
        let id = handoff.to_string();
        let mut events = self.client.timeline(&id).map_err(failed)?;
        events.retain(|event| event.handoff.as_ref() == Some(&id));
        Ok(events)
    }

    fn timeline(&self, task: &str) -> Result<(Vec<api::Handoff>, Vec<api::Event>), Failure> {
        let events = self.client.timeline(plain(task)).map_err(failed)?;
        let task = events.iter().find_map(|event| event.task.clone());
        let listing = Listing { task, all: true, ..Listing::default() };
        let mut handoffs = self.handoffs(&listing, PAGE_MAX)?;
        handoffs.reverse();
        Ok((handoffs, events))
    }

    fn parties(&self) -> Result<Vec<api::Party>, Failure> {
        self.client.parties().map_err(failed)
    }

    fn party(&self, name: &str) -> Result<api::Party, Failure> {
        self.client.party(name).map_err(failed)
    }

    fn tokens(&self) -> Result<Vec<api::Token>, Failure> {
        self.client.tokens().map_err(failed)
    }

    fn contracts(&self) -> Result<Vec<ContractLine>, Failure> {
        self.client.contracts().map_err(failed)
    }

    fn contract(&self, name: &str) -> Result<ContractShown, Failure> {
        self.client.contract(name).map_err(failed)
    }

    fn gates(&self) -> Result<Vec<Document>, Failure> {
        let lines = self.client.gates().map_err(failed)?;
        lines.iter().map(|line| self.gate(&line.gate)).collect()
    }

    fn gate(&self, name: &str) -> Result<Document, Failure> {
        self.client.gate(name).map_err(failed)
    }

    fn rules(&self) -> Result<Option<Document>, Failure> {
        self.client.rules().map_err(failed)
    }

    fn project(&self) -> Result<Project, Failure> {
        self.client.project().map_err(failed)
    }

    fn leaves(&self, from: u64, limit: u32) -> Result<Vec<String>, Failure> {
        let text = self.client.leaves(from, limit).map_err(failed)?;
        Ok(text.lines().map(str::to_owned).collect())
    }

    fn check_log(&self, from: u64, trail: Option<&Trail>) -> Result<LogChecked, Failure> {
        if trail.is_some() {
            return Err(Failure::usage("a server checks its log, but compares no trail with it")
                .hint("run it with `--trail` on the machine of the exchange"));
        }
        self.client.check_log(from).map_err(failed)
    }
}

/// Who asks is known by the token, so that only the password can be wrong.
fn not_signed_in(error: Error) -> Failure {
    match &error {
        Error::Refused(problem) if problem.code == DoorCode::SignInWrong.as_str() => {
            password::wrong()
        }
        _ => failed(error),
    }
}

/// What was exported has the trail of its handoff; who goes on has what the sender wrote there, if anything.
fn with_trail_of(exported: Packet, sent: &Packet) -> Packet {
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
        _ => Err(odd(&"it is no object")),
    }
}

fn odd(error: &dyn std::fmt::Display) -> Failure {
    Failure::usage(format!("the answer of the server cannot be read: {error}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_trail_of_one_handoff_is_not_passed_on_with_the_next() {
        let of = |value: Value| Packet::from_value(value).unwrap();
        let exported = || of(json!({ "goal": "Ship", "audit_trail": [{ "n": 7 }], "status": "x" }));
        let plain = with_trail_of(exported(), &of(json!({ "goal": "Ship" })));
        assert_eq!(plain.to_value().to_string(), r#"{"goal":"Ship","status":"x"}"#);
        let own = with_trail_of(exported(), &of(json!({ "audit_trail": [{ "own": 1 }] })));
        assert_eq!(own.get("audit_trail"), Some(&json!([{ "own": 1 }])));
    }
}
