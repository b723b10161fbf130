//! People, their sessions and mailed codes, token usage and heartbeats, stored in `exchange.db`.

use std::collections::HashMap;

use jiff::Timestamp;
use tasuki_engine::ports::{AccountStore, MailCodeRecord, Pending, SessionHash, SessionRecord};
use tasuki_packet::id::TokenId;

use super::SqliteStore;

impl AccountStore for SqliteStore {
    fn person(&self, name: String) -> Pending<'_, Option<String>> {
        Box::pin(async move { self.exchange.person(&name) })
    }

    fn people(&self) -> Pending<'_, Vec<String>> {
        Box::pin(async move { self.exchange.people() })
    }

    fn set_person(&self, name: String, hash: String) -> Pending<'_, ()> {
        Box::pin(async move { self.exchange.set_person(&name, &hash) })
    }

    fn put_session(&self, session: SessionRecord) -> Pending<'_, ()> {
        Box::pin(async move { self.exchange.put_session(&session) })
    }

    fn session(&self, id: SessionHash) -> Pending<'_, Option<SessionRecord>> {
        Box::pin(async move { self.exchange.session(id) })
    }

    fn touch_session(&self, id: SessionHash, seen_at: Timestamp) -> Pending<'_, ()> {
        Box::pin(async move { self.exchange.touch_session(id, seen_at) })
    }

    fn end_session(&self, id: SessionHash) -> Pending<'_, bool> {
        Box::pin(async move { self.exchange.end_session(id) })
    }

    fn put_mail_code(&self, code: MailCodeRecord) -> Pending<'_, ()> {
        Box::pin(async move { self.exchange.put_mail_code(&code) })
    }

    fn mail_code(&self, id: SessionHash) -> Pending<'_, Option<MailCodeRecord>> {
        Box::pin(async move { self.exchange.mail_code(id) })
    }

    fn take_mail_code(&self, id: SessionHash) -> Pending<'_, bool> {
        Box::pin(async move { self.exchange.take_mail_code(id) })
    }

    fn token_uses(&self) -> Pending<'_, HashMap<TokenId, Timestamp>> {
        Box::pin(async move { self.exchange.token_uses() })
    }

    fn note_token_uses(&self, uses: Vec<(TokenId, Timestamp)>) -> Pending<'_, ()> {
        Box::pin(async move { self.exchange.note_token_uses(&uses) })
    }

    fn last_heartbeat(&self) -> Pending<'_, Option<Timestamp>> {
        Box::pin(async move { self.exchange.last_heartbeat() })
    }

    fn beat(&self, server: String, at: Timestamp) -> Pending<'_, ()> {
        Box::pin(async move { self.exchange.beat(&server, at) })
    }
}
