//! Storage of password hashes, sessions, mailed codes, last uses of tokens, and heartbeats of
//! servers.
//!
//! Accounts belong to the exchange, not to a project. A person who signs in is the party with their
//! name in every project that has one. The rules never read accounts; they get a principal.

use std::collections::HashMap;

use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use tasuki_packet::id::{HandoffId, PartyId, ProjectId, TokenId};

use crate::limits::SESSION_IDLE;
use crate::model::context::later;
use crate::ports::Pending;

/// Storage of accounts, sessions and heartbeats.
pub trait AccountStore: Send + Sync + 'static {
    /// Returns the password hash of a person.
    fn person(&self, name: String) -> Pending<'_, Option<String>>;

    /// Returns the names of the people who have a password, sorted.
    fn people(&self) -> Pending<'_, Vec<String>>;

    /// Sets the password hash of a person and ends all their sessions.
    fn set_person(&self, name: String, hash: String) -> Pending<'_, ()>;

    /// Stores a session and deletes all that had expired when it began.
    fn put_session(&self, session: SessionRecord) -> Pending<'_, ()>;

    /// Returns the session with this hash, even if it has expired.
    fn session(&self, id: SessionHash) -> Pending<'_, Option<SessionRecord>>;

    /// Records the use of a session. Each call costs a commit; once a minute is enough.
    fn touch_session(&self, id: SessionHash, seen_at: Timestamp) -> Pending<'_, ()>;

    /// Ends a session. Returns `false` if it did not exist.
    fn end_session(&self, id: SessionHash) -> Pending<'_, bool>;

    /// Stores a mailed code and deletes all that had expired when it was created.
    fn put_mail_code(&self, code: MailCodeRecord) -> Pending<'_, ()>;

    /// Returns the mailed code with this hash, even if it has expired.
    fn mail_code(&self, id: SessionHash) -> Pending<'_, Option<MailCodeRecord>>;

    /// Deletes a mailed code. Returns `false` if it did not exist, so that only one caller uses it.
    fn take_mail_code(&self, id: SessionHash) -> Pending<'_, bool>;

    /// Returns when each token of every project was last used.
    fn token_uses(&self) -> Pending<'_, HashMap<TokenId, Timestamp>>;

    /// Records the use of tokens in one commit. Once an hour is enough.
    fn note_token_uses(&self, uses: Vec<(TokenId, Timestamp)>) -> Pending<'_, ()>;

    /// Returns the last heartbeat of any server.
    fn last_heartbeat(&self) -> Pending<'_, Option<Timestamp>>;

    /// Records the heartbeat of a server and deletes those of servers that are long gone.
    fn beat(&self, server: String, at: Timestamp) -> Pending<'_, ()>;
}

/// A session of a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRecord {
    /// The hash of the session id that the browser sends.
    pub id: SessionHash,
    /// The person.
    pub person: String,
    /// When they signed in.
    pub created_at: Timestamp,
    /// When it was last used.
    pub last_seen: Timestamp,
    /// When it expires, even if it is in use.
    pub expires_at: Timestamp,
    /// `true` on the person's own device, where it does not expire while it is unused.
    pub is_remembered: bool,
}

/// A code with which one person decides once about one version of a handoff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailCodeRecord {
    /// The hash of the code. The code itself is only in the mail.
    pub id: SessionHash,
    /// The project of the handoff.
    pub project: ProjectId,
    /// The handoff.
    pub handoff: HandoffId,
    /// The person whom the code was mailed to.
    pub person: PartyId,
    /// The hash of the address that it was mailed to. The code works while the person has it.
    pub address: SessionHash,
    /// The receiver of the handoff at that time.
    pub receiver: PartyId,
    /// The revision that the mail was about.
    pub revision: u32,
    /// The digest of its packet, or of the action that waited for approval.
    pub digest: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it stops working.
    pub expires_at: Timestamp,
}

/// The hash of a session id or mailed code. The id itself is secret and never stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionHash(pub [u8; 32]);

impl SessionHash {
    /// Hashes a session id. It has 256 random bits, so a fast hash is enough.
    pub fn of(id: &str) -> Self {
        Self(Sha256::digest(id).into())
    }
}

impl SessionRecord {
    /// Returns `true` if the session has neither expired nor been idle for too long.
    pub fn is_live(&self, now: Timestamp) -> bool {
        let is_in_use = self.is_remembered || now < later(self.last_seen, SESSION_IDLE);
        now < self.expires_at && is_in_use
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_ends_when_it_expires_or_is_idle() {
        let at = |hour: i64| Timestamp::from_second(hour * 60 * 60).unwrap();
        let session = SessionRecord {
            id: SessionHash::of("secret"),
            person: "pia".to_owned(),
            created_at: at(0),
            last_seen: at(10),
            expires_at: at(20),
            is_remembered: false,
        };
        for (hour, is_live) in [(0, true), (19, true), (20, false)] {
            assert_eq!(session.is_live(at(hour)), is_live, "{hour}");
        }
        let idle = SessionRecord { expires_at: at(480), ..session };
        let remembered = SessionRecord { is_remembered: true, ..idle.clone() };
        for (hour, is_live) in [(21, true), (22, false)] {
            assert_eq!(idle.is_live(at(hour)), is_live, "{hour}");
        }
        assert!(remembered.is_live(at(479)) && !remembered.is_live(at(480)));
    }
}
