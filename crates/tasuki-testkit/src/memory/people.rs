//! Accounts and their sessions, the use of tokens, signs of life.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;
use tasuki_engine::ports::{AccountStore, Pending, SessionHash, SessionRecord};
use tasuki_packet::id::TokenId;

use super::store::MemoryStore;

/// What belongs to no project.
#[derive(Debug, Default)]
pub(super) struct Known {
    hashes: BTreeMap<String, String>,
    sessions: BTreeMap<SessionHash, SessionRecord>,
    uses: HashMap<TokenId, Timestamp>,
    heartbeats: BTreeMap<String, Timestamp>,
}

impl MemoryStore {
    fn ask<T: Send + 'static>(&self, question: impl FnOnce(&mut Known) -> T) -> Pending<'_, T> {
        let answer = question(&mut self.lock().people);
        Box::pin(std::future::ready(Ok(answer)))
    }
}

impl AccountStore for MemoryStore {
    fn person(&self, name: String) -> Pending<'_, Option<String>> {
        self.ask(|known| known.hashes.get(&name).cloned())
    }

    fn set_person(&self, name: String, hash: String) -> Pending<'_, ()> {
        self.ask(|known| {
            known.sessions.retain(|_, session| session.person != name);
            known.hashes.insert(name, hash);
        })
    }

    fn put_session(&self, session: SessionRecord) -> Pending<'_, ()> {
        self.ask(|known| {
            known.sessions.retain(|_, other| session.created_at < other.expires_at);
            known.sessions.insert(session.id, session);
        })
    }

    fn session(&self, id: SessionHash) -> Pending<'_, Option<SessionRecord>> {
        self.ask(|known| known.sessions.get(&id).cloned())
    }

    fn touch_session(&self, id: SessionHash, seen_at: Timestamp) -> Pending<'_, ()> {
        self.ask(|known| {
            if let Some(session) = known.sessions.get_mut(&id) {
                session.last_seen = session.last_seen.max(seen_at);
            }
        })
    }

    fn end_session(&self, id: SessionHash) -> Pending<'_, bool> {
        self.ask(|known| known.sessions.remove(&id).is_some())
    }

    fn token_uses(&self) -> Pending<'_, HashMap<TokenId, Timestamp>> {
        self.ask(|known| known.uses.clone())
    }

    fn note_token_uses(&self, uses: Vec<(TokenId, Timestamp)>) -> Pending<'_, ()> {
        self.ask(|known| {
            for (token, at) in uses {
                let last = known.uses.entry(token).or_insert(at);
                *last = at.max(*last);
            }
        })
    }

    fn last_heartbeat(&self) -> Pending<'_, Option<Timestamp>> {
        self.ask(|known| known.heartbeats.values().max().copied())
    }

    fn beat(&self, server: String, at: Timestamp) -> Pending<'_, ()> {
        self.ask(|known| {
            let last = known.heartbeats.entry(server).or_insert(at);
            *last = at.max(*last);
        })
    }
}
