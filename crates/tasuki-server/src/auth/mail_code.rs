//! Codes that are mailed to people, so that they can decide without signing in.
//!
//! A code is 256 random bits. Only its hash is stored, and its link has it in the fragment, which no
//! browser sends to a server: neither access logs nor programs that open links in mail see it. The
//! code decides once, within a day, about one version of one handoff.

use jiff::{SignedDuration, Timestamp};
use tasuki_engine::error::Error;
use tasuki_engine::model::{Directory, Handoff, Party, PartyKind, Principal, Scope, Scopes};
use tasuki_engine::ports::{MailCodeRecord, SessionHash};
use tasuki_engine::rules::messages;
use tasuki_engine::steps::SeenVersion;
use tasuki_packet::id::ProjectId;
use tasuki_packet::leaf::{ActorKind, Authentication};

use crate::delivery::notice::Subject;
use crate::state::App;

/// LIMIT: the time in which a code works.
const LIFE: SignedDuration = SignedDuration::from_hours(24);

impl App {
    /// Creates a code with which a person decides about a held handoff. Returns `None` where no code
    /// may decide, and for an action that the mail cannot show whole.
    pub(crate) async fn new_mail_code(
        &self,
        project: ProjectId,
        person: &Party,
        subject: &Subject,
    ) -> Result<Option<String>, Error> {
        let handoff = &subject.handoff;
        let directory = self.engine.directory(project).await?;
        let Some(address) = &person.channels.email else { return Ok(None) };
        let is_shown = subject.quotation.as_ref().is_some_and(|quotation| quotation.is_whole);
        if !is_shown || !messages::may_decide(&directory, handoff) {
            return Ok(None);
        }
        let (code, now) = (self.secret("mail code"), self.engine.now());
        let seen = SeenVersion::at(&directory, handoff);
        let record = MailCodeRecord {
            id: SessionHash::of(&code),
            project,
            handoff: handoff.id,
            person: person.id,
            address: SessionHash::of(address),
            receiver: handoff.facts.receiver,
            revision: handoff.facts.revision,
            digest: seen.digest.unwrap_or_default(),
            created_at: now,
            expires_at: now.saturating_add(LIFE).unwrap_or(Timestamp::MAX),
        };
        self.people.put_mail_code(record).await?;
        Ok(Some(code))
    }

    /// Deletes a code whose mail could not be sent. If that fails, the code expires unused.
    pub(crate) async fn discard_mail_code(&self, code: &str) {
        if let Err(error) = self.people.take_mail_code(SessionHash::of(code)).await {
            tracing::warn!(%error, "deleting a mail code failed");
        }
    }

    /// Returns the record of a code that works now.
    pub(crate) async fn live_mail_code(&self, code: &str) -> Result<Option<MailCodeRecord>, Error> {
        let found = self.people.mail_code(SessionHash::of(code)).await?;
        Ok(found.filter(|record| self.engine.now() < record.expires_at))
    }
}

/// Returns the person who decides with a code, as long as they have the address that it was mailed to.
/// It has no other scope than to decide.
pub(crate) fn principal(directory: &Directory, record: &MailCodeRecord) -> Option<Principal> {
    let person = directory.party(record.person)?;
    let principal = Principal {
        authentication: Authentication::Mail,
        scopes: Scopes::none().with(Scope::Decide),
        ..Principal::local(person.id, ActorKind::Human)
    };
    let address = person.channels.email.as_deref().map(SessionHash::of);
    let is_theirs = person.kind == PartyKind::Human && address == Some(record.address);
    is_theirs.then_some(principal)
}

/// Returns the version that a code is for.
pub(crate) fn seen(directory: &Directory, record: &MailCodeRecord) -> SeenVersion {
    SeenVersion {
        revision: Some(record.revision),
        digest: Some(record.digest.clone()),
        receiver: Some(directory.name(record.receiver)),
        ..SeenVersion::default()
    }
}

/// Returns `true` if a handoff is held in the version that a code is for.
pub(crate) fn is_open(directory: &Directory, handoff: &Handoff, record: &MailCodeRecord) -> bool {
    let now = SeenVersion::at(directory, handoff);
    messages::may_decide(directory, handoff) && now == seen(directory, record)
}
