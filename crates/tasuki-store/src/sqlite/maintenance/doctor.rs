//! Checks a store for damaged rows, and determines which of them can be rebuilt.
//!
//! Every row has a checksum, which shows damage in what no other check recomputes.
//!
//! Facts, progress, documents and leaves are the source of truth; they are only checked. The
//! indexed columns of handoffs, due times, counters, cursors and the full-text index are derived
//! from them and can be rebuilt (see `rebuild`), unless progress and log contradict each other.
//! `tasuki log check` checks the log itself.

use std::collections::BTreeSet;

use rusqlite::{Params, params};
use tasuki_engine::error::{Fault, FaultKind};
use tasuki_engine::model::Record;
use tasuki_engine::ports::{PEOPLE, REMINDERS};
use tasuki_packet::id::SubscriptionId;

use crate::findings::{self, DueAt, Finding, permanent, rebuildable};
use crate::row::{self, Columns, ScannedHandoff};
use crate::sqlite::connection::Database;
use crate::sqlite::counters;
use crate::sqlite::maintenance::{checksums, cross_check};
use crate::sqlite::project::load_head;
use crate::sqlite::search;
use crate::sqlite::statements::{self, Statement};

/// LIMIT: handoffs rebuilt in one transaction, so that other writers wait a few milliseconds.
const HANDOFFS_PER_BATCH: i64 = 256;

/// The number before that of the first handoff.
pub(crate) const FIRST: i64 = i64::MIN;

/// The depth of a check of the file itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// The pages, with SQLite's `quick_check`.
    Quick,
    /// The pages and indexes, with SQLite's `integrity_check`, and every leaf and document.
    Full,
}

/// Checks a project. A check that fails does not prevent the others.
pub(crate) fn inspect(
    database: &Database,
    depth: Depth,
    due: DueAt<'_>,
) -> Result<Vec<Finding>, Fault> {
    let mut findings = or_finding(check_file(database, depth), permanent)?;
    if !findings.iter().any(|finding| is_about_search(&finding.message)) {
        findings.extend(check_search(database)?);
    }
    findings.extend(or_finding(check_handoffs(database, due), permanent)?);
    findings.extend(or_finding(check_tasks(database), rebuildable)?);
    findings.extend(or_finding(check_counters(database), rebuildable)?);
    findings.extend(or_finding(check_log(database), permanent)?);
    findings.extend(or_finding(check_rows(database), permanent)?);
    findings.extend(or_finding(check_deliveries(database), permanent)?);
    checksums::add(database, &checksums::PROJECT, &mut findings)?;
    Ok(findings)
}

pub(crate) fn inspect_exchange(database: &Database) -> Result<Vec<Finding>, Fault> {
    let problems = database.problems("integrity_check")?;
    let mut findings: Vec<Finding> = problems.into_iter().map(permanent).collect();
    findings.extend(check_exchange_rows(database)?);
    checksums::add(database, &checksums::EXCHANGE, &mut findings)?;
    Ok(findings)
}

/// Checks the rows of `exchange.db`.
pub(crate) fn check_exchange_rows(database: &Database) -> Result<Vec<Finding>, Fault> {
    let checks = [
        row_faults(database, &statements::PROJECT_LIST, [], row::project),
        row_faults(database, &statements::PERSON_SCAN, [], row::person),
        row_faults(database, &statements::SESSION_SCAN, [], row::session),
        row_faults(database, &statements::MAIL_CODE_SCAN, [], row::mail_code),
        row_faults(database, &statements::HEARTBEAT_SCAN, [], row::heartbeat),
        row_faults(database, &statements::CLOCK_LOAD, [], row::clock),
        row_faults(database, &statements::TOKEN_USE_LIST, [], row::token_use),
    ];
    let mut findings = Vec::new();
    for checked in checks {
        let found =
            checked.map(|wrong| wrong.into_iter().map(|one| permanent(one.message)).collect());
        findings.extend(or_finding(found, permanent)?);
    }
    Ok(findings)
}

/// Turns a check that failed because of damaged data into a finding.
pub(crate) fn or_finding(
    checked: Result<Vec<Finding>, Fault>,
    as_finding: fn(String) -> Finding,
) -> Result<Vec<Finding>, Fault> {
    match checked {
        Err(fault) if fault.kind == FaultKind::Corrupt => Ok(vec![as_finding(fault.message)]),
        checked => checked,
    }
}

fn check_file(database: &Database, depth: Depth) -> Result<Vec<Finding>, Fault> {
    let check = match depth {
        Depth::Quick => "quick_check",
        Depth::Full => "integrity_check",
    };
    let mut findings = match depth {
        Depth::Quick => Vec::new(),
        Depth::Full => check_leaves(database)?,
    };
    for problem in database.problems(check)? {
        match problem.strip_prefix("CHECK constraint failed in ") {
            // The rows of these tables are checked one by one, which names the row.
            Some("handoff" | "head" | "cursor" | "delivery") => {}
            Some("leaf" | "document") if depth == Depth::Full => {}
            _ => {
                let can_be_rebuilt = is_rebuildable(&problem);
                findings.push(Finding { message: problem, can_be_rebuilt });
            }
        }
    }
    Ok(findings)
}

/// Checks that every leaf and document can be read.
pub(crate) fn check_leaves(database: &Database) -> Result<Vec<Finding>, Fault> {
    let mut wrong = row_faults(database, &statements::LEAF_LIST, [0, i64::MAX], row::leaf)?;
    wrong.extend(row_faults(database, &statements::DOCUMENT_SCAN, [], row::document)?);
    Ok(wrong.into_iter().map(|fault| permanent(fault.message)).collect())
}

/// Returns `true` if a problem that SQLite reports can be rebuilt: an index from its table, the
/// full-text index from the log. A page of any other table cannot.
pub(crate) fn is_rebuildable(problem: &str) -> bool {
    is_about_index(problem) || is_about_search(problem)
}

pub(crate) fn is_about_index(problem: &str) -> bool {
    problem.contains("index")
}

pub(crate) fn is_about_search(problem: &str) -> bool {
    let problem = problem.to_ascii_lowercase();
    problem.contains("fts5") || problem.ends_with("in search_cursor")
}

pub(crate) fn check_search(database: &Database) -> Result<Option<Finding>, Fault> {
    let (head, _) = load_head(database)?;
    Ok(search::check(database, head.leaves)?.map(rebuildable))
}

fn check_handoffs(database: &Database, due: DueAt<'_>) -> Result<Vec<Finding>, Fault> {
    let (mut findings, mut after) = (Vec::new(), FIRST);
    loop {
        let page = scan(database, after)?;
        let Some(last) = page.last() else { return Ok(findings) };
        after = last.seq;
        findings.extend(page.iter().filter_map(|one| findings::of_handoff(one, due)));
    }
}

pub(crate) fn scan(database: &Database, after: i64) -> Result<Vec<ScannedHandoff>, Fault> {
    let mut page = database.all(
        &statements::HANDOFF_SCAN,
        params![after, HANDOFFS_PER_BATCH],
        row::scanned,
    )?;
    cross_check::check_against_log(database, &mut page)?;
    for one in page.iter_mut().filter(|one| one.handoff.is_ok()) {
        // Columns are not rebuilt from damaged progress or facts.
        one.handoff = match one.damage.take() {
            Some(fault) => Err(fault),
            None => continue,
        };
    }
    Ok(page)
}

/// Checks that no task has two live handoffs.
pub(crate) fn check_tasks(database: &Database) -> Result<Vec<Finding>, Fault> {
    let duplicates = database.all(&statements::HANDOFF_DUPLICATE_LIVE, [], row::duplicate_live)?;
    Ok(duplicates.into_iter().map(findings::of_duplicate_live).collect())
}

fn check_counters(database: &Database) -> Result<Vec<Finding>, Fault> {
    let (kept, counted) = (counters::load(database)?, counters::recount(database)?);
    Ok(findings::of_counters("1", kept, counted))
}

pub(crate) fn check_log(database: &Database) -> Result<Vec<Finding>, Fault> {
    let (head, _) = load_head(database)?;
    let found = database.first(&statements::LEAF_COUNT, [], row::leaf_recount)?;
    Ok(findings::of_log(&head, found.unwrap_or_default()).into_iter().collect())
}

/// Checks rows that are not derived and that no other check reads.
pub(crate) fn check_rows(database: &Database) -> Result<Vec<Finding>, Fault> {
    let mut wrong = row_faults(database, &statements::DIRECTORY_LIST, [], row::record)?;
    wrong.extend(row_faults(database, &statements::IDEMPOTENCY_SCAN, [], row::remembered)?);
    Ok(wrong.into_iter().map(|fault| permanent(fault.message)).collect())
}

fn check_deliveries(database: &Database) -> Result<Vec<Finding>, Fault> {
    let cursors = invalid_cursors(database)?.into_iter().map(|wrong| rebuildable(wrong.message));
    let attempts = invalid_deliveries(database)?.into_iter();
    Ok(cursors.chain(attempts.map(|(fault, _)| rebuildable(fault.message))).collect())
}

/// A cursor with an invalid position or subscription.
#[derive(Debug)]
pub(crate) struct InvalidCursor {
    pub(crate) message: String,
    pub(crate) subscription: String,
    /// The leaf to resume at: the stored position if it is valid, otherwise the end of the log.
    /// `None` if the subscription does not exist.
    pub(crate) resume_at: Option<u64>,
}

pub(crate) fn invalid_cursors(database: &Database) -> Result<Vec<InvalidCursor>, Fault> {
    let (leaves, known) = (load_head(database)?.0.leaves, subscriptions(database)?);
    let mut wrong = Vec::new();
    database.each(&statements::CURSOR_LIST, [], |found| {
        let read = row::scanned_cursor(found);
        let subscription = row::first_text(found);
        let is_known = subscription.parse().is_ok_and(|id| known.contains(&id));
        let what = match &read {
            Err(fault) => fault.message.clone(),
            Ok(cursor) if !is_known => {
                let id = cursor.subscription.to_string();
                row::corrupt("cursor", &id, "subscription", "names an unknown subscription").message
            }
            Ok(cursor) if cursor.n > leaves => {
                let what = format!("is {}, but the log has {leaves} leaves", cursor.n);
                row::corrupt("cursor", &subscription, "n", &what).message
            }
            Ok(_) => return Ok(()),
        };
        let stands = row::second_count(found).filter(|n| *n <= leaves);
        let resume_at = is_known.then(|| stands.unwrap_or(leaves));
        wrong.push(InvalidCursor { message: what, subscription, resume_at });
        Ok(())
    })?;
    Ok(wrong)
}

/// Lists the subscriptions that may have a cursor. Directory entries are checked elsewhere.
fn subscriptions(database: &Database) -> Result<BTreeSet<SubscriptionId>, Fault> {
    let mut known = BTreeSet::from([PEOPLE, REMINDERS]);
    database.each(&statements::DIRECTORY_LIST, [], |found| {
        if let Ok(Record::Subscription(record)) = row::record(found) {
            known.insert(record.id);
        }
        Ok(())
    })?;
    Ok(known)
}

/// An unreadable delivery attempt, with its subscription and number.
type InvalidDelivery = (Fault, (String, i64));

pub(crate) fn invalid_deliveries(database: &Database) -> Result<Vec<InvalidDelivery>, Fault> {
    let mut wrong = Vec::new();
    database.each(&statements::DELIVERY_SCAN, [], |found| {
        if let Err(fault) = row::scanned_delivery(found) {
            wrong.push((fault, row::delivery_key(found)?));
        }
        Ok(())
    })?;
    Ok(wrong)
}

/// Lists the faults of the rows that a statement returns.
fn row_faults<T>(
    database: &Database,
    statement: &Statement,
    params: impl Params,
    read: impl Fn(&dyn Columns) -> Result<T, Fault>,
) -> Result<Vec<Fault>, Fault> {
    let mut faults = Vec::new();
    database.each(statement, params, |found| {
        faults.extend(read(found).err());
        Ok(())
    })?;
    Ok(faults)
}
