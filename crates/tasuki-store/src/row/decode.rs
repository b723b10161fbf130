//! Decodes rows into the types of the engine. Only this module detects damaged data.
//!
//! A fault names the row by its key, which is the first column unless the reader has other key
//! columns. Columns that repeat facts and progress are compared with them. An invalid value is a
//! fault, never a default.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tasuki_engine::error::Fault;
use tasuki_engine::model::{
    Document, DocumentKind, Handoff, Head, IdempotencyRecord, Record, Sealed,
};
use tasuki_engine::ports::{
    Attempt, BootTime, ClockReading, ClockReference, Cursor, Delivery, LeafRow, MailCodeRecord,
    SessionHash, SessionRecord, SnapshotRecord, Stored,
};
use tasuki_packet::id::{HandoffId, ProjectId, TokenId};
use tasuki_packet::leaf::{EventType, Hash};

use super::columns::{Columns, Value};
use super::handoff_columns::HandoffColumns;
use super::row_reader::{RowReader, corrupt};

/// The hint for data that can be rebuilt.
pub(crate) const REBUILD_HINT: &str = "rebuild it with `tasuki doctor --fix`";

const CHECKSUM_IS_WRONG: &str = "does not match its checksum";

/// Decodes the end of the log and the name of the project.
pub(crate) fn head(row: &dyn Columns) -> Result<(Head, String), Fault> {
    let reader = RowReader::new("head", row);
    let head = Head {
        project: reader.parsed(0, "id of a project")?,
        leaves: reader.leaves(1)?,
        last_hash: Hash::from_bytes(reader.digest(2)?),
        last_at: reader.instant(3)?,
        directory_version: reader.count(4)?,
        claim_epoch: reader.count(5)?,
        is_halted: reader.flag(6)?,
        fence_floor: reader.count(7)?,
        fingerprint_key: reader.digest(8)?,
    };
    Ok((head, reader.text(9)?.to_owned()))
}

pub(crate) fn record(row: &dyn Columns) -> Result<Record, Fault> {
    let reader = RowReader::keyed("directory", row, &[1, 0]);
    let record: Record = reader.json(2)?;
    let (kind, key) = record.key();
    reader.check_same(1, &reader.text(1)?, &kind)?;
    reader.check_same(0, &reader.text(0)?, &key.as_str())?;
    Ok(record)
}

/// Decodes a handoff with the number of its row.
pub(crate) fn handoff(row: &dyn Columns) -> Result<(i64, Handoff), Fault> {
    let (seq, handoff) = handoff_unchecked(row)?;
    check_columns(row, &handoff).map_err(|fault| fault.hint(REBUILD_HINT))?;
    Ok((seq, handoff))
}

/// Checks the derived columns of a handoff against its facts and progress.
fn check_columns(row: &dyn Columns, handoff: &Handoff) -> Result<(), Fault> {
    let reader = RowReader::new("handoff", row);
    let (facts, expected) = (&handoff.facts, HandoffColumns::of(handoff));
    reader.check_same(1, &reader.text(1)?, &facts.task.as_str())?;
    reader.check_same(2, &reader.party(2)?, &facts.sender)?;
    reader.check_same(3, &reader.party(3)?, &facts.receiver)?;
    reader.check_same_optional(4, RowReader::party, expected.holder)?;
    reader.check_same(5, &reader.text(5)?, &expected.state.as_str())?;
    reader.check_same(6, &reader.integer(6)?, &i64::from(expected.priority))?;
    reader.check_same(7, &reader.integer(7)?, &expected.since)?;
    reader.check_same_optional(8, RowReader::integer, expected.not_before)?;
    reader.check_same_optional(9, RowReader::count, expected.claim_epoch)?;
    reader.check_same(10, &reader.text(10)?, &facts.fingerprint.as_str())?;
    reader.check_same(11, &reader.flag(11)?, &facts.is_begun)?;
    reader.check_same(12, &reader.flag(12)?, &expected.is_open)?;
    reader.check_same(13, &reader.flag(13)?, &expected.is_live)?;
    reader.check_same(17, &reader.count(17)?, &expected.last_n)?;
    reader.check_same(18, &reader.flag(18)?, &expected.awaits_sender)?;
    reader.check_same_optional(19, RowReader::party, expected.judge)?;
    reader.check_same_optional(20, RowReader::integer, expected.reviewed_at)?;
    reader.check_same_optional(21, RowReader::count, expected.failed_n)
}

/// Decodes a handoff from its facts and progress alone, without a check of its columns.
pub(crate) fn handoff_unchecked(row: &dyn Columns) -> Result<(i64, Handoff), Fault> {
    let reader = RowReader::new("handoff", row);
    let handoff = Handoff {
        id: reader.handoff(0)?,
        facts: Arc::new(reader.json(15)?),
        progress: reader.json(14)?,
    };
    Ok((reader.integer(16)?, handoff))
}

/// A handoff of a scan: its row number, its id as far as readable, the handoff from facts and
/// progress alone, and the fault of its columns.
pub(crate) struct ScannedHandoff {
    pub(crate) seq: i64,
    pub(crate) id: String,
    pub(crate) handoff: Result<Handoff, Fault>,
    pub(crate) wrong: Option<Fault>,
    pub(crate) due_at: Option<i64>,
    pub(crate) last_n: Option<u64>,
    /// The fault of its progress or facts if a checksum is wrong.
    pub(crate) damage: Option<Fault>,
}

/// Decodes a handoff that may be damaged in any way except for its number.
pub(crate) fn scanned(row: &dyn Columns) -> Result<ScannedHandoff, Fault> {
    let reader = RowReader::new("handoff", row);
    Ok(ScannedHandoff {
        seq: reader.integer(16)?,
        id: reader.text(0).unwrap_or("?").to_owned(),
        handoff: handoff_unchecked(row).map(|(_, handoff)| handoff),
        wrong: handoff(row).err(),
        due_at: reader.optional(22, RowReader::integer).unwrap_or(None),
        last_n: reader.count(17).ok(),
        damage: damage(&reader),
    })
}

/// Decodes a handoff of a table without checksums.
pub(crate) fn scanned_plain(row: &dyn Columns) -> Result<ScannedHandoff, Fault> {
    Ok(ScannedHandoff { damage: None, ..scanned(row)? })
}

/// Returns the fault of a handoff whose progress or facts do not match their checksums.
fn damage(reader: &RowReader<'_>) -> Option<Fault> {
    let is_wrong = |index| !matches!(reader.flag(index), Ok(true));
    let fault = |index| reader.corrupt(index, CHECKSUM_IS_WRONG);
    [(14, 23), (15, 24)]
        .into_iter()
        .find(|(_, flag)| is_wrong(*flag))
        .map(|(index, _)| fault(index))
}

/// Returns the key of a row whose checksum is wrong.
pub(crate) fn wrong_key(row: &dyn Columns) -> Result<String, Fault> {
    match row.value(0) {
        Value::Text(text) => Ok(String::from_utf8_lossy(text).into_owned()),
        Value::Integer(number) => Ok(number.to_string()),
        _ => Err(RowReader::new("?", row).corrupt(0, "is neither text nor a number")),
    }
}

/// Decodes a cursor of a scan, which has the result of its checksum as the last column.
pub(crate) fn scanned_cursor(row: &dyn Columns) -> Result<Cursor, Fault> {
    let read = cursor(row)?;
    check_flag(&RowReader::new("cursor", row), 5)?;
    Ok(read)
}

/// Decodes an attempt of a scan, which has the result of its checksum as the last column.
pub(crate) fn scanned_delivery(row: &dyn Columns) -> Result<Delivery, Fault> {
    let read = delivery(row)?;
    check_flag(&RowReader::keyed("delivery", row, &[0, 7]), 8)?;
    Ok(read)
}

fn check_flag(reader: &RowReader<'_>, index: usize) -> Result<(), Fault> {
    if matches!(reader.flag(index), Ok(true)) {
        return Ok(());
    }
    Err(corrupt(reader.table(), &reader.key(), "checksum", "does not match the row"))
}

/// Decodes a state, a flag for begun handoffs, and their number.
pub(crate) fn recount(row: &dyn Columns) -> Result<(String, bool, i64), Fault> {
    let reader = RowReader::new("handoff", row);
    Ok((reader.text(0)?.to_owned(), reader.flag(1)?, reader.integer(2)?))
}

/// Decodes a task and its number of live handoffs.
pub(crate) fn duplicate_live(row: &dyn Columns) -> Result<(String, u64), Fault> {
    let reader = RowReader::new("handoff", row);
    Ok((reader.text(0)?.to_owned(), reader.count(1)?))
}

/// Decodes the number of leaves, and the number after the last one.
pub(crate) fn leaf_recount(row: &dyn Columns) -> Result<(u64, u64), Fault> {
    let reader = RowReader::new("leaf", row);
    Ok((reader.count(0)?, reader.count(1)?))
}

pub(crate) fn handoff_id(row: &dyn Columns) -> Result<HandoffId, Fault> {
    RowReader::new("handoff", row).handoff(0)
}

/// Decodes an id with its position in urgency order.
pub(crate) fn urgent_id(row: &dyn Columns) -> Result<(i64, i64, HandoffId), Fault> {
    let reader = RowReader::new("handoff", row);
    Ok((reader.integer(1)?, reader.integer(2)?, reader.handoff(0)?))
}

/// Decodes an id with its position in the order of deadlines.
pub(crate) fn deadline_id(row: &dyn Columns) -> Result<(i64, i64, HandoffId), Fault> {
    let reader = RowReader::new("handoff", row);
    Ok((0, reader.integer(3)?, reader.handoff(0)?))
}

pub(crate) fn due_at(row: &dyn Columns) -> Result<Option<Timestamp>, Fault> {
    let reader = RowReader::new("handoff", row);
    reader.optional(0, RowReader::instant).map_err(|fault| fault.hint(REBUILD_HINT))
}

pub(crate) fn leaf(row: &dyn Columns) -> Result<LeafRow, Fault> {
    let reader = RowReader::new("leaf", row);
    Ok(LeafRow {
        n: reader.leaves(0)?,
        at: reader.instant(1)?,
        kind: EventType::named(reader.text(2)?)
            .ok_or_else(|| reader.corrupt(2, "is not an event type"))?,
        handoff: reader.optional(3, RowReader::handoff)?,
        previous: reader.optional(4, RowReader::leaves)?,
        leaf: reader.text(5)?.to_owned(),
        detail: reader.text(6)?.to_owned(),
    })
}

pub(crate) fn document(row: &dyn Columns) -> Result<Stored, Fault> {
    let reader = RowReader::keyed("document", row, &[0, 1]);
    let kind = DocumentKind::named(reader.text(3)?)
        .ok_or_else(|| reader.corrupt(3, "is not a document kind"))?;
    let sealed = Sealed {
        body: reader.text(5)?.to_owned(),
        source: reader.optional(6, RowReader::bytes)?.map(<[u8]>::to_vec),
        salt: reader.digest(7)?,
        commitment: Hash::from_bytes(reader.digest(8)?),
        digest: reader.text(9)?.to_owned(),
    };
    let (handoff, id) = (reader.handoff(2)?, reader.text(4)?.to_owned());
    let document = Document { handoff, kind, id, sealed: Arc::new(sealed) };
    Ok(Stored { n: reader.leaves(0)?, document })
}

/// Decodes the response to an idempotency key.
pub(crate) fn remembered(row: &dyn Columns) -> Result<IdempotencyRecord, Fault> {
    let reader = RowReader::keyed("idempotency", row, &[4, 5, 0]);
    Ok(IdempotencyRecord {
        digest: reader.text(1)?.to_owned(),
        answer: reader.json(2)?,
        until: reader.optional(3, RowReader::instant)?,
    })
}

/// The key of a stored response.
pub(crate) struct StoredKey {
    pub(crate) party: String,
    pub(crate) command: String,
    pub(crate) key_hash: String,
}

/// Decodes the key of a stored response.
pub(crate) fn idempotency_key(row: &dyn Columns) -> Result<StoredKey, Fault> {
    let reader = RowReader::keyed("idempotency", row, &[4, 5, 0]);
    let text = |index| reader.text(index).map(str::to_owned);
    Ok(StoredKey { party: text(4)?, command: text(5)?, key_hash: text(0)? })
}

/// Decodes the head of a locked project: the number of its handoffs and commits, and the time.
pub(crate) fn locked_head(row: &dyn Columns) -> Result<LockedHead, Fault> {
    let (head, _) = head(row)?;
    let reader = RowReader::new("head", row);
    let (handoffs, commits) = (reader.integer(10)?, reader.integer(11)?);
    Ok(LockedHead { head, handoffs, commits, now: reader.instant(12)? })
}

/// The head of a locked project.
pub(crate) struct LockedHead {
    pub(crate) head: Head,
    pub(crate) handoffs: i64,
    pub(crate) commits: i64,
    pub(crate) now: Timestamp,
}

/// Decodes the number of a migration and the digest of its text.
pub(crate) fn migration(row: &dyn Columns) -> Result<(i64, String), Fault> {
    let reader = RowReader::new("migration", row);
    Ok((reader.integer(0)?, reader.text(1)?.to_owned()))
}

/// Decodes this many counts, from the second column on.
pub(crate) fn counters<const LENGTH: usize>(row: &dyn Columns) -> Result<[i64; LENGTH], Fault> {
    let reader = RowReader::new("head", row);
    let mut counts = [0; LENGTH];
    for (count, index) in counts.iter_mut().zip(1..) {
        reader.count(index).map_err(|fault| fault.hint(REBUILD_HINT))?;
        *count = reader.integer(index)?;
    }
    Ok(counts)
}

pub(crate) fn number(table: &'static str, row: &dyn Columns) -> Result<i64, Fault> {
    RowReader::new(table, row).integer(0)
}

pub(crate) fn project(row: &dyn Columns) -> Result<(String, ProjectId), Fault> {
    let reader = RowReader::new("project", row);
    Ok((reader.text(0)?.to_owned(), reader.parsed(1, "id of a project")?))
}

/// Decodes an unfinished import: the digest of its file and the last stored line.
pub(crate) fn import(row: &dyn Columns) -> Result<(String, u64), Fault> {
    let reader = RowReader::new("import", row);
    Ok((reader.text(0)?.to_owned(), reader.count(1)?))
}

/// Returns the first column if it is text, for a row that may be damaged in any way.
pub(crate) fn first_text(row: &dyn Columns) -> String {
    RowReader::new("?", row).text(0).unwrap_or_default().to_owned()
}

/// Returns the second column if it can be a leaf number.
pub(crate) fn second_count(row: &dyn Columns) -> Option<u64> {
    RowReader::new("?", row).leaves(1).ok()
}

/// Decodes a person's name.
pub(crate) fn person_name(row: &dyn Columns) -> Result<String, Fault> {
    RowReader::new("person", row).text(0).map(str::to_owned)
}

/// Decodes a person's password hash.
pub(crate) fn person(row: &dyn Columns) -> Result<String, Fault> {
    let reader = RowReader::new("person", row);
    reader.text(0)?;
    reader.text(1).map(str::to_owned)
}

pub(crate) fn session(row: &dyn Columns) -> Result<SessionRecord, Fault> {
    let reader = RowReader::new("session", row);
    Ok(SessionRecord {
        id: SessionHash(reader.digest(0)?),
        person: reader.text(1)?.to_owned(),
        created_at: reader.instant(2)?,
        last_seen: reader.instant(3)?,
        expires_at: reader.instant(4)?,
        is_remembered: reader.flag(5)?,
    })
}

pub(crate) fn mail_code(row: &dyn Columns) -> Result<MailCodeRecord, Fault> {
    let reader = RowReader::new("mail_code", row);
    Ok(MailCodeRecord {
        id: SessionHash(reader.digest(0)?),
        project: reader.parsed(1, "id of a project")?,
        handoff: reader.parsed(2, "id of a handoff")?,
        person: reader.parsed(3, "id of a party")?,
        address: SessionHash(reader.digest(4)?),
        receiver: reader.parsed(5, "id of a party")?,
        revision: u32::try_from(reader.integer(6)?)
            .ok()
            .ok_or_else(|| reader.corrupt(6, "is not a revision"))?,
        digest: reader.text(7)?.to_owned(),
        created_at: reader.instant(8)?,
        expires_at: reader.instant(9)?,
    })
}

pub(crate) fn token_use(row: &dyn Columns) -> Result<(TokenId, Timestamp), Fault> {
    let reader = RowReader::new("token_use", row);
    Ok((reader.parsed(0, "id of a token")?, reader.instant(1)?))
}

pub(crate) fn heartbeat(row: &dyn Columns) -> Result<Timestamp, Fault> {
    let reader = RowReader::new("heartbeat", row);
    reader.text(0)?;
    reader.instant(1)
}

pub(crate) fn clock(row: &dyn Columns) -> Result<ClockReference, Fault> {
    let reader = RowReader::new("clock", row);
    let id = reader.optional(1, |reader, index| reader.text(index).map(str::to_owned))?;
    let elapsed = reader.optional(2, RowReader::count)?.map(Duration::from_micros);
    let boot = id.zip(elapsed).map(|(id, elapsed)| BootTime { id, elapsed });
    let from = reader.optional(4, RowReader::instant)?;
    let step = from.zip(reader.optional(5, RowReader::instant)?);
    Ok(ClockReference { reading: ClockReading { wall: reader.instant(3)?, boot }, step })
}

/// Decodes a cursor that may be missing.
pub(crate) fn optional_cursor(row: &dyn Columns) -> Result<Option<Cursor>, Fault> {
    let is_missing = RowReader::new("cursor", row).is_null(0);
    if is_missing { Ok(None) } else { cursor(row).map(Some) }
}

pub(crate) fn cursor(row: &dyn Columns) -> Result<Cursor, Fault> {
    let reader = RowReader::new("cursor", row);
    Ok(Cursor {
        subscription: reader.parsed(0, "id of a subscription")?,
        n: reader.count(1)?,
        failing_since: reader.optional(2, RowReader::instant)?,
        next_try_at: reader.optional(3, RowReader::instant)?,
        attempts: reader.small(4)?,
    })
}

pub(crate) fn delivery(row: &dyn Columns) -> Result<Delivery, Fault> {
    let reader = RowReader::keyed("delivery", row, &[0, 7]);
    Ok(Delivery {
        subscription: reader.parsed(0, "id of a subscription")?,
        n: reader.count(1)?,
        at: reader.instant(2)?,
        attempt: reader.small(3)?,
        status: reader.optional(4, RowReader::small)?,
        millis: reader.small(5)?,
        response: reader.text(6)?.to_owned(),
    })
}

pub(crate) fn attempt(row: &dyn Columns) -> Result<Attempt, Fault> {
    let number = RowReader::keyed("delivery", row, &[0, 7]).count(7)?;
    Ok(Attempt { number, delivery: delivery(row)? })
}

/// Decodes the subscription of an attempt, as stored, and its number.
pub(crate) fn delivery_key(row: &dyn Columns) -> Result<(String, i64), Fault> {
    let reader = RowReader::keyed("delivery", row, &[0, 7]);
    Ok((reader.text(0)?.to_owned(), reader.integer(7)?))
}

/// Decodes the first leaf that is not in the full-text index.
pub(crate) fn search_cursor(row: &dyn Columns) -> Result<u64, Fault> {
    RowReader::new("search_cursor", row).leaves(0)
}

/// Decodes a snapshot of a work tree, without its bundle.
pub(crate) fn snapshot(row: &dyn Columns) -> Result<SnapshotRecord, Fault> {
    RowReader::new("snapshot", row).json(0)
}

/// Decodes a project with the number of its commits.
pub(crate) fn commits(row: &dyn Columns) -> Result<(ProjectId, u64), Fault> {
    let reader = RowReader::new("head", row);
    Ok((reader.parsed(0, "id of a project")?, reader.count(1)?))
}

/// Decodes an instant.
pub(crate) fn instant(row: &dyn Columns) -> Result<Timestamp, Fault> {
    RowReader::new("clock", row).instant(0)
}

/// Decodes the lengths of `PRAGMA wal_checkpoint`: all pages, and those checkpointed. -1 stands for
/// none.
pub(crate) fn wal_pages(row: &dyn Columns) -> Result<(u64, u64), Fault> {
    let reader = RowReader::new("pragma", row);
    let count = |index| reader.integer(index).map(|count| u64::try_from(count).unwrap_or(0));
    Ok((count(1)?, count(2)?))
}
