//! Runs the auditor's query of `docs/concepts/the-log.md`, with two projects in one schema.

use tasuki_engine::ports::Store as _;
use tasuki_testkit::sim::Plan;

use super::fixture::{Schema, sql};
use crate::audit_query::{Event, expected, query_of_the_page, tasks};
use crate::fixture::block_on;

#[test]
fn the_query_of_the_page_gives_the_same_rows_as_on_sqlite() {
    let schema = Schema::new();
    let played = Plan::of(1).run_on(&schema);
    assert!(played.is_ok(), "{}", played.unwrap_err());
    let store = schema.open();
    let (_, project) = block_on(store.projects()).unwrap()[0].clone();
    copy_to_another_project(&schema);
    let mut count = 0;
    for task in block_on(tasks(&store, project)) {
        let listed: Vec<Event> = sql(&schema, async |client| {
            let rows = client.query(&query_of_the_page(), &[&task]).await.unwrap();
            rows.iter()
                .map(|row| (row.get(0), row.get(1), row.get(2), row.get(3), row.get(4), row.get(5)))
                .collect()
        });
        assert_eq!(listed, block_on(expected(&store, project, &task)), "{task}");
        count += listed.len();
    }
    assert!(count > 20, "{count} events");
}

/// Adds leaves and documents with the same numbers to another project, about other handoffs.
fn copy_to_another_project(schema: &Schema) {
    sql(schema, async |client| {
        let text = "
            INSERT INTO leaf SELECT 'prj_other', n, at, type, 'hof_other', previous_n, body, detail
              FROM leaf;
            INSERT INTO document SELECT 'prj_other', n, place, 'hof_other', kind, id, body, source,
                   salt, commitment, digest FROM document;";
        client.batch_execute(text).await.unwrap();
    });
}
