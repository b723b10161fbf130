//! Texts in shorthand, as the tables have them.
//!
//! Half of a leaf is the same in all leaves or stands in another column of its row, and so it is with facts
//! and progress. Each such part is one sign there: a control character, which no JSON has. A commit
//! brings the disk a fifth less by that.
//!
//! A sign keeps its meaning, because what is stored was written with it: parts are added at the end of a
//! list and never changed. A text without signs is one that an older version has written.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use memchr::memmem::Finder;

/// What follows this is the byte itself and no sign.
const LITERAL: u8 = 0x1f;

/// LIMIT: parts of one list; there are no more signs.
const PARTS_MAX: usize = LITERAL as usize - 1;

/// A part of a text that has a sign.
#[derive(Debug, Clone, Copy)]
enum Part {
    /// These words, wherever they come next.
    Words(&'static str),
    /// What a column of the row says, if it comes at once.
    Column(Column),
    /// As many bytes as followed the part with sign `after`, if the same come at once.
    Again { after: u8, bytes: usize },
}

/// A column that a leaf repeats.
#[derive(Debug, Clone, Copy)]
enum Column {
    Project,
    Handoff,
    At,
    Kind,
}

/// What the columns of a leaf say, in the words of a leaf. Other texts repeat none.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Columns<'c> {
    pub(crate) project: &'c [u8],
    pub(crate) handoff: &'c [u8],
    pub(crate) at: &'c [u8],
    pub(crate) kind: &'c [u8],
}

impl<'c> Columns<'c> {
    fn get(&self, column: Column) -> &'c [u8] {
        match column {
            Column::Project => self.project,
            Column::Handoff => self.handoff,
            Column::At => self.at,
            Column::Kind => self.kind,
        }
    }
}

/// The parts of a kind of text, in the order in which they come; the first has sign 1.
#[derive(Debug)]
pub(crate) struct Shorthand(Vec<Sought>);

/// A part as it is looked for.
#[derive(Debug)]
enum Sought {
    Words(Box<Words>),
    Column(Column),
    Again { after: u8, bytes: usize },
}

/// Words, and where they were found last: between two parts there is mostly an id, a hash or an instant,
/// so that they are there again.
#[derive(Debug)]
struct Words {
    finder: Finder<'static>,
    last_found: AtomicUsize,
}

impl Words {
    fn new(words: &'static str) -> Self {
        Self { finder: Finder::new(words), last_found: AtomicUsize::new(0) }
    }

    fn text(&self) -> &[u8] {
        self.finder.needle()
    }

    /// Where they come in a text. Another place than the first is as good: it comes back as it was.
    fn find(&self, text: &[u8]) -> Option<usize> {
        let last = self.last_found.load(Ordering::Relaxed);
        if text.get(last..).is_some_and(|behind| behind.starts_with(self.text())) {
            return Some(last);
        }
        let found = self.finder.find(text)?;
        self.last_found.store(found, Ordering::Relaxed);
        Some(found)
    }
}

/// The shorthand of leaves.
pub(crate) static LEAF: LazyLock<Shorthand> = LazyLock::new(|| Shorthand::new(LEAF_PARTS));

/// The shorthand of what streams say of a leaf.
pub(crate) static DETAIL: LazyLock<Shorthand> = LazyLock::new(|| Shorthand::new(DETAIL_PARTS));

/// The shorthand of facts.
pub(crate) static FACTS: LazyLock<Shorthand> = LazyLock::new(|| Shorthand::new(FACTS_PARTS));

/// The shorthand of progress.
pub(crate) static PROGRESS: LazyLock<Shorthand> = LazyLock::new(|| Shorthand::new(PROGRESS_PARTS));

/// The digits of an id behind its prefix.
const ID_DIGITS: usize = 32;

/// The digits of an instant in microseconds, from 2001 to 2286.
const INSTANT_DIGITS: usize = 16;

const LEAF_PARTS: &[Part] = &[
    Part::Words(r#"{"actor":{"auth":""#),
    Part::Words(r#"","cred":"tok_"#),
    Part::Words(r#"","id":"pty_"#),
    Part::Words(r#"","kind":"agent"},"attr":{"#),
    Part::Words(r#"","token":"#),
    Part::Words(r#","until":""#),
    Part::Words(r#"},"doc":""#),
    Part::Words(r#","log":"tasuki.local/"#),
    Part::Column(Column::Project),
    Part::Words(r#"/1","n":"#),
    Part::Words(r#","pol":""#),
    Part::Words(r#","prev":""#),
    Part::Words(r#"","subj":{"h":""#),
    Part::Column(Column::Handoff),
    Part::Words(r#"","pc":""#),
    Part::Words(r#"","prev_n":"#),
    Part::Words(r#","rev":1},"t":""#),
    Part::Column(Column::At),
    Part::Words(r#"","taint":"agent","type":""#),
    Part::Column(Column::Kind),
    Part::Words(r#"","v":"tasuki-leaf/1"}"#),
];

const DETAIL_PARTS: &[Part] = &[
    Part::Words(r#"{"actor":""#),
    Part::Words(r#"","task":""#),
    Part::Words(r#"","from":""#),
    Part::Words(r#"","to":""#),
    Part::Words(r#"","after":""#),
    Part::Words(r#"","risk":""#),
    Part::Words(r#"","before":""#),
    Part::Words(r#"","contract":""#),
    Part::Words(r#"","trigger":""#),
    Part::Words(r#"","reason":""#),
];

const FACTS_PARTS: &[Part] = &[
    Part::Words(r#"{"task":""#),
    Part::Words(r#"","sender":"pty_"#),
    Part::Words(r#"","receiver":"pty_"#),
    Part::Words(r#"","first_receiver":"pty_"#),
    Part::Again { after: 3, bytes: ID_DIGITS },
    Part::Words(r#"","revision":1,"sheet":{"digest":"sha256:"#),
    Part::Words(r#"","commitment":""#),
    Part::Words(r#"","title":""#),
    Part::Words(r#","asks_return":true"#),
    Part::Words(r#","bytes":"#),
    Part::Words(r#"},"terms":{"#),
    Part::Words(r#""contract":""#),
    Part::Words(r#"","policy":""#),
    Part::Words(r#""effect":"offer","#),
    Part::Words(r#""hops":5,"attempts":3,"reworks":2,"#),
    Part::Words(r#""ladder":["#),
    Part::Words(r#"],"asks_return":"#),
    Part::Words(r#","verify":"sender","parks_with_same":true,"risk":""#),
    Part::Words(r#""},"lineage":["pty_"#),
    Part::Again { after: 2, bytes: ID_DIGITS },
    Part::Words(r#""],"chain_began_at":"#),
    Part::Words(r#","contributors":["pty_"#),
    Part::Again { after: 2, bytes: ID_DIGITS },
    Part::Words(r#""],"submitted_at":"#),
    Part::Again { after: 21, bytes: INSTANT_DIGITS },
    Part::Words(r#","fingerprint":""#),
];

const PROGRESS_PARTS: &[Part] = &[
    Part::Words(r#"{"state":{"is":""#),
    Part::Words(r#"claimed","id":"clm_"#),
    Part::Words(r#"","holder":"pty_"#),
    Part::Words(r#"","token":"#),
    Part::Words(r#","epoch":"#),
    Part::Words(r#","since":"#),
    Part::Words(r#","until":"#),
    Part::Words(r#","lease":""#),
    Part::Words(r#"},"token":"#),
    Part::Words(r#","delivered_at":"#),
    Part::Again { after: 6, bytes: INSTANT_DIGITS },
    Part::Words(r#","progress_at":"#),
    Part::Again { after: 6, bytes: INSTANT_DIGITS },
    Part::Words(r#","last_n":"#),
];

/// Where in a text each part ended.
type Ends = [Option<usize>; PARTS_MAX];

impl Shorthand {
    fn new(parts: &'static [Part]) -> Self {
        assert!(parts.len() <= PARTS_MAX, "there are {PARTS_MAX} signs");
        let sought = |part: &Part| match *part {
            Part::Words(words) => Sought::Words(Box::new(Words::new(words))),
            Part::Column(column) => Sought::Column(column),
            Part::Again { after, bytes } => Sought::Again { after, bytes },
        };
        Self(parts.iter().map(sought).collect())
    }

    /// Writes a text with its parts as signs.
    pub(crate) fn shorten(&self, text: &[u8], columns: Columns<'_>, short: &mut Vec<u8>) {
        let mut ends: Ends = [None; PARTS_MAX];
        let mut done = 0;
        for (place, sought) in self.0.iter().enumerate() {
            let rest = &text[done..];
            let found = match sought {
                Sought::Words(words) => words.find(rest).map(|at| (at, words.text().len())),
                Sought::Column(column) => here(columns.get(*column), rest),
                Sought::Again { after, bytes } => {
                    let said =
                        end_of(*after, &ends).and_then(|end| slice(&text[..done], end, *bytes));
                    said.and_then(|said| here(said, rest))
                }
            };
            if let Some((start, length)) = found {
                write_plain(&rest[..start], short);
                short.push(sign(place));
                done += start + length;
                ends[place] = Some(done);
            }
        }
        write_plain(&text[done..], short);
    }

    /// The text as it was; nothing if it has a sign that means nothing.
    pub(crate) fn in_full(&self, short: &[u8], columns: Columns<'_>) -> Option<Vec<u8>> {
        let mut full = Vec::with_capacity(short.len() * 2);
        let mut ends: Ends = [None; PARTS_MAX];
        let mut rest = short;
        while let Some(next) = rest.iter().position(|byte| *byte < b' ') {
            full.extend_from_slice(&rest[..next]);
            let sign = rest[next];
            rest = &rest[next + 1..];
            if sign == LITERAL {
                let (byte, behind) = rest.split_first()?;
                full.push(*byte);
                rest = behind;
                continue;
            }
            let place = usize::from(sign).checked_sub(1)?;
            match self.0.get(place)? {
                Sought::Words(words) => full.extend_from_slice(words.text()),
                Sought::Column(column) => full.extend_from_slice(columns.get(*column)),
                Sought::Again { after, bytes } => {
                    let end = end_of(*after, &ends)?;
                    slice(&full, end, *bytes)?;
                    full.extend_from_within(end..end + bytes);
                }
            }
            ends[place] = Some(full.len());
        }
        full.extend_from_slice(rest);
        Some(full)
    }
}

/// What is said, if it comes at once.
fn here(said: &[u8], rest: &[u8]) -> Option<(usize, usize)> {
    (!said.is_empty() && rest.starts_with(said)).then_some((0, said.len()))
}

fn end_of(sign: u8, ends: &Ends) -> Option<usize> {
    *ends.get(usize::from(sign) - 1)?
}

fn slice(text: &[u8], from: usize, bytes: usize) -> Option<&[u8]> {
    text.get(from..from.checked_add(bytes)?)
}

fn sign(place: usize) -> u8 {
    u8::try_from(place + 1).expect("there are fewer parts than signs")
}

/// Copies what has no sign. JSON has no control characters; other texts keep theirs.
fn write_plain(plain: &[u8], short: &mut Vec<u8>) {
    // All are looked at, because that takes less time than to look whether to stop.
    let lowest = plain.iter().fold(u8::MAX, |lowest, byte| lowest.min(*byte));
    if lowest >= b' ' {
        return short.extend_from_slice(plain);
    }
    for byte in plain {
        if *byte < b' ' {
            short.push(LITERAL);
        }
        short.push(*byte);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: Columns<'static> = Columns {
        project: b"prj_01a1e5e1762270de962536633e38188b",
        handoff: b"hof_01a1e5e19a0e715eb41201621c44de4c",
        at: b"2026-11-16T19:42:09.949090Z",
        kind: b"handoff.claimed",
    };

    const CLAIMED: &str = r#"{"actor":{"auth":"local","id":"pty_01a1e5e1764e78fd83227a04f9005068","kind":"agent"},"attr":{"attempt":1,"claim":"clm_01a1e5e19a1d74048704c77b3bb32829","token":1,"until":"2026-11-16T20:12:09.949090Z"},"i":5,"log":"tasuki.local/prj_01a1e5e1762270de962536633e38188b/1","n":5,"prev":"rsQs+IQ3t/rM6RELeEUYMHSc7lpGdlRGbzcThCqRSo4=","subj":{"h":"hof_01a1e5e19a0e715eb41201621c44de4c","pc":"JHtJEPofTypEG39rZTKvgtw33iD3qg2y6FZ408tXw5U=","prev_n":4,"rev":1},"t":"2026-11-16T19:42:09.949090Z","taint":"agent","type":"handoff.claimed","v":"tasuki-leaf/1"}"#;

    const CLAIMED_SHORT: &str = r#"<1>local<3>01a1e5e1764e78fd83227a04f9005068<4>"attempt":1,"claim":"clm_01a1e5e19a1d74048704c77b3bb32829<5>1<6>2026-11-16T20:12:09.949090Z"},"i":5<8><9><10>5<12>rsQs+IQ3t/rM6RELeEUYMHSc7lpGdlRGbzcThCqRSo4=<13><14><15>JHtJEPofTypEG39rZTKvgtw33iD3qg2y6FZ408tXw5U=<16>4<17><18><19><20><21>"#;

    const FACTS_TEXT: &str = r#"{"task":"t1","sender":"pty_01a1e5e1763f77d4b134342956326a8d","receiver":"pty_01a1e5e1764e78fd83227a04f9005068","first_receiver":"pty_01a1e5e1764e78fd83227a04f9005068","revision":1,"sheet":{"digest":"sha256:9060691d5586ce2f552001cef255247f21f83f4c0a62c67f10482f024ed4589b","commitment":"JHtJEPofTypEG39rZTKvgtw33iD3qg2y6FZ408tXw5U=","title":"Ship it","bytes":148},"terms":{"effect":"offer","hops":5,"attempts":3,"reworks":2,"ladder":[],"asks_return":false,"verify":"sender","parks_with_same":true,"risk":"low"},"lineage":["pty_01a1e5e1763f77d4b134342956326a8d"],"chain_began_at":1794858129934375,"contributors":["pty_01a1e5e1763f77d4b134342956326a8d"],"submitted_at":1794858129934375,"fingerprint":"d76b8068a3c010e7bb27faf2d3c55f01"}"#;

    const FACTS_SHORT: &str = r#"<1>t1<2>01a1e5e1763f77d4b134342956326a8d<3>01a1e5e1764e78fd83227a04f9005068<4><5><6>9060691d5586ce2f552001cef255247f21f83f4c0a62c67f10482f024ed4589b<7>JHtJEPofTypEG39rZTKvgtw33iD3qg2y6FZ408tXw5U=<8>Ship it"<10>148<11><14><15><16><17>false<18>low<19><20><21>1794858129934375<22><23><24><25><26>d76b8068a3c010e7bb27faf2d3c55f01"}"#;

    const PROGRESS_TEXT: &str = r#"{"state":{"is":"offered","since":1794859347397043},"token":0,"progress_at":1794859347397043,"last_n":9}"#;

    const DETAIL_TEXT: &str = r#"{"actor":"b","task":"t1","from":"a","to":"b","after":"claimed","risk":"low","before":"offered"}"#;

    fn short(shorthand: &Shorthand, text: &[u8]) -> Vec<u8> {
        let mut short = Vec::new();
        shorthand.shorten(text, COLUMNS, &mut short);
        short
    }

    /// Signs as people can write them: `<1>`.
    fn shown(short: &[u8]) -> String {
        let sign = |byte: &u8| match byte {
            0..b' ' => format!("<{byte}>"),
            _ => char::from(*byte).to_string(),
        };
        short.iter().map(sign).collect()
    }

    /// What is stored says the same for ever, so that these must not change.
    #[test]
    fn a_sign_keeps_its_meaning() {
        let check = |shorthand: &Shorthand, text: &str, expected: &str| {
            assert_eq!(shown(&short(shorthand, text.as_bytes())), expected);
        };
        check(&LEAF, CLAIMED, CLAIMED_SHORT);
        check(&FACTS, FACTS_TEXT, FACTS_SHORT);
        check(&PROGRESS, PROGRESS_TEXT, r#"<1>offered"<6>1794859347397043<9>0<12><13><14>9}"#);
        check(&DETAIL, DETAIL_TEXT, r#"<1>b<2>t1<3>a<4>b<5>claimed<6>low<7>offered"}"#);
    }

    #[track_caller]
    fn check(shorthand: &Shorthand, text: &[u8]) {
        let short = short(shorthand, text);
        let full = shorthand.in_full(&short, COLUMNS);
        assert_eq!(full.as_deref(), Some(text), "{}", shown(&short));
    }

    #[test]
    fn every_text_comes_back_as_it_was() {
        let known = [CLAIMED, FACTS_TEXT, PROGRESS_TEXT, DETAIL_TEXT];
        let odd = ["", "{}", "\u{1}\u{1f}\u{0}", "{\"task\":\"\u{2}", "\u{1f}"];
        for shorthand in [&*LEAF, &*FACTS, &*PROGRESS, &*DETAIL] {
            for text in known.into_iter().chain(odd) {
                check(shorthand, text.as_bytes());
                check(shorthand, format!("{text}{text}").as_bytes());
                // What somebody has cut off in the middle is a text too.
                (0..text.len()).for_each(|end| check(shorthand, &text.as_bytes()[..end]));
            }
        }
    }

    #[test]
    fn what_an_older_version_has_written_is_read_as_it_is() {
        assert_eq!(LEAF.in_full(CLAIMED.as_bytes(), COLUMNS).as_deref(), Some(CLAIMED.as_bytes()));
    }

    #[test]
    fn a_sign_that_means_nothing_is_no_text() {
        for short in [&b"\x00"[..], b"\x1e", b"abc\x1f", b"\x05", b"{\x03ab\x05"] {
            assert_eq!(FACTS.in_full(short, COLUMNS), None, "{}", shown(short));
        }
    }
}
