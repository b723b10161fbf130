//! Checks a project against its log, and rebuilds what is derived.
//!
//! PostgreSQL checks its own files. These checks find rows that contradict each other: after a
//! partial restore, or after someone wrote to the tables.

use std::sync::Arc;

use jiff::Timestamp;
use tasuki_engine::error::Fault;
use tasuki_engine::model::Handoff;
use tasuki_engine::ports::HandoffRow;
use tasuki_packet::id::ProjectId;

use crate::batch::counters::Counters;
use crate::findings::{self, DueAt, Finding, RebuildReport, permanent};
use crate::postgres::connection::pool::OpenTransaction;
use crate::postgres::connection::{Connection, Param};
use crate::postgres::write::HandoffLists;
use crate::postgres::{PostgresStore, read, statements};
use crate::row::{self, ScannedHandoff};

/// LIMIT: handoffs looked at in one transaction.
const HANDOFFS_PER_BATCH: i64 = 256;

impl PostgresStore {
    pub(crate) fn inspect_project(
        &self,
        id: ProjectId,
        due: DueAt<'_>,
    ) -> Result<Vec<Finding>, Fault> {
        let mut findings = Vec::new();
        self.each_handoff(id, |one| findings.extend(findings::of_handoff(one, due)))?;
        let project = id.to_string();
        findings.extend(self.wait(|connection| async move {
            let mut findings = check_counters(&connection, &project).await?;
            findings.extend(check_log(&connection, &project).await?);
            findings.extend(check_tasks(&connection, &project).await?);
            Ok(findings)
        })?);
        Ok(findings)
    }

    /// Rebuilds the columns of handoffs, counters and the full-text index.
    pub(crate) fn rebuild_project(
        &self,
        id: ProjectId,
        due: DueAt<'_>,
    ) -> Result<RebuildReport, Fault> {
        let mut report = RebuildReport::default();
        let mut wrong = Vec::new();
        self.each_handoff(id, |one| match (findings::of_handoff(one, due), &one.handoff) {
            (None, _) => {}
            (Some(_), Ok(handoff)) => wrong.push((one.seq, due(handoff), handoff.clone())),
            (Some(finding), Err(_)) => report.left.push(finding),
        })?;
        report.handoffs = wrong.len() as u64;
        let lists = columns_of(wrong)?;
        let project = id.to_string();
        self.wait(|connection| async move {
            let open = OpenTransaction::begin(connection).await?;
            open.rows(&statements::HEAD_LOCK, &[&project]).await?;
            let params: Vec<Param<'_>> = [vec![&project as Param<'_>], lists.params()].concat();
            open.run(&statements::HANDOFF_UPDATE, &params).await?;
            let counted = recount(&open, &project).await?.0.to_vec();
            open.run(&statements::HEAD_COUNTERS_SET, &[&project, &counted]).await?;
            open.run(&statements::SEARCH_DELETE, &[&project]).await?;
            open.run(&statements::SEARCH_CURSOR_DELETE, &[&project]).await?;
            open.commit().await
        })?;
        self.shared.caches.clear();
        while !self.index_leaves(id, crate::search_words::LEAVES_PER_BATCH)? {}
        let project = id.to_string();
        report.left.extend(self.wait(|connection| async move {
            let mut left = check_log(&connection, &project).await?;
            left.extend(check_tasks(&connection, &project).await?);
            Ok(left)
        })?);
        Ok(report)
    }

    /// Visits all handoffs of a project, page by page.
    fn each_handoff(
        &self,
        id: ProjectId,
        mut visit: impl FnMut(&ScannedHandoff),
    ) -> Result<(), Fault> {
        let mut after = i64::MIN;
        loop {
            let project = id.to_string();
            let page = self.wait(|connection| async move {
                let params: [Param<'_>; 3] = [&project, &after, &HANDOFFS_PER_BATCH];
                connection.all(&statements::HANDOFF_SCAN, &params, row::scanned_plain).await
            })?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.seq;
            page.iter().for_each(&mut visit);
        }
    }
}

/// Returns the rows of handoffs whose columns are wrong.
fn columns_of(wrong: Vec<(i64, Option<Timestamp>, Handoff)>) -> Result<HandoffLists, Fault> {
    let mut lists = HandoffLists::default();
    for (seq, due_at, handoff) in wrong {
        let handoff = Arc::new(handoff);
        let row = HandoffRow { handoff, due_at, is_new: false, has_new_facts: false };
        lists.push(seq, &row)?;
    }
    Ok(lists)
}

async fn recount(connection: &Connection, project: &str) -> Result<Counters, Fault> {
    let counted = connection.all(&statements::HANDOFF_COUNT, &[&project], row::recount).await?;
    Ok(Counters::of(counted))
}

async fn check_counters(connection: &Connection, project: &str) -> Result<Vec<Finding>, Fault> {
    let kept = read::counters(connection, project).await?;
    let counted = recount(connection, project).await?;
    Ok(findings::of_counters(project, kept, counted))
}

async fn check_log(connection: &Connection, project: &str) -> Result<Vec<Finding>, Fault> {
    let Some((head, _)) = read::head(connection, project).await? else {
        return Ok(vec![permanent(format!("table `head`: project {project} has no head"))]);
    };
    let found = connection.first(&statements::LEAF_COUNT, &[&project], row::leaf_recount).await?;
    Ok(findings::of_log(&head, found.unwrap_or_default()).into_iter().collect())
}

/// Checks that no task has two live handoffs, and that all facts belong to a handoff.
async fn check_tasks(connection: &Connection, project: &str) -> Result<Vec<Finding>, Fault> {
    let statement = &statements::HANDOFF_DUPLICATE_LIVE;
    let duplicates = connection.all(statement, &[&project], row::duplicate_live).await?;
    let mut findings: Vec<Finding> =
        duplicates.into_iter().map(findings::of_duplicate_live).collect();
    let read = |row: &dyn row::Columns| row::number("facts", row);
    let facts =
        connection.all(&statements::HANDOFF_FACTS_WITHOUT_HANDOFF, &[&project], read).await?;
    findings.extend(facts.into_iter().map(|seq| {
        permanent(row::corrupt("facts", &seq.to_string(), "seq", "has no handoff").message)
    }));
    Ok(findings)
}
