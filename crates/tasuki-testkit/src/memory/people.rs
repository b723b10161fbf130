//! Accounts and sessions, token usage, heartbeats.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;
use tasuki_engine::ports::{AccountStore, MailCodeRecord, Pending, SessionHash, SessionRecord};
use tasuki_packet::id::TokenId;

use super::store::MemoryStore;

/// Data that belongs to no project.
#[derive(Debug, Default)]
pub(super) struct Accounts {
    hashes: BTreeMap<String, String>,
    sessions: BTreeMap<SessionHash, SessionRecord>,
    mail_codes: BTreeMap<SessionHash, MailCodeRecord>,
    uses: HashMap<TokenId, Timestamp>,
    heartbeats: BTreeMap<String, Timestamp>,
}

impl MemoryStore {
    fn with_accounts<T: Send + 'static>(
        &self,
        query: impl FnOnce(&mut Accounts) -> T,
    ) -> Pending<'_, T> {
        let result = query(&mut self.lock().people);
        Box::pin(std::future::ready(Ok(result)))
    }
}

impl AccountStore for MemoryStore {
    fn person(&self, name: String) -> Pending<'_, Option<String>> {
        self.with_accounts(|accounts| accounts.hashes.get(&name).cloned())
    }

    fn people(&self) -> Pending<'_, Vec<String>> {
        self.with_accounts(|accounts| accounts.hashes.keys().cloned().collect())
    }

    fn set_person(&self, name: String, hash: String) -> Pending<'_, ()> {
        self.with_accounts(|accounts| {
            accounts.sessions.retain(|_, session| session.person != name);
            accounts.hashes.insert(name, hash);
        })
    }

    fn put_session(&self, session: SessionRecord) -> Pending<'_, ()> {
        self.with_accounts(|accounts| {
            accounts.sessions.retain(|_, other| session.created_at < other.expires_at);
            accounts.sessions.insert(session.id, session);
        })
    }

    fn session(&self, id: SessionHash) -> Pending<'_, Option<SessionRecord>> {
        self.with_accounts(|accounts| accounts.sessions.get(&id).cloned())
    }

    fn touch_session(&self, id: SessionHash, seen_at: Timestamp) -> Pending<'_, ()> {
        self.with_accounts(|accounts| {
            if let Some(session) = accounts.sessions.get_mut(&id) {
                session.last_seen = session.last_seen.max(seen_at);
            }
        })
    }

    fn end_session(&self, id: SessionHash) -> Pending<'_, bool> {
        self.with_accounts(|accounts| accounts.sessions.remove(&id).is_some())
    }

    fn put_mail_code(&self, code: MailCodeRecord) -> Pending<'_, ()> {
        self.with_accounts(|accounts| {
            accounts.mail_codes.retain(|_, other| code.created_at < other.expires_at);
            accounts.mail_codes.insert(code.id, code);
        })
    }

    fn mail_code(&self, id: SessionHash) -> Pending<'_, Option<MailCodeRecord>> {
        self.with_accounts(|accounts| accounts.mail_codes.get(&id).cloned())
    }

    fn take_mail_code(&self, id: SessionHash) -> Pending<'_, bool> {
        self.with_accounts(|accounts| accounts.mail_codes.remove(&id).is_some())
    }

    fn token_uses(&self) -> Pending<'_, HashMap<TokenId, Timestamp>> {
        self.with_accounts(|accounts| accounts.uses.clone())
    }

    fn note_token_uses(&self, uses: Vec<(TokenId, Timestamp)>) -> Pending<'_, ()> {
        self.with_accounts(|accounts| {
            for (token, at) in uses {
                let last = accounts.uses.entry(token).or_insert(at);
                *last = at.max(*last);
            }
        })
    }

    fn last_heartbeat(&self) -> Pending<'_, Option<Timestamp>> {
        self.with_accounts(|accounts| accounts.heartbeats.values().max().copied())
    }

    fn beat(&self, server: String, at: Timestamp) -> Pending<'_, ()> {
        self.with_accounts(|accounts| {
            let last = accounts.heartbeats.entry(server).or_insert(at);
            *last = at.max(*last);
        })
    }
}
