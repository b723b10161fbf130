//! Runs the auditor's query of `docs/concepts/the-log.md` on a store that the engine has filled.

use std::collections::BTreeSet;
use std::path::Path;

use rusqlite::Connection;
use serde_json::Value;
use tasuki_engine::ports::{LeafRow, Query, Store as _, Stored};
use tasuki_packet::id::ProjectId;
use tasuki_store::SqliteStore;
use tasuki_testkit::sim::Plan;

use crate::fixture::{Folder, database_in, now, open};

/// Number, time, actor, type, and the kind and text of a document.
type Event = (i64, String, String, String, Option<String>, Option<Vec<u8>>);

/// Returns the one SQL block of the page.
fn query_of_the_page() -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/concepts/the-log.md");
    let text = std::fs::read_to_string(page).unwrap();
    let blocks: Vec<&str> = text.split("```sql\n").skip(1).collect();
    assert_eq!(blocks.len(), 1);
    blocks[0].split_once("```").unwrap().0.to_owned()
}

fn listed(connection: &Connection, task: &str) -> Vec<Event> {
    let page = query_of_the_page();
    assert!(page.contains("'build'"), "{page}");
    let mut statement = connection.prepare(&page.replace("'build'", "$1")).unwrap();
    let events = statement.query_map([task], |row| {
        let text = row.get_ref(5)?.as_bytes_or_null()?.map(<[u8]>::to_vec);
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, text))
    });
    events.unwrap().map(Result::unwrap).collect()
}

/// Returns the events of a task as the store returns them to the engine.
fn expected(store: &SqliteStore, project: ProjectId, task: &str) -> Vec<Event> {
    let query = Query { task: Some(task.to_owned()), limit: 1_000, ..Query::default() };
    let mut events = Vec::new();
    for handoff in now(store.handoffs(project, query)).unwrap() {
        let documents = now(store.documents(project, handoff.id, None)).unwrap();
        for leaf in now(store.leaves_of(project, handoff.id)).unwrap() {
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
    let leaf: Value = serde_json::from_str(&row.leaf).unwrap();
    let detail: Value = serde_json::from_str(&row.detail).unwrap();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let actor = text(&detail["actor"]).or_else(|| text(&leaf["actor"]["kind"])).unwrap();
    let document = stored.map(|stored| &stored.document);
    (
        row.n.cast_signed(),
        text(&leaf["t"]).unwrap(),
        actor,
        row.kind.name().to_owned(),
        document.map(|document| document.kind.as_str().to_owned()),
        document.map(|document| document.sealed.sent().to_vec()),
    )
}

/// Returns all events of a store that a simulation has filled, each compared with what the engine
/// reads.
fn events_of(seed: u64) -> Vec<Event> {
    let folder = Folder::in_memory();
    let played = Plan::of(seed).run_on(&folder);
    assert!(played.is_ok(), "{}", played.unwrap_err());
    let store = open(folder.path());
    let project = now(store.projects()).unwrap()[0].1;
    let query = Query { limit: 1_000, ..Query::default() };
    let handoffs = now(store.handoffs(project, query)).unwrap();
    let tasks: BTreeSet<&str> = handoffs.iter().map(|one| one.facts.task.as_str()).collect();
    let connection = Connection::open(database_in(folder.path(), project)).unwrap();
    let mut events = Vec::new();
    for task in tasks {
        let listed = listed(&connection, task);
        assert_eq!(listed, expected(&store, project, task), "seed {seed}, {task}");
        events.extend(listed);
    }
    events
}

#[test]
fn the_query_of_the_page_lists_every_event_of_a_task_with_its_documents() {
    let events: Vec<Event> = (0..5).flat_map(events_of).collect();
    let is_packet = |event: &&Event| {
        event.3 == "handoff.submitted"
            && event.4.as_deref() == Some("packet")
            && event.5.as_ref().is_some_and(|text| text.starts_with(b"{\"handoff_version\""))
    };
    let packets = events.iter().filter(is_packet).count();
    assert!(events.len() > 50 && packets > 5, "{} events, {packets} packets", events.len());
}
