//! Rows to what the engine knows, and back: the only place that can find stored data wrong.
//!
//! Every statement that is read here has the row's own key as its first column, or says which they are,
//! so that a fault can name it. Columns that repeat what `progress` and the facts say are compared with them. What
//! cannot be is a fault; nothing is guessed.

use std::fmt::Display;
use std::str::FromStr;
use std::sync::Arc;

use jiff::Timestamp;
use rusqlite::Row;
use rusqlite::types::ValueRef;
use serde::de::DeserializeOwned;
use tasuki_engine::delivery::{Attempt, Cursor, Delivery};
use tasuki_engine::directory::Record;
use tasuki_engine::document::{Document, DocumentKind, Sealed};
use tasuki_engine::error::{Fault, FaultKind};
use tasuki_engine::handoff::{Handoff, State, StateWord};
use tasuki_engine::people::{SessionHash, SessionRecord};
use tasuki_engine::state::{Head, Remembered};
use tasuki_engine::store::{LeafRow, Stored};
use tasuki_engine::urgency;
use tasuki_packet::id::{HandoffId, PartyId, TokenId};
use tasuki_packet::leaf::{EventType, Hash};

use crate::sqlite::wal_checkpoint::WalState;

/// What the columns of a handoff say beside its facts: told from its progress, to be found by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Derived {
    pub(crate) state: StateWord,
    pub(crate) holder: Option<PartyId>,
    pub(crate) claim_epoch: Option<u64>,
    pub(crate) priority: u8,
    pub(crate) since: i64,
    pub(crate) not_before: Option<i64>,
    pub(crate) is_open: bool,
    pub(crate) is_live: bool,
    pub(crate) last_n: u64,
    pub(crate) awaits_sender: bool,
    pub(crate) judge: Option<PartyId>,
}

impl Derived {
    pub(crate) fn of(handoff: &Handoff) -> Self {
        let claim = handoff.claim();
        Self {
            state: handoff.progress.state.word(),
            holder: claim.map(|claim| claim.holder),
            claim_epoch: claim.map(|claim| claim.epoch),
            priority: handoff.facts.terms.risk.priority(),
            since: urgency::since(handoff).as_microsecond(),
            not_before: not_before(handoff).map(due_microseconds),
            is_open: handoff.is_open(),
            // A parent that waits for its child counts as one with it, and the child is the live one.
            is_live: handoff.is_open() && handoff.progress.child.is_none(),
            last_n: handoff.progress.last_n,
            awaits_sender: handoff.awaits_sender(),
            judge: handoff.judge(),
        }
    }
}
fn not_before(handoff: &Handoff) -> Option<Timestamp> {
    match &handoff.progress.state {
        State::Offered(offer) => offer.not_before,
        _ => None,
    }
}

/// When a handoff is due, in whole microseconds. Upwards: what is due a moment later is not due now.
pub(crate) fn due_microseconds(due_at: Timestamp) -> i64 {
    let floor = due_at.as_microsecond();
    if due_at.subsec_nanosecond() % 1_000 > 0 { floor.saturating_add(1) } else { floor }
}

/// LIMIT: leaves of a project. Numbers that no log will ever reach are damage.
pub(crate) const LEAVES_MAX: u64 = (i64::MAX >> 8).unsigned_abs();

/// What `tasuki doctor --fix` is for.
pub(crate) const MADE_ANEW: &str = "`tasuki doctor --fix` makes it anew";

/// The cells of one row.
struct Cells<'r, 's> {
    table: &'static str,
    row: &'r Row<'s>,
    /// The columns by which a fault names the row.
    key: &'static [usize],
}

impl<'r, 's> Cells<'r, 's> {
    fn new(table: &'static str, row: &'r Row<'s>) -> Self {
        Self::keyed(table, row, &[0])
    }

    fn keyed(table: &'static str, row: &'r Row<'s>, key: &'static [usize]) -> Self {
        Self { table, row, key }
    }

    fn text(&self, index: usize) -> Result<&'r str, Fault> {
        match self.row.get_ref(index) {
            Ok(ValueRef::Text(bytes)) => {
                str::from_utf8(bytes).ok().ok_or_else(|| self.corrupt(index, "is no UTF-8"))
            }
            _ => Err(self.corrupt(index, "is no text")),
        }
    }

    fn integer(&self, index: usize) -> Result<i64, Fault> {
        match self.row.get_ref(index) {
            Ok(ValueRef::Integer(integer)) => Ok(integer),
            _ => Err(self.corrupt(index, "is no integer")),
        }
    }

    fn bytes(&self, index: usize) -> Result<&'r [u8], Fault> {
        match self.row.get_ref(index) {
            Ok(ValueRef::Blob(bytes)) => Ok(bytes),
            _ => Err(self.corrupt(index, "holds no bytes")),
        }
    }

    fn is_null(&self, index: usize) -> bool {
        matches!(self.row.get_ref(index), Ok(ValueRef::Null))
    }

    fn optional<T>(
        &self,
        index: usize,
        read: impl FnOnce(&Self, usize) -> Result<T, Fault>,
    ) -> Result<Option<T>, Fault> {
        if self.is_null(index) { Ok(None) } else { read(self, index).map(Some) }
    }

    fn count(&self, index: usize) -> Result<u64, Fault> {
        u64::try_from(self.integer(index)?).ok().ok_or_else(|| self.corrupt(index, "is negative"))
    }

    /// The number of a leaf, or of leaves.
    fn leaves(&self, index: usize) -> Result<u64, Fault> {
        let count = self.count(index)?;
        if count < LEAVES_MAX { Ok(count) } else { Err(self.corrupt(index, "is out of range")) }
    }

    fn small<T: TryFrom<i64>>(&self, index: usize) -> Result<T, Fault> {
        T::try_from(self.integer(index)?).ok().ok_or_else(|| self.corrupt(index, "is out of range"))
    }

    fn flag(&self, index: usize) -> Result<bool, Fault> {
        match self.integer(index)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(self.corrupt(index, "is neither 0 nor 1")),
        }
    }

    fn instant(&self, index: usize) -> Result<Timestamp, Fault> {
        Timestamp::from_microsecond(self.integer(index)?)
            .ok()
            .ok_or_else(|| self.corrupt(index, "is no instant"))
    }

    fn parsed<T: FromStr>(&self, index: usize, what: &str) -> Result<T, Fault> {
        self.text(index)?.parse().ok().ok_or_else(|| self.corrupt(index, &format!("is no {what}")))
    }

    fn handoff(&self, index: usize) -> Result<HandoffId, Fault> {
        self.parsed(index, "id of a handoff")
    }

    fn party(&self, index: usize) -> Result<PartyId, Fault> {
        self.parsed(index, "id of a party")
    }

    fn json<T: DeserializeOwned>(&self, index: usize) -> Result<T, Fault> {
        serde_json::from_str(self.text(index)?)
            .map_err(|error| self.corrupt(index, &format!("cannot be read: {error}")))
    }

    fn digest(&self, index: usize) -> Result<[u8; 32], Fault> {
        self.bytes(index)?
            .try_into()
            .ok()
            .ok_or_else(|| self.corrupt(index, "is not 32 bytes long"))
    }

    fn same<T: PartialEq + Display>(&self, index: usize, is: &T, told: &T) -> Result<(), Fault> {
        if is == told {
            return Ok(());
        }
        Err(self.corrupt(index, &format!("is `{is}`, but by progress and facts it is `{told}`")))
    }

    /// The same of a column that may be null, which most are: nothing is put into words to compare them.
    fn same_if_any<T: PartialEq + Display>(
        &self,
        index: usize,
        read: impl FnOnce(&Self, usize) -> Result<T, Fault>,
        told: Option<T>,
    ) -> Result<(), Fault> {
        let is = self.optional(index, read)?;
        if is == told { Ok(()) } else { self.same(index, &shown(is), &shown(told)) }
    }

    fn corrupt(&self, index: usize, what: &str) -> Fault {
        let column = self.row.as_ref().column_name(index).unwrap_or("?");
        let part = |index: &usize| match self.row.get_ref(*index) {
            Ok(ValueRef::Text(text)) => String::from_utf8_lossy(text).into_owned(),
            Ok(ValueRef::Integer(number)) => number.to_string(),
            _ => "?".to_owned(),
        };
        let key: Vec<String> = self.key.iter().map(part).collect();
        corrupt(self.table, &key.join("@"), column, what)
    }
}

/// The fault for stored data that cannot be.
pub(crate) fn corrupt(table: &str, row: &str, column: &str, what: &str) -> Fault {
    let message = format!("table `{table}`, row `{row}`: column `{column}` {what}");
    Fault::new(FaultKind::Corrupt, message)
        .hint("`tasuki doctor` says more; `tasuki restore` brings a backup back")
}

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

fn shown<T: Display>(value: Option<T>) -> String {
    value.map_or_else(|| "nothing".to_owned(), |value| value.to_string())
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
    let cells = Cells::keyed("remembered", row, &[4, 5, 0]);
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
