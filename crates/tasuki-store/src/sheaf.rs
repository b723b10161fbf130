//! Leaves as they are stored: bound in sheaves, each with the documents that it brought.
//!
//! What a commit adds to the log is a row or a few. A row for every leaf and every document would cost
//! the writer several times as much, and nobody asks for either but by the number of a leaf. A sheaf is
//! found by the number of its first leaf; the others follow without a gap.
//!
//! | of a leaf | is written as |
//! |---|---|
//! | its instant | microseconds, 8 bytes, lowest first |
//! | the type of its event | text |
//! | its handoff | text that may be missing, of 16 bytes |
//! | the leaf before it of the same handoff | that number and one more, or 0 |
//! | leaf, detail | two texts, in shorthand |
//! | its documents | how many, then of each: handoff, kind, id, digest, salt, commitment, source, body |
//!
//! A text is its length and its bytes; of one that may be missing the length is one more, and 0 says that
//! it is. Ids, salts and commitments are their bytes. Lengths and numbers are written seven bits at a time, lowest
//! first; the eighth says that there are more. What stands here never changes its form: another one
//! needs a migration.

use std::ops::ControlFlow;
use std::sync::Arc;

use jiff::Timestamp;
use rusqlite::params;
use tasuki_engine::document::{Document, DocumentKind, Sealed};
use tasuki_engine::error::Fault;
use tasuki_engine::store::{LeafRow, Stored};
use tasuki_packet::id::HandoffId;
use tasuki_packet::instant::InstantText;
use tasuki_packet::leaf::{EventType, Hash};

use crate::batch::integer;
use crate::connection::{Database, Prepared};
use crate::row;
use crate::shorthand::{Columns, DETAIL, LEAF, Shorthand};
use crate::sql;
use crate::text::IdText;

/// A sheaf gets no further leaf once it has this many bytes: whoever asks for one leaf reads it whole.
const BYTES_FULL: usize = 48 * 1024;

/// Binds leaves, and writes a sheaf whenever one is full.
pub(crate) struct Binder<'d> {
    append: Prepared<'d>,
    first: u64,
    leaves: u64,
    body: Vec<u8>,
    short: Vec<u8>,
}

impl<'d> Binder<'d> {
    pub(crate) fn new(database: &'d Database) -> Result<Self, Fault> {
        let append = database.prepare(&sql::SHEAF_APPEND)?;
        Ok(Self { append, first: 0, leaves: 0, body: Vec::new(), short: Vec::new() })
    }

    /// Adds a leaf of the project with this id, and its documents.
    pub(crate) fn add<'a>(
        &mut self,
        leaf: &LeafRow,
        project: &str,
        documents: impl Iterator<Item = &'a Document> + Clone,
    ) -> Result<(), Fault> {
        let mut short = std::mem::take(&mut self.short);
        short.clear();
        let handoff = leaf.handoff.map(IdText::from);
        let instant = InstantText::of(leaf.at);
        let columns = columns(project, handoff.as_ref(), &instant, leaf.kind);
        LEAF.shorten(leaf.leaf.as_bytes(), columns, &mut short);
        let end = short.len();
        DETAIL.shorten(leaf.detail.as_bytes(), columns, &mut short);
        let bound = Bound {
            n: leaf.n,
            at: leaf.at.as_microsecond(),
            kind: leaf.kind.name(),
            handoff: leaf.handoff,
            previous: leaf.previous,
            leaf: &short[..end],
            detail: &short[end..],
        };
        let bound = self.bind(&bound, documents);
        self.short = short;
        bound
    }

    /// Adds a leaf as it is to stand there. One that does not follow the last begins a sheaf of its own.
    pub(crate) fn bind<'a>(
        &mut self,
        leaf: &Bound<'_>,
        documents: impl Iterator<Item = &'a Document> + Clone,
    ) -> Result<(), Fault> {
        if self.body.len() >= BYTES_FULL || leaf.n != self.first + self.leaves {
            self.close()?;
        }
        if self.leaves == 0 {
            self.first = leaf.n;
        }
        self.leaves += 1;
        leaf.write(&mut self.body);
        write_number(documents.clone().count() as u64, &mut self.body);
        documents.for_each(|document| write_document(document, &mut self.body));
        Ok(())
    }

    /// Writes the last sheaf.
    pub(crate) fn close(&mut self) -> Result<(), Fault> {
        if self.leaves > 0 {
            self.append.run(params![integer(self.first), integer(self.leaves), self.body])?;
        }
        (self.first, self.leaves) = (0, 0);
        self.body.clear();
        Ok(())
    }
}

/// What a leaf need not say again, because it stands beside it.
fn columns<'c>(
    project: &'c str,
    handoff: Option<&'c IdText>,
    at: &'c InstantText,
    kind: EventType,
) -> Columns<'c> {
    Columns {
        project: project.as_bytes(),
        handoff: handoff.map_or(&[], IdText::as_bytes),
        at: at.as_bytes(),
        kind: kind.name().as_bytes(),
    }
}

/// What is written of a leaf.
#[derive(Debug)]
pub(crate) struct Bound<'l> {
    pub(crate) n: u64,
    pub(crate) at: i64,
    pub(crate) kind: &'l str,
    pub(crate) handoff: Option<HandoffId>,
    pub(crate) previous: Option<u64>,
    pub(crate) leaf: &'l [u8],
    pub(crate) detail: &'l [u8],
}

impl Bound<'_> {
    fn write(&self, body: &mut Vec<u8>) {
        body.extend_from_slice(&self.at.to_le_bytes());
        write_text(self.kind.as_bytes(), body);
        write_if_any(self.handoff.as_ref().map(|id| id.as_bytes().as_slice()), body);
        write_number(self.previous.map_or(0, |previous| previous + 1), body);
        write_text(self.leaf, body);
        write_text(self.detail, body);
    }
}

fn write_document(document: &Document, body: &mut Vec<u8>) {
    let Document { handoff, kind, id, sealed } = document;
    body.extend_from_slice(handoff.as_bytes());
    write_text(kind.as_str().as_bytes(), body);
    write_text(id.as_bytes(), body);
    write_text(sealed.digest.as_bytes(), body);
    body.extend_from_slice(&sealed.salt);
    body.extend_from_slice(sealed.commitment.as_bytes());
    write_if_any(sealed.source.as_deref(), body);
    write_text(sealed.body.as_bytes(), body);
}

fn write_text(text: &[u8], body: &mut Vec<u8>) {
    write_number(text.len() as u64, body);
    body.extend_from_slice(text);
}

fn write_if_any(text: Option<&[u8]>, body: &mut Vec<u8>) {
    write_number(text.map_or(0, |text| text.len() as u64 + 1), body);
    body.extend_from_slice(text.unwrap_or_default());
}

fn write_number(mut number: u64, body: &mut Vec<u8>) {
    while number >= 0x80 {
        body.push(low_bits(number) | 0x80);
        number >>= 7;
    }
    body.push(low_bits(number));
}

/// The lowest seven bits.
fn low_bits(number: u64) -> u8 {
    (number & 0x7f).to_le_bytes()[0]
}

/// What has not been read of a text.
struct Rest<'s>(&'s [u8]);

/// A text that is not what it should be, as where it ends too early.
#[derive(Debug, PartialEq, Eq)]
struct Broken;

impl<'s> Rest<'s> {
    fn bytes(&mut self, count: usize) -> Result<&'s [u8], Broken> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Broken)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const LENGTH: usize>(&mut self) -> Result<[u8; LENGTH], Broken> {
        self.bytes(LENGTH)?.try_into().or(Err(Broken))
    }

    fn number(&mut self) -> Result<u64, Broken> {
        let (mut number, mut shift) = (0_u64, 0);
        loop {
            let [byte] = self.array()?;
            let bits = u64::from(byte & 0x7f);
            let is_too_large = shift > 63 || bits << shift >> shift != bits;
            if is_too_large {
                return Err(Broken);
            }
            number |= bits << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
    }

    fn text_of(&mut self, length: u64) -> Result<&'s [u8], Broken> {
        self.bytes(usize::try_from(length).or(Err(Broken))?)
    }

    fn text(&mut self) -> Result<&'s [u8], Broken> {
        let length = self.number()?;
        self.text_of(length)
    }

    /// A text that may be missing: its length is written with one more.
    fn text_if_any(&mut self) -> Result<Option<&'s [u8]>, Broken> {
        self.number()?.checked_sub(1).map(|length| self.text_of(length)).transpose()
    }

    /// An id that may be missing.
    fn id_if_any(&mut self) -> Result<Option<HandoffId>, Broken> {
        let id = |bytes: &[u8]| Ok(HandoffId::from_bytes(bytes.try_into().or(Err(Broken))?));
        self.text_if_any()?.map(id).transpose()
    }

    /// The documents of a leaf, not looked into.
    fn documents(&mut self) -> Result<&'s [u8], Broken> {
        let all = self.0;
        for _ in 0..self.number()? {
            BoundDocument::read(self)?;
        }
        Ok(&all[..all.len() - self.0.len()])
    }
}

/// A sheaf as it was read.
#[derive(Debug)]
pub(crate) struct Sheaf {
    pub(crate) project: String,
    pub(crate) first: u64,
    pub(crate) leaves: u64,
    pub(crate) body: Vec<u8>,
}

impl Sheaf {
    /// Its leaves in order; the last one may be what is wrong with the next.
    pub(crate) fn entries(&self) -> impl Iterator<Item = Result<Entry<'_>, Fault>> {
        let mut rest = Rest(&self.body);
        let mut next = Some(self.first);
        std::iter::from_fn(move || {
            let n = next?;
            if n - self.first == self.leaves {
                next = None;
                let what = format!("goes on behind its last leaf, {}", n.saturating_sub(1));
                return (!rest.0.is_empty()).then(|| Err(self.corrupt(&what)));
            }
            let entry = self.entry(n, &mut rest);
            next = entry.is_ok().then_some(n + 1);
            Some(entry.map_err(|Broken| self.corrupt(&format!("cannot be read at leaf {n}"))))
        })
    }

    fn entry<'s>(&'s self, n: u64, rest: &mut Rest<'s>) -> Result<Entry<'s>, Broken> {
        Ok(Entry {
            sheaf: self,
            n,
            at: i64::from_le_bytes(rest.array()?),
            kind: rest.text()?,
            handoff: rest.id_if_any()?,
            previous: rest.number()?.checked_sub(1),
            leaf: rest.text()?,
            detail: rest.text()?,
            documents: rest.documents()?,
        })
    }

    fn corrupt(&self, what: &str) -> Fault {
        row::corrupt("sheaf", &self.first.to_string(), "body", what)
    }
}

/// One leaf of a sheaf, not looked into.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry<'s> {
    sheaf: &'s Sheaf,
    pub(crate) n: u64,
    at: i64,
    kind: &'s [u8],
    handoff: Option<HandoffId>,
    previous: Option<u64>,
    leaf: &'s [u8],
    detail: &'s [u8],
    documents: &'s [u8],
}

impl Entry<'_> {
    /// The leaf.
    pub(crate) fn leaf(&self) -> Result<LeafRow, Fault> {
        let kind = str::from_utf8(self.kind).ok().and_then(EventType::named);
        let kind = kind.ok_or_else(|| self.corrupt("a type that no event has"))?;
        let at = Timestamp::from_microsecond(self.at).ok();
        let at = at.ok_or_else(|| self.corrupt("a time that is no instant"))?;
        let handoff = self.handoff.map(IdText::from);
        let instant = InstantText::of(at);
        let columns = columns(&self.sheaf.project, handoff.as_ref(), &instant, kind);
        let in_full = |short: &[u8], shorthand: &Shorthand| {
            let full = shorthand.in_full(short, columns);
            let full = full.and_then(|full| String::from_utf8(full).ok());
            full.ok_or_else(|| self.corrupt("a sign that means nothing"))
        };
        Ok(LeafRow {
            n: self.n,
            at,
            kind,
            handoff: self.handoff,
            previous: self.previous,
            leaf: in_full(self.leaf, &LEAF)?,
            detail: in_full(self.detail, &DETAIL)?,
        })
    }

    /// The documents that it brought.
    pub(crate) fn documents(&self) -> Result<Vec<Stored>, Fault> {
        let mut rest = Rest(self.documents);
        let wrong = |Broken| self.corrupt("a document that is none");
        let count = rest.number().map_err(wrong)?;
        let mut next = || BoundDocument::read(&mut rest)?.document();
        (0..count).map(|_| Ok(Stored { n: self.n, document: next().map_err(wrong)? })).collect()
    }

    fn corrupt(&self, what: &str) -> Fault {
        self.sheaf.corrupt(&format!("has at leaf {} {what}", self.n))
    }
}

/// A document, not looked into.
struct BoundDocument<'s> {
    handoff: [u8; 16],
    kind: &'s [u8],
    id: &'s [u8],
    digest: &'s [u8],
    salt: [u8; 32],
    commitment: [u8; 32],
    source: Option<&'s [u8]>,
    body: &'s [u8],
}

impl<'s> BoundDocument<'s> {
    fn read(rest: &mut Rest<'s>) -> Result<Self, Broken> {
        Ok(Self {
            handoff: rest.array()?,
            kind: rest.text()?,
            id: rest.text()?,
            digest: rest.text()?,
            salt: rest.array()?,
            commitment: rest.array()?,
            source: rest.text_if_any()?,
            body: rest.text()?,
        })
    }

    fn document(self) -> Result<Document, Broken> {
        let string = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).or(Err(Broken));
        let kind = str::from_utf8(self.kind).ok().and_then(DocumentKind::named);
        let sealed = Sealed {
            body: string(self.body)?,
            source: self.source.map(<[u8]>::to_vec),
            salt: self.salt,
            commitment: Hash::from_bytes(self.commitment),
            digest: string(self.digest)?,
        };
        Ok(Document {
            handoff: HandoffId::from_bytes(self.handoff),
            kind: kind.ok_or(Broken)?,
            id: string(self.id)?,
            sealed: Arc::new(sealed),
        })
    }
}

/// Goes through the leaves from a number on, until `look` has seen enough.
pub(crate) fn walk(
    database: &Database,
    from: u64,
    mut look: impl FnMut(&Entry<'_>) -> Result<ControlFlow<()>, Fault>,
) -> Result<(), Fault> {
    database.until(&sql::SHEAF_FROM, [integer(from)], |found| {
        let sheaf = row::sheaf(found)?;
        for entry in sheaf.entries() {
            let entry = entry?;
            if entry.n >= from && look(&entry)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    })
}

/// Goes through the leaves of a handoff from its last one back: each names the one before.
pub(crate) fn walk_back(
    database: &Database,
    handoff: HandoffId,
    mut look: impl FnMut(&Entry<'_>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let id = IdText::from(handoff);
    let last = database.first(&sql::HANDOFF_LAST_LEAF, [id], row::last_leaf)?;
    let mut sheaf: Option<Sheaf> = None;
    let mut next = last;
    while let Some(n) = next {
        let has_it = |sheaf: &Sheaf| n >= sheaf.first && n - sheaf.first < sheaf.leaves;
        if !sheaf.as_ref().is_some_and(has_it) {
            sheaf = database.first(&sql::SHEAF_FROM, [integer(n)], row::sheaf)?.filter(has_it);
        }
        let Some(sheaf) = &sheaf else { break };
        // What is wrong behind it is not asked for.
        let found = sheaf.entries().find(|entry| !entry.as_ref().is_ok_and(|entry| entry.n < n));
        let Some(entry) = found.transpose()? else { break };
        look(&entry)?;
        next = entry.previous.filter(|previous| *previous < n);
    }
    Ok(())
}

/// What is wrong with sheaves, whatever they are asked for.
pub(crate) fn faults(database: &Database) -> Result<Vec<Fault>, Fault> {
    let mut faults = Vec::new();
    database.until(&sql::SHEAF_FROM, [0], |found| {
        let sheaf = match row::sheaf(found) {
            Ok(sheaf) => sheaf,
            Err(fault) => {
                faults.push(fault);
                return Ok(ControlFlow::Continue(()));
            }
        };
        for entry in sheaf.entries() {
            let read = entry.and_then(|entry| entry.leaf().and(entry.documents()));
            faults.extend(read.err());
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(faults)
}

#[cfg(test)]
mod tests {
    use tasuki_engine::handoff::StateWord;
    use tasuki_testkit::samples::{self, Log};

    use super::*;
    use crate::testing::Case;

    fn document(number: u32, body: &str, source: Option<&[u8]>) -> Document {
        let sealed = Sealed {
            body: body.to_owned(),
            source: source.map(<[u8]>::to_vec),
            salt: [1; 32],
            commitment: Hash::from_bytes([2; 32]),
            digest: "sha256:00".to_owned(),
        };
        let (handoff, kind) = (samples::handoff_id(number), DocumentKind::Packet);
        Document { handoff, kind, id: "1".to_owned(), sealed: Arc::new(sealed) }
    }

    /// Leaves with their documents, the first of which is number 0.
    fn leaves() -> Vec<(LeafRow, Vec<Document>)> {
        let mut log = Log::new(samples::project("default"));
        let one = samples::handoff(StateWord::Offered);
        let papers = [
            Vec::new(),
            vec![document(1, "{}", None)],
            vec![document(1, &"long ".repeat(100), Some(b"\xff\x00")), document(2, "", Some(b""))],
        ];
        let kinds = [EventType::ProjectCreated, EventType::Submitted, EventType::Claimed];
        let of = [None, Some(&one), Some(&one)];
        let leaf = |((kind, of), papers)| (log.leaf(kind, of, Some("why")), papers);
        kinds.into_iter().zip(of).zip(papers).map(leaf).collect()
    }

    fn sheaf(leaves: &[(LeafRow, Vec<Document>)]) -> Sheaf {
        let (case, project) = (Case::new(), samples::project("default"));
        let opened = case.project();
        let mut taken = crate::slot::Slot::take(&opened).unwrap();
        let mut binder = Binder::new(&taken.writer().database).unwrap();
        for (leaf, documents) in leaves {
            binder.add(leaf, &project.to_string(), documents.iter()).unwrap();
        }
        let (project, body) = (project.to_string(), std::mem::take(&mut binder.body));
        Sheaf { project, first: binder.first, leaves: binder.leaves, body }
    }

    fn read(sheaf: &Sheaf) -> Result<Vec<(LeafRow, Vec<Document>)>, Fault> {
        let read = |entry: Result<Entry<'_>, Fault>| {
            let entry = entry?;
            let documents = entry.documents()?.into_iter().map(|stored| stored.document);
            Ok((entry.leaf()?, documents.collect()))
        };
        sheaf.entries().map(read).collect()
    }

    #[test]
    fn leaves_and_documents_come_back_as_they_were() {
        let leaves = leaves();
        assert_eq!(read(&sheaf(&leaves)), Ok(leaves));
    }

    /// What is stored is read for ever, so that this must not change.
    #[test]
    fn a_sheaf_keeps_its_form() {
        let mut body = Vec::new();
        let bound = Bound {
            n: 300,
            at: 0x0102,
            kind: "handoff.claimed",
            handoff: Some(samples::handoff_id(1)),
            previous: Some(299),
            leaf: b"{}",
            detail: b"",
        };
        bound.write(&mut body);
        write_number(1, &mut body);
        write_document(&document(2, "{}", Some(b"x")), &mut body);
        let mut expected = vec![2, 1, 0, 0, 0, 0, 0, 0, 15];
        expected.extend(b"handoff.claimed\x11");
        expected.extend(samples::handoff_id(1).as_bytes());
        expected.extend([0xac, 2, 2, b'{', b'}', 0, 1]);
        expected.extend(samples::handoff_id(2).as_bytes());
        expected.extend(b"\x06packet\x011\x09sha256:00");
        expected.extend([[1; 32], [2; 32]].concat());
        expected.extend(b"\x02x\x02{}");
        assert_eq!(body, expected);
    }

    #[test]
    fn numbers_of_any_size_come_back_and_larger_ones_are_none() {
        for number in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX - 1, u64::MAX] {
            let mut text = Vec::new();
            write_number(number, &mut text);
            assert_eq!(Rest(&text).number(), Ok(number));
            let last = text.len() - 1;
            assert_eq!(Rest(&text[..last]).number(), Err(Broken), "{number} is cut off");
        }
        let too_large = [&[0xff; 9][..], &[2]].concat();
        assert_eq!(Rest(&too_large).number(), Err(Broken));
        assert_eq!(Rest(&[0x80; 99]).number(), Err(Broken));
    }

    #[test]
    fn no_damage_is_overlooked_or_ends_in_a_panic() {
        let leaves = leaves();
        let whole = sheaf(&leaves);
        let with = |body: Vec<u8>| Sheaf { body, project: whole.project.clone(), ..whole };
        for at in 0..whole.body.len() {
            for bit in 0..8 {
                let mut damaged = whole.body.clone();
                damaged[at] ^= 1 << bit;
                let read = read(&with(damaged)).ok();
                assert_ne!(read.as_ref(), Some(&leaves), "byte {at}, bit {bit}");
            }
            let cut = with(whole.body[..at].to_vec());
            let fault = read(&cut).unwrap_err();
            assert!(fault.message.contains("cannot be read at leaf"), "byte {at}: {fault}");
        }
    }

    /// Makes another word of the first place where this one stands.
    fn spoil_word(sheaf: &mut Sheaf, word: &[u8]) {
        let at = sheaf.body.windows(word.len()).position(|part| part == word).unwrap();
        sheaf.body[at] = b'?';
    }

    #[test]
    fn what_is_wrong_is_named_with_its_leaf() {
        let check = |spoil: fn(&mut Sheaf), expected: &str| {
            let mut sheaf = sheaf(&leaves());
            spoil(&mut sheaf);
            let fault = read(&sheaf).unwrap_err();
            assert_eq!(fault.message, format!("table `sheaf`, row `0`: column `body` {expected}"));
        };
        check(|sheaf| sheaf.body.push(0), "goes on behind its last leaf, 2");
        check(|sheaf| sheaf.leaves = 4, "cannot be read at leaf 3");
        check(|sheaf| sheaf.body[7] = 0x7f, "has at leaf 0 a time that is no instant");
        check(
            |sheaf| spoil_word(sheaf, b"project.created"),
            "has at leaf 0 a type that no event has",
        );
        check(|sheaf| spoil_word(sheaf, b"packet"), "has at leaf 1 a document that is none");
    }

    #[test]
    fn a_commit_that_is_large_makes_several_sheaves_without_a_gap() {
        let mut case = Case::new();
        let mut transaction = crate::testing::now(tasuki_engine::store::Store::open(
            &case.store,
            case.log.head.project,
        ))
        .unwrap();
        let mut expected = Vec::new();
        for number in 1..=5 {
            let handoff = samples::handoff_numbered(number, StateWord::Offered);
            let mut written = case.log.submitted(handoff.clone());
            let packet = samples::packet(&"long".repeat(6_000));
            let paper = samples::document(handoff.id, DocumentKind::Packet, "1", &packet);
            written.documents.push((case.log.head.leaves - 1, paper));
            expected.extend(written.leaves.clone());
            transaction.write(written);
        }
        crate::testing::now(transaction.commit(case.log.head.clone())).unwrap();
        let project = case.project();
        let count = |database: &Database| {
            let mut rows = Vec::new();
            database.each(&sql::SHEAF_FROM, [0], |found| {
                rows.push(row::sheaf(found)?.first);
                Ok(())
            })?;
            Ok(rows)
        };
        assert_eq!(project.read(count), Ok(vec![0, 2, 4]));
        for from in 0..6 {
            let found = project.read(|database| crate::read::leaves(database, from, 2)).unwrap();
            let asked: Vec<LeafRow> =
                expected.iter().filter(|leaf| leaf.n >= from).take(2).cloned().collect();
            assert_eq!(found, asked, "from {from}");
        }
    }
}
