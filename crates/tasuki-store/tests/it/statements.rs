//! Every statement is used, can be prepared, and reads no more than its comment states.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use tasuki_store::sqlite::statements::{Kind, STATEMENTS, Statement};

use crate::fixture::with_project;

/// Statements that must not scan a table.
const HOT: &[&str] = &[
    "delivery/insert",
    "delivery/list",
    "delivery/trim",
    "document/list_by_handoff",
    "document/list_by_leaves",
    "handoff/at_newest",
    "handoff/at_oldest",
    "handoff/find_by_fingerprint",
    "handoff/find_live",
    "handoff/find_reviewed",
    "handoff/list/awaiting_urgent",
    "handoff/list/failed",
    "handoff/list/failed_urgent",
    "handoff/list/holder",
    "handoff/list/judged",
    "handoff/list/judged_urgent",
    "handoff/list/newest",
    "handoff/list/offered_urgent",
    "handoff/list/oldest",
    "handoff/list/left_to_others",
    "handoff/list/task",
    "handoff/list_due",
    "handoff/list_offers",
    "handoff/list_open_of_task",
    "handoff/load",
    "handoff/next_due",
    "handoff/update_facts",
    "handoff/update_open",
    "handoff/update_progress",
    "idempotency/delete_expired",
    "idempotency/load",
    "idempotency/next_expiry",
    "leaf/list",
    "leaf/list_by_handoff",
];

/// Statements that return rows in index order, so that the cost of a page does not grow.
const IN_ORDER: &[&str] = &[
    "delivery/list",
    "document/list_by_leaves",
    "handoff/at_newest",
    "handoff/at_oldest",
    "handoff/list/awaiting_urgent",
    "handoff/list/failed_urgent",
    "handoff/list/judged_urgent",
    "handoff/list/newest",
    "handoff/list/offered_urgent",
    "handoff/list/oldest",
    "handoff/list_due",
    "handoff/list_offers",
    "leaf/list",
];

/// Statements that every step of every handoff runs.
const STEPS: &[&str] = &[
    "document/insert",
    "facts/upsert",
    "handoff/find_live",
    "handoff/insert",
    "handoff/list_due",
    "handoff/list_offers",
    "handoff/load",
    "handoff/update_facts",
    "handoff/update_open",
    "handoff/update_progress",
    "head/update",
    "idempotency/load",
    "idempotency/next_expiry",
    "idempotency/upsert",
    "leaf/insert",
];

fn named(name: &str) -> &'static Statement {
    STATEMENTS.iter().find(|one| one.name == name).unwrap_or_else(|| panic!("no `{name}`"))
}

/// Returns the query plan of a statement, one line per step.
fn plan(connection: &Connection, statement: &Statement) -> Vec<String> {
    let mut explained =
        connection.prepare(&format!("EXPLAIN QUERY PLAN {}", statement.text)).unwrap();
    let nulls = vec![rusqlite::types::Null; explained.parameter_count()];
    let steps = explained
        .query_map(rusqlite::params_from_iter(nulls), |row| row.get::<_, String>(3))
        .unwrap();
    steps.map(Result::unwrap).collect()
}

/// Returns the files below a folder of this crate, as relative paths.
pub(crate) fn files_below(folder: &str) -> BTreeSet<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let (mut files, mut folders) = (BTreeSet::new(), vec![root.clone()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.insert(path.strip_prefix(&root).unwrap().to_owned());
            }
        }
    }
    files
}

#[test]
fn every_file_is_a_statement_and_every_statement_a_file() {
    let name = |statement: &Statement| PathBuf::from(format!("{}.sql", statement.name));
    let names: BTreeSet<PathBuf> = STATEMENTS.iter().map(name).collect();
    assert_eq!(files_below("sql/sqlite"), names);
}

#[test]
fn every_statement_is_used() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let text = |file: &PathBuf| std::fs::read_to_string(source.join(file)).unwrap();
    let texts: String = files_below("src").iter().map(text).collect();
    for statement in STATEMENTS {
        let constant = format!("statements::{}", statement.name.replace('/', "_").to_uppercase());
        let has_it = texts.split(&constant).skip(1).any(|rest| {
            !rest.starts_with(|next: char| next == '_' || next.is_ascii_alphanumeric())
        });
        assert!(has_it, "`{}` is not used", statement.name);
    }
}

#[test]
fn every_statement_prepares_and_has_a_comment() {
    let (_store, _log, folder) = with_project();
    let exchange = Connection::open(folder.path().join("exchange.db")).unwrap();
    tasuki_store::sqlite::checksum::register(&exchange).unwrap();
    let project = folder.raw();
    for statement in STATEMENTS {
        let connection = match statement.kind {
            Kind::Exchange => &exchange,
            Kind::Project => &project,
        };
        let name = statement.name;
        connection.prepare(statement.text).unwrap_or_else(|error| panic!("`{name}`: {error}"));
        assert!(statement.text.starts_with("-- "), "`{name}` has no comment");
        let is_code = |line: &&str| !line.starts_with("--");
        let code: String = statement.text.lines().filter(is_code).collect();
        assert_eq!(code.matches(';').count(), 1, "`{name}` is more than one statement");
        assert!(!code.replace("count(*)", "").contains('*'), "`{name}` lists no columns");
    }
}

/// A list after `IN`, in a statement or an index condition, would build such a table.
#[test]
fn no_statement_of_a_step_builds_a_temporary_table() {
    let (_store, _log, folder) = with_project();
    let connection = folder.raw();
    for name in STEPS {
        let text = format!("EXPLAIN {}", named(name).text);
        let mut explained = connection.prepare(&text).unwrap();
        let nulls = vec![rusqlite::types::Null; explained.parameter_count()];
        let rows =
            explained.query_map(rusqlite::params_from_iter(nulls), |row| row.get(1)).unwrap();
        let operations: Vec<String> = rows.map(Result::unwrap).collect();
        let is_table =
            |operation: &String| operation == "OpenEphemeral" || operation == "SorterOpen";
        assert!(!operations.iter().any(is_table), "`{name}`: {operations:?}");
    }
}

#[test]
fn no_hot_statement_scans_a_table() {
    let (_store, _log, folder) = with_project();
    let connection = folder.raw();
    for name in HOT {
        for step in plan(&connection, named(name)) {
            // A list parameter, and the few leaves of one handoff.
            let is_list = step.starts_with("SCAN json_each") || step == "SCAN own";
            assert!(!step.starts_with("SCAN") || is_list, "`{name}`: {step}");
        }
    }
    for name in IN_ORDER {
        let steps = plan(&connection, named(name));
        let is_sorted = steps.iter().any(|step| step.contains("ORDER BY"));
        assert!(!is_sorted, "`{name}` sorts: {steps:?}");
    }
}

#[test]
fn a_statement_uses_the_index_that_its_comment_names() {
    let (_store, _log, folder) = with_project();
    let connection = folder.raw();
    let mut count = 0;
    for statement in STATEMENTS {
        let Some((_, rest)) = statement.text.split_once("Uses index ") else { continue };
        let index: String =
            rest.chars().take_while(|one| one.is_ascii_lowercase() || *one == '_').collect();
        let steps = plan(&connection, statement);
        let is_used = steps.iter().any(|step| step.split(' ').any(|word| word == index));
        assert!(is_used, "`{}` does not use {index}: {steps:?}", statement.name);
        count += 1;
    }
    assert!(count > 10, "comments name indexes");
}
