//! The sign-in link of this process and the sessions opened with it. Neither is stored.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use tasuki_engine::ports::{SessionHash, SessionRecord};

/// The open link and the sessions opened with links.
#[derive(Debug, Default)]
pub(crate) struct SignInLinks {
    link: Mutex<Option<SignInLink>>,
    sessions: Mutex<HashMap<SessionHash, LinkSession>>,
}

/// A session opened with a link.
#[derive(Debug, Clone)]
pub(crate) struct LinkSession {
    pub(crate) session: SessionRecord,
    /// The hash of the person's password at that time, if any.
    pub(crate) password: Option<String>,
}

#[derive(Debug)]
struct SignInLink {
    code: SessionHash,
    person: String,
    until: Timestamp,
}

impl SignInLinks {
    /// Sets the code that signs a person in, replacing the previous one.
    pub(crate) fn set(&self, code: SessionHash, person: &str, until: Timestamp) {
        let link = SignInLink { code, person: person.to_owned(), until };
        *self.link.lock().unwrap_or_else(PoisonError::into_inner) = Some(link);
    }

    /// Returns a live session of this process. A request of its person extends it.
    pub(crate) fn live(
        &self,
        hash: SessionHash,
        now: Timestamp,
        is_request: bool,
    ) -> Option<LinkSession> {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let opened = sessions.get_mut(&hash).filter(|opened| opened.session.is_live(now))?;
        if is_request {
            opened.session.last_seen = now;
        }
        Some(opened.clone())
    }

    /// Returns the person of the link, if this is its code. The code works once.
    pub(crate) fn redeem(&self, code: &str, now: Timestamp) -> Option<String> {
        let mut link = self.link.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |one: &mut SignInLink| one.code == SessionHash::of(code) && now < one.until;
        link.take_if(is_it).map(|link| link.person)
    }

    pub(crate) fn add(&self, opened: LinkSession, now: Timestamp) {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.retain(|_, known| known.session.is_live(now));
        sessions.insert(opened.session.id, opened);
    }

    pub(crate) fn remove(&self, hash: SessionHash) {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).remove(&hash);
    }
}
