//! What a door keeps: of people the hash of their password and their sessions, of tokens when they
//! were last used, and when a server was last there.
//!
//! Accounts belong to the exchange, not to a project: whoever signs in is the party of their name in
//! every project that has one. The rules never look here; what they need to know of a caller is in
//! its principal.

use std::collections::HashMap;

use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use tasuki_packet::id::TokenId;

use crate::limits::SESSION_IDLE;
use crate::model::context::later;
use crate::ports::Pending;

/// The memory of a door.
pub trait AccountStore: Send + Sync + 'static {
    /// The password hash of a person.
    fn person(&self, name: String) -> Pending<'_, Option<String>>;

    /// Sets the password hash of a person. Every session that they have ends with it.
    fn set_person(&self, name: String, hash: String) -> Pending<'_, ()>;

    /// Keeps a session, and forgets all that were over when this one began.
    fn put_session(&self, session: SessionRecord) -> Pending<'_, ()>;

    /// The session with this hash, over or not.
    fn session(&self, id: SessionHash) -> Pending<'_, Option<SessionRecord>>;

    /// Notes that a session was used. It costs a commit: once a minute is often enough.
    fn touch_session(&self, id: SessionHash, seen_at: Timestamp) -> Pending<'_, ()>;

    /// Ends a session. `false` if there was none.
    fn end_session(&self, id: SessionHash) -> Pending<'_, bool>;

    /// When tokens were last used, those of all projects.
    fn token_uses(&self) -> Pending<'_, HashMap<TokenId, Timestamp>>;

    /// Notes when tokens were used, in one commit. Once an hour is often enough.
    fn note_token_uses(&self, uses: Vec<(TokenId, Timestamp)>) -> Pending<'_, ()>;

    /// The last sign of life of any server.
    fn last_heartbeat(&self) -> Pending<'_, Option<Timestamp>>;

    /// A server is there, and forgets those that are long gone.
    fn beat(&self, server: String, at: Timestamp) -> Pending<'_, ()>;
}

/// A person who has signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRecord {
    /// The hash of what the browser shows.
    pub id: SessionHash,
    /// Who.
    pub person: String,
    /// When they signed in.
    pub created_at: Timestamp,
    /// When they were last seen.
    pub last_seen: Timestamp,
    /// When it ends, however busy they are.
    pub expires_at: Timestamp,
}

/// The hash of a session's id. The id itself is a secret, and is kept nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionHash(pub [u8; 32]);

impl SessionHash {
    /// The hash of an id, which has 256 random bits and so needs no slow hash.
    pub fn of(id: &str) -> Self {
        Self(Sha256::digest(id).into())
    }
}

impl SessionRecord {
    /// Whether it still counts: not expired, and not left alone for too long.
    pub fn is_live(&self, now: Timestamp) -> bool {
        now < self.expires_at && now < later(self.last_seen, SESSION_IDLE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_ends_by_its_time_or_for_want_of_use() {
        let at = |minute: i64| Timestamp::from_second(minute * 60).unwrap();
        let session = SessionRecord {
            id: SessionHash::of("secret"),
            person: "pia".to_owned(),
            created_at: at(0),
            last_seen: at(10),
            expires_at: at(20),
        };
        for (minute, is_live) in [(0, true), (19, true), (20, false)] {
            assert_eq!(session.is_live(at(minute)), is_live, "{minute}");
        }
        let idle = SessionRecord { expires_at: at(480), ..session };
        for (minute, is_live) in [(24, true), (25, false)] {
            assert_eq!(idle.is_live(at(minute)), is_live, "{minute}");
        }
    }
}
