//! Rows to what the engine knows, and back: the only place that can find stored data wrong.
//!
//! Every statement that is read here has the row's own key as its first column, or says which they are,
//! so that a fault can name it. Columns that repeat what `progress` and the facts say are compared with them. What
//! cannot be is a fault; nothing is guessed.

use std::sync::Arc;

use jiff::Timestamp;
use rusqlite::Row;
use tasuki_engine::delivery::{Attempt, Cursor, Delivery};
use tasuki_engine::directory::Record;
use tasuki_engine::document::{Document, DocumentKind, Sealed};
use tasuki_engine::error::Fault;
use tasuki_engine::handoff::Handoff;
use tasuki_engine::people::{SessionHash, SessionRecord};
use tasuki_engine::state::{Head, Remembered};
use tasuki_engine::store::{LeafRow, Stored};
use tasuki_packet::id::{HandoffId, TokenId};
use tasuki_packet::leaf::{EventType, Hash};

use super::handoff_columns::Derived;
use super::reader::Cells;
use crate::sqlite::connection::WalState;

/// What `tasuki doctor --fix` is for.
pub(crate) const MADE_ANEW: &str = "`tasuki doctor --fix` makes it anew";

/// The end of the log, and the name of the project.
pub(crate) fn head(row: &Row<'_>) -> Result<(Head, String), Fault> {
    let cells = Cells::new("head", row);
    let head = Head {
        project: cells.parsed(0, "id of a project")?,
        leaves: cells.leaves(1)?,
        last_hash: Hash::from_bytes(cells.digest(2)?),
        last_at: cells.instant(3)?,
        directory_version: cells.count(4)?,
        claim_epoch: cells.count(5)?,
        is_halted: cells.flag(6)?,
        token_floor: cells.count(7)?,
        fingerprint_key: cells.digest(8)?,
    };
    Ok((head, cells.text(9)?.to_owned()))
}

/// An entry of the directory.
pub(crate) fn record(row: &Row<'_>) -> Result<Record, Fault> {
    let cells = Cells::keyed("directory", row, &[1, 0]);
    let record: Record = cells.json(2)?;
    let (kind, key) = record.key();
    cells.same(1, &cells.text(1)?, &kind)?;
    cells.same(0, &cells.text(0)?, &key.as_str())?;
    Ok(record)
}

/// A handoff with the number of its row.
pub(crate) fn handoff(row: &Row<'_>) -> Result<(i64, Handoff), Fault> {
    let (seq, handoff) = bare_handoff(row)?;
    columns(row, &handoff).map_err(|fault| fault.hint(MADE_ANEW))?;
    Ok((seq, handoff))
}

/// Whether the columns that a handoff is found by say what its facts and progress do.
fn columns(row: &Row<'_>, handoff: &Handoff) -> Result<(), Fault> {
    let cells = Cells::new("handoff", row);
    let (facts, derived) = (&handoff.facts, Derived::of(handoff));
    cells.same(1, &cells.text(1)?, &facts.task.as_str())?;
    cells.same(2, &cells.party(2)?, &facts.sender)?;
    cells.same(3, &cells.party(3)?, &facts.receiver)?;
    cells.same_if_any(4, Cells::party, derived.holder)?;
    cells.same(5, &cells.text(5)?, &derived.state.as_str())?;
    cells.same(6, &cells.integer(6)?, &i64::from(derived.priority))?;
    cells.same(7, &cells.integer(7)?, &derived.since)?;
    cells.same_if_any(8, Cells::integer, derived.not_before)?;
    cells.same_if_any(9, Cells::count, derived.claim_epoch)?;
    cells.same(10, &cells.text(10)?, &facts.fingerprint.as_str())?;
    cells.same(11, &cells.flag(11)?, &facts.is_begun)?;
    cells.same(12, &cells.flag(12)?, &derived.is_open)?;
    cells.same(13, &cells.flag(13)?, &derived.is_live)?;
    cells.same(17, &cells.count(17)?, &derived.last_n)?;
    cells.same(18, &cells.flag(18)?, &derived.awaits_sender)?;
    cells.same_if_any(19, Cells::party, derived.judge)
}

/// A handoff by its facts and progress alone, whatever its other columns say.
pub(crate) fn bare_handoff(row: &Row<'_>) -> Result<(i64, Handoff), Fault> {
    let cells = Cells::new("handoff", row);
    let handoff = Handoff {
        id: cells.handoff(0)?,
        facts: Arc::new(cells.json(15)?),
        progress: cells.json(14)?,
    };
    Ok((cells.integer(16)?, handoff))
}

/// One handoff of a scan: the number of its row, its id as far as it can be read, the handoff by facts
/// and progress alone, and what its columns say wrongly.
pub(crate) struct Scanned {
    pub(crate) seq: i64,
    pub(crate) id: String,
    pub(crate) handoff: Result<Handoff, Fault>,
    pub(crate) wrong: Option<Fault>,
    pub(crate) due_at: Option<i64>,
    pub(crate) last_n: Option<u64>,
}

/// A handoff that may be wrong in any way; only its number must be there.
pub(crate) fn scanned(row: &Row<'_>) -> Result<Scanned, Fault> {
    let cells = Cells::new("handoff", row);
    Ok(Scanned {
        seq: cells.integer(16)?,
        id: cells.text(0).unwrap_or("?").to_owned(),
        handoff: bare_handoff(row).map(|(_, handoff)| handoff),
        wrong: handoff(row).err(),
        due_at: cells.optional(20, Cells::integer).unwrap_or(None),
        last_n: cells.count(17).ok(),
    })
}

/// A state, whether begun, and how many.
pub(crate) fn recount(row: &Row<'_>) -> Result<(String, bool, i64), Fault> {
    let cells = Cells::new("handoff", row);
    Ok((cells.text(0)?.to_owned(), cells.flag(1)?, cells.integer(2)?))
}

/// A task and how many live handoffs it has.
pub(crate) fn rivals(row: &Row<'_>) -> Result<(String, u64), Fault> {
    let cells = Cells::new("handoff", row);
    Ok((cells.text(0)?.to_owned(), cells.count(1)?))
}

/// How many leaves there are, and the number after the last one.
pub(crate) fn leaf_recount(row: &Row<'_>) -> Result<(u64, u64), Fault> {
    let cells = Cells::new("leaf", row);
    Ok((cells.count(0)?, cells.count(1)?))
}

/// The id that is the first column.
pub(crate) fn handoff_id(row: &Row<'_>) -> Result<HandoffId, Fault> {
    Cells::new("handoff", row).handoff(0)
}

/// An id with its place among the most urgent.
pub(crate) fn urgent_id(row: &Row<'_>) -> Result<(i64, i64, HandoffId), Fault> {
    let cells = Cells::new("handoff", row);
    Ok((cells.integer(1)?, cells.integer(2)?, cells.handoff(0)?))
}

/// When something is due, if anything is.
pub(crate) fn due_at(row: &Row<'_>) -> Result<Option<Timestamp>, Fault> {
    let cells = Cells::new("handoff", row);
    cells.optional(0, Cells::instant).map_err(|fault| fault.hint(MADE_ANEW))
}

/// A leaf.
pub(crate) fn leaf(row: &Row<'_>) -> Result<LeafRow, Fault> {
    let cells = Cells::new("leaf", row);
    Ok(LeafRow {
        n: cells.leaves(0)?,
        at: cells.instant(1)?,
        kind: EventType::named(cells.text(2)?)
            .ok_or_else(|| cells.corrupt(2, "is no type of event"))?,
        handoff: cells.optional(3, Cells::handoff)?,
        previous: cells.optional(4, Cells::leaves)?,
        leaf: cells.text(5)?.to_owned(),
        detail: cells.text(6)?.to_owned(),
    })
}

/// A document.
pub(crate) fn document(row: &Row<'_>) -> Result<Stored, Fault> {
    let cells = Cells::keyed("document", row, &[0, 1]);
    let kind = DocumentKind::named(cells.text(3)?)
        .ok_or_else(|| cells.corrupt(3, "is no kind of document"))?;
    let sealed = Sealed {
        body: cells.text(5)?.to_owned(),
        source: cells.optional(6, Cells::bytes)?.map(<[u8]>::to_vec),
        salt: cells.digest(7)?,
        commitment: Hash::from_bytes(cells.digest(8)?),
        digest: cells.text(9)?.to_owned(),
    };
    let (handoff, id) = (cells.handoff(2)?, cells.text(4)?.to_owned());
    let document = Document { handoff, kind, id, sealed: Arc::new(sealed) };
    Ok(Stored { n: cells.leaves(0)?, document })
}

/// What was answered to a key.
pub(crate) fn remembered(row: &Row<'_>) -> Result<Remembered, Fault> {
    let cells = Cells::keyed("idempotency", row, &[4, 5, 0]);
    Ok(Remembered {
        request: cells.text(1)?.to_owned(),
        answer: cells.json(2)?,
        until: cells.optional(3, Cells::instant)?,
    })
}

/// The number of a migration and the digest of its text.
pub(crate) fn migration(row: &Row<'_>) -> Result<(i64, String), Fault> {
    let cells = Cells::new("migration", row);
    Ok((cells.integer(0)?, cells.text(1)?.to_owned()))
}

/// As many counts as are asked for, from the second column on.
pub(crate) fn tally<const LENGTH: usize>(row: &Row<'_>) -> Result<[i64; LENGTH], Fault> {
    let cells = Cells::new("head", row);
    let mut counts = [0; LENGTH];
    for (count, index) in counts.iter_mut().zip(1..) {
        cells.count(index).map_err(|fault| fault.hint(MADE_ANEW))?;
        *count = cells.integer(index)?;
    }
    Ok(counts)
}

/// The number that the first column holds.
pub(crate) fn number(table: &'static str, row: &Row<'_>) -> Result<i64, Fault> {
    Cells::new(table, row).integer(0)
}

/// A project's name and id.
pub(crate) fn project(row: &Row<'_>) -> Result<(String, tasuki_packet::id::ProjectId), Fault> {
    let cells = Cells::new("project", row);
    Ok((cells.text(0)?.to_owned(), cells.parsed(1, "id of a project")?))
}

/// The first column as far as it is text, for a row that may be wrong in any way.
pub(crate) fn first_text(row: &Row<'_>) -> String {
    Cells::new("?", row).text(0).unwrap_or_default().to_owned()
}

/// The second column, if it can be the number of a leaf.
pub(crate) fn second_count(row: &Row<'_>) -> Option<u64> {
    Cells::new("?", row).leaves(1).ok()
}

/// A person's password hash.
pub(crate) fn person(row: &Row<'_>) -> Result<String, Fault> {
    let cells = Cells::new("person", row);
    cells.text(0)?;
    cells.text(1).map(str::to_owned)
}

/// A session.
pub(crate) fn session(row: &Row<'_>) -> Result<SessionRecord, Fault> {
    let cells = Cells::new("session", row);
    Ok(SessionRecord {
        id: SessionHash(cells.digest(0)?),
        person: cells.text(1)?.to_owned(),
        created_at: cells.instant(2)?,
        last_seen: cells.instant(3)?,
        expires_at: cells.instant(4)?,
    })
}

/// When a token was last used.
pub(crate) fn token_use(row: &Row<'_>) -> Result<(TokenId, Timestamp), Fault> {
    let cells = Cells::new("token_use", row);
    Ok((cells.parsed(0, "id of a token")?, cells.instant(1)?))
}

/// A sign of life.
pub(crate) fn heartbeat(row: &Row<'_>) -> Result<Timestamp, Fault> {
    let cells = Cells::new("heartbeat", row);
    cells.text(0)?;
    cells.instant(1)
}

/// Where a subscription stands.
pub(crate) fn cursor(row: &Row<'_>) -> Result<Cursor, Fault> {
    let cells = Cells::new("cursor", row);
    Ok(Cursor {
        subscription: cells.parsed(0, "id of a subscription")?,
        n: cells.count(1)?,
        failing_since: cells.optional(2, Cells::instant)?,
        next_try_at: cells.optional(3, Cells::instant)?,
        attempts: cells.small(4)?,
    })
}

/// An attempt to deliver.
pub(crate) fn delivery(row: &Row<'_>) -> Result<Delivery, Fault> {
    let cells = Cells::keyed("delivery", row, &[0, 7]);
    Ok(Delivery {
        subscription: cells.parsed(0, "id of a subscription")?,
        n: cells.count(1)?,
        at: cells.instant(2)?,
        attempt: cells.small(3)?,
        status: cells.optional(4, Cells::small)?,
        millis: cells.small(5)?,
        response: cells.text(6)?.to_owned(),
    })
}

/// The same with its number.
pub(crate) fn attempt(row: &Row<'_>) -> Result<Attempt, Fault> {
    let number = Cells::keyed("delivery", row, &[0, 7]).count(7)?;
    Ok(Attempt { number, delivery: delivery(row)? })
}

/// Whose attempt it is, as it is written, and its number.
pub(crate) fn delivery_key(row: &Row<'_>) -> Result<(String, i64), Fault> {
    let cells = Cells::keyed("delivery", row, &[0, 7]);
    Ok((cells.text(0)?.to_owned(), cells.integer(7)?))
}

/// The first leaf that is not in the index of words.
pub(crate) fn search_cursor(row: &Row<'_>) -> Result<u64, Fault> {
    Cells::new("search_cursor", row).leaves(0)
}

/// The lengths that `PRAGMA wal_checkpoint` gives; -1 stands for none.
pub(crate) fn wal_state(row: &Row<'_>) -> Result<WalState, Fault> {
    let cells = Cells::new("pragma", row);
    let count = |index| cells.integer(index).map(|count| u64::try_from(count).unwrap_or(0));
    Ok(WalState { pages: count(1)?, moved: count(2)? })
}
