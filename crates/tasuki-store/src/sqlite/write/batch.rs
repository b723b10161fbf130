//! What one commit writes: put together, checked, and sent to the database in one order.
//!
//! A handoff that several commands of the batch have changed is written once, as the last of them
//! left it.

use std::sync::Arc;

use rusqlite::params;
use tasuki_engine::by_id::ById;
use tasuki_engine::document::Document;
use tasuki_engine::error::{Fault, FaultKind};
use tasuki_engine::state::{Head, Key, Remembered};
use tasuki_engine::store::{HandoffRow, Written};
use tasuki_packet::id::HandoffId;

use crate::sqlite::bind::{IdText, Text, integer};
use crate::sqlite::connection::{Database, Prepared};
use crate::sqlite::counters::Tally;
use crate::sqlite::row::{self, Derived, due_microseconds};
use crate::sqlite::statements;
use crate::sqlite::write::cache::{Known, Learned};
use crate::sqlite::write::writer_lock::Writer;

/// LIMIT: how many forgotten keys one commit removes.
const FORGOTTEN_MAX: i64 = 256;

/// What one commit writes.
#[derive(Debug)]
pub(crate) struct Batch<'a> {
    handoffs: Vec<HandoffRow>,
    rest: Vec<Written>,
    before: &'a Head,
    after: &'a Head,
}

impl<'a> Batch<'a> {
    /// Puts together what the changes of a batch write.
    ///
    /// # Errors
    ///
    /// What no engine should ask for: a gap in the log, a handoff that is new twice.
    pub(crate) fn of(
        mut written: Vec<Written>,
        before: &'a Head,
        after: &'a Head,
    ) -> Result<Self, Fault> {
        check_log(&written, before, after)?;
        check_documents(&written)?;
        let handoffs = merged(&mut written)?;
        Ok(Self { handoffs, rest: written, before, after })
    }

    /// Runs all statements, and says what the cache may remember once they are committed.
    pub(crate) fn execute(self, writer: &mut Writer) -> Result<Learned, Fault> {
        let mut tally = Tally::default();
        let handoffs = write_handoffs(writer, self.handoffs, &mut tally)?;
        write_leaves(&writer.database, &self.rest)?;
        write_documents(&writer.database, &self.rest)?;
        for written in &self.rest {
            write_rest(&writer.database, written)?;
        }
        let forget_at = forget(writer, &self.rest, self.after.last_at.as_microsecond())?;
        write_head(&writer.database, self.before, self.after, &tally)?;
        Ok(Learned { handoffs, forget_at })
    }
}

/// Forgets answers whose time is over, and says when the next one is to be forgotten. Mostly there is
/// none, and nothing is asked.
fn forget(writer: &Writer, written: &[Written], now: i64) -> Result<i64, Fault> {
    let database = &writer.database;
    let next = || {
        let next = database
            .first(&statements::IDEMPOTENCY_NEXT_EXPIRY, [], |row| row::number("idempotency", row))?;
        Ok(next.unwrap_or(i64::MAX))
    };
    let Some(known) = writer.cache.forget_at else {
        database.run(&statements::IDEMPOTENCY_DELETE_EXPIRED, params![now, FORGOTTEN_MAX])?;
        return next();
    };
    let new = written.iter().filter_map(|written| written.remembered.as_ref()?.1.until);
    let first = new.map(due_microseconds).fold(known, i64::min);
    if now < first {
        return Ok(first);
    }
    database.run(&statements::IDEMPOTENCY_DELETE_EXPIRED, params![now, FORGOTTEN_MAX])?;
    next()
}

/// Leaves are numbered without a gap, and the head ends where they do.
fn check_log(written: &[Written], before: &Head, after: &Head) -> Result<(), Fault> {
    let mut next = before.leaves;
    for leaf in written.iter().flat_map(|written| &written.leaves) {
        if leaf.n != next {
            return Err(bug(format!("table `leaf`: leaf {} follows {next} leaves", leaf.n)));
        }
        next += 1;
    }
    if after.project != before.project || after.leaves != next {
        let message = format!("table `head`: a head of {} leaves for {next}", after.leaves);
        return Err(bug(message));
    }
    Ok(())
}

/// Documents come with the leaf that brings them, and none comes twice. That another leaf has not
/// brought it is the engine's word.
fn check_documents(written: &[Written]) -> Result<(), Fault> {
    for Written { documents, leaves, .. } in written {
        for (place, (n, document)) in documents.iter().enumerate() {
            if !leaves.iter().any(|leaf| leaf.n == *n) {
                return Err(bug(format!("table `document`: a document without its leaf, {n}")));
            }
            let is_same = |(other, before): &(u64, Document)| {
                other == n && (before.kind, &before.id) == (document.kind, &document.id)
            };
            if documents[..place].iter().any(is_same) {
                let (kind, id) = (document.kind.as_str(), &document.id);
                return Err(bug(format!("table `document`: leaf {n} brings {kind} {id} twice")));
            }
        }
    }
    Ok(())
}

/// The handoffs as the last change of the batch left them.
fn merged(written: &mut [Written]) -> Result<Vec<HandoffRow>, Fault> {
    let mut places: ById<HandoffId, usize> = ById::default();
    let mut merged: Vec<HandoffRow> = Vec::with_capacity(written.len());
    for row in written.iter_mut().flat_map(|written| written.handoffs.drain(..)) {
        match places.get(&row.handoff.id) {
            None => {
                places.insert(row.handoff.id, merged.len());
                merged.push(row);
            }
            Some(place) => merge(&mut merged[*place], row)?,
        }
    }
    Ok(merged)
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

/// The flag only saves work, so that a wrong one must not go unnoticed.
fn check_facts(facts: &Arc<tasuki_engine::handoff::Facts>, row: &HandoffRow) -> Result<(), Fault> {
    if row.has_new_facts || Arc::ptr_eq(facts, &row.handoff.facts) || *facts == row.handoff.facts {
        return Ok(());
    }
    let message = format!("table `facts`: {} has other facts and does not say so", row.handoff.id);
    Err(bug(message))
}

fn wrong_flag(row: &HandoffRow) -> Fault {
    let HandoffRow { handoff, is_new, .. } = row;
    bug(format!("table `handoff`: {} is written with `is_new: {is_new}`", handoff.id))
}

fn bug(message: String) -> Fault {
    Fault::new(FaultKind::Bug, message)
}

fn write_handoffs(
    writer: &mut Writer,
    rows: Vec<HandoffRow>,
    tally: &mut Tally,
) -> Result<Vec<Known>, Fault> {
    let mut before = Vec::with_capacity(rows.len());
    for row in &rows {
        before.push(before_of(writer, row)?);
    }
    let mut statements = Statements::of(&writer.database)?;
    let mut written = Vec::with_capacity(rows.len());
    for (row, before) in rows.into_iter().zip(before) {
        written.push(write_handoff(&mut statements, row, before, tally)?);
    }
    Ok(written)
}

/// The handoff as it was before the batch; nothing if it is new, which is for the unique index to
/// confirm.
fn before_of(writer: &mut Writer, row: &HandoffRow) -> Result<Option<Known>, Fault> {
    if row.is_new {
        return Ok(None);
    }
    let known = writer.known(row.handoff.id)?.ok_or_else(|| wrong_flag(row))?;
    check_facts(&known.handoff.facts, row)?;
    Ok(Some(known.clone()))
}

/// The statements that write handoffs.
pub(crate) struct Statements<'d> {
    database: &'d Database,
    insert: Prepared<'d>,
    facts: Prepared<'d>,
    step: Prepared<'d>,
    turn: Prepared<'d>,
    revise: Prepared<'d>,
}

impl<'d> Statements<'d> {
    pub(crate) fn of(database: &'d Database) -> Result<Self, Fault> {
        Ok(Self {
            database,
            insert: database.prepare(&statements::HANDOFF_INSERT)?,
            facts: database.prepare(&statements::FACTS_UPSERT)?,
            step: database.prepare(&statements::HANDOFF_UPDATE_PROGRESS)?,
            turn: database.prepare(&statements::HANDOFF_UPDATE_OPEN)?,
            revise: database.prepare(&statements::HANDOFF_UPDATE_FACTS)?,
        })
    }
}

fn write_handoff(
    statements: &mut Statements<'_>,
    row: HandoffRow,
    before: Option<Known>,
    tally: &mut Tally,
) -> Result<Known, Fault> {
    let now = Derived::of(&row.handoff);
    let Some(Known { seq, handoff: known }) = before else {
        let seq = insert_handoff(statements, &row, now)?;
        tally.came(now.state, row.handoff.facts.is_begun);
        return Ok(Known { seq, handoff: row.handoff });
    };
    let before = Derived::of(&known);
    tally.moved(before.state, now.state);
    if row.has_new_facts {
        tally.restated(known.facts.is_begun, row.handoff.facts.is_begun);
    }
    update_handoff(statements, seq, &row, before)?;
    Ok(Known { seq, handoff: row.handoff })
}

fn insert_handoff(
    statements: &mut Statements<'_>,
    row: &HandoffRow,
    now: Derived,
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
        Text::json(&handoff.progress)?,
        integer(now.last_n),
        now.awaits_sender,
        now.judge.map(IdText::from),
    ])?;
    let seq = statements.database.last_row();
    statements.facts.run(params![seq, Text::json(facts.as_ref())?])?;
    Ok(seq)
}

pub(crate) fn update_handoff(
    statements: &mut Statements<'_>,
    seq: i64,
    row: &HandoffRow,
    before: Derived,
) -> Result<(), Fault> {
    let HandoffRow { handoff, due_at, has_new_facts, .. } = row;
    let (facts, now) = (&handoff.facts, Derived::of(handoff));
    let (holder, judge) = (now.holder.map(IdText::from), now.judge.map(IdText::from));
    let due_at = due_at.map(due_microseconds);
    let (state, epoch) = (now.state.as_str(), now.claim_epoch.map(integer));
    let progress = Text::json(&handoff.progress)?;
    let last_n = integer(now.last_n);
    let state_at = params![holder, state, now.since, now.not_before, due_at, epoch];
    let step = [state_at, params![progress, last_n, now.awaits_sender, judge]].concat();
    if *has_new_facts {
        let (sender, receiver) = (IdText::from(facts.sender), IdText::from(facts.receiver));
        let of_facts =
            params![facts.task, sender, receiver, now.priority, facts.fingerprint, facts.is_begun];
        let turn = params![now.is_open, now.is_live];
        statements.revise.run_on_one(&[&step, turn, of_facts, params![seq]].concat())?;
        return statements.facts.run(params![seq, Text::json(facts.as_ref())?]).map(drop);
    }
    if (now.is_open, now.is_live) == (before.is_open, before.is_live) {
        return statements.step.run_on_one(&[&step, params![seq]].concat());
    }
    let turn = params![now.is_open, now.is_live, seq];
    statements.turn.run_on_one(&[&step, turn].concat())
}

fn write_leaves(database: &Database, written: &[Written]) -> Result<(), Fault> {
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

fn write_documents(database: &Database, written: &[Written]) -> Result<(), Fault> {
    let mut insert = database.prepare(&statements::DOCUMENT_INSERT)?;
    for Written { documents, .. } in written {
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

fn write_rest(database: &Database, written: &Written) -> Result<(), Fault> {
    for record in &written.records {
        let (kind, key) = record.key();
        database.run(&statements::DIRECTORY_UPSERT, params![kind, key, Text::json(record)?])?;
    }
    match &written.remembered {
        Some(kept) => write_remembered(database, &kept.0, &kept.1),
        None => Ok(()),
    }
}

fn write_remembered(database: &Database, key: &Key, remembered: &Remembered) -> Result<(), Fault> {
    let until = remembered.until.map(due_microseconds);
    let (party, answer) = (IdText::from(key.party), Text::json(&remembered.answer)?);
    let params = params![party, key.command, key.key, remembered.request, answer, until];
    database.run(&statements::IDEMPOTENCY_UPSERT, params).map(drop)
}

fn write_head(
    database: &Database,
    before: &Head,
    after: &Head,
    tally: &Tally,
) -> Result<(), Fault> {
    let head = params![
        integer(after.leaves),
        after.last_hash.as_bytes(),
        after.last_at.as_microsecond(),
        integer(after.directory_version),
        integer(after.claim_epoch),
        after.is_halted,
        integer(after.token_floor),
        after.fingerprint_key,
    ];
    let before = params![integer(before.leaves)];
    let mut update = database.prepare(&statements::HEAD_UPDATE)?;
    update.run_on_one(&[head, &tally.params(), before].concat())
}
