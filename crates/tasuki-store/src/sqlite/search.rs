//! The index of words, behind what `tasuki_engine::search` says about words.
//!
//! It knows which leaf brought which words, and is filled behind the writer by a cursor over the
//! log. What it finds are candidates: each document and each reason of such a leaf is looked at
//! again, so that a list never depends on how a database cuts words.

use std::borrow::Cow;
use std::sync::Arc;

use rusqlite::params;
use tasuki_engine::error::{Fault, FaultKind};
use tasuki_engine::search::{excerpt, has_all, reason, texts, words};
use tasuki_engine::store::{Found, Stored};

use crate::sqlite::bind::integer;
use crate::sqlite::connection::Database;
use crate::sqlite::project::Project;
use crate::sqlite::row::LEAVES_MAX;
use crate::sqlite::write::writer_lock::{Slot, Writer};
use crate::sqlite::{read, row, statements};

/// LIMIT: leaves that one transaction takes into the index, so that the line waits a few
/// milliseconds at most. Much fewer would be one fsync after the other for whoever searches.
const LEAVES_PER_BATCH: u32 = 512;

/// LIMIT: characters of a word in the index. Longer ones are told apart when they are looked at.
const WORD_CHARACTERS_MAX: usize = 48;

/// LIMIT: words of a question that the index is asked for; the others are looked for afterwards.
const WORDS_ASKED_MAX: usize = 16;

/// How many candidates are looked at in one go.
const CANDIDATES: u32 = 64;

/// Takes everything into the index that is not in it.
pub(crate) fn catch_up(project: &Arc<Project>) -> Result<(), Fault> {
    while !index(project, LEAVES_PER_BATCH)? {}
    Ok(())
}

/// Takes at most so many leaves into the index; `true` if that was all there were.
pub(crate) fn index(project: &Arc<Project>, leaves_max: u32) -> Result<bool, Fault> {
    // Leaves never change, so that the work is done before anybody has to wait for it.
    let (from, rows) = project.read_at_once(|database| {
        let from = cursor(database)?;
        Ok((from, words_from(database, from, leaves_max)?))
    })?;
    let Some((last, _)) = rows.last() else { return Ok(true) };
    let next = last + 1;
    let is_all = rows.len() < leaves_max as usize;
    let mut taken = Slot::take(project)?;
    let done = fill(taken.writer(), from, next, &rows);
    if done.is_err() {
        taken.discard();
    }
    done.map(|()| is_all)
}

fn fill(writer: &mut Writer, from: u64, next: u64, rows: &[(u64, String)]) -> Result<(), Fault> {
    writer.begin()?;
    let database = &writer.database;
    if cursor(database)? != from {
        // Somebody else has done this part.
        return database.roll_back();
    }
    for (n, words) in rows.iter().filter(|(_, words)| !words.is_empty()) {
        database.run(&statements::SEARCH_INSERT, params![integer(*n), words]).map_err(damaged)?;
    }
    database.run(&statements::SEARCH_CURSOR_UPDATE, [integer(next)]).map_err(damaged)?;
    database.commit()
}

fn cursor(database: &Database) -> Result<u64, Fault> {
    let found = database.first(&statements::SEARCH_CURSOR_LOAD, [], row::search_cursor);
    let is_gone = || damaged(row::corrupt("search_cursor", "1", "only_row", "is not there"));
    found.map_err(damaged)?.ok_or_else(is_gone)
}

/// What is wrong with the index is no reason for a backup: it is told from the log.
fn damaged(fault: Fault) -> Fault {
    match fault.kind {
        FaultKind::Corrupt | FaultKind::Bug => Fault::new(FaultKind::Corrupt, fault.message)
            .hint("`tasuki doctor --fix` makes the index of words anew"),
        _ => fault,
    }
}

/// What is wrong with the index of a log with so many leaves, where the file as such is intact.
pub(crate) fn look_at(database: &Database, leaves: u64) -> Result<Option<String>, Fault> {
    let looked = cursor(database).and_then(|next| {
        candidates(database, "\"tasuki\"", i64::MAX)?;
        Ok(next)
    });
    match looked {
        Ok(next) if next <= leaves => Ok(None),
        Ok(next) => {
            let what = format!("is {next}, but there are {leaves} leaves");
            Ok(Some(row::corrupt("search_cursor", "1", "next_n", &what).message))
        }
        Err(fault) if fault.kind == FaultKind::Corrupt => Ok(Some(fault.message)),
        Err(fault) => Err(fault),
    }
}

/// Makes an empty index, whatever is left of the old one.
pub(crate) fn make_anew(database: &Database) -> Result<(), Fault> {
    database.run(&statements::SEARCH_DROP, [])?;
    database.run(&statements::SEARCH_CURSOR_DROP, [])?;
    database.run(&statements::SEARCH_CREATE, [])?;
    database.run(&statements::SEARCH_CURSOR_CREATE, [])?;
    database.run(&statements::SEARCH_CURSOR_INSERT, []).map(drop)
}

/// Each leaf from a number on with the words it brought.
fn words_from(database: &Database, from: u64, limit: u32) -> Result<Vec<(u64, String)>, Fault> {
    let leaves = read::leaves(database, from, limit)?;
    let Some(last) = leaves.last() else { return Ok(Vec::new()) };
    let documents = read::documents_of_leaves(database, from, last.n + 1)?;
    let mut documents = documents.into_iter().peekable();
    let rows = leaves.iter().map(|leaf| {
        let mut all = String::new();
        while let Some(stored) = documents.next_if(|stored| stored.n <= leaf.n) {
            add_words(&texts(&stored.document), &mut all);
        }
        add_words(&reason(leaf).unwrap_or_default(), &mut all);
        (leaf.n, all)
    });
    Ok(rows.collect())
}

/// Adds the words of a text, a space behind each. The index keeps one that comes again once, and is
/// quicker to see that than anybody here.
fn add_words(text: &str, all: &mut String) {
    for word in words(text).map(shortened) {
        all.push_str(&word);
        all.push(' ');
    }
}

/// What has all these words, of leaves before this number.
pub(crate) fn search(
    database: &Database,
    asked: &str,
    before: Option<u64>,
    limit: u32,
) -> Result<Vec<Found>, Fault> {
    let mut asked: Vec<String> = words(asked).map(Cow::into_owned).collect();
    asked.sort_unstable();
    asked.dedup();
    let mut found = Vec::new();
    let mut before = before.map_or(i64::MAX, integer);
    if asked.is_empty() {
        return Ok(found);
    }
    let question = question(&asked);
    while found.len() < limit as usize {
        let numbers = candidates(database, &question, before)?;
        for n in &numbers {
            found.extend(found_at(database, n.unsigned_abs(), &asked)?);
        }
        match numbers.last() {
            Some(last) if numbers.len() == CANDIDATES as usize => before = *last,
            _ => break,
        }
    }
    found.truncate(limit as usize);
    Ok(found)
}

/// Leaves before a number that the index knows for a question, newest first.
fn candidates(database: &Database, question: &str, before: i64) -> Result<Vec<i64>, Fault> {
    let params = params![question, before, CANDIDATES];
    let found =
        database.all(&statements::SEARCH_FIND, params, |found| row::number("search", found));
    found.map_err(damaged)
}

/// The question as the index reads it. Words are letters and digits only, so that nothing in them
/// can mean anything else.
fn question(asked: &[String]) -> String {
    let mut words: Vec<_> = asked.iter().map(|word| shortened(word.into())).collect();
    // Long words are rare ones.
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    words.truncate(WORDS_ASKED_MAX);
    let words: Vec<String> = words.into_iter().map(|word| format!("\"{word}\"*")).collect();
    words.join(" ")
}

/// The documents and the reason of one leaf, those that have all words.
fn found_at(database: &Database, n: u64, asked: &[String]) -> Result<Vec<Found>, Fault> {
    if n >= LEAVES_MAX {
        return Err(damaged(row::corrupt("search", &n.to_string(), "rowid", "is no leaf")));
    }
    let mut all = Vec::new();
    for Stored { document, .. } in read::documents_of_leaves(database, n, n + 1)? {
        let kind = document.kind.as_str().to_owned();
        all.push((Some(document.handoff), kind, texts(&document)));
    }
    let leaf = read::leaves(database, n, 1)?.into_iter().find(|leaf| leaf.n == n);
    if let Some(leaf) = leaf {
        all.extend(reason(&leaf).map(|why| (leaf.handoff, leaf.kind.name().to_owned(), why)));
    }
    all.retain(|(_, _, text)| has_all(text, asked));
    let found = |(handoff, kind, text): (_, _, String)| Found {
        n,
        handoff,
        kind,
        excerpt: excerpt(&text, asked),
    };
    Ok(all.into_iter().map(found).collect())
}

fn shortened(word: Cow<'_, str>) -> Cow<'_, str> {
    // No word has more characters than bytes.
    if word.len() <= WORD_CHARACTERS_MAX {
        return word;
    }
    let end = word.char_indices().nth(WORD_CHARACTERS_MAX).map(|(end, _)| end);
    match (end, word) {
        (Some(end), Cow::Borrowed(word)) => word[..end].into(),
        (Some(end), Cow::Owned(mut word)) => {
            word.truncate(end);
            word.into()
        }
        (None, word) => word,
    }
}
