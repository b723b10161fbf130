//! The full-text index. `tasuki_engine::query::search` defines what a word is.
//!
//! The index maps words to the leaves that contain them, and is filled after commits by a cursor
//! over the log. Its matches are candidates: each document and reason of such a leaf is matched
//! again, so that a result never depends on the tokenizer of a database.

use std::sync::Arc;

use rusqlite::params;
use tasuki_engine::error::{Fault, FaultKind};
use tasuki_engine::ports::Found;

use crate::row::integer;
use crate::row::{self, LEAVES_MAX};
use crate::search_words::{
    CANDIDATES_PER_PAGE, LEAVES_PER_BATCH, asked_words, found_in, matched_words, words_of,
};
use crate::sqlite::connection::Database;
use crate::sqlite::project::Project;
use crate::sqlite::write::writer_lock::{Writer, WriterLock};
use crate::sqlite::{read, statements};

/// LIMIT: words of a leaf that a check matches at once.
const WORDS_CHECKED_AT_ONCE: usize = 64;

/// Indexes all leaves that are not indexed yet.
pub(crate) fn catch_up(project: &Arc<Project>) -> Result<(), Fault> {
    while !index(project, LEAVES_PER_BATCH)? {}
    Ok(())
}

/// Indexes at most `leaves_max` leaves. Returns `true` if the index is complete.
pub(crate) fn index(project: &Arc<Project>, leaves_max: u32) -> Result<bool, Fault> {
    // A read-only store is searched as far as it is indexed.
    if project.unwritable().is_some() {
        return Ok(true);
    }
    // Leaves never change, so their words are extracted before the writer is locked.
    let (from, rows) = project.read_snapshot(|database| {
        let from = cursor(database)?;
        Ok((from, words_from(database, from, leaves_max)?))
    })?;
    let Some((last, _)) = rows.last() else { return Ok(true) };
    let next = last + 1;
    let is_all = rows.len() < leaves_max as usize;
    let mut guard = WriterLock::acquire(project)?;
    let done = fill(guard.writer(), from, next, &rows);
    if done.is_err() {
        guard.discard();
    }
    done.map(|()| is_all)
}

fn fill(writer: &mut Writer, from: u64, next: u64, rows: &[(u64, String)]) -> Result<(), Fault> {
    writer.begin()?;
    let database = &writer.database;
    if cursor(database)? != from {
        // Another process has indexed these leaves.
        return database.roll_back();
    }
    for (n, words) in rows.iter().filter(|(_, words)| !words.is_empty()) {
        database
            .run(&statements::SEARCH_INSERT, params![integer(*n), words])
            .map_err(index_fault)?;
    }
    database.run(&statements::SEARCH_CURSOR_UPDATE, [integer(next)]).map_err(index_fault)?;
    database.commit()
}

fn cursor(database: &Database) -> Result<u64, Fault> {
    let found = database.first(&statements::SEARCH_CURSOR_LOAD, [], row::search_cursor);
    let is_gone = || index_fault(row::corrupt("search_cursor", "1", "only_row", "is missing"));
    found.map_err(index_fault)?.ok_or_else(is_gone)
}

/// Changes the hint of a fault: the index needs no backup, because it is derived from the log.
fn index_fault(fault: Fault) -> Fault {
    match fault.kind {
        FaultKind::Corrupt | FaultKind::Bug => Fault::new(FaultKind::Corrupt, fault.message)
            .hint("rebuild the full-text index with `tasuki doctor --fix`"),
        _ => fault,
    }
}

/// Returns the problem of the index of a log with this many leaves, provided that the file itself
/// is intact.
pub(crate) fn check(database: &Database, leaves: u64) -> Result<Option<String>, Fault> {
    let seen = cursor(database).and_then(|next| {
        let wrong = database.first(&statements::SEARCH_CURSOR_CHECKSUM, [], row::wrong_key);
        if let Some(key) = wrong.map_err(index_fault)? {
            return Err(row::corrupt("search_cursor", &key, "checksum", "does not match the row"));
        }
        candidates(database, "\"tasuki\"", i64::MAX)?;
        Ok(next)
    });
    match seen {
        Ok(next) if next <= leaves => check_words(database, next),
        Ok(next) => {
            let what = format!("is {next}, but the log has {leaves} leaves");
            Ok(Some(row::corrupt("search_cursor", "1", "next_n", &what).message))
        }
        Err(fault) if fault.kind == FaultKind::Corrupt => Ok(Some(fault.message)),
        Err(fault) => Err(fault),
    }
}

/// Returns the first leaf before `next` that its words do not find. All words of a leaf are matched
/// at once, so that a missing one shows.
fn check_words(database: &Database, next: u64) -> Result<Option<String>, Fault> {
    let mut from = 0;
    while from < next {
        // Leaves and documents that cannot be read are found by their own checks.
        let rows = match words_from(database, from, LEAVES_PER_BATCH) {
            Err(fault) if fault.kind == FaultKind::Corrupt => return Ok(None),
            rows => rows?,
        };
        let Some((last, _)) = rows.last() else { break };
        from = last + 1;
        for (n, words) in rows.iter().filter(|(n, words)| *n < next && !words.is_empty()) {
            if !is_found(database, *n, words)? {
                let what = "does not have the words of its leaf";
                return Ok(Some(row::corrupt("search", &n.to_string(), "words", what).message));
            }
        }
    }
    Ok(None)
}

/// Returns `true` if a leaf is found by each of its words.
fn is_found(database: &Database, n: u64, words: &str) -> Result<bool, Fault> {
    let mut words: Vec<&str> = words.split(' ').filter(|word| !word.is_empty()).collect();
    words.sort_unstable();
    words.dedup();
    for some in words.chunks(WORDS_CHECKED_AT_ONCE) {
        let some: Vec<String> = some.iter().map(|word| format!("\"{word}\"")).collect();
        let params = params![some.join(" "), integer(n)];
        let found =
            database.first(&statements::SEARCH_HAS, params, |row| row::number("search", row));
        if found.map_err(index_fault)?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Drops the index, however damaged, and creates an empty one.
pub(crate) fn recreate(database: &Database) -> Result<(), Fault> {
    database.run(&statements::SEARCH_DROP, [])?;
    database.run(&statements::SEARCH_CURSOR_DROP, [])?;
    database.run(&statements::SEARCH_CREATE, [])?;
    database.run(&statements::SEARCH_CURSOR_CREATE, [])?;
    database.run(&statements::SEARCH_CURSOR_INSERT, []).map(drop)
}

/// Returns each leaf from a number on with its words.
fn words_from(database: &Database, from: u64, limit: u32) -> Result<Vec<(u64, String)>, Fault> {
    let leaves = read::leaves(database, from, limit)?;
    let Some(last) = leaves.last() else { return Ok(Vec::new()) };
    let documents = read::documents_of_leaves(database, from, last.n + 1)?;
    Ok(words_of(&leaves, documents))
}

/// Finds documents and reasons with all these words, in leaves before this number.
pub(crate) fn search(
    database: &Database,
    asked: &str,
    before: Option<u64>,
    limit: u32,
) -> Result<Vec<Found>, Fault> {
    let asked = asked_words(asked);
    let mut found = Vec::new();
    let mut before = before.map_or(i64::MAX, integer);
    if asked.is_empty() {
        return Ok(found);
    }
    let expression = match_expression(&asked);
    while found.len() < limit as usize {
        let numbers = candidates(database, &expression, before)?;
        for n in &numbers {
            found.extend(found_at(database, n.unsigned_abs(), &asked)?);
        }
        match numbers.last() {
            Some(last) if numbers.len() == CANDIDATES_PER_PAGE as usize => before = *last,
            _ => break,
        }
    }
    found.truncate(limit as usize);
    Ok(found)
}

/// Returns the leaves before a number that match an expression, newest first.
fn candidates(database: &Database, expression: &str, before: i64) -> Result<Vec<i64>, Fault> {
    let params = params![expression, before, CANDIDATES_PER_PAGE];
    let found =
        database.all(&statements::SEARCH_FIND, params, |found| row::number("search", found));
    found.map_err(index_fault)
}

/// Returns the match expression of the index.
fn match_expression(asked: &[String]) -> String {
    let words: Vec<String> =
        matched_words(asked).into_iter().map(|word| format!("\"{word}\"*")).collect();
    words.join(" ")
}

/// Returns the documents and the reason of one leaf that contain all words.
fn found_at(database: &Database, n: u64, asked: &[String]) -> Result<Vec<Found>, Fault> {
    if n >= LEAVES_MAX {
        return Err(index_fault(row::corrupt("search", &n.to_string(), "rowid", "is not a leaf")));
    }
    let documents = read::documents_of_leaves(database, n, n + 1)?;
    let leaf = read::leaves(database, n, 1)?.into_iter().find(|leaf| leaf.n == n);
    Ok(found_in(n, documents, leaf, asked))
}
