//! The sign-in link of this process, and the sessions that were opened with it. Neither is stored.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use tasuki_engine::people::{SessionHash, SessionRecord};

/// What only this process knows: its link, and who came by it.
#[derive(Debug, Default)]
pub(crate) struct Links {
    welcome: Mutex<Option<Welcome>>,
    sessions: Mutex<HashMap<SessionHash, Arrived>>,
}

/// Somebody who came by the link.
#[derive(Debug, Clone)]
pub(crate) struct Arrived {
    pub(crate) session: SessionRecord,
    /// The hash of the password that they had then, if they had one.
    pub(crate) password: Option<String>,
}

#[derive(Debug)]
struct Welcome {
    code: SessionHash,
    person: String,
    until: Timestamp,
}

impl Links {
    /// Sets the code that signs a person in, in place of the one before.
    pub(crate) fn set(&self, code: SessionHash, person: &str, until: Timestamp) {
        let welcome = Welcome { code, person: person.to_owned(), until };
        *self.welcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(welcome);
    }

    /// A session of this process that is live; a request of its person keeps it so.
    pub(crate) fn live(
        &self,
        hash: SessionHash,
        now: Timestamp,
        is_request: bool,
    ) -> Option<Arrived> {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let arrived = sessions.get_mut(&hash).filter(|arrived| arrived.session.is_live(now))?;
        if is_request {
            arrived.session.last_seen = now;
        }
        Some(arrived.clone())
    }

    /// The person whom the link is for, if this is its code. It works once.
    pub(crate) fn use_up(&self, code: &str, now: Timestamp) -> Option<String> {
        let mut welcome = self.welcome.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |one: &mut Welcome| one.code == SessionHash::of(code) && now < one.until;
        welcome.take_if(is_it).map(|welcome| welcome.person)
    }

    pub(crate) fn keep(&self, arrived: Arrived, now: Timestamp) {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.retain(|_, known| known.session.is_live(now));
        sessions.insert(arrived.session.id, arrived);
    }

    pub(crate) fn end(&self, hash: SessionHash) {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).remove(&hash);
    }
}
