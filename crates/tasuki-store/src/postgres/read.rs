//! Queries that run beside the writer.

use jiff::Timestamp;
use tasuki_engine::error::Fault;
use tasuki_engine::hmac::key_hash;
use tasuki_engine::model::{
    DocumentKind, Handoff, Head, IdempotencyKey, IdempotencyRecord, Record,
};
use tasuki_engine::ports::{Counts, LeafRow, Stored};
use tasuki_packet::id::HandoffId;

use crate::batch::counters::Counters;
use crate::postgres::connection::Connection;
use crate::postgres::statements;
use crate::row::integer;
use crate::row::{self, Columns};

/// Decodes the row of a handoff, with or without a check of its columns.
pub(super) type ReadHandoff = fn(&dyn Columns) -> Result<(i64, Handoff), Fault>;

pub(super) async fn head(
    connection: &Connection,
    project: &str,
) -> Result<Option<(Head, String)>, Fault> {
    connection.first(&statements::HEAD_LOAD, &[&project], row::head).await
}

pub(super) async fn directory(
    connection: &Connection,
    project: &str,
) -> Result<Vec<Record>, Fault> {
    connection.all(&statements::DIRECTORY_LIST, &[&project], row::record).await
}

pub(super) async fn handoff(
    connection: &Connection,
    project: &str,
    id: HandoffId,
    read: ReadHandoff,
) -> Result<Option<Handoff>, Fault> {
    let ids = [id.to_string()];
    let found = connection.first(&statements::HANDOFF_LOAD, &[&project, &&ids[..]], read).await?;
    Ok(found.map(|(_, handoff)| handoff))
}

pub(super) async fn documents(
    connection: &Connection,
    project: &str,
    handoff: HandoffId,
    kind: Option<DocumentKind>,
) -> Result<Vec<Stored>, Fault> {
    let (handoff, kind) = (handoff.to_string(), kind.map(DocumentKind::as_str));
    let statement = &statements::DOCUMENT_LIST_BY_HANDOFF;
    connection.all(statement, &[&project, &handoff, &kind], row::document).await
}

/// Returns the documents of the leaves from number `from` to below `to`.
pub(super) async fn documents_of_leaves(
    connection: &Connection,
    project: &str,
    from: u64,
    to: u64,
) -> Result<Vec<Stored>, Fault> {
    let (from, to) = (integer(from), integer(to));
    let statement = &statements::DOCUMENT_LIST_BY_LEAVES;
    connection.all(statement, &[&project, &from, &to], row::document).await
}

pub(super) async fn leaves(
    connection: &Connection,
    project: &str,
    from: u64,
    limit: u32,
) -> Result<Vec<LeafRow>, Fault> {
    let (from, limit) = (integer(from), i64::from(limit));
    connection.all(&statements::LEAF_LIST, &[&project, &from, &limit], row::leaf).await
}

pub(super) async fn leaves_of(
    connection: &Connection,
    project: &str,
    handoff: HandoffId,
) -> Result<Vec<LeafRow>, Fault> {
    let handoff = handoff.to_string();
    connection.all(&statements::LEAF_LIST_BY_HANDOFF, &[&project, &handoff], row::leaf).await
}

pub(super) async fn next_due(
    connection: &Connection,
    project: &str,
) -> Result<Option<Timestamp>, Fault> {
    let due_at = connection.first(&statements::HANDOFF_NEXT_DUE, &[&project], row::due_at).await?;
    Ok(due_at.flatten())
}

pub(super) async fn counts(connection: &Connection, project: &str) -> Result<Counts, Fault> {
    counters(connection, project).await.map(Counts::from)
}

/// Loads the counters from the head.
pub(super) async fn counters(connection: &Connection, project: &str) -> Result<Counters, Fault> {
    let statement = &statements::HEAD_COUNTERS_LOAD;
    let found = connection.first(statement, &[&project], row::counters).await?;
    found.map(Counters).ok_or_else(|| row::corrupt("head", project, "project", "is missing"))
}

/// The columns of idempotency keys.
pub(super) struct KeyLists {
    pub(super) parties: Vec<String>,
    pub(super) commands: Vec<&'static str>,
    pub(super) hashes: Vec<String>,
}

impl KeyLists {
    pub(super) fn of<'k>(
        secret: &[u8; 32],
        keys: impl Iterator<Item = &'k IdempotencyKey> + Clone,
    ) -> Self {
        Self {
            parties: keys.clone().map(|key| key.party.to_string()).collect(),
            commands: keys.clone().map(|key| key.command).collect(),
            hashes: keys.map(|key| key_hash(secret, &key.key)).collect(),
        }
    }

    /// Returns the key of a stored response.
    pub(super) fn matched<'k>(
        &self,
        keys: impl Iterator<Item = &'k IdempotencyKey>,
        row: &dyn Columns,
    ) -> Result<Option<(IdempotencyKey, IdempotencyRecord)>, Fault> {
        let stored = row::idempotency_key(row)?;
        let mut places = (0..self.hashes.len()).zip(keys);
        let found = places.find(|(place, _)| {
            let own = (&self.parties[*place], self.commands[*place], &self.hashes[*place]);
            own == (&stored.party, stored.command.as_str(), &stored.key_hash)
        });
        let Some((_, key)) = found else { return Ok(None) };
        Ok(Some((key.clone(), row::remembered(row)?)))
    }
}

/// Returns the responses to those of these keys that are known.
pub(super) async fn remembered(
    connection: &Connection,
    project: &str,
    secret: &[u8; 32],
    keys: &[IdempotencyKey],
) -> Result<Vec<(IdempotencyKey, IdempotencyRecord)>, Fault> {
    let lists = KeyLists::of(secret, keys.iter());
    let KeyLists { parties, commands, hashes } = &lists;
    let statement = &statements::IDEMPOTENCY_LOAD;
    let rows = connection.rows(statement, &[&project, parties, commands, hashes]).await?;
    let found = rows.iter().filter_map(|row| lists.matched(keys.iter(), row).transpose());
    found.collect()
}
