//! Making anew what is derived.
//!
//! Most of it is done in small transactions, so that the line waits a few milliseconds for each. Two are
//! not small and run only where they are needed or cannot be cut: indexes are made anew as a whole where
//! one is damaged, and everything is counted in one go, because a count of two moments is none.

use std::sync::Arc;

use rusqlite::params;
use tasuki_engine::error::{Fault, FaultKind};
use tasuki_engine::store::HandoffRow;

use crate::maintenance::doctor::{
    DueAt, FIRST, Finding, WrongCursor, is_about_index, is_about_words, lasting, look_at,
    look_at_log, look_at_rows, look_at_tasks, look_at_words, scan, wrong_cursors, wrong_deliveries,
    wrong_leaves,
};
use crate::sqlite::bind::integer;
use crate::sqlite::connection::Database;
use crate::sqlite::counters::Tally;
use crate::sqlite::project::Project;
use crate::sqlite::row::{Derived, Scanned};
use crate::sqlite::write::batch::{Statements, update_handoff};
use crate::sqlite::write::cache::Cache;
use crate::sqlite::write::writer_lock::{Slot, Writer};
use crate::sqlite::{search, statements};

/// What a rebuild has done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rebuilt {
    /// How many handoffs were found by something wrong.
    pub handoffs: u64,
    /// What was lost with what could not be told from anything.
    pub lost: Vec<String>,
    /// What could not be made right.
    pub left: Vec<Finding>,
}

pub(crate) fn rebuild(project: &Arc<Project>, due: DueAt<'_>) -> Result<Rebuilt, Fault> {
    let mut rebuilt = Rebuilt { left: project.read(wrong_leaves)?, ..Rebuilt::default() };
    let problems = project.look(|database| database.problems("integrity_check"))?;
    // First, because nothing else can be made anew around an index of words that cannot be read.
    let has_words = make_words_anew(project, &problems, &rebuilt)?;
    if problems.iter().any(|problem| is_about_index(problem)) {
        write(project, |writer| writer.database.run(&statements::DATABASE_REINDEX, []).map(drop))?;
    }
    let mut after = Some(FIRST);
    while let Some(seq) = after {
        after = write(project, |writer| rebuild_page(&writer.database, seq, due, &mut rebuilt))?;
    }
    write(project, |writer| {
        let counted = Tally::recount(&writer.database)?;
        writer.database.run(&statements::HEAD_COUNTERS_SET, counted.params().as_slice()).map(drop)
    })?;
    write(project, |writer| rebuild_cursors(&writer.database, &mut rebuilt))?;
    if has_words {
        match search::catch_up(project) {
            Err(fault) if fault.kind == FaultKind::Corrupt => {
                rebuilt.left.push(lasting(fault.message));
            }
            filled => filled?,
        }
    }
    for look in [look_at_tasks, look_at_log, look_at_rows] {
        rebuilt.left.extend(project.read(look)?);
    }
    Ok(rebuilt)
}

/// Empties the index of words, unless it is whole and could not be filled again. Says whether it did.
fn make_words_anew(
    project: &Arc<Project>,
    problems: &[String],
    rebuilt: &Rebuilt,
) -> Result<bool, Fault> {
    let is_damaged = problems.iter().any(|problem| is_about_words(problem))
        || project.read(look_at_words)?.is_some();
    if !rebuilt.left.is_empty() && !is_damaged {
        return Ok(false);
    }
    write(project, |writer| search::make_anew(&writer.database))?;
    Ok(rebuilt.left.is_empty())
}

/// Cursors that stand nowhere are moved, and what nobody can read of deliveries is removed.
fn rebuild_cursors(database: &Database, rebuilt: &mut Rebuilt) -> Result<(), Fault> {
    for WrongCursor { message, subscription, goes_on } in wrong_cursors(database)? {
        let Some(n) = goes_on else {
            database.run(&statements::CURSOR_DELETE, [subscription])?;
            rebuilt.lost.push(format!("removed: {message}"));
            continue;
        };
        database.run(&statements::CURSOR_RESET, params![integer(n), subscription])?;
        rebuilt.lost.push(format!("subscription {subscription} goes on at leaf {n}: {message}"));
    }
    for (fault, (subscription, number)) in wrong_deliveries(database)? {
        database.run(&statements::DELIVERY_DELETE, params![subscription, number])?;
        rebuilt.lost.push(format!("removed: {}", fault.message));
    }
    Ok(())
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
