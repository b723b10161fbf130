//! Checks the checksums of rows.
//!
//! Handoffs, facts, cursors and deliveries are checked where they are scanned (see `doctor`), because
//! what can be rebuilt depends on it.

use tasuki_engine::error::Fault;

use crate::findings::{Finding, permanent, rebuildable};
use crate::row;
use crate::sqlite::connection::Database;
use crate::sqlite::maintenance::doctor::or_finding;
use crate::sqlite::statements::{self, Statement};

/// A table, and the statement that lists its rows with a wrong checksum.
type Check = (&'static str, Statement);

/// The checks of a project.
pub(crate) const PROJECT: [Check; 6] = [
    ("head", statements::HEAD_CHECKSUM),
    ("directory", statements::DIRECTORY_CHECKSUM),
    ("leaf", statements::LEAF_CHECKSUM),
    ("document", statements::DOCUMENT_CHECKSUM),
    ("idempotency", statements::IDEMPOTENCY_CHECKSUM),
    ("acknowledgement", statements::ACKNOWLEDGEMENT_CHECKSUM),
];

/// The checks of `exchange.db`.
pub(crate) const EXCHANGE: [Check; 8] = [
    ("project", statements::PROJECT_CHECKSUM),
    ("person", statements::PERSON_CHECKSUM),
    ("session", statements::SESSION_CHECKSUM),
    ("mail_code", statements::MAIL_CODE_CHECKSUM),
    ("token_use", statements::TOKEN_USE_CHECKSUM),
    ("heartbeat", statements::HEARTBEAT_CHECKSUM),
    ("clock", statements::CLOCK_CHECKSUM),
    ("import", statements::PROJECT_IMPORT_CHECKSUM),
];

/// Adds the rows with a wrong checksum, except those that another check has named.
pub(crate) fn add(
    database: &Database,
    checks: &[Check],
    findings: &mut Vec<Finding>,
) -> Result<(), Fault> {
    for (table, statement) in checks {
        let found = or_finding(check(database, table, statement), permanent)?;
        let is_new = |one: &Finding| !findings.iter().any(|known| is_about_same_row(known, one));
        let new: Vec<Finding> = found.into_iter().filter(is_new).collect();
        findings.extend(new);
    }
    let lonely = or_finding(facts_without_handoff(database, checks), permanent)?;
    findings.extend(lonely);
    Ok(())
}

fn check(database: &Database, table: &str, statement: &Statement) -> Result<Vec<Finding>, Fault> {
    let keys = database.all(statement, [], row::wrong_key)?;
    let message =
        |key: String| row::corrupt(table, &key, "checksum", "does not match the row").message;
    // A lost acknowledgement shows a failure again.
    let finding = if table == "acknowledgement" { rebuildable } else { permanent };
    Ok(keys.into_iter().map(|key| finding(message(key))).collect())
}

/// Lists facts whose handoff is missing, in a project.
fn facts_without_handoff(database: &Database, checks: &[Check]) -> Result<Vec<Finding>, Fault> {
    if checks.iter().all(|(table, _)| *table != "head") {
        return Ok(Vec::new());
    }
    let keys = database.all(&statements::FACTS_WITHOUT_HANDOFF, [], row::wrong_key)?;
    let message = |key: String| row::corrupt("facts", &key, "seq", "names no handoff").message;
    Ok(keys.into_iter().map(|key| permanent(message(key))).collect())
}

/// Returns `true` if two findings begin with the same table and row.
fn is_about_same_row(known: &Finding, one: &Finding) -> bool {
    match (known.message.split_once("`: column "), one.message.split_once("`: column ")) {
        (Some((known, _)), Some((one, _))) => known == one,
        _ => false,
    }
}
