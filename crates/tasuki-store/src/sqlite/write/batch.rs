//! The rows of one commit: merged, checked, and written in a fixed order.
//!
//! A handoff that several commands of the batch changed is written once, in its last state.

use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::params;
use tasuki_engine::error::{Fault, FaultKind};
use tasuki_engine::hmac::key_hash;
use tasuki_engine::model::{Document, Head, IdempotencyKey, IdempotencyRecord};
use tasuki_engine::ports::{HandoffRow, WriteSet};
use tasuki_packet::id::HandoffId;

use crate::sqlite::bind::{IdText, JsonText, integer};
use crate::sqlite::connection::{Database, Prepared};
use crate::sqlite::counters::Counters;
use crate::sqlite::row::{self, HandoffColumns, due_microseconds};
use crate::sqlite::statements;
use crate::sqlite::write::cache::{CacheUpdate, CachedHandoff};
use crate::sqlite::write::writer_lock::Writer;

/// LIMIT: expired keys deleted in one commit.
const EXPIRED_MAX: i64 = 256;

#[derive(Debug)]
pub(crate) struct Batch<'a> {
    handoffs: Vec<HandoffRow>,
    rest: Vec<WriteSet>,
    before: &'a Head,
    after: &'a Head,
}

impl<'a> Batch<'a> {
    /// Merges the changes of a batch.
    ///
    /// # Errors
    ///
    /// Reports a bug of the engine: a gap in the log, or a handoff that is new twice.
    pub(crate) fn new(
        mut written: Vec<WriteSet>,
        before: &'a Head,
        after: &'a Head,
    ) -> Result<Self, Fault> {
        check_log(&written, before, after)?;
        check_documents(&written)?;
        let handoffs = merge_handoffs(&mut written)?;
        Ok(Self { handoffs, rest: written, before, after })
    }

    /// Runs all statements. Returns the cache update to apply after the commit.
    pub(crate) fn execute(self, writer: &mut Writer) -> Result<CacheUpdate, Fault> {
        let mut counters = Counters::default();
        let handoffs = write_handoffs(writer, self.handoffs, &mut counters)?;
        write_leaves(&writer.database, &self.rest)?;
        write_documents(&writer.database, &self.rest)?;
        for written in &self.rest {
            write_rest(&writer.database, &self.after.fingerprint_key, written)?;
        }
        let next_expiry = delete_expired(writer, &self.rest, self.after.last_at.as_microsecond())?;
        write_head(&writer.database, self.before, self.after, &counters)?;
        Ok(CacheUpdate { handoffs, next_expiry })
    }
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

/// Checks that leaves are numbered without a gap and that the head matches them.
fn check_log(written: &[WriteSet], before: &Head, after: &Head) -> Result<(), Fault> {
    let mut next = before.leaves;
    for leaf in written.iter().flat_map(|written| &written.leaves) {
        if leaf.n != next {
            return Err(bug(format!("table `leaf`: leaf {} after {next} leaves", leaf.n)));
        }
        next += 1;
    }
    if after.project != before.project || after.leaves != next {
        let message = format!("table `head`: head has {} leaves, expected {next}", after.leaves);
        return Err(bug(message));
    }
    Ok(())
}

/// Checks that documents come with their leaf, and none twice. The engine ensures that no other
/// leaf has brought them.
fn check_documents(written: &[WriteSet]) -> Result<(), Fault> {
    for WriteSet { documents, leaves, .. } in written {
        for (place, (n, document)) in documents.iter().enumerate() {
            if !leaves.iter().any(|leaf| leaf.n == *n) {
                return Err(bug(format!("table `document`: document without its leaf {n}")));
            }
            let is_same = |(other, before): &(u64, Document)| {
                other == n && (before.kind, &before.id) == (document.kind, &document.id)
            };
            if documents[..place].iter().any(is_same) {
                let (kind, id) = (document.kind.as_str(), &document.id);
                return Err(bug(format!("table `document`: leaf {n} has {kind} {id} twice")));
            }
        }
    }
    Ok(())
}

/// Merges handoffs to their last state in the batch.
fn merge_handoffs(written: &mut [WriteSet]) -> Result<Vec<HandoffRow>, Fault> {
    let mut places: HashMap<HandoffId, usize> = HashMap::default();
    let mut merge_handoffs: Vec<HandoffRow> = Vec::with_capacity(written.len());
    for row in written.iter_mut().flat_map(|written| written.handoffs.drain(..)) {
        match places.get(&row.handoff.id) {
            None => {
                places.insert(row.handoff.id, merge_handoffs.len());
                merge_handoffs.push(row);
            }
            Some(place) => merge(&mut merge_handoffs[*place], row)?,
        }
    }
    Ok(merge_handoffs)
}

fn merge(known: &mut HandoffRow, row: HandoffRow) -> Result<(), Fault> {
    if row.is_new {
        return Err(wrong_flag(&row));
    }
    check_facts(&known.handoff.facts, &row)?;
    let has_new_facts = known.has_new_facts || row.has_new_facts;
    *known = HandoffRow { is_new: known.is_new, has_new_facts, ..row };
    Ok(())
}

/// Checks `has_new_facts`, which only saves work; a wrong value must not go unnoticed.
fn check_facts(facts: &Arc<tasuki_engine::model::Facts>, row: &HandoffRow) -> Result<(), Fault> {
    if row.has_new_facts || Arc::ptr_eq(facts, &row.handoff.facts) || *facts == row.handoff.facts {
        return Ok(());
    }
    let message =
        format!("table `facts`: facts of {} changed without `has_new_facts`", row.handoff.id);
    Err(bug(message))
}

fn wrong_flag(row: &HandoffRow) -> Fault {
    let HandoffRow { handoff, is_new, .. } = row;
    bug(format!("table `handoff`: {} has a wrong `is_new: {is_new}`", handoff.id))
}

fn bug(message: String) -> Fault {
    Fault::new(FaultKind::Bug, message)
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
    update.run_on_one(&[head, &counters.params(), before].concat())
}
