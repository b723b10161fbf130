//! Full-text search: words in a GIN index, by the number of their leaf.

use tasuki_engine::error::Fault;
use tasuki_engine::ports::Found;

use crate::postgres::connection::pool::{OpenTransaction, Pool, Pooled};
use crate::postgres::connection::{Connection, Param};
use crate::postgres::{read, statements};
use crate::row;
use crate::row::integer;
use crate::search_words::{
    CANDIDATES_PER_PAGE, LEAVES_PER_BATCH, asked_words, found_in, matched_words, words_of,
};

/// LIMIT: bytes of the different words of a leaf. PostgreSQL takes about twice as many; a leaf with
/// more is compared in full by every search.
const INDEXED_BYTES_MAX: usize = 500_000;

/// Indexes all leaves that are not indexed yet.
pub(super) async fn catch_up(pool: &Pool, project: &str) -> Result<(), Fault> {
    while !index(pool.get().await?, project, LEAVES_PER_BATCH).await? {}
    Ok(())
}

/// Indexes at most `leaves_max` leaves. Returns `true` if the index is complete.
pub(super) async fn index(
    connection: Pooled,
    project: &str,
    leaves_max: u32,
) -> Result<bool, Fault> {
    // Leaves never change, so their words are extracted before anything is locked.
    let from = cursor(&connection, project).await?;
    let leaves = read::leaves(&connection, project, from, leaves_max).await?;
    let Some(last) = leaves.last() else { return Ok(true) };
    let next = last.n + 1;
    let documents = read::documents_of_leaves(&connection, project, from, next).await?;
    let is_all = leaves.len() < leaves_max as usize;
    let rows = words_of(&leaves, documents);
    let open = OpenTransaction::begin(connection).await?;
    if !fill(&open, project, (from, next), &rows).await? {
        // Another process has indexed these leaves; the next call looks behind them.
        return Ok(false);
    }
    open.commit().await?;
    Ok(is_all)
}

/// Adds rows and moves the cursor. Returns `false` if another process has moved it.
async fn fill(
    connection: &Connection,
    project: &str,
    (from, next): (u64, u64),
    rows: &[(u64, String)],
) -> Result<bool, Fault> {
    let (from, next) = (integer(from), integer(next));
    let moved = connection.run(&statements::SEARCH_CURSOR_MOVE, &[&project, &from, &next]).await?;
    if moved == 0 {
        return Ok(false);
    }
    for (n, words) in rows.iter().filter(|(_, words)| !words.is_empty()) {
        let (n, words) = (integer(*n), lexemes(project, words));
        connection.run(&statements::SEARCH_INSERT, &[&project, &n, &words]).await?;
    }
    Ok(true)
}

/// Returns the words of a leaf for the index; `None` if there are too many.
fn lexemes(project: &str, words: &str) -> Option<Vec<String>> {
    let prefix = prefix(project);
    let mut words: Vec<String> =
        words.split_whitespace().map(|word| format!("{prefix}{word}")).collect();
    words.sort_unstable();
    words.dedup();
    let bytes: usize = words.iter().map(String::len).sum();
    (bytes <= INDEXED_BYTES_MAX).then_some(words)
}

/// Returns the beginning of all words of a project.
fn prefix(project: &str) -> &str {
    project.get(project.len().saturating_sub(8)..).unwrap_or(project)
}

async fn cursor(connection: &Connection, project: &str) -> Result<u64, Fault> {
    let statement = &statements::SEARCH_CURSOR_LOAD;
    let found = connection.first(statement, &[&project], row::search_cursor).await?;
    Ok(found.unwrap_or(0))
}

/// Finds documents and reasons with all these words, in leaves before this number.
pub(super) async fn search(
    connection: &Connection,
    project: &str,
    asked: &str,
    before: Option<u64>,
    limit: u32,
) -> Result<Vec<Found>, Fault> {
    let asked = asked_words(asked);
    let (mut found, mut before) = (Vec::new(), before.map_or(i64::MAX, integer));
    if asked.is_empty() {
        return Ok(found);
    }
    let expression = match_expression(project, &asked);
    while found.len() < limit as usize {
        let numbers = candidates(connection, project, &expression, before).await?;
        for n in numbers.iter().map(|n| n.unsigned_abs()) {
            let documents = read::documents_of_leaves(connection, project, n, n + 1).await?;
            let leaf = read::leaves(connection, project, n, 1).await?.pop();
            found.extend(found_in(n, documents, leaf.filter(|leaf| leaf.n == n), &asked));
        }
        match numbers.last() {
            Some(last) if numbers.len() == CANDIDATES_PER_PAGE as usize => before = *last,
            _ => break,
        }
    }
    found.truncate(limit as usize);
    Ok(found)
}

async fn candidates(
    connection: &Connection,
    project: &str,
    expression: &str,
    before: i64,
) -> Result<Vec<i64>, Fault> {
    let limit = i64::from(CANDIDATES_PER_PAGE);
    let read = |row: &dyn row::Columns| row::number("search", row);
    let params: [Param<'_>; 4] = [&project, &expression, &before, &limit];
    connection.all(&statements::SEARCH_FIND, &params, read).await
}

/// Returns the query of the index: every word, as a prefix.
fn match_expression(project: &str, asked: &[String]) -> String {
    let prefix = prefix(project);
    let words: Vec<String> =
        matched_words(asked).into_iter().map(|word| format!("'{prefix}{word}':*")).collect();
    words.join(" & ")
}
