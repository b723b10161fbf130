//! Damaged data is a fault that names table, row and column. Never a panic, never a default value.

use tasuki_engine::error::{Fault, FaultKind};
use tasuki_engine::model::{DocumentKind, LoadSet, Record, Settings, StateWord};
use tasuki_engine::ports::{Query, Store as _};
use tasuki_packet::id::ProjectId;
use tasuki_store::SqliteStore;
use tasuki_testkit::samples;

use crate::fixture::{commit, now, open, with_project};

/// Reads everything.
fn read_everything(store: &SqliteStore, project: ProjectId) -> Result<(), Fault> {
    let id = samples::handoff_id(1);
    now(store.projects())?;
    now(store.head(project))?;
    now(store.directory(project))?;
    now(store.counts(project))?;
    now(store.next_due(project))?;
    now(store.handoffs(project, Query { limit: 10, ..Query::default() }))?;
    now(store.handoff(project, id))?;
    now(store.documents(project, id, None))?;
    now(store.leaves(project, 0, 10))?;
    now(store.leaves_of(project, id))?;
    let keys = [samples::key("submit", "k")].into();
    let touched = LoadSet { handoffs: [id].into(), keys, ..LoadSet::default() };
    now(now(store.open(project))?.load(&touched))?;
    now(store.search(project, "ship".to_owned(), None, 10)).map(drop)
}

/// Returns the fault of a store after a statement has damaged it.
fn fault_after(damage: &str) -> Fault {
    let (store, mut log, folder) = with_project();
    let handoff = samples::handoff(StateWord::Offered);
    let mut written = log.submitted(handoff.clone());
    let packet = samples::packet("Ship it");
    written.documents.push((0, samples::document(handoff.id, DocumentKind::Packet, "1", &packet)));
    written.remembered = Some(Box::new((samples::key("submit", "k"), samples::remembered("x"))));
    written.records.push(Record::Settings(Settings::default()));
    written.handoffs[0].due_at = Some(samples::at(60));
    commit(&store, &log, written).unwrap();
    assert_eq!(read_everything(&store, log.head.project), Ok(()));
    drop(store);

    folder.raw().execute_batch(damage).unwrap_or_else(|error| panic!("{damage}: {error}"));
    read_everything(&open(folder.path()), log.head.project).expect_err(damage)
}

#[test]
fn a_damaged_row_is_named_with_its_table_and_column() {
    let handoff = samples::handoff_id(1).to_string();
    let project = samples::project("default").to_string();
    let key = samples::key("submit", "k");
    let key = format!("{}@{}@", key.party, key.command);
    for (damage, place) in [
        ("UPDATE handoff SET state = 'claimed'", ["handoff", &handoff, "state"]),
        ("UPDATE handoff SET state = 'lost'", ["handoff", &handoff, "state"]),
        ("UPDATE handoff SET task = 'other'", ["handoff", &handoff, "task"]),
        ("UPDATE handoff SET sender = receiver", ["handoff", &handoff, "sender"]),
        ("UPDATE handoff SET receiver = 'pty_1'", ["handoff", &handoff, "receiver"]),
        ("UPDATE handoff SET holder = sender", ["handoff", &handoff, "holder"]),
        ("UPDATE handoff SET priority = 7", ["handoff", &handoff, "priority"]),
        ("UPDATE handoff SET since = since + 1", ["handoff", &handoff, "since"]),
        ("UPDATE handoff SET not_before = 5", ["handoff", &handoff, "not_before"]),
        ("UPDATE handoff SET claim_epoch = 1", ["handoff", &handoff, "claim_epoch"]),
        ("UPDATE handoff SET fingerprint = ''", ["handoff", &handoff, "fingerprint"]),
        ("UPDATE handoff SET is_begun = 1", ["handoff", &handoff, "is_begun"]),
        ("UPDATE handoff SET is_open = 2", ["handoff", &handoff, "is_open"]),
        ("UPDATE handoff SET is_live = 0", ["handoff", &handoff, "is_live"]),
        ("UPDATE handoff SET judge = sender", ["handoff", &handoff, "judge"]),
        ("UPDATE handoff SET reviewed_at = NULL", ["handoff", &handoff, "reviewed_at"]),
        ("UPDATE handoff SET reviewed_at = 7", ["handoff", &handoff, "reviewed_at"]),
        ("UPDATE handoff SET failed_n = 8", ["handoff", &handoff, "failed_n"]),
        ("UPDATE handoff SET judge = 'pty_1'", ["handoff", &handoff, "judge"]),
        ("UPDATE handoff SET progress = '{}'", ["handoff", &handoff, "progress"]),
        (
            "UPDATE handoff SET due_at = 9223372036854775807",
            ["handoff", "9223372036854775807", "due_at"],
        ),
        ("UPDATE handoff SET id = 'hof_1'", ["handoff", "hof_1", "id"]),
        ("UPDATE facts SET body = '[]'", ["handoff", &handoff, "body"]),
        ("DELETE FROM facts", ["handoff", &handoff, "body"]),
        ("UPDATE leaf SET n = 4611686018427387904", ["leaf", "4611686018427387904", "n"]),
        ("UPDATE leaf SET type = 'handoff.lost'", ["leaf", "0", "type"]),
        ("UPDATE leaf SET at = 9223372036854775807", ["leaf", "0", "at"]),
        ("UPDATE leaf SET handoff = 'hof_'", ["leaf", "0", "handoff"]),
        ("UPDATE leaf SET previous_n = -1", ["leaf", "0", "previous_n"]),
        ("UPDATE leaf SET body = CAST(x'ff' AS TEXT)", ["leaf", "0", "body"]),
        ("UPDATE document SET kind = 'note'", ["document", "0@0", "kind"]),
        ("UPDATE document SET handoff = 'hof_'", ["document", "0@0", "handoff"]),
        ("UPDATE document SET salt = x'00'", ["document", "0@0", "salt"]),
        ("UPDATE document SET body = CAST(x'ff' AS TEXT)", ["document", "0@0", "body"]),
        ("UPDATE head SET leaf_count = 4611686018427387904", ["head", &project, "leaf_count"]),
        ("UPDATE head SET project = 'prj_'", ["head", "prj_", "project"]),
        ("UPDATE head SET leaf_count = -1", ["head", &project, "leaf_count"]),
        ("UPDATE head SET last_hash = x'00'", ["head", &project, "last_hash"]),
        ("UPDATE head SET is_halted = 3", ["head", &project, "is_halted"]),
        ("DELETE FROM head", ["head", "1", "only_row"]),
        ("UPDATE directory SET body = '{}'", ["directory", "settings@settings", "body"]),
        ("UPDATE directory SET kind = 'rules'", ["directory", "rules@settings", "kind"]),
        ("UPDATE idempotency SET answer = 'no'", ["idempotency", &key, "answer"]),
        ("UPDATE head SET dead = -1", ["head", &project, "dead"]),
        ("DELETE FROM search_cursor", ["search_cursor", "1", "only_row"]),
    ] {
        let fault = fault_after(damage);
        assert_eq!(fault.kind, FaultKind::Corrupt, "{damage}: {fault}");
        let [table, row, column] = place;
        assert!(fault.message.contains(&format!("table `{table}`")), "{damage}: {fault}");
        assert!(fault.message.contains(&format!("row `{row}")), "{damage}: {fault}");
        assert!(fault.message.contains(&format!("column `{column}`")), "{damage}: {fault}");
    }
}

#[test]
fn a_file_that_is_not_a_database_is_a_fault() {
    for (offset, length) in [(0, 100), (0, 8_192), (8_192, 8_192), (16_384, 40_960)] {
        let (store, mut log, folder) = with_project();
        let written = log.submitted(samples::handoff(StateWord::Offered));
        commit(&store, &log, written).unwrap();
        drop(store);
        let mut bytes = std::fs::read(folder.database()).unwrap();
        let end = bytes.len().min(offset + length);
        bytes[offset..end].fill(0xa5);
        std::fs::write(folder.database(), bytes).unwrap();

        let fault = read_everything(&open(folder.path()), log.head.project).unwrap_err();
        assert_eq!(fault.kind, FaultKind::Corrupt, "{offset}: {fault}");
        assert!(fault.hint.is_some());
    }
}

#[test]
fn an_empty_file_is_not_a_project() {
    let (store, log, folder) = with_project();
    drop(store);
    std::fs::write(folder.database(), b"").unwrap();

    let fault = read_everything(&open(folder.path()), log.head.project).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Corrupt, "{fault}");
}
