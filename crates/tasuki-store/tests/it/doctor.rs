//! What cannot be is found, and what is derived is made anew.

use tasuki_engine::document::DocumentKind;
use tasuki_engine::handoff::StateWord;
use tasuki_engine::store::Store as _;
use tasuki_store::{Depth, SqliteStore, Unlisted};
use tasuki_testkit::samples::{self, Log};

use crate::folder::{Folder, commit, database_in, now, open, with_project};

/// Four handoffs, the second of which is due.
fn story() -> (SqliteStore, Log, Folder) {
    let (store, mut log, folder) = with_project();
    let words = [StateWord::Offered, StateWord::Claimed, StateWord::Done, StateWord::Returned];
    for (number, word) in (1..).zip(words) {
        let handoff = samples::handoff_numbered(number, word);
        let mut written = log.submitted(handoff.clone());
        written.handoffs[0].due_at = due(&handoff);
        let packet = samples::packet("Ship the web part");
        let document = samples::document(handoff.id, DocumentKind::Packet, "1", &packet);
        written.documents.push((log.head.leaves - 1, document));
        commit(&store, &log, written).unwrap();
    }
    (store, log, folder)
}

fn due(handoff: &tasuki_engine::handoff::Handoff) -> Option<jiff::Timestamp> {
    handoff.claim().map(|claim| claim.until)
}

fn found(store: &SqliteStore, log: &Log) -> Vec<(String, bool)> {
    let findings = store.inspect(log.head.project, Depth::Full, &due).unwrap();
    findings.into_iter().map(|finding| (finding.message, finding.can_be_rebuilt)).collect()
}

#[test]
fn an_intact_store_has_no_findings() {
    let (store, log, _folder) = story();
    assert_eq!(found(&store, &log), []);
}

#[test]
fn what_is_derived_is_made_anew() {
    for damage in [
        "UPDATE handoff SET state = 'dead' WHERE seq = 1",
        "UPDATE handoff SET is_live = 0, is_open = 0",
        "UPDATE handoff SET holder = NULL, claim_epoch = NULL",
        "UPDATE handoff SET judge = NULL",
        "UPDATE handoff SET judge = sender",
        "UPDATE handoff SET due_at = due_at + 1",
        "UPDATE handoff SET due_at = 5 WHERE due_at IS NULL",
        "UPDATE handoff SET receiver = sender, task = 'other' || seq",
        "UPDATE head SET begun = begun + 1, dead = 5",
        "UPDATE head SET submitted = 0",
    ] {
        let (store, log, folder) = story();
        folder.raw().execute_batch(damage).unwrap_or_else(|error| panic!("{damage}: {error}"));
        let findings = found(&store, &log);
        assert!(!findings.is_empty(), "{damage}");
        assert!(findings.iter().all(|(_, can_be_rebuilt)| *can_be_rebuilt), "{findings:?}");

        let rebuilt = store.rebuild(log.head.project, &due).unwrap();
        assert_eq!(rebuilt.left, [], "{damage}");
        assert_eq!(found(&store, &log), [], "{damage}");
        let counts = now(store.counts(log.head.project)).unwrap();
        assert_eq!((counts.begun, counts.submitted), (0, 4));
    }
}

#[test]
fn the_index_of_words_is_made_anew() {
    let (store, log, folder) = story();
    let search = || now(store.search(log.head.project, "ship".to_owned(), None, 10)).unwrap().len();
    assert_eq!(search(), 4);
    folder.raw().execute_batch("INSERT INTO search (search) VALUES ('delete-all')").unwrap();
    assert_eq!(search(), 0);

    store.rebuild(log.head.project, &due).unwrap();
    assert_eq!(search(), 4);
}

#[test]
fn whatever_became_of_the_index_of_words_no_backup_is_needed() {
    for damage in [
        "DELETE FROM search_data WHERE id > 10",
        "DROP TABLE search_data",
        "DROP TABLE search_idx",
        "DROP TABLE search",
        "DROP TABLE search_cursor",
        "DELETE FROM search_cursor",
        "UPDATE search_cursor SET next_n = 999",
    ] {
        let (store, log, folder) = story();
        let search = || now(store.search(log.head.project, "ship".to_owned(), None, 10));
        assert_eq!(search().unwrap().len(), 4);
        folder.raw().execute_batch(damage).unwrap_or_else(|error| panic!("{damage}: {error}"));
        let findings = found(&store, &log);
        let all_can = findings.iter().all(|(_, can_be_rebuilt)| *can_be_rebuilt);
        assert!(findings.len() == 1 && all_can, "{damage}: {findings:?}");
        if let Err(fault) = search() {
            assert_eq!(fault.code(), "TK-STORE-CORRUPT", "{damage}");
            assert!(fault.hint.as_ref().unwrap().contains("doctor --fix"), "{damage}: {fault}");
        }

        let rebuilt = store.rebuild(log.head.project, &due).unwrap();
        assert_eq!(rebuilt.left, [], "{damage}");
        assert_eq!(found(&store, &log), [], "{damage}");
        assert_eq!(search().unwrap().len(), 4, "{damage}");
    }
}

#[test]
fn a_project_that_the_exchange_forgot_is_listed_again() {
    let (store, log, folder) = story();
    let id = log.head.project;
    assert_eq!(store.unlisted().unwrap(), []);
    drop(store);
    for name in ["exchange.db", "exchange.db-wal", "exchange.db-shm"] {
        drop(std::fs::remove_file(folder.path().join(name)));
    }
    let store = open(folder.path());
    let unlisted = vec![Unlisted { id, name: Ok("default".to_owned()) }];
    assert_eq!(store.unlisted().unwrap(), unlisted);

    // Its name was given away meanwhile.
    let other = Log::new(samples::project("other"));
    assert_eq!(now(store.create(other.head.clone(), "default".to_owned())), Ok(true));
    assert_eq!(store.list_again(id).unwrap(), "default-2");
    assert_eq!(store.list_again(id).unwrap(), "default-2");
    assert_eq!(store.unlisted().unwrap(), []);
    assert_eq!(now(store.counts(id)).unwrap().submitted, 4);
}

#[test]
fn what_lies_there_unlisted_is_named_even_if_it_cannot_be_read() {
    let (store, _, folder) = story();
    let id = samples::project("other");
    let database = database_in(folder.path(), id);
    std::fs::create_dir_all(database.parent().unwrap()).unwrap();
    std::fs::write(&database, "no database").unwrap();
    std::fs::create_dir_all(folder.path().join("projects/notes")).unwrap();
    let unlisted = store.unlisted().unwrap();
    assert_eq!(unlisted.len(), 1);
    assert_eq!(unlisted[0].id, id);
    assert_eq!(unlisted[0].name.as_ref().unwrap_err().code(), "TK-STORE-CORRUPT");
}

#[test]
fn what_cannot_be_repaired_is_named_and_left() {
    for (damage, named) in [
        ("UPDATE handoff SET progress = '{}' WHERE seq = 1", "column `progress`"),
        ("DELETE FROM facts WHERE seq = 2", "column `body`"),
        ("DELETE FROM leaf WHERE n = 1", "column `leaf_count`"),
        (
            "UPDATE handoff SET task = 'one', is_live = 1 WHERE seq < 3;
             UPDATE facts SET body = replace(body, 'task-' || seq, 'one') WHERE seq < 3",
            "task `one` has 2 live handoffs",
        ),
    ] {
        let (store, log, folder) = story();
        folder.raw().execute_batch(damage).unwrap();
        let findings = found(&store, &log);
        assert!(
            findings.iter().any(|(message, can)| message.contains(named) && !can),
            "{damage}: {findings:?}"
        );

        let rebuilt = store.rebuild(log.head.project, &due).unwrap();
        assert!(rebuilt.left.iter().any(|left| left.message.contains(named)), "{rebuilt:?}");
        assert!(rebuilt.left.iter().all(|left| !left.can_be_rebuilt), "{rebuilt:?}");
    }
}

#[test]
fn what_progress_and_log_tell_differently_is_named_and_left() {
    let done = |last_n: &str| {
        let (head, tail) = (r#"{"state":{"is":"done"},"token":0,"progress_at":0,"last_n":"#, "}");
        format!("UPDATE handoff SET progress = '{head}' || {last_n} || '{tail}' WHERE seq = 1")
    };
    // The last leaf is disowned too.
    for damage in [done("last_n"), done("0")] {
        let (store, log, folder) = story();
        let raw = folder.raw();
        let told = r#"UPDATE leaf SET detail = '{"actor":"ana","after":"offered"}'"#;
        raw.execute_batch(told).unwrap();
        raw.execute_batch(&damage).unwrap();
        let [(message, can_be_rebuilt)] = &found(&store, &log)[..] else { panic!("{damage}") };
        assert!(message.contains("column `progress`") && !can_be_rebuilt, "{message}");

        let rebuilt = store.rebuild(log.head.project, &due).unwrap();
        assert!(rebuilt.left.iter().any(|left| left.message.contains("column `progress`")));
        let state = |row: &rusqlite::Row<'_>| row.get::<_, String>(0);
        let kept = raw.query_row("SELECT state FROM handoff WHERE seq = 1", [], state).unwrap();
        assert_eq!(kept, "offered");
    }
}
