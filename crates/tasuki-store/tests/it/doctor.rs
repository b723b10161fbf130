//! Damage is found, and derived data is rebuilt.

use tasuki_engine::error::FaultKind;
use tasuki_engine::model::{DocumentKind, StateWord};
use tasuki_engine::ports::{
    AccountStore as _, Cursor, Deliveries as _, Delivery, PEOPLE, REMINDERS, Store as _,
};
use tasuki_packet::id::SubscriptionId;
use tasuki_store::{Depth, Options, OrphanedProject, SqliteStore};
use tasuki_testkit::samples::{self, Log};

use crate::fixture::{Folder, code, commit, database_in, now, open, with_project};

/// Creates four handoffs, the second of which is due.
fn store_with_handoffs() -> (SqliteStore, Log, Folder) {
    store_with_detail("{}")
}

/// Creates four handoffs whose leaves have this detail for event streams.
fn store_with_detail(detail: &str) -> (SqliteStore, Log, Folder) {
    let (store, mut log, folder) = with_project();
    let words = [StateWord::Offered, StateWord::Claimed, StateWord::Done, StateWord::Returned];
    for (number, word) in (1..).zip(words) {
        let handoff = samples::handoff_numbered(number, word);
        let mut written = log.submitted(handoff.clone());
        written.handoffs[0].due_at = due(&handoff);
        detail.clone_into(&mut written.leaves[0].detail);
        let packet = samples::packet("Ship the web part");
        let document = samples::document(handoff.id, DocumentKind::Packet, "1", &packet);
        written.documents.push((log.head.leaves - 1, document));
        commit(&store, &log, written).unwrap();
    }
    (store, log, folder)
}

fn due(handoff: &tasuki_engine::model::Handoff) -> Option<jiff::Timestamp> {
    handoff.claim().map(|claim| claim.until)
}

fn found(store: &SqliteStore, log: &Log) -> Vec<(String, bool)> {
    let findings = store.inspect(log.head.project, Depth::Full, &due).unwrap();
    findings.into_iter().map(|finding| (finding.message, finding.can_be_rebuilt)).collect()
}

#[test]
fn an_intact_store_has_no_findings() {
    let (store, log, _folder) = store_with_handoffs();
    assert_eq!(found(&store, &log), []);
}

#[test]
fn derived_columns_and_counters_are_rebuilt() {
    for damage in [
        "UPDATE handoff SET state = 'dead' WHERE seq = 1",
        "UPDATE handoff SET is_live = 0, is_open = 0",
        "UPDATE handoff SET holder = NULL, claim_epoch = NULL",
        "UPDATE handoff SET reviewed_at = NULL",
        "UPDATE handoff SET failed_n = 8",
        "UPDATE handoff SET judge = NULL",
        "UPDATE handoff SET judge = sender",
        "UPDATE handoff SET due_at = due_at + 1",
        "UPDATE handoff SET due_at = 5 WHERE due_at IS NULL",
        "UPDATE handoff SET receiver = sender, task = 'other' || seq",
        "UPDATE head SET begun = begun + 1, dead = 5",
        "UPDATE head SET submitted = 0",
        "UPDATE head SET dead = -1",
        "UPDATE handoff SET priority = 7",
        "UPDATE handoff SET is_begun = 7",
        "UPDATE facts SET seq = -5 WHERE seq = 1;
         UPDATE handoff SET seq = -5, priority = 7 WHERE seq = 1",
    ] {
        let (store, log, folder) = store_with_handoffs();
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
fn the_full_text_index_is_rebuilt() {
    let (store, log, folder) = store_with_handoffs();
    let search = || now(store.search(log.head.project, "ship".to_owned(), None, 10)).unwrap().len();
    assert_eq!(search(), 4);
    folder.raw().execute_batch("INSERT INTO search (search) VALUES ('delete-all')").unwrap();
    assert_eq!(search(), 0);

    store.rebuild(log.head.project, &due).unwrap();
    assert_eq!(search(), 4);
}

#[test]
fn a_damaged_full_text_index_needs_no_backup() {
    for damage in [
        "DELETE FROM search_data WHERE id > 10",
        "DROP TABLE search_data",
        "DROP TABLE search_idx",
        "DROP TABLE search",
        "DROP TABLE search_cursor",
        "DELETE FROM search_cursor",
        "UPDATE search_cursor SET next_n = 999",
    ] {
        let (store, log, folder) = store_with_handoffs();
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
fn an_orphaned_project_is_listed_again() {
    let (store, log, folder) = store_with_handoffs();
    let id = log.head.project;
    assert_eq!(store.orphaned_projects().unwrap(), []);
    drop(store);
    for name in ["exchange.db", "exchange.db-wal", "exchange.db-shm"] {
        drop(std::fs::remove_file(folder.path().join(name)));
    }
    let store = open(folder.path());
    let unlisted = vec![OrphanedProject { id, name: Ok("default".to_owned()) }];
    assert_eq!(store.orphaned_projects().unwrap(), unlisted);

    // Its name was reused meanwhile.
    let other = Log::new(samples::project("other"));
    assert_eq!(now(store.create(other.head.clone(), "default".to_owned())), Ok(true));
    assert_eq!(store.relist_project(id).unwrap(), "default-2");
    assert_eq!(store.relist_project(id).unwrap(), "default-2");
    assert_eq!(store.orphaned_projects().unwrap(), []);
    assert_eq!(now(store.counts(id)).unwrap().submitted, 4);
}

#[test]
fn an_orphaned_project_is_named_even_if_it_cannot_be_read() {
    let (store, _, folder) = store_with_handoffs();
    let id = samples::project("other");
    let database = database_in(folder.path(), id);
    std::fs::create_dir_all(database.parent().unwrap()).unwrap();
    std::fs::write(&database, "no database").unwrap();
    std::fs::create_dir_all(folder.path().join("projects/notes")).unwrap();
    let unlisted = store.orphaned_projects().unwrap();
    assert_eq!(unlisted.len(), 1);
    assert_eq!(unlisted[0].id, id);
    assert_eq!(unlisted[0].name.as_ref().unwrap_err().code(), "TK-STORE-CORRUPT");
}

#[test]
fn irreparable_damage_is_reported_and_left() {
    for (damage, named) in [
        ("UPDATE handoff SET progress = '{}' WHERE seq = 1", "column `progress`"),
        ("DELETE FROM facts WHERE seq = 2", "column `body`"),
        ("DELETE FROM leaf WHERE n = 1", "column `leaf_count`"),
        (
            "UPDATE handoff SET task = 'one', is_live = 1 WHERE seq < 3;
             UPDATE facts SET body = json_set(body, '$.task', 'one') WHERE seq < 3",
            "task `one` has 2 live handoffs",
        ),
    ] {
        let (store, log, folder) = store_with_handoffs();
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
fn a_contradiction_of_progress_and_log_is_reported_and_left() {
    let done = |last_n: &str| {
        let (head, tail) = (r#"{"state":{"is":"done"},"token":0,"progress_at":0,"last_n":"#, "}");
        format!("UPDATE handoff SET progress = '{head}' || {last_n} || '{tail}' WHERE seq = 1")
    };
    // The last leaf contradicts it too.
    for damage in [done("last_n"), done("0")] {
        let (store, log, folder) = store_with_detail(r#"{"actor":"ana","after":"offered"}"#);
        let raw = folder.raw();
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

#[test]
fn one_finding_hides_no_other() {
    let (store, log, folder) = store_with_handoffs();
    folder
        .raw()
        .execute_batch(
            "UPDATE head SET dead = -1; UPDATE handoff SET is_begun = 7 WHERE seq = 3;
             UPDATE handoff SET progress = '{}' WHERE seq = 1; UPDATE leaf SET n = 9 WHERE n = 3",
        )
        .unwrap();
    let findings = found(&store, &log);
    let done = samples::handoff_id(3).to_string();
    for (named, can_be_rebuilt) in [
        ("column `dead`", true),
        (&format!("table `handoff`, row `{done}`: column `is_begun`"), true),
        ("column `progress`", false),
        ("column `leaf_count`", false),
    ] {
        let is_named =
            |(message, can): &(String, bool)| message.contains(named) && *can == can_be_rebuilt;
        assert!(findings.iter().any(is_named), "{named}: {findings:?}");
    }
}

#[test]
fn handoffs_can_be_read_with_wrong_columns() {
    let (store, log, folder) = store_with_handoffs();
    folder.raw().execute_batch("UPDATE handoff SET priority = 7, is_begun = 7").unwrap();
    let id = samples::handoff_id(1);
    let fault = now(store.handoff(log.head.project, id)).unwrap_err();
    assert_eq!(fault.hint.as_deref(), Some("rebuild it with `tasuki doctor --fix`"));
    let bare = SqliteStore::open(folder.path(), Options { bare: true, ..Options::default() });
    let bare = bare.unwrap();
    assert!(now(bare.handoff(log.head.project, id)).unwrap().is_some());
    let query = tasuki_engine::ports::Query { limit: 9, ..Default::default() };
    assert_eq!(now(bare.handoffs(log.head.project, query)).unwrap().len(), 4);
}

#[test]
fn an_unreadable_document_is_reported_and_the_full_text_index_is_kept() {
    let (store, log, folder) = store_with_handoffs();
    now(store.search(log.head.project, "ship".to_owned(), None, 10)).unwrap();
    folder.raw().execute_batch("UPDATE document SET kind = 'note' WHERE n = 1").unwrap();
    let named = "table `document`, row `1@0`: column `kind` is not a document kind";
    let findings = found(&store, &log);
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert!(findings[0].0.starts_with(named) && !findings[0].1, "{findings:?}");

    let rebuilt = store.rebuild(log.head.project, &due).unwrap();
    assert!(rebuilt.left.len() == 1 && rebuilt.left[0].message.starts_with(named), "{rebuilt:?}");
    let next: i64 =
        folder.raw().query_row("SELECT next_n FROM search_cursor", [], |row| row.get(0)).unwrap();
    assert_eq!(next, 4);
    folder.raw().execute_batch("UPDATE document SET salt = x'00' WHERE n = 1").unwrap();
    let copies = Folder::new();
    let fault = store.backup(Some(log.head.project), &copies.path().join("copy")).unwrap_err();
    assert_eq!(code(&fault), "TK-STORE-CORRUPT", "{fault}");
    assert_eq!(std::fs::read_dir(copies.path()).unwrap().count(), 0);
}

#[test]
fn an_impossible_leaf_number_is_found_without_a_panic() {
    let (store, log, folder) = store_with_handoffs();
    folder.raw().execute_batch("UPDATE leaf SET n = 4611686018427387904 WHERE n = 3").unwrap();
    assert!(!found(&store, &log).is_empty());
    let rebuilt = store.rebuild(log.head.project, &due).unwrap();
    assert!(rebuilt.left.iter().any(|left| left.message.contains("column `n`")), "{rebuilt:?}");
    let fault = now(store.search(log.head.project, "ship".to_owned(), None, 9)).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Corrupt, "{fault}");
}

#[test]
fn an_unreadable_idempotency_record_is_named_by_its_key() {
    let (store, mut log, folder) = store_with_handoffs();
    let mut written = log.submitted(samples::handoff_numbered(5, StateWord::Offered));
    let key = samples::key("submit", "k");
    written.remembered = Some(Box::new((key.clone(), samples::remembered("x"))));
    commit(&store, &log, written).unwrap();
    folder.raw().execute_batch("UPDATE idempotency SET answer = 'no'").unwrap();
    // The key itself is stored hashed.
    let named = format!("table `idempotency`, row `{}@submit@", key.party);
    let findings = found(&store, &log);
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert!(findings[0].0.starts_with(&named) && !findings[0].1, "{findings:?}");
}

#[test]
fn an_invalid_cursor_is_moved_or_removed() {
    let (store, log, folder) = store_with_handoffs();
    let project = log.head.project;
    let unknown = SubscriptionId::new(1, [1; 10]);
    for cursor in [Cursor::at(PEOPLE, 3), Cursor::at(REMINDERS, 0), Cursor::at(unknown, 2)] {
        now(store.put_cursor(project, cursor)).unwrap();
    }
    let delivery = Delivery {
        subscription: PEOPLE,
        n: 1,
        at: samples::at(1),
        attempt: 1,
        status: Some(200),
        millis: 5,
        response: String::new(),
    };
    now(store.add_delivery(project, delivery)).unwrap();
    let findings = found(&store, &log);
    assert!(
        findings.len() == 1 && findings[0].0.ends_with("names an unknown subscription"),
        "{findings:?}"
    );
    folder
        .raw()
        .execute_batch(&format!(
            "UPDATE cursor SET n = 99 WHERE subscription = '{PEOPLE}';
             INSERT INTO cursor (subscription, n, attempts, checksum) VALUES ('sub_', 0, 0, 1);
             UPDATE delivery SET at = 9223372036854775807"
        ))
        .unwrap();
    let findings = found(&store, &log);
    assert!(findings.len() == 4 && findings.iter().all(|(_, can)| *can), "{findings:?}");

    let rebuilt = store.rebuild(project, &due).unwrap();
    assert_eq!((rebuilt.lost.len(), rebuilt.left.len()), (4, 0), "{rebuilt:?}");
    assert_eq!(found(&store, &log), []);
    assert_eq!(now(store.cursor(project, PEOPLE)).unwrap(), Some(Cursor::at(PEOPLE, 4)));
    assert_eq!(now(store.cursor(project, unknown)).unwrap(), None);
}

#[test]
fn the_exchange_database_is_checked() {
    let (store, log, folder) = store_with_handoffs();
    now(store.set_person("ana".to_owned(), "hash".to_owned())).unwrap();
    assert_eq!(store.inspect_exchange().unwrap(), []);
    assert_eq!(store.missing().unwrap(), []);
    drop(store);
    let path = folder.path().join("exchange.db");
    let raw = rusqlite::Connection::open(&path).unwrap();
    let root = "SELECT rootpage FROM sqlite_schema WHERE name = 'person'";
    let root: u16 = raw.query_row(root, [], |row| row.get(0)).unwrap();
    let root = usize::from(root);
    drop(raw);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[(root - 1) * 8_192..root * 8_192].fill(0);
    std::fs::write(&path, bytes).unwrap();

    let store = open(folder.path());
    let findings = store.inspect_exchange().unwrap();
    assert!(!findings.is_empty());
    let copies = Folder::new();
    let fault = store.backup(None, &copies.path().join("all")).unwrap_err();
    assert_eq!(code(&fault), "TK-STORE-CORRUPT", "{fault}");
    assert_eq!(std::fs::read_dir(copies.path()).unwrap().count(), 0);

    std::fs::remove_file(database_in(folder.path(), log.head.project)).unwrap();
    assert_eq!(store.missing().unwrap(), [("default".to_owned(), log.head.project)]);
}

#[test]
fn columns_are_not_rebuilt_from_damaged_progress_or_facts() {
    for (damage, column) in [
        (
            "UPDATE handoff SET progress = json_set(progress, '$.lapses', 7), priority = 7",
            "progress",
        ),
        ("UPDATE facts SET body = json_set(body, '$.summary.title', 'Pay Eve')", "body"),
    ] {
        let (store, log, folder) = store_with_handoffs();
        folder.raw().execute_batch(damage).unwrap();
        let expected = format!("column `{column}` does not match its checksum");
        let findings = found(&store, &log);
        let is_named = |(what, can): &(String, bool)| what.ends_with(&expected) && !can;
        assert!(findings.len() == 4 && findings.iter().all(is_named), "{findings:?}");
        let rebuilt = store.rebuild(log.head.project, &due).unwrap();
        assert_eq!((rebuilt.handoffs, rebuilt.left.len()), (0, 4), "{rebuilt:?}");
        assert_eq!(found(&store, &log), findings, "it is as it was");
    }
}

#[test]
fn a_word_that_the_full_text_index_has_lost_is_found_and_indexed_again() {
    let (store, log, folder) = store_with_handoffs();
    let search = || now(store.search(log.head.project, "ship".to_owned(), None, 10)).unwrap().len();
    assert_eq!((search(), found(&store, &log)), (4, Vec::new()));
    let lost = "INSERT INTO search (search, rowid, words) VALUES ('delete', 1, 'ship')";
    folder.raw().execute_batch(lost).unwrap();
    assert_eq!(search(), 3);
    let findings = found(&store, &log);
    assert!(findings.len() == 1 && findings[0].1, "{findings:?}");
    store.rebuild(log.head.project, &due).unwrap();
    assert_eq!((search(), found(&store, &log)), (4, Vec::new()));
}
