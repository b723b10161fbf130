//! Every statement is valid on the schema, has a comment, and leads with the project.

use std::collections::BTreeSet;
use std::path::PathBuf;

use tasuki_store::postgres::statements::STATEMENTS;
use tokio_postgres::{Client, SimpleQueryMessage};

use super::fixture::{Schema, sql};
use crate::statements::files_below;

#[test]
fn every_statement_is_valid_on_the_schema() {
    let schema = Schema::new();
    let store = schema.open();
    sql(&schema, async |client| {
        for statement in STATEMENTS {
            let prepared = client.prepare(statement.text).await;
            assert!(prepared.is_ok(), "{}: {}", statement.name, prepared.unwrap_err());
        }
    });
    drop(store);
}

#[test]
fn every_file_is_a_statement_and_every_statement_a_file() {
    let names: BTreeSet<PathBuf> =
        STATEMENTS.iter().map(|one| PathBuf::from(format!("{}.sql", one.name))).collect();
    assert_eq!(files_below("sql/postgres"), names);
}

#[test]
fn every_statement_says_what_it_does() {
    for statement in STATEMENTS {
        let first = statement.text.lines().next().unwrap();
        assert!(first.starts_with("-- ") && first.len() > 10, "{}", statement.name);
    }
}

/// Engines that distribute tables by project need it in every key.
#[test]
fn every_key_of_a_project_leads_with_it() {
    let schema = Schema::new();
    let store = schema.open();
    sql(&schema, async |client| {
        let text = "SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema()";
        for row in client.query(text, &[]).await.unwrap() {
            let index: String = row.get(0);
            let shared = [
                "person",
                "session",
                "mail_code",
                "token_use",
                "clock",
                "heartbeat",
                "lease",
                "import",
                "migration",
            ];
            let is_shared = shared.iter().any(|table| index.contains(&format!(".{table} USING")));
            let is_list = index.contains(".project USING");
            // Its words start with the project.
            let is_search = index.contains("search_words");
            let leads = index.contains("(project");
            assert!(is_shared || is_list || is_search || leads, "{index}");
        }
    });
    drop(store);
}

/// A connection keeps its plans. Those of an empty table stay in use while the table grows, so they must
/// already look each value up in an index.
#[test]
fn plans_made_on_empty_tables_never_scan_a_project() {
    let schema = Schema::new();
    let store = schema.open();
    let loads = |name: &str| name.starts_with("handoff/load") || name == "idempotency/load";
    sql(&schema, async |client| {
        for statement in STATEMENTS.iter().filter(|one| loads(one.name)) {
            let plan = plan(client, statement.text).await;
            assert!(
                plan.contains("Index Cond: ((project = $1) AND "),
                "{}: {plan}",
                statement.name
            );
            let scans = ["Seq Scan", "Hash Join", "Merge Join", "Index Cond: (project = $1)\n"];
            let scan = scans.iter().find(|scan| plan.contains(**scan));
            assert!(scan.is_none(), "{}: {plan}", statement.name);
        }
    });
    drop(store);
}

/// Returns the plan of a statement for any parameters.
async fn plan(client: &Client, statement: &str) -> String {
    let count = client.prepare(statement).await.unwrap().params().len();
    let script = format!(
        "SET plan_cache_mode = force_generic_plan; PREPARE planned AS {statement} \
         EXPLAIN EXECUTE planned ({}); DEALLOCATE planned;",
        vec!["NULL"; count].join(", ")
    );
    let messages = client.simple_query(&script).await.unwrap();
    let lines = messages.iter().filter_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    });
    lines.fold(String::new(), |plan, line| plan + &line.replace("($1)::text", "$1") + "\n")
}
