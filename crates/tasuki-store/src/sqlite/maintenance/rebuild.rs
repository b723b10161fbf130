//! Rebuilds derived data: columns, counters, cursors and the full-text index.
//!
//! Most of it runs in small transactions, so that other writers wait a few milliseconds for each.
//! Two are large: if one index is damaged, all are rebuilt at once, and counters are counted in one
//! transaction, because they must be consistent.

use std::sync::Arc;

use rusqlite::params;
use tasuki_engine::error::{Fault, FaultKind};
use tasuki_engine::ports::HandoffRow;

use crate::batch::cache::Cache;
use crate::findings::{self, DueAt, RebuildReport, permanent};
use crate::row::integer;
use crate::row::{HandoffColumns, ScannedHandoff};
use crate::sqlite::connection::Database;
use crate::sqlite::counters;
use crate::sqlite::maintenance::doctor::{
    FIRST, InvalidCursor, check_leaves, check_log, check_rows, check_search, check_tasks,
    invalid_cursors, invalid_deliveries, is_about_index, is_about_search, scan,
};
use crate::sqlite::project::Project;
use crate::sqlite::write::batch::{Statements, update_handoff};
use crate::sqlite::write::writer_lock::{Writer, WriterLock};
use crate::sqlite::{search, statements};

pub(crate) fn rebuild(project: &Arc<Project>, due: DueAt<'_>) -> Result<RebuildReport, Fault> {
    let mut rebuilt =
        RebuildReport { left: project.read(check_leaves)?, ..RebuildReport::default() };
    let problems = project.check(|database| database.problems("integrity_check"))?;
    // First, because an unreadable full-text index blocks the other rebuilds.
    let is_search_empty = recreate_search(project, &problems, &rebuilt)?;
    if problems.iter().any(|problem| is_about_index(problem)) {
        write(project, |writer| writer.database.run(&statements::DATABASE_REINDEX, []).map(drop))?;
    }
    let mut after = Some(FIRST);
    while let Some(seq) = after {
        after = write(project, |writer| rebuild_page(&writer.database, seq, due, &mut rebuilt))?;
    }
    write(project, |writer| {
        let counted = counters::recount(&writer.database)?;
        writer
            .database
            .run(&statements::HEAD_COUNTERS_SET, counters::params(&counted).as_slice())
            .map(drop)
    })?;
    write(project, |writer| rebuild_cursors(&writer.database, &mut rebuilt))?;
    if is_search_empty {
        match search::catch_up(project) {
            Err(fault) if fault.kind == FaultKind::Corrupt => {
                rebuilt.left.push(permanent(fault.message));
            }
            filled => filled?,
        }
    }
    for check in [check_tasks, check_log, check_rows] {
        rebuilt.left.extend(project.read(check)?);
    }
    Ok(rebuilt)
}

/// Empties the full-text index, unless it is intact and could not be refilled. Returns `true` if it
/// has to be refilled.
fn recreate_search(
    project: &Arc<Project>,
    problems: &[String],
    rebuilt: &RebuildReport,
) -> Result<bool, Fault> {
    let is_damaged = problems.iter().any(|problem| is_about_search(problem))
        || project.read(check_search)?.is_some();
    if !rebuilt.left.is_empty() && !is_damaged {
        return Ok(false);
    }
    write(project, |writer| search::recreate(&writer.database))?;
    Ok(rebuilt.left.is_empty())
}

/// Moves or removes invalid cursors, and removes unreadable acknowledgements and deliveries.
fn rebuild_cursors(database: &Database, rebuilt: &mut RebuildReport) -> Result<(), Fault> {
    for InvalidCursor { message, subscription, resume_at } in invalid_cursors(database)? {
        let Some(n) = resume_at else {
            database.run(&statements::CURSOR_DELETE, [subscription])?;
            rebuilt.lost.push(format!("removed: {message}"));
            continue;
        };
        database.run(&statements::CURSOR_RESET, params![integer(n), subscription])?;
        rebuilt.lost.push(format!("subscription {subscription} resumes at leaf {n}: {message}"));
    }
    let acknowledgements = database.run(&statements::ACKNOWLEDGEMENT_DELETE_INVALID, [])?;
    if acknowledgements > 0 {
        rebuilt.lost.push(format!("removed: {acknowledgements} damaged acknowledgements"));
    }
    for (fault, (subscription, number)) in invalid_deliveries(database)? {
        database.run(&statements::DELIVERY_DELETE, params![subscription, number])?;
        rebuilt.lost.push(format!("removed: {}", fault.message));
    }
    Ok(())
}

/// Runs one transaction of the writer, and clears its cache.
fn write<T>(
    project: &Arc<Project>,
    work: impl FnOnce(&mut Writer) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let mut guard = WriterLock::acquire(project)?;
    let writer = guard.writer();
    let done = writer.begin().and_then(|_| work(writer)).and_then(|done| {
        writer.database.commit()?;
        writer.cache = Cache::default();
        Ok(done)
    });
    if done.is_err() {
        guard.discard();
    }
    done
}

/// Rebuilds a page of handoffs. Returns the number to continue after, if there are more.
fn rebuild_page(
    database: &Database,
    after: i64,
    due: DueAt<'_>,
    rebuilt: &mut RebuildReport,
) -> Result<Option<i64>, Fault> {
    let page = scan(database, after)?;
    let last = page.last().map(|last| last.seq);
    for one in page {
        let Some(finding) = findings::of_handoff(&one, due) else { continue };
        match rebuild_one(database, one, due) {
            Ok(()) => rebuilt.handoffs += 1,
            // A row that cannot be written needs an operator.
            Err(fault) if matches!(fault.kind, FaultKind::Bug | FaultKind::Corrupt) => {
                let message = format!("{}; {}", finding.message, fault.message);
                rebuilt.left.push(permanent(message));
            }
            Err(fault) => return Err(fault),
        }
    }
    Ok(last)
}

fn rebuild_one(database: &Database, one: ScannedHandoff, due: DueAt<'_>) -> Result<(), Fault> {
    let handoff = one.handoff?;
    let (due_at, before) = (due(&handoff), HandoffColumns::of(&handoff));
    let handoff = Arc::new(handoff);
    let row = HandoffRow { handoff, due_at, is_new: false, has_new_facts: true };
    update_handoff(&mut Statements::of(database)?, one.seq, &row, before)
}
