//! What cannot be in a project, and making anew what is derived.
//!
//! Facts, progress, documents and leaves are the truth; columns to be found by, due times, counts
//! and the index of words are told from them. The first are only looked at, the second can be made
//! anew, unless progress and log tell two stories. Whether the log is intact is for `tasuki log
//! check` to say.

use std::sync::Arc;

use jiff::Timestamp;
use rusqlite::params;
use tasuki_engine::error::{Fault, FaultKind};
use tasuki_engine::handoff::Handoff;
use tasuki_engine::store::HandoffRow;

use crate::batch::{Statements, update_handoff};
use crate::cache::Cache;
use crate::connection::Database;
use crate::project::{Project, load_head};
use crate::row::{Derived, Scanned, due_microseconds};
use crate::slot::{Slot, Writer};
use crate::tally::Tally;
use crate::{row, search, sql, told};

/// LIMIT: handoffs that one transaction makes anew, so that the line waits a few milliseconds.
const HANDOFFS_PER_BATCH: i64 = 256;

/// How closely the file itself is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Its pages: SQLite's `quick_check`.
    Quick,
    /// Its pages, and that every index has exactly the rows of its table: `integrity_check`.
    Full,
}

/// Something that cannot be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What cannot be: table, row and column as far as they are known.
    pub message: String,
    /// Whether [`SqliteStore::rebuild`](crate::SqliteStore::rebuild) makes it right.
    pub can_be_rebuilt: bool,
}

/// What a rebuild has done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rebuilt {
    /// How many handoffs were found by something wrong.
    pub handoffs: u64,
    /// What could not be made right.
    pub left: Vec<Finding>,
}

type DueAt<'a> = &'a dyn Fn(&Handoff) -> Option<Timestamp>;

pub(crate) fn inspect(
    database: &Database,
    depth: Depth,
    due: DueAt<'_>,
) -> Result<Vec<Finding>, Fault> {
    let check = match depth {
        Depth::Quick => "quick_check",
        Depth::Full => "integrity_check",
    };
    let mut findings: Vec<Finding> = Vec::new();
    for problem in database.problems(check)? {
        let can_be_rebuilt = is_derived(&problem);
        findings.push(Finding { message: problem, can_be_rebuilt });
    }
    if !findings.iter().any(|finding| is_about_words(&finding.message)) {
        findings.extend(look_at_words(database)?);
    }
    let mut after = 0;
    loop {
        let page = scan(database, after)?;
        let Some(last) = page.last() else { break };
        after = last.seq;
        findings.extend(page.iter().filter_map(|one| look_at(one, due)));
    }
    findings.extend(look_at_tasks(database)?);
    findings.extend(look_at_counts(database)?);
    findings.extend(look_at_log(database)?);
    Ok(findings)
}

/// Whether what SQLite says of a file is about something that can be made anew: an index from its
/// table, the index of words from the log. A page of any other table cannot.
fn is_derived(problem: &str) -> bool {
    problem.contains("index") || is_about_words(problem)
}

pub(crate) fn is_about_words(problem: &str) -> bool {
    problem.to_ascii_lowercase().contains("fts5")
}

fn look_at_words(database: &Database) -> Result<Option<Finding>, Fault> {
    let (head, _) = load_head(database)?;
    Ok(search::look_at(database, head.leaves)?.map(derived))
}

fn scan(database: &Database, after: i64) -> Result<Vec<Scanned>, Fault> {
    let mut page =
        database.all(&sql::HANDOFF_SCAN, params![after, HANDOFFS_PER_BATCH], row::scanned)?;
    told::doubt(database, &mut page)?;
    Ok(page)
}

fn look_at(one: &Scanned, due: DueAt<'_>) -> Option<Finding> {
    let handoff = match &one.handoff {
        Ok(handoff) => handoff,
        Err(fault) => return Some(lasting(fault.message.clone())),
    };
    if let Some(fault) = &one.wrong {
        return Some(derived(fault.message.clone()));
    }
    let due_at = due(handoff).map(due_microseconds);
    // A halt that was lifted puts off what is due, and the row learns of it when it comes up.
    let is_right = one.due_at.is_some() == due_at.is_some() && one.due_at <= due_at;
    (!is_right).then(|| {
        let shown = |at: Option<i64>| at.map_or_else(|| "never".to_owned(), |at| at.to_string());
        let what = format!("is {}, but it is due {}", shown(one.due_at), shown(due_at));
        derived(row::corrupt("handoff", &one.id, "due_at", &what).message)
    })
}

/// No step leaves a task with two live handoffs.
fn look_at_tasks(database: &Database) -> Result<Vec<Finding>, Fault> {
    let rivals = database.all(&sql::HANDOFF_RIVALS, [], row::rivals)?;
    let finding = |(task, count): (String, u64)| {
        lasting(format!("table `handoff`: task `{task}` has {count} live handoffs"))
    };
    Ok(rivals.into_iter().map(finding).collect())
}

fn look_at_counts(database: &Database) -> Result<Vec<Finding>, Fault> {
    let (kept, counted) = (Tally::load(database)?, Tally::recount(database)?);
    let finding = |((column, is), (_, told)): ((&str, i64), (&str, i64))| {
        let what = format!("is {is}, counted are {told}");
        (is != told).then(|| derived(row::corrupt("head", "1", column, &what).message))
    };
    Ok(kept.named().zip(counted.named()).filter_map(finding).collect())
}

fn look_at_log(database: &Database) -> Result<Option<Finding>, Fault> {
    let (head, _) = load_head(database)?;
    let found = database.first(&sql::LEAF_RECOUNT, [], row::leaf_recount)?;
    let (count, last) = found.unwrap_or_default();
    if count == head.leaves && last.map_or(0, |last| last + 1) == head.leaves {
        return Ok(None);
    }
    let what = format!("is {}, but there are {count} leaves", head.leaves);
    let key = head.project.to_string();
    Ok(Some(lasting(row::corrupt("head", &key, "leaf_count", &what).message)))
}

pub(crate) fn rebuild(project: &Arc<Project>, due: DueAt<'_>) -> Result<Rebuilt, Fault> {
    let mut rebuilt = Rebuilt::default();
    // First, because nothing else can be made anew around an index of words that cannot be read.
    write(project, |writer| search::make_anew(&writer.database))?;
    write(project, |writer| writer.database.run(&sql::REINDEX, []).map(drop))?;
    let mut after = Some(0);
    while let Some(seq) = after {
        after = write(project, |writer| rebuild_page(&writer.database, seq, due, &mut rebuilt))?;
    }
    write(project, |writer| {
        let counted = Tally::recount(&writer.database)?;
        writer.database.run(&sql::TALLY_SET, counted.params().as_slice()).map(drop)
    })?;
    search::catch_up(project)?;
    rebuilt.left.extend(project.read(look_at_tasks)?);
    rebuilt.left.extend(project.read(look_at_log)?);
    Ok(rebuilt)
}

/// One transaction in the writer's place. What the writer remembered is forgotten.
fn write<T>(
    project: &Arc<Project>,
    work: impl FnOnce(&mut Writer) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let mut taken = Slot::take(project)?;
    let writer = taken.writer();
    let done = writer.begin().and_then(|_| work(writer)).and_then(|done| {
        writer.database.commit()?;
        writer.cache = Cache::default();
        Ok(done)
    });
    if done.is_err() {
        taken.discard();
    }
    done
}

/// The number to go on after, if there is more.
fn rebuild_page(
    database: &Database,
    after: i64,
    due: DueAt<'_>,
    rebuilt: &mut Rebuilt,
) -> Result<Option<i64>, Fault> {
    let page = scan(database, after)?;
    let last = page.last().map(|last| last.seq);
    for one in page {
        let Some(finding) = look_at(&one, due) else { continue };
        match rebuild_one(database, one, due) {
            Ok(()) => rebuilt.handoffs += 1,
            // What cannot be written is for an operator.
            Err(fault) if matches!(fault.kind, FaultKind::Bug | FaultKind::Corrupt) => {
                let message = format!("{}; {}", finding.message, fault.message);
                rebuilt.left.push(lasting(message));
            }
            Err(fault) => return Err(fault),
        }
    }
    Ok(last)
}

fn rebuild_one(database: &Database, one: Scanned, due: DueAt<'_>) -> Result<(), Fault> {
    let handoff = one.handoff?;
    let (due_at, before) = (due(&handoff), Derived::of(&handoff));
    let handoff = Arc::new(handoff);
    let row = HandoffRow { handoff, due_at, is_new: false, has_new_facts: true };
    update_handoff(&mut Statements::of(database)?, one.seq, &row, before)
}

fn derived(message: String) -> Finding {
    Finding { message, can_be_rebuilt: true }
}

fn lasting(message: String) -> Finding {
    Finding { message, can_be_rebuilt: false }
}
