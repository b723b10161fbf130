//! `doctor` on this store: rows that contradict each other are found, and derived ones rebuilt.

use tasuki_engine::model::StateWord;
use tasuki_engine::ports::{Store as _, WriteSet};
use tasuki_store::{Depth, ExchangeStore as _, PostgresStore};
use tasuki_testkit::samples::{self, Log};

use super::fixture::{Schema, sql};
use crate::fixture::block_on;

fn filled(schema: &Schema) -> (PostgresStore, Log) {
    let store = schema.open();
    let mut log = Log::new(samples::project("default"));
    block_on(async {
        store.create(log.head.clone(), "default".to_owned()).await.unwrap();
        let written: Vec<WriteSet> = (1..=3)
            .map(|number| log.submitted(samples::handoff_numbered(number, StateWord::Offered)))
            .collect();
        let mut transaction = store.open(log.head.project).await.unwrap();
        for one in written {
            transaction.write(one);
        }
        transaction.commit(log.head.clone()).await.unwrap();
    });
    (store, log)
}

fn found(store: &PostgresStore, log: &Log) -> Vec<(String, bool)> {
    let found = store.inspect(log.head.project, Depth::Full, &|_| None).unwrap();
    found.into_iter().map(|one| (one.message, one.can_be_rebuilt)).collect()
}

#[test]
fn wrong_columns_and_counters_are_found_and_rebuilt() {
    for change in [
        "UPDATE handoff SET state = 'held' WHERE seq = 2",
        "UPDATE handoff SET due_at = 5 WHERE seq = 1",
        "UPDATE head SET offered = 7",
    ] {
        let schema = Schema::new();
        let (store, log) = filled(&schema);
        assert_eq!(found(&store, &log), []);
        sql(&schema, async |client| client.batch_execute(change).await.unwrap());
        let wrong = found(&store, &log);
        assert!(!wrong.is_empty() && wrong.iter().all(|(_, is_derived)| *is_derived), "{wrong:?}");
        let report = store.rebuild(log.head.project, &|_| None).unwrap();
        assert_eq!(report.left, [], "{change}");
        assert_eq!(found(&store, &log), [], "{change}");
    }
}

#[test]
fn a_lost_leaf_is_found_and_cannot_be_rebuilt() {
    let schema = Schema::new();
    let (store, log) = filled(&schema);
    sql(&schema, async |client| {
        client.batch_execute("DELETE FROM leaf WHERE n = 1").await.unwrap();
    });
    let wrong = found(&store, &log);
    let (message, is_derived) = &wrong[0];
    assert!(!is_derived && message.contains("the log has 2 leaves"), "{wrong:?}");
    assert_eq!(store.rebuild(log.head.project, &|_| None).unwrap().left.len(), 1);
}
