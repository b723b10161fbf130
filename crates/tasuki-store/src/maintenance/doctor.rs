//! What cannot be in a store, and what of it can be made anew.
//!
//! Facts, progress, documents and leaves are the truth; columns to be found by, due times, counts,
//! cursors and the index of words are told from them. The first are only looked at, the second can be
//! made anew (see `rebuild`), unless progress and log tell two stories. Whether the log is intact is for
//! `tasuki log check` to say.

use std::collections::BTreeSet;

use jiff::Timestamp;
use rusqlite::{Params, Row, params};
use tasuki_engine::delivery::PEOPLE;
use tasuki_engine::directory::Record;
use tasuki_engine::error::{Fault, FaultKind};
use tasuki_engine::handoff::Handoff;
use tasuki_packet::id::SubscriptionId;

use crate::maintenance::cross_check;
use crate::sqlite::connection::Database;
use crate::sqlite::counters::Tally;
use crate::sqlite::project::load_head;
use crate::sqlite::row::{Scanned, due_microseconds};
use crate::sqlite::statements::Statement;
use crate::sqlite::{row, search, statements};

/// LIMIT: handoffs that one transaction makes anew, so that the line waits a few milliseconds.
const HANDOFFS_PER_BATCH: i64 = 256;

/// Before the first handoff.
pub(crate) const FIRST: i64 = i64::MIN;

/// How closely the file itself is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Its pages: SQLite's `quick_check`.
    Quick,
    /// Its pages, that every index has exactly the rows of its table, `integrity_check`, and that every
    /// leaf and document can be read.
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

pub(crate) type DueAt<'a> = &'a dyn Fn(&Handoff) -> Option<Timestamp>;

/// Looks at a project. What one look cannot get past does not keep the others from looking.
pub(crate) fn inspect(
    database: &Database,
    depth: Depth,
    due: DueAt<'_>,
) -> Result<Vec<Finding>, Fault> {
    let mut findings = or_found(look_at_file(database, depth), lasting)?;
    if !findings.iter().any(|finding| is_about_words(&finding.message)) {
        findings.extend(look_at_words(database)?);
    }
    findings.extend(or_found(look_at_handoffs(database, due), lasting)?);
    findings.extend(or_found(look_at_tasks(database), derived)?);
    findings.extend(or_found(look_at_counts(database), derived)?);
    findings.extend(or_found(look_at_log(database), lasting)?);
    findings.extend(or_found(look_at_rows(database), lasting)?);
    findings.extend(or_found(look_at_deliveries(database), lasting)?);
    Ok(findings)
}

/// Looks at what all projects share.
pub(crate) fn inspect_exchange(database: &Database) -> Result<Vec<Finding>, Fault> {
    let problems = database.problems("integrity_check")?;
    let mut findings: Vec<Finding> = problems.into_iter().map(lasting).collect();
    findings.extend(wrong_shared_rows(database)?);
    Ok(findings)
}

/// Rows of what all projects share that cannot be.
pub(crate) fn wrong_shared_rows(database: &Database) -> Result<Vec<Finding>, Fault> {
    let looks = [
        faults(database, &statements::PROJECT_LIST, [], row::project),
        faults(database, &statements::PERSON_SCAN, [], row::person),
        faults(database, &statements::SESSION_SCAN, [], row::session),
        faults(database, &statements::HEARTBEAT_SCAN, [], row::heartbeat),
        faults(database, &statements::TOKEN_USE_LIST, [], row::token_use),
    ];
    let mut findings = Vec::new();
    for looked in looks {
        let found = looked.map(|wrong| wrong.into_iter().map(|one| lasting(one.message)).collect());
        findings.extend(or_found(found, lasting)?);
    }
    Ok(findings)
}

/// What a look has found; if it could not be made because of what is stored, that is what it found.
fn or_found(
    looked: Result<Vec<Finding>, Fault>,
    as_finding: fn(String) -> Finding,
) -> Result<Vec<Finding>, Fault> {
    match looked {
        Err(fault) if fault.kind == FaultKind::Corrupt => Ok(vec![as_finding(fault.message)]),
        looked => looked,
    }
}

fn look_at_file(database: &Database, depth: Depth) -> Result<Vec<Finding>, Fault> {
    let check = match depth {
        Depth::Quick => "quick_check",
        Depth::Full => "integrity_check",
    };
    let mut findings = match depth {
        Depth::Quick => Vec::new(),
        Depth::Full => wrong_leaves(database)?,
    };
    for problem in database.problems(check)? {
        match problem.strip_prefix("CHECK constraint failed in ") {
            // Their rows are looked at one by one, which names the row.
            Some("handoff" | "head" | "cursor" | "delivery") => {}
            Some("leaf" | "document") if depth == Depth::Full => {}
            _ => {
                let can_be_rebuilt = is_derived(&problem);
                findings.push(Finding { message: problem, can_be_rebuilt });
            }
        }
    }
    Ok(findings)
}

/// Leaves and documents that cannot be.
pub(crate) fn wrong_leaves(database: &Database) -> Result<Vec<Finding>, Fault> {
    let mut wrong = faults(database, &statements::LEAF_LIST, [0, i64::MAX], row::leaf)?;
    wrong.extend(faults(database, &statements::DOCUMENT_SCAN, [], row::document)?);
    Ok(wrong.into_iter().map(|fault| lasting(fault.message)).collect())
}

/// Whether what SQLite says of a file is about something that can be made anew: an index from its
/// table, the index of words from the log. A page of any other table cannot.
pub(crate) fn is_derived(problem: &str) -> bool {
    is_about_index(problem) || is_about_words(problem)
}

pub(crate) fn is_about_index(problem: &str) -> bool {
    problem.contains("index")
}

pub(crate) fn is_about_words(problem: &str) -> bool {
    let problem = problem.to_ascii_lowercase();
    problem.contains("fts5") || problem.ends_with("in search_cursor")
}

pub(crate) fn look_at_words(database: &Database) -> Result<Option<Finding>, Fault> {
    let (head, _) = load_head(database)?;
    Ok(search::look_at(database, head.leaves)?.map(derived))
}

fn look_at_handoffs(database: &Database, due: DueAt<'_>) -> Result<Vec<Finding>, Fault> {
    let (mut findings, mut after) = (Vec::new(), FIRST);
    loop {
        let page = scan(database, after)?;
        let Some(last) = page.last() else { return Ok(findings) };
        after = last.seq;
        findings.extend(page.iter().filter_map(|one| look_at(one, due)));
    }
}

pub(crate) fn scan(database: &Database, after: i64) -> Result<Vec<Scanned>, Fault> {
    let mut page = database.all(
        &statements::HANDOFF_SCAN,
        params![after, HANDOFFS_PER_BATCH],
        row::scanned,
    )?;
    cross_check::doubt(database, &mut page)?;
    Ok(page)
}

pub(crate) fn look_at(one: &Scanned, due: DueAt<'_>) -> Option<Finding> {
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
pub(crate) fn look_at_tasks(database: &Database) -> Result<Vec<Finding>, Fault> {
    let rivals = database.all(&statements::HANDOFF_DUPLICATE_LIVE, [], row::rivals)?;
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

pub(crate) fn look_at_log(database: &Database) -> Result<Vec<Finding>, Fault> {
    let (head, _) = load_head(database)?;
    let found = database.first(&statements::LEAF_COUNT, [], row::leaf_recount)?;
    let (count, end) = found.unwrap_or_default();
    if count == head.leaves && end == head.leaves {
        return Ok(Vec::new());
    }
    let what = format!("is {}, but there are {count} leaves", head.leaves);
    let key = head.project.to_string();
    Ok(vec![lasting(row::corrupt("head", &key, "leaf_count", &what).message)])
}

/// What is told from nothing else, and that nothing else has looked at.
pub(crate) fn look_at_rows(database: &Database) -> Result<Vec<Finding>, Fault> {
    let mut wrong = faults(database, &statements::DIRECTORY_LIST, [], row::record)?;
    wrong.extend(faults(database, &statements::IDEMPOTENCY_SCAN, [], row::remembered)?);
    Ok(wrong.into_iter().map(|fault| lasting(fault.message)).collect())
}

fn look_at_deliveries(database: &Database) -> Result<Vec<Finding>, Fault> {
    let cursors = wrong_cursors(database)?.into_iter().map(|wrong| derived(wrong.message));
    let attempts = wrong_deliveries(database)?.into_iter();
    Ok(cursors.chain(attempts.map(|(fault, _)| derived(fault.message))).collect())
}

/// A cursor that stands nowhere.
#[derive(Debug)]
pub(crate) struct WrongCursor {
    /// What is wrong.
    pub(crate) message: String,
    /// Whose it is, as it is written.
    pub(crate) subscription: String,
    /// Where it can go on: where it stands, if that can be, else at the end of the log. A cursor of
    /// nobody goes on nowhere.
    pub(crate) goes_on: Option<u64>,
}

pub(crate) fn wrong_cursors(database: &Database) -> Result<Vec<WrongCursor>, Fault> {
    let (leaves, known) = (load_head(database)?.0.leaves, subscriptions(database)?);
    let mut wrong = Vec::new();
    database.each(&statements::CURSOR_LIST, [], |found| {
        let read = row::cursor(found);
        let subscription = row::first_text(found);
        let is_known = subscription.parse().is_ok_and(|id| known.contains(&id));
        let what = match &read {
            Err(fault) => fault.message.clone(),
            Ok(cursor) if !is_known => {
                let id = cursor.subscription.to_string();
                row::corrupt("cursor", &id, "subscription", "is of nobody").message
            }
            Ok(cursor) if cursor.n > leaves => {
                let what = format!("is {}, but there are {leaves} leaves", cursor.n);
                row::corrupt("cursor", &subscription, "n", &what).message
            }
            Ok(_) => return Ok(()),
        };
        let stands = row::second_count(found).filter(|n| *n <= leaves);
        let goes_on = is_known.then(|| stands.unwrap_or(leaves));
        wrong.push(WrongCursor { message: what, subscription, goes_on });
        Ok(())
    })?;
    Ok(wrong)
}

/// Who may have a cursor. An entry of the directory that cannot be read is found by itself.
fn subscriptions(database: &Database) -> Result<BTreeSet<SubscriptionId>, Fault> {
    let mut known = BTreeSet::from([PEOPLE]);
    database.each(&statements::DIRECTORY_LIST, [], |found| {
        if let Ok(Record::Subscription(record)) = row::record(found) {
            known.insert(record.id);
        }
        Ok(())
    })?;
    Ok(known)
}

/// An attempt to deliver that cannot be read, with whose it is and its number.
type WrongDelivery = (Fault, (String, i64));

pub(crate) fn wrong_deliveries(database: &Database) -> Result<Vec<WrongDelivery>, Fault> {
    let mut wrong = Vec::new();
    database.each(&statements::DELIVERY_SCAN, [], |found| {
        if let Err(fault) = row::delivery(found) {
            wrong.push((fault, row::delivery_key(found)?));
        }
        Ok(())
    })?;
    Ok(wrong)
}

/// What is wrong with the rows that a statement finds.
pub(crate) fn faults<T>(
    database: &Database,
    statement: &Statement,
    params: impl Params,
    read: impl Fn(&Row<'_>) -> Result<T, Fault>,
) -> Result<Vec<Fault>, Fault> {
    let mut faults = Vec::new();
    database.each(statement, params, |found| {
        faults.extend(read(found).err());
        Ok(())
    })?;
    Ok(faults)
}

pub(crate) fn derived(message: String) -> Finding {
    Finding { message, can_be_rebuilt: true }
}

pub(crate) fn lasting(message: String) -> Finding {
    Finding { message, can_be_rebuilt: false }
}
