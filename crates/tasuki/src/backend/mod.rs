//! The exchange that commands talk to: on this machine or behind a server.
//!
//! A command opens a backend for its caller, runs one `Command` or one query, and prints the result. It
//! does not know where the exchange is. `local/` works on the nearest `.tasuki/`, `remote/` calls the
//! server that `--server` or `TASUKI_URL` names.

mod adoption;
pub(crate) mod claims;
pub(crate) mod crash_record;
mod ended_sessions;
mod follow;
pub(crate) mod local;
mod open;
pub(crate) mod problem;
pub(crate) mod refusal;
pub(crate) mod remote;
pub(crate) mod snapshots;
pub(crate) mod spool;
mod subscriptions;

use std::path::PathBuf;

use jiff::Timestamp;
use tasuki_api as api;
use tasuki_api::{
    AuditTrail, CheckpointRecord, ContractDetails, ContractSummary, DecisionRecord, EdgeStats,
    HandoffDetails, LogCheckReport, PolicyDetails, Project, SearchHit, WorkTree,
};
use tasuki_client::HandoffQuery;
use tasuki_engine::command::Command;
use tasuki_engine::model::EventFilter;
use tasuki_engine::model::Scopes;
use tasuki_engine::query::events::Page;
use tasuki_engine::query::trail::Trail;
use tasuki_engine::refusal::{Refusal, RefusalCode};
use tasuki_engine::steps::CreateToken;
use tasuki_engine::steps::{SeenVersion, SignOff};
use tasuki_packet::Packet;
use tasuki_packet::id::HandoffId;

pub(crate) use follow::EventFollower;
pub(crate) use open::{
    ToolBackend, open_anonymous, open_as_caller, open_as_operator, open_for_tools, open_on_behalf,
    open_own, open_to_read, require_local, settings, state_folder,
};
pub(crate) use subscriptions::Subscriptions;

use self::refusal::refusal_failure;
use crate::config::{Settings, TimeFormat};
use crate::data_dir::sessions::{Sessions, StoredClaim};
use crate::exit::Failure;
use crate::input::handoff_ref::{NamedVersion, parse_version};
use crate::output::event::EventContext;
use crate::output::next_steps::NextStepsContext;
use crate::output::printer::Printer;
use crate::output::time::TimeFormatter;

type BackendResult<T> = Result<T, Failure>;

/// The operations of an exchange.
pub(crate) trait Backend: Subscriptions {
    fn settings(&self) -> &Settings;
    fn now(&self) -> Timestamp;
    /// Returns the store of session claims.
    fn sessions(&self) -> BackendResult<Sessions>;
    /// Returns the directory for texts that are being edited.
    fn drafts_dir(&self) -> BackendResult<PathBuf>;

    /// Returns the caller's name.
    fn own_name(&self) -> BackendResult<String>;
    /// Returns the scopes of the caller's credential.
    fn scopes(&self) -> BackendResult<Scopes>;
    /// Runs one command for the caller.
    fn run(&self, command: Command, key: Option<String>) -> BackendResult<api::CommandResponse>;
    /// Returns the party that `--as` names, or the caller.
    fn subject_name(&self) -> BackendResult<String>;
    /// Creates a token.
    fn create_token(&self, request: CreateToken) -> BackendResult<api::CommandResponse>;
    /// Prompts for the new password of a person, if this backend stores passwords.
    fn prompt_new_password(&self, name: &str) -> BackendResult<Option<String>>;
    /// Stores the hash of a person's password.
    fn store_password(&self, name: &str, hash: &str) -> BackendResult<()>;
    /// Returns a note if decisions here need no proof of a person.
    fn unprotected(&self) -> BackendResult<Option<&'static str>>;
    /// Fails unless the caller can sign at a gate from here.
    fn require_can_sign(&self) -> BackendResult<()>;
    /// Signs at a gate with the password that the caller types.
    fn sign_off(&self, request: SignOff, since: Timestamp) -> BackendResult<api::CommandResponse>;

    /// Applies due deadlines, so that the next read is up to date.
    fn apply_due(&self) -> BackendResult<()>;
    /// Returns the number of the next event.
    fn next_event_number(&self) -> BackendResult<u64>;

    /// Resolves a reference to a handoff.
    fn resolve(&self, written: &str) -> BackendResult<api::Handoff>;
    /// Resolves a reference to the id of a handoff.
    fn resolve_id(&self, written: &str) -> BackendResult<HandoffId>;
    /// Resolves a reference to a handoff that the caller sent, even without the right to read it.
    fn resolve_own_id(&self, written: &str) -> BackendResult<HandoffId>;
    /// Returns whether the caller may read handoffs.
    fn can_read(&self) -> BackendResult<bool>;
    /// Returns whether a stored claim is still current.
    fn is_claim_live(&self, claim: &StoredClaim) -> bool;

    fn inbox(&self, limit: u32, cursor: Option<&str>) -> BackendResult<api::Inbox>;
    /// Acknowledges failures in the caller's inbox.
    fn acknowledge(&self, seen: Vec<api::FailureReference>) -> BackendResult<api::Acknowledged>;
    /// Returns a handoff with one revision of its packet, and marks it as delivered.
    fn details(&self, handoff: &str, revision: Option<u32>) -> BackendResult<HandoffDetails>;
    /// Returns the work tree that was last recorded for a handoff. A server marks the handoff as
    /// delivered.
    fn work_tree(&self, handoff: &str) -> BackendResult<Option<WorkTree>>;
    /// Returns the checkpoints of a handoff, oldest first.
    fn checkpoints(&self, handoff: &str) -> BackendResult<Vec<CheckpointRecord>>;
    /// Returns the latest decision about an action of a handoff's holder.
    fn approval(&self, handoff: HandoffId) -> BackendResult<Option<api::Approval>>;
    /// Returns the packet exactly as it was sent.
    fn packet_as_sent(&self, handoff: &str, revision: Option<u32>) -> BackendResult<Vec<u8>>;
    /// Returns all return packets, newest first, also of handoffs further down the chain.
    fn returns(&self, handoff: &str) -> BackendResult<Vec<api::Return>>;
    /// Returns the last return packet, also of handoffs further down the chain.
    fn last_return(&self, handoff: &str) -> BackendResult<Option<api::Return>>;
    /// Returns the packet of the current revision.
    fn packet(&self, handoff: HandoffId) -> BackendResult<Packet>;
    /// Returns the packet with all checkpoints and decisions, for the next holder.
    fn continuation_packet(&self, handoff: HandoffId) -> BackendResult<Packet>;
    /// Returns the continuation packet for use outside of the exchange.
    fn export_packet(&self, handoff: &str) -> BackendResult<Packet>;
    /// Returns the continuation as a brief for a model.
    fn continuation(&self, handoff: &str, budget: usize) -> BackendResult<api::Continuation>;
    /// Returns the brief of the whole chain for a person who takes the work over.
    fn chain_brief(
        &self,
        handoff: HandoffId,
        answer: &api::CommandResponse,
    ) -> BackendResult<String>;
    /// Returns the audit trail of a handoff.
    fn audit_trail(&self, handoff: &str) -> BackendResult<AuditTrail>;

    /// Returns at most `limit` handoffs, newest first.
    fn handoffs(&self, listing: &HandoffQuery, limit: u32) -> BackendResult<Vec<api::Handoff>>;
    fn search(&self, words: &str, limit: u32) -> BackendResult<Vec<SearchHit>>;
    /// Returns the statistics of every edge.
    fn stats(&self) -> BackendResult<Vec<EdgeStats>>;
    /// Returns a page of decisions, and the cursor of the next page.
    fn decisions(
        &self,
        cursor: Option<&str>,
    ) -> BackendResult<(Vec<DecisionRecord>, Option<String>)>;
    /// Returns events from a number on.
    fn events(&self, from: u64, filter: &EventFilter, limit: usize) -> BackendResult<Page>;
    /// Follows events from a number on. Lost connections are reported to the printer.
    fn follow_events<'a>(
        &'a self,
        from: u64,
        filter: &EventFilter,
        printer: &'a Printer,
    ) -> BackendResult<Box<dyn EventFollower + 'a>>;
    /// Follows the events of one handoff from a number on.
    fn follow_handoff<'a>(
        &'a self,
        handoff: HandoffId,
        from: u64,
        printer: &'a Printer,
    ) -> BackendResult<Box<dyn EventFollower + 'a>>;
    /// Follows everything that may change the caller's inbox, from now on.
    fn follow_inbox<'a>(
        &'a self,
        printer: &'a Printer,
    ) -> BackendResult<Box<dyn EventFollower + 'a>>;
    /// Returns the last events.
    fn last_events(&self, filter: &EventFilter, limit: usize) -> BackendResult<Page>;
    /// Returns the events of a handoff.
    fn history(&self, handoff: HandoffId) -> BackendResult<Vec<api::Event>>;
    /// Returns the handoffs of a task, oldest first, and their events.
    fn timeline(&self, task: &str) -> BackendResult<(Vec<api::Handoff>, Vec<api::Event>)>;

    fn parties(&self) -> BackendResult<Vec<api::Party>>;
    /// Returns a party with all of its details.
    fn party(&self, name: &str) -> BackendResult<api::Party>;
    fn tokens(&self) -> BackendResult<Vec<api::Token>>;
    fn contracts(&self) -> BackendResult<Vec<ContractSummary>>;
    fn contract(&self, name: &str) -> BackendResult<ContractDetails>;
    fn gates(&self) -> BackendResult<Vec<PolicyDetails>>;
    fn gate(&self, name: &str) -> BackendResult<PolicyDetails>;
    fn rules(&self) -> BackendResult<Option<PolicyDetails>>;
    fn project(&self) -> BackendResult<Project>;

    /// Returns whether snapshots travel through the exchange. On this machine the repository has them.
    fn carries_snapshots(&self) -> bool;
    /// Sends the snapshot of a task as a git bundle.
    fn send_snapshot(&self, task: &str, bundle: Vec<u8>) -> BackendResult<()>;
    /// Returns the newest snapshot of a task that the exchange has.
    fn newest_snapshot(&self, task: &str) -> BackendResult<Option<api::Snapshot>>;
    /// Returns a snapshot as a git bundle.
    fn snapshot_bundle(&self, task: &str, number: u64) -> BackendResult<Vec<u8>>;

    /// Returns log entries, exactly as they were hashed. An empty list is the end.
    fn leaves(&self, from: u64, limit: u32) -> BackendResult<Vec<String>>;
    /// Checks the log, and compares an exported trail with it.
    fn check_log(&self, from: u64, trail: Option<&Trail>) -> BackendResult<LogCheckReport>;
}

impl dyn Backend + '_ {
    /// Returns the formatter of times relative to now.
    pub(crate) fn time_formatter(&self) -> TimeFormatter {
        self.time_formatter_at(self.now())
    }

    /// Returns the formatter of times relative to another instant.
    pub(crate) fn time_formatter_at(&self, now: Timestamp) -> TimeFormatter {
        TimeFormatter::new(now, self.settings().time_format.value == TimeFormat::Human)
    }

    /// Returns the caller with its roles, or an anonymous context if the caller is unknown.
    pub(crate) fn next_steps_context(&self) -> NextStepsContext {
        let known = || {
            let credential = (self.scopes()?, self.now());
            Ok::<_, Failure>(NextStepsContext::for_party(
                &self.own_name()?,
                &self.parties()?,
                credential,
            ))
        };
        known().unwrap_or_else(|_| NextStepsContext::anonymous(self.now()))
    }

    /// Returns the names, checkpoints and returns that printing these events needs. What a gate hides
    /// from the caller is left out.
    pub(crate) fn event_context(&self, events: &[api::Event]) -> BackendResult<EventContext> {
        let mut context = EventContext::default();
        if EventContext::needs_names(events) {
            context = context.with_names(self.parties()?);
        }
        for handoff in EventContext::needs_checkpoints_of(events) {
            context.add_checkpoints(self.checkpoints(handoff).unwrap_or_default());
        }
        for handoff in EventContext::needs_returns_of(events) {
            context.add_returns(self.returns(handoff).unwrap_or_default());
        }
        Ok(context)
    }

    /// Resolves a reference to a handoff and to the version of it that a decision is bound to: the one
    /// that the reference names, else the current one.
    pub(crate) fn resolve_with_version(
        &self,
        written: &str,
    ) -> BackendResult<(api::Handoff, SeenVersion)> {
        let handoff = self.resolve(written)?;
        let seen = match parse_version(written)? {
            None => current_version(&handoff),
            Some(named) => named_version(&handoff, &named)?,
        };
        Ok((handoff, seen))
    }
}

/// Returns the current version of a handoff.
pub(crate) fn current_version(handoff: &api::Handoff) -> SeenVersion {
    let digest = handoff.action.as_ref().map_or(&handoff.digest, |action| &action.digest);
    SeenVersion {
        revision: Some(handoff.revision),
        digest: Some(digest.clone()),
        receiver: Some(handoff.to.clone()),
        ..SeenVersion::default()
    }
}

/// Returns the version that a reference names. Its digits stand for everything that was shown; the
/// exchange gets the full digests.
fn named_version(handoff: &api::Handoff, named: &NamedVersion) -> BackendResult<SeenVersion> {
    match named {
        NamedVersion::Revision(revision, Some(tag)) if *revision == handoff.revision => {
            if *tag == handoff.version_tag() {
                return Ok(current_version(handoff));
            }
            let message =
                format!("handoff {} changed since you saw `{revision}:{tag}`", handoff.id);
            let changed = Refusal::new(RefusalCode::RevisionChanged, message);
            Err(refusal_failure(&changed.hint("run `tasuki show` again, then decide")))
        }
        NamedVersion::Revision(revision, _) => {
            Ok(SeenVersion { revision: Some(*revision), ..SeenVersion::default() })
        }
        NamedVersion::Return(_) => Err(Failure::usage(
            "the reference names a return packet, which only a verdict is about",
        )
        .hint("use `tasuki verify`, or the reference that `tasuki show` prints")),
    }
}

impl dyn Backend + '_ {
    /// Resolves a reference of the sender to its own handoff. Without the right to read, the version is
    /// left open and the current one is changed.
    pub(crate) fn resolve_own_with_version(
        &self,
        written: &str,
    ) -> BackendResult<(HandoffId, SeenVersion)> {
        match self.resolve_with_version(written) {
            Ok((handoff, seen)) => Ok((parse_id(&handoff)?, seen)),
            Err(_) if !written.contains('@') && !self.can_read()? => {
                Ok((self.resolve_own_id(written)?, SeenVersion::default()))
            }
            Err(failure) => Err(failure),
        }
    }
}

/// Returns a filter for the events of one handoff.
pub(crate) fn handoff_filter(handoff: HandoffId) -> EventFilter {
    EventFilter { handoff: Some(handoff.to_string()), ..EventFilter::default() }
}

/// Parses the id of a handoff in a response.
pub(crate) fn parse_id(handoff: &api::Handoff) -> BackendResult<HandoffId> {
    handoff.id.parse().map_err(|error| Failure::usage(format!("malformed response: {error}")))
}
