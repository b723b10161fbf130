//! Writes the rows of one commit, in a fixed order.

use rusqlite::params;
use tasuki_engine::error::Fault;
use tasuki_engine::hmac::key_hash;
use tasuki_engine::model::{Document, Head, IdempotencyKey, IdempotencyRecord};
use tasuki_engine::ports::{HandoffRow, WriteSet};

use crate::batch::cache::{CacheUpdate, CachedHandoff};
use crate::batch::counters::Counters;
use crate::batch::{Batch, check_facts, wrong_flag};
use crate::row::integer;
use crate::row::{self, HandoffColumns, due_microseconds};
use crate::sqlite::bind::{IdText, JsonText};
use crate::sqlite::connection::{Database, Prepared};
use crate::sqlite::write::writer_lock::Writer;
use crate::sqlite::{counters, statements};

/// LIMIT: expired keys deleted in one commit.
const EXPIRED_MAX: i64 = 256;

/// Runs all statements. Returns the cache update to apply after the commit.
pub(crate) fn execute(batch: Batch<'_>, writer: &mut Writer) -> Result<CacheUpdate, Fault> {
    let Batch { handoffs, rest, before, after } = batch;
    let mut counters = Counters::default();
    let handoffs = write_handoffs(writer, handoffs, &mut counters)?;
    write_leaves(&writer.database, &rest)?;
    write_documents(&writer.database, &rest)?;
    for written in &rest {
        write_rest(&writer.database, &after.fingerprint_key, written)?;
    }
    let next_expiry = delete_expired(writer, &rest, after.last_at.as_microsecond())?;
    write_head(&writer.database, before, after, &counters)?;
    Ok(CacheUpdate { handoffs, next_expiry })
}

/// Deletes expired idempotency keys. Returns the time of the next expiry. Usually none has expired,
/// and no statement runs.
fn delete_expired(writer: &Writer, written: &[WriteSet], now: i64) -> Result<i64, Fault> {
    let database = &writer.database;
    let next = || {
        let next = database.first(&statements::IDEMPOTENCY_NEXT_EXPIRY, [], |row| {
            row::number("idempotency", row)
        })?;
        Ok(next.unwrap_or(i64::MAX))
    };
    let Some(known) = writer.cache.next_expiry else {
        database.run(&statements::IDEMPOTENCY_DELETE_EXPIRED, params![now, EXPIRED_MAX])?;
        return next();
    };
    let new = written.iter().filter_map(|written| written.remembered.as_ref()?.1.until);
    let first = new.map(due_microseconds).fold(known, i64::min);
    if now < first {
        return Ok(first);
    }
    database.run(&statements::IDEMPOTENCY_DELETE_EXPIRED, params![now, EXPIRED_MAX])?;
    next()
}

fn write_handoffs(
    writer: &mut Writer,
    rows: Vec<HandoffRow>,
    counters: &mut Counters,
) -> Result<Vec<CachedHandoff>, Fault> {
    let mut before = Vec::with_capacity(rows.len());
    for row in &rows {
        before.push(load_before(writer, row)?);
    }
    let mut statements = Statements::of(&writer.database)?;
    let mut written = Vec::with_capacity(rows.len());
    for (row, before) in rows.into_iter().zip(before) {
        written.push(write_handoff(&mut statements, row, before, counters)?);
    }
    Ok(written)
}

/// Returns the handoff before the batch; `None` if it is new, which the unique index confirms.
fn load_before(writer: &mut Writer, row: &HandoffRow) -> Result<Option<CachedHandoff>, Fault> {
    if row.is_new {
        return Ok(None);
    }
    let known = writer.cached_handoff(row.handoff.id)?.ok_or_else(|| wrong_flag(row))?;
    check_facts(&known.handoff.facts, row)?;
    Ok(Some(known.clone()))
}

/// The statements that write handoffs.
pub(crate) struct Statements<'d> {
    database: &'d Database,
    insert: Prepared<'d>,
    facts: Prepared<'d>,
    update_progress: Prepared<'d>,
    update_open: Prepared<'d>,
    update_facts: Prepared<'d>,
}

impl<'d> Statements<'d> {
    pub(crate) fn of(database: &'d Database) -> Result<Self, Fault> {
        Ok(Self {
            database,
            insert: database.prepare(&statements::HANDOFF_INSERT)?,
            facts: database.prepare(&statements::FACTS_UPSERT)?,
            update_progress: database.prepare(&statements::HANDOFF_UPDATE_PROGRESS)?,
            update_open: database.prepare(&statements::HANDOFF_UPDATE_OPEN)?,
            update_facts: database.prepare(&statements::HANDOFF_UPDATE_FACTS)?,
        })
    }
}

fn write_handoff(
    statements: &mut Statements<'_>,
    row: HandoffRow,
    before: Option<CachedHandoff>,
    counters: &mut Counters,
) -> Result<CachedHandoff, Fault> {
    let now = HandoffColumns::of(&row.handoff);
    let Some(CachedHandoff { seq, handoff: known }) = before else {
        let seq = insert_handoff(statements, &row, now)?;
        counters.add(now.state, row.handoff.facts.is_begun);
        return Ok(CachedHandoff { seq, handoff: row.handoff });
    };
    let before = HandoffColumns::of(&known);
    counters.change_state(before.state, now.state);
    if row.has_new_facts {
        counters.change_facts(known.facts.is_begun, row.handoff.facts.is_begun);
    }
    update_handoff(statements, seq, &row, before)?;
    Ok(CachedHandoff { seq, handoff: row.handoff })
}

fn insert_handoff(
    statements: &mut Statements<'_>,
    row: &HandoffRow,
    now: HandoffColumns,
) -> Result<i64, Fault> {
    let HandoffRow { handoff, due_at, .. } = row;
    let facts = &handoff.facts;
    statements.insert.run(params![
        IdText::from(handoff.id),
        facts.task,
        IdText::from(facts.sender),
        IdText::from(facts.receiver),
        now.holder.map(IdText::from),
        now.state.as_str(),
        now.priority,
        now.since,
        now.not_before,
        due_at.map(due_microseconds),
        now.claim_epoch.map(integer),
        facts.fingerprint,
        facts.is_begun,
        now.is_open,
        now.is_live,
        JsonText::of(&handoff.progress)?,
        integer(now.last_n),
        now.awaits_sender,
        now.judge.map(IdText::from),
        now.reviewed_at,
        now.failed_n.map(integer),
    ])?;
    let seq = statements.database.last_row();
    statements.facts.run(params![seq, JsonText::of(facts.as_ref())?])?;
    Ok(seq)
}

pub(crate) fn update_handoff(
    statements: &mut Statements<'_>,
    seq: i64,
    row: &HandoffRow,
    before: HandoffColumns,
) -> Result<(), Fault> {
    let HandoffRow { handoff, due_at, has_new_facts, .. } = row;
    let (facts, now) = (&handoff.facts, HandoffColumns::of(handoff));
    let (holder, judge) = (now.holder.map(IdText::from), now.judge.map(IdText::from));
    let due_at = due_at.map(due_microseconds);
    let (state, epoch) = (now.state.as_str(), now.claim_epoch.map(integer));
    let progress = JsonText::of(&handoff.progress)?;
    let (last_n, failed_n) = (integer(now.last_n), now.failed_n.map(integer));
    let state_at = params![holder, state, now.since, now.not_before, due_at, epoch];
    let progress_columns = [state_at, params![progress, last_n, now.awaits_sender, judge]].concat();
    if *has_new_facts {
        let (sender, receiver) = (IdText::from(facts.sender), IdText::from(facts.receiver));
        let of_facts =
            params![facts.task, sender, receiver, now.priority, facts.fingerprint, facts.is_begun];
        let open_columns = params![now.is_open, now.is_live, now.reviewed_at, failed_n];
        statements
            .update_facts
            .run_on_one(&[&progress_columns, open_columns, of_facts, params![seq]].concat())?;
        return statements.facts.run(params![seq, JsonText::of(facts.as_ref())?]).map(drop);
    }
    if now.has_same_life(before) {
        return statements.update_progress.run_on_one(&[&progress_columns, params![seq]].concat());
    }
    let open_columns =
        params![now.is_open, now.is_live, now.reviewed_at, failed_n, now.priority, seq];
    statements.update_open.run_on_one(&[&progress_columns, open_columns].concat())
}

fn write_leaves(database: &Database, written: &[WriteSet]) -> Result<(), Fault> {
    let mut append = database.prepare(&statements::LEAF_INSERT)?;
    for leaf in written.iter().flat_map(|written| &written.leaves) {
        append.run(params![
            integer(leaf.n),
            leaf.at.as_microsecond(),
            leaf.kind.name(),
            leaf.handoff.map(IdText::from),
            leaf.previous.map(integer),
            leaf.leaf,
            leaf.detail,
        ])?;
    }
    Ok(())
}

fn write_documents(database: &Database, written: &[WriteSet]) -> Result<(), Fault> {
    let mut insert = database.prepare(&statements::DOCUMENT_INSERT)?;
    for WriteSet { documents, .. } in written {
        for (index, (n, document)) in documents.iter().enumerate() {
            let place = documents[..index].iter().filter(|(other, _)| other == n).count();
            write_document(&mut insert, *n, place, document)?;
        }
    }
    Ok(())
}

fn write_document(
    insert: &mut Prepared<'_>,
    n: u64,
    place: usize,
    document: &Document,
) -> Result<(), Fault> {
    let Document { handoff, kind, id, sealed } = document;
    let params = params![
        integer(n),
        integer(place as u64),
        IdText::from(*handoff),
        kind.as_str(),
        id,
        sealed.body,
        sealed.source,
        sealed.salt,
        sealed.commitment.as_bytes(),
        sealed.digest,
    ];
    insert.run(params).map(drop)
}

fn write_rest(database: &Database, secret: &[u8; 32], written: &WriteSet) -> Result<(), Fault> {
    for record in &written.records {
        let (kind, key) = record.key();
        database.run(&statements::DIRECTORY_UPSERT, params![kind, key, JsonText::of(record)?])?;
    }
    match &written.remembered {
        Some(kept) => write_idempotency(database, secret, &kept.0, &kept.1),
        None => Ok(()),
    }
}

fn write_idempotency(
    database: &Database,
    secret: &[u8; 32],
    key: &IdempotencyKey,
    remembered: &IdempotencyRecord,
) -> Result<(), Fault> {
    let until = remembered.until.map(due_microseconds);
    let (party, answer) = (IdText::from(key.party), JsonText::of(&remembered.answer)?);
    let hash = key_hash(secret, &key.key);
    let params = params![party, key.command, hash, remembered.digest, answer, until];
    database.run(&statements::IDEMPOTENCY_UPSERT, params).map(drop)
}

fn write_head(
    database: &Database,
    before: &Head,
    after: &Head,
    counters: &Counters,
) -> Result<(), Fault> {
    let head = params![
        integer(after.leaves),
        after.last_hash.as_bytes(),
        after.last_at.as_microsecond(),
        integer(after.directory_version),
        integer(after.claim_epoch),
        after.is_halted,
        integer(after.fence_floor),
        after.fingerprint_key,
    ];
    let before = params![integer(before.leaves)];
    let mut update = database.prepare(&statements::HEAD_UPDATE)?;
    update.run_on_one(&[head, &counters::params(counters), before].concat())
}
