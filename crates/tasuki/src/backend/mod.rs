//! The one door that commands go through: an exchange on this machine or behind a server.
//!
//! A command names who asks, makes one `Command` or asks one question, and prints what comes back. It
//! cannot tell where the exchange is. `local/` answers from the nearest `.tasuki/`, `remote/` asks the
//! server that `--server` or `TASUKI_URL` names.

mod claims;
mod follow;
pub(crate) mod local;
mod open;
pub(crate) mod problem;
pub(crate) mod refusal;
pub(crate) mod remote;
mod subscriptions;

use std::path::PathBuf;

use jiff::Timestamp;
use serde_json::Value;
use tasuki_client::{
    ContractLine, ContractShown, Document, Found, Listing, LogChecked, Project, Shown,
};
use tasuki_engine::command::Command;
use tasuki_engine::decision::{Looked, SignOff};
use tasuki_engine::enrol::CreateToken;
use tasuki_engine::events::{Filter, Page};
use tasuki_engine::log_check::{Trail, TrailEntry};
use tasuki_engine::principal::Scopes;
use tasuki_packet::id::HandoffId;
use tasuki_packet::{Packet, api};

pub(crate) use follow::Follow;
pub(crate) use open::{anybody, caller, for_another, only_here, operator};
pub(crate) use subscriptions::Subscriptions;

use crate::config::{Settings, TimeFormat};
use crate::data_dir::sessions::{Claim, Sessions};
use crate::exit::Failure;
use crate::input::handoff_ref::{receiver_and_action, seen_in};
use crate::output::event::Names;
use crate::output::next_steps::Looker;
use crate::output::printer::Printer;
use crate::output::time::Moment;

/// An exchange, wherever it is.
pub(crate) type Exchange = Box<dyn Door>;

type Answer<T> = Result<T, Failure>;

/// What can be asked of an exchange.
pub(crate) trait Door: Subscriptions {
    fn settings(&self) -> &Settings;
    fn now(&self) -> Timestamp;
    /// Where the claims of sessions are kept.
    fn sessions(&self) -> Answer<Sessions>;
    /// Where a text is kept while somebody edits it.
    fn drafts(&self) -> Answer<PathBuf>;

    /// The caller's own name.
    fn own_name(&self) -> Answer<String>;
    /// What the caller's credential is good for.
    fn scopes(&self) -> Answer<Scopes>;
    /// Runs one command for the caller.
    fn run(&self, command: Command, key: Option<String>) -> Answer<api::Answer>;
    /// Whom `--as` names where it is not the caller; else the caller.
    fn named(&self) -> Answer<String>;
    /// Creates a token.
    fn create_token(&self, request: CreateToken) -> Answer<api::Answer>;
    /// Asks for the new password of a person, where one can be kept.
    fn choose_password(&self, name: &str) -> Answer<Option<String>>;
    /// Keeps the hash of a person's password.
    fn keep_password(&self, name: &str, hash: &str) -> Answer<()>;
    /// Whether the caller could sign at a gate here at all.
    fn can_sign(&self) -> Answer<()>;
    /// Signs at a gate with the password that the caller types.
    fn sign_off(&self, request: SignOff, since: Timestamp) -> Answer<api::Answer>;

    /// Does what the clock has made due, so that what is read next is true now.
    fn settle(&self) -> Answer<()>;
    /// The number that the next event will have.
    fn next_event(&self) -> Answer<u64>;

    /// The handoff that a person means.
    fn find(&self, written: &str) -> Answer<api::Handoff>;
    /// Its id.
    fn id(&self, written: &str) -> Answer<HandoffId>;
    /// The same of what the caller sent, who need not be allowed to look at it.
    fn own_id(&self, written: &str) -> Answer<HandoffId>;
    /// Whether the caller may look at what it sent.
    fn may_look(&self) -> Answer<bool>;
    /// Whether a claim that a session remembers still holds.
    fn is_live(&self, claim: &Claim) -> bool;

    fn inbox(&self, limit: u32, cursor: Option<&str>) -> Answer<api::Inbox>;
    /// A handoff with one revision of its packet, for somebody who reads it.
    fn shown(&self, handoff: &str, revision: Option<u32>) -> Answer<Shown>;
    /// The packet exactly as it was sent.
    fn sent(&self, handoff: &str, revision: Option<u32>) -> Answer<Vec<u8>>;
    /// What came back last, also further down the chain.
    fn last_return(&self, handoff: &str) -> Answer<Option<api::Return>>;
    /// The newest packet, for somebody who compares it with something.
    fn packet(&self, handoff: HandoffId) -> Answer<Packet>;
    /// The packet with all checkpoints and decisions, for the next holder.
    fn composed(&self, handoff: HandoffId) -> Answer<Packet>;
    /// The same for use outside of the exchange.
    fn exported(&self, handoff: &str) -> Answer<Packet>;
    /// The same as a brief for a model.
    fn continuation(&self, handoff: &str, budget: usize) -> Answer<api::Continuation>;
    /// Everything that somebody who takes the work over has to read.
    fn chain_brief(&self, handoff: HandoffId, answer: &api::Answer) -> Answer<String>;
    /// The id of a handoff and every leaf about it.
    fn trail(&self, handoff: &str) -> Answer<(HandoffId, Vec<TrailEntry>)>;

    /// At most so many handoffs, newest first.
    fn handoffs(&self, listing: &Listing, limit: u32) -> Answer<Vec<api::Handoff>>;
    fn search(&self, words: &str, limit: u32) -> Answer<Vec<Found>>;
    /// The edges of the project, as JSON prints them.
    fn stats(&self) -> Answer<Vec<Value>>;
    /// A page of decisions, and where the next one begins.
    fn decisions(&self, cursor: Option<&str>) -> Answer<(Vec<Value>, Option<String>)>;
    /// Events from a number on.
    fn events(&self, from: u64, filter: &Filter, limit: usize) -> Answer<Page>;
    /// Events from a number on, as they happen. What goes wrong meanwhile is said.
    fn follow<'a>(
        &'a self,
        from: u64,
        filter: &Filter,
        printer: &'a Printer,
    ) -> Answer<Box<dyn Follow + 'a>>;
    /// Whatever may change how a handoff stands, from a number on.
    fn follow_one<'a>(
        &'a self,
        handoff: HandoffId,
        from: u64,
        printer: &'a Printer,
    ) -> Answer<Box<dyn Follow + 'a>>;
    /// Whatever may bring something into the caller's inbox, from now on.
    fn follow_inbox<'a>(&'a self, printer: &'a Printer) -> Answer<Box<dyn Follow + 'a>>;
    /// The last events.
    fn last_events(&self, filter: &Filter, limit: usize) -> Answer<Page>;
    /// Everything that happened to a handoff.
    fn history(&self, handoff: HandoffId) -> Answer<Vec<api::Event>>;
    /// The handoffs of a task, oldest first, and everything that happened to them.
    fn timeline(&self, task: &str) -> Answer<(Vec<api::Handoff>, Vec<api::Event>)>;

    fn parties(&self) -> Answer<Vec<api::Party>>;
    /// All that is known of a party.
    fn party(&self, name: &str) -> Answer<api::Party>;
    fn tokens(&self) -> Answer<Vec<api::Token>>;
    fn contracts(&self) -> Answer<Vec<ContractLine>>;
    fn contract(&self, name: &str) -> Answer<ContractShown>;
    fn gates(&self) -> Answer<Vec<Document>>;
    fn gate(&self, name: &str) -> Answer<Document>;
    fn rules(&self) -> Answer<Option<Document>>;
    fn project(&self) -> Answer<Project>;

    /// Leaves of the log, exactly as they were hashed. None means there are no more.
    fn leaves(&self, from: u64, limit: u32) -> Answer<Vec<String>>;
    /// Recomputes the log, and compares a trail that somebody has kept with it.
    fn check_log(&self, from: u64, trail: Option<&Trail>) -> Answer<LogChecked>;
}

impl dyn Door + '_ {
    /// Now, as this caller wants times printed.
    pub(crate) fn moment(&self) -> Moment {
        self.moment_at(self.now())
    }

    /// The same at another instant.
    pub(crate) fn moment_at(&self, now: Timestamp) -> Moment {
        Moment::new(now, self.settings().time_format.value == TimeFormat::Human)
    }

    /// Who looks: the caller with its roles, or nobody in particular.
    pub(crate) fn looker(&self) -> Looker {
        let known = || {
            let credential = (self.scopes()?, self.now());
            Ok::<_, Failure>(Looker::named(&self.own_name()?, &self.parties()?, credential))
        };
        known().unwrap_or_else(|_| Looker::nobody(self.now()))
    }

    /// The names that it takes to print these events.
    pub(crate) fn names(&self, events: &[api::Event]) -> Answer<Names> {
        if Names::are_needed(events) { self.parties().map(Names::of) } else { Ok(Names::default()) }
    }

    /// The handoff that a person means, and what they see who look at it now. Where they name the
    /// revision that they saw, a decision is bound to that one, and to the receiver and the action that
    /// they name.
    pub(crate) fn look(&self, written: &str) -> Answer<(api::Handoff, Looked)> {
        let handoff = self.find(written)?;
        let digest = handoff.action.as_ref().map_or(&handoff.digest, |action| &action.digest);
        let mut looked = Looked {
            revision: Some(handoff.revision),
            digest: Some(digest.clone()),
            receiver: Some(handoff.to.clone()),
            ..Looked::default()
        };
        if let Some((revision, named)) = seen_in(written)? {
            let named = named.map(|named| receiver_and_action(named, &handoff.to));
            let (receiver, action) = named.unzip();
            // A revision has one packet, and any number of actions.
            let of_packet = || handoff.action.is_none().then(|| handoff.digest.clone());
            looked = Looked {
                revision: Some(revision),
                digest: action.flatten().or_else(of_packet),
                receiver,
                ..looked
            };
        }
        Ok((handoff, looked))
    }
}

impl dyn Door + '_ {
    /// The same for whoever changes what they sent. Who may not look has seen nothing, and changes
    /// whatever there is by now.
    pub(crate) fn aim(&self, written: &str) -> Answer<(HandoffId, Looked)> {
        match self.look(written) {
            Ok((handoff, looked)) => Ok((id_of(&handoff)?, looked)),
            Err(_) if !written.contains('@') && !self.may_look()? => {
                Ok((self.own_id(written)?, Looked::default()))
            }
            Err(failure) => Err(failure),
        }
    }
}

/// What happens to this handoff.
pub(crate) fn of_handoff(handoff: HandoffId) -> Filter {
    Filter { handoff: Some(handoff.to_string()), ..Filter::default() }
}

/// The id in an answer of an exchange.
pub(crate) fn id_of(handoff: &api::Handoff) -> Answer<HandoffId> {
    handoff.id.parse().map_err(|error| Failure::usage(format!("the answer has no id: {error}")))
}
