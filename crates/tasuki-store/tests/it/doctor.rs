//! What cannot be is found, and what is derived is made anew.

use tasuki_engine::document::DocumentKind;
use tasuki_engine::handoff::StateWord;
use tasuki_engine::store::Store as _;
use tasuki_store::{Depth, SqliteStore};
use tasuki_testkit::samples::{self, Log};

use crate::folder::{Folder, commit, now, with_project};

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
fn what_cannot_be_repaired_is_named_and_left() {
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
