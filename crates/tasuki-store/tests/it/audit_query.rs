//! Runs the auditor's query of `docs/concepts/the-log.md` on a store that the engine has filled.

use std::collections::BTreeSet;
use std::path::Path;

use rusqlite::Connection;
use tasuki_engine::ports::{LeafRow, Query, Store, Stored};
use tasuki_packet::id::ProjectId;
use tasuki_testkit::sim::Plan;

use crate::fixture::{Folder, block_on, database_in, now, open};

/// Number, time, type, detail, and the kind and text of a document.
pub(crate) type Event = (i64, i64, String, String, Option<String>, Option<String>);

/// Returns the one SQL block of the page.
pub(crate) fn query_of_the_page() -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/concepts/the-log.md");
    let text = std::fs::read_to_string(page).unwrap();
    let blocks: Vec<&str> = text.split("```sql\n").skip(1).collect();
    assert_eq!(blocks.len(), 1);
    let query = blocks[0].split_once("```").unwrap().0;
    assert!(query.contains("'build'"), "{query}");
    query.replace("'build'", "$1")
}

fn listed(connection: &Connection, task: &str) -> Vec<Event> {
    let mut statement = connection.prepare(&query_of_the_page()).unwrap();
    let events = statement.query_map([task], |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?))
    });
    events.unwrap().map(Result::unwrap).collect()
}

/// Returns the events of a task as the store returns them to the engine.
pub(crate) async fn expected(store: &dyn Store, project: ProjectId, task: &str) -> Vec<Event> {
    let query = Query { task: Some(task.to_owned()), limit: 1_000, ..Query::default() };
    let mut events = Vec::new();
    for handoff in store.handoffs(project, query).await.unwrap() {
        let documents = store.documents(project, handoff.id, None).await.unwrap();
        for leaf in store.leaves_of(project, handoff.id).await.unwrap() {
            let of_leaf: Vec<&Stored> =
                documents.iter().filter(|stored| stored.n == leaf.n).collect();
            events.extend(of_leaf.iter().map(|stored| event(&leaf, Some(stored))));
            if of_leaf.is_empty() {
                events.push(event(&leaf, None));
            }
        }
    }
    // The documents of one leaf stay in their order.
    events.sort_by_key(|event| event.0);
    events
}

fn event(row: &LeafRow, stored: Option<&Stored>) -> Event {
    let document = stored.map(|stored| &stored.document);
    (
        row.n.cast_signed(),
        row.at.as_microsecond(),
        row.kind.name().to_owned(),
        row.detail.clone(),
        document.map(|document| document.kind.as_str().to_owned()),
        document.map(|document| document.sealed.body.clone()),
    )
}

/// Returns the tasks of a project.
pub(crate) async fn tasks(store: &dyn Store, project: ProjectId) -> BTreeSet<String> {
    let query = Query { limit: 1_000, ..Query::default() };
    let handoffs = store.handoffs(project, query).await.unwrap();
    handoffs.into_iter().map(|one| one.facts.task.clone()).collect()
}

/// Returns all events of a store that a simulation has filled, each compared with what the engine
/// reads.
fn events_of(seed: u64) -> Vec<Event> {
    let folder = Folder::in_memory();
    let played = Plan::of(seed).run_on(&folder);
    assert!(played.is_ok(), "{}", played.unwrap_err());
    let store = open(folder.path());
    let project = now(store.projects()).unwrap()[0].1;
    let connection = Connection::open(database_in(folder.path(), project)).unwrap();
    let mut events = Vec::new();
    for task in block_on(tasks(&store, project)) {
        let listed = listed(&connection, &task);
        assert_eq!(listed, block_on(expected(&store, project, &task)), "seed {seed}, {task}");
        events.extend(listed);
    }
    events
}

#[test]
fn the_query_of_the_page_lists_every_event_of_a_task_with_its_documents() {
    let events: Vec<Event> = (0..5).flat_map(events_of).collect();
    let is_packet = |event: &&Event| {
        event.2 == "handoff.submitted"
            && event.4.as_deref() == Some("packet")
            && event.5.as_ref().is_some_and(|text| text.contains("\"handoff_version\""))
    };
    let packets = events.iter().filter(is_packet).count();
    assert!(events.len() > 50 && packets > 5, "{} events, {packets} packets", events.len());
}
