//! People, sessions, mailed codes, token usage and heartbeats.

use std::collections::HashMap;

use jiff::Timestamp;
use tasuki_engine::error::Fault;
use tasuki_engine::limits::HEARTBEAT_KEPT_MICROSECONDS;
use tasuki_engine::ports::{AccountStore, MailCodeRecord, Pending, SessionHash, SessionRecord};
use tasuki_packet::id::TokenId;

use crate::postgres::PostgresStore;
use crate::postgres::connection::Param;
use crate::postgres::connection::pool::{OpenTransaction, Pooled};
use crate::postgres::statements::{self, Statement};
use crate::row;

/// One statement of a transaction.
type Write<'a> = (&'static Statement, Vec<Param<'a>>);

/// Runs statements in one transaction.
async fn write(connection: Pooled, writes: &[Write<'_>]) -> Result<(), Fault> {
    let open = OpenTransaction::begin(connection).await?;
    for (statement, params) in writes {
        open.run(statement, params).await?;
    }
    open.commit().await
}

impl AccountStore for PostgresStore {
    fn person(&self, name: String) -> Pending<'_, Option<String>> {
        Box::pin(async move {
            let connection = self.reader().await?;
            connection.first(&statements::PERSON_LOAD, &[&name], row::person).await
        })
    }

    fn people(&self) -> Pending<'_, Vec<String>> {
        Box::pin(async move {
            let connection = self.reader().await?;
            connection.all(&statements::PERSON_SCAN, &[], row::person_name).await
        })
    }

    fn set_person(&self, name: String, hash: String) -> Pending<'_, ()> {
        Box::pin(async move {
            let connection = self.reader().await?;
            let writes: [Write<'_>; 2] = [
                (&statements::PERSON_UPSERT, vec![&name, &hash]),
                (&statements::SESSION_DELETE_BY_PERSON, vec![&name]),
            ];
            write(connection, &writes).await
        })
    }

    fn put_session(&self, session: SessionRecord) -> Pending<'_, ()> {
        Box::pin(async move {
            let connection = self.reader().await?;
            let id = &session.id.0[..];
            let [created_at, last_seen, expires_at] =
                [session.created_at, session.last_seen, session.expires_at]
                    .map(Timestamp::as_microsecond);
            let is_remembered = i64::from(session.is_remembered);
            let values: Vec<Param<'_>> =
                vec![&id, &session.person, &created_at, &last_seen, &expires_at, &is_remembered];
            let writes: [Write<'_>; 2] = [
                (&statements::SESSION_DELETE_EXPIRED, vec![&created_at]),
                (&statements::SESSION_UPSERT, values),
            ];
            write(connection, &writes).await
        })
    }

    fn session(&self, id: SessionHash) -> Pending<'_, Option<SessionRecord>> {
        Box::pin(async move {
            let connection = self.reader().await?;
            connection.first(&statements::SESSION_LOAD, &[&&id.0[..]], row::session).await
        })
    }

    fn touch_session(&self, id: SessionHash, seen_at: Timestamp) -> Pending<'_, ()> {
        Box::pin(async move {
            let connection = self.reader().await?;
            let seen_at = seen_at.as_microsecond();
            connection.run(&statements::SESSION_TOUCH, &[&seen_at, &&id.0[..]]).await.map(drop)
        })
    }

    fn end_session(&self, id: SessionHash) -> Pending<'_, bool> {
        Box::pin(async move {
            let connection = self.reader().await?;
            let ended = connection.run(&statements::SESSION_DELETE, &[&&id.0[..]]).await?;
            Ok(ended > 0)
        })
    }

    fn put_mail_code(&self, code: MailCodeRecord) -> Pending<'_, ()> {
        Box::pin(async move {
            let connection = self.reader().await?;
            let (id, address) = (&code.id.0[..], &code.address.0[..]);
            let (project, handoff) = (code.project.to_string(), code.handoff.to_string());
            let (person, receiver) = (code.person.to_string(), code.receiver.to_string());
            let revision = i64::from(code.revision);
            let [created_at, expires_at] =
                [code.created_at, code.expires_at].map(Timestamp::as_microsecond);
            let values: Vec<Param<'_>> = vec![
                &id,
                &project,
                &handoff,
                &person,
                &address,
                &receiver,
                &revision,
                &code.digest,
                &created_at,
                &expires_at,
            ];
            let writes: [Write<'_>; 2] = [
                (&statements::MAIL_CODE_DELETE_EXPIRED, vec![&created_at]),
                (&statements::MAIL_CODE_INSERT, values),
            ];
            write(connection, &writes).await
        })
    }

    fn mail_code(&self, id: SessionHash) -> Pending<'_, Option<MailCodeRecord>> {
        Box::pin(async move {
            let connection = self.reader().await?;
            connection.first(&statements::MAIL_CODE_LOAD, &[&&id.0[..]], row::mail_code).await
        })
    }

    fn take_mail_code(&self, id: SessionHash) -> Pending<'_, bool> {
        Box::pin(async move {
            let connection = self.reader().await?;
            let taken = connection.run(&statements::MAIL_CODE_DELETE, &[&&id.0[..]]).await?;
            Ok(taken > 0)
        })
    }

    fn token_uses(&self) -> Pending<'_, HashMap<TokenId, Timestamp>> {
        Box::pin(async move {
            let connection = self.reader().await?;
            let uses = connection.all(&statements::TOKEN_USE_LIST, &[], row::token_use).await?;
            Ok(uses.into_iter().collect())
        })
    }

    fn note_token_uses(&self, uses: Vec<(TokenId, Timestamp)>) -> Pending<'_, ()> {
        Box::pin(async move {
            let connection = self.reader().await?;
            let tokens: Vec<String> = uses.iter().map(|(token, _)| token.to_string()).collect();
            let times: Vec<i64> = uses.iter().map(|(_, at)| at.as_microsecond()).collect();
            connection.run(&statements::TOKEN_USE_UPSERT, &[&tokens, &times]).await.map(drop)
        })
    }

    fn last_heartbeat(&self) -> Pending<'_, Option<Timestamp>> {
        Box::pin(async move {
            let connection = self.reader().await?;
            connection.first(&statements::HEARTBEAT_LAST, &[], row::heartbeat).await
        })
    }

    fn beat(&self, server: String, at: Timestamp) -> Pending<'_, ()> {
        Box::pin(async move {
            let connection = self.reader().await?;
            let at = at.as_microsecond();
            connection.run(&statements::HEARTBEAT_UPSERT, &[&server, &at]).await?;
            let before = at.saturating_sub(HEARTBEAT_KEPT_MICROSECONDS);
            connection.run(&statements::HEARTBEAT_DELETE_BEFORE, &[&before]).await.map(drop)
        })
    }
}
