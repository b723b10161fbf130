//! Bytes that change on the disk are noticed, and the first leaf they belong to is named.

use std::path::PathBuf;

use tasuki_packet::id::ProjectId;
use tasuki_store::{Options, SqliteStore};

use crate::support::fixture::Fixture;

/// A closed exchange with some work.
fn closed() -> Fixture {
    close(Fixture::with_work())
}

/// The same exchange when everything is in its database.
fn close(fixture: Fixture) -> Fixture {
    let folder = database(&fixture).parent().unwrap().to_owned();
    let id: ProjectId = folder.file_name().unwrap().to_str().unwrap().parse().unwrap();
    let store = SqliteStore::open(&fixture.folder.path(".tasuki"), Options::default()).unwrap();
    store.data_version(id).unwrap();
    // The last to close moves the WAL into the database.
    drop(store);
    assert!(!folder.join("project.db-wal").exists());
    fixture
}

/// The database of the only project.
fn database(fixture: &Fixture) -> PathBuf {
    let projects = std::fs::read_dir(fixture.folder.path(".tasuki/projects")).unwrap();
    let folder = projects.map(|entry| entry.unwrap().path()).next().unwrap();
    folder.join("project.db")
}

/// Where a text stands in a file. Pages that were copied leave old texts behind, so that all places
/// are changed at once: one of them is the stored one.
fn places(bytes: &[u8], text: &[u8]) -> Vec<usize> {
    let found = bytes.windows(text.len()).enumerate().filter(|(_, window)| *window == text);
    found.map(|(at, _)| at).collect()
}

struct Flipped {
    exit: i32,
    first_bad: Option<u64>,
    said: String,
}

/// Changes one bit at an offset of a text, checks the log, and puts the file back.
fn flip(fixture: &Fixture, whole: &[u8], places: &[usize], offset: usize) -> Flipped {
    let path = database(fixture);
    let mut bytes = whole.to_vec();
    for place in places {
        bytes[place + offset] ^= 1;
    }
    std::fs::write(&path, bytes).unwrap();
    let output = fixture.command("log check --json").output().unwrap();
    std::fs::write(&path, whole).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    Flipped {
        exit: output.status.code().unwrap(),
        first_bad: report["first_bad"].as_u64(),
        said: fixture.folder.shown(&output),
    }
}

#[test]
fn a_changed_leaf_is_named() {
    let fixture = closed();
    let whole = std::fs::read(database(&fixture)).unwrap();
    let log = fixture.stdout("log show");
    let mut flips = 0;
    for (n, leaf) in log.lines().enumerate() {
        let places = places(&whole, leaf.as_bytes());
        assert!(!places.is_empty(), "leaf {n} is in one piece");
        for offset in (n % 29..leaf.len()).step_by(29) {
            let found = flip(&fixture, &whole, &places, offset);
            let (n, said) = (n as u64, &found.said);
            assert_eq!(found.exit, 1, "leaf {n}, byte {offset}: {said}");
            assert_eq!(found.first_bad, Some(n), "byte {offset}: {said}");
            flips += 1;
        }
    }
    assert!(flips > 200, "{flips}");
    assert_eq!(fixture.exit("log check"), 0, "it is as it was");
}

#[test]
fn a_changed_document_is_found() {
    let fixture = closed();
    let whole = std::fs::read(database(&fixture)).unwrap();
    let handoffs = fixture.objects("list --all");
    let mut flips = 0;
    for handoff in &handoffs {
        let id = handoff["id"].as_str().unwrap();
        let packet = fixture.stdout(&format!("show {id} --packet"));
        let places = places(&whole, packet.as_bytes());
        assert!(!places.is_empty(), "{packet}");
        for offset in (0..packet.len()).step_by(5) {
            let found = flip(&fixture, &whole, &places, offset);
            assert_eq!(found.exit, 1, "{id}, byte {offset}: {}", found.said);
            assert!(found.first_bad.is_some(), "{}", found.said);
            flips += 1;
        }
    }
    assert!(flips > 60, "{flips}");
}

/// As people write packets: with a comment, in an order and a spelling of their own.
const YAML: &str = "# After the talk on Monday: ship first, polish later.
task_id: yaml
to_agent: coder
handoff_version: '1.0'
status:  in_progress
goal: \"Ship the part\"
completed: []
remaining: [ test it ]   # the short ones
";

#[test]
fn a_changed_text_of_what_was_sent_is_found() {
    let fixture = Fixture::new();
    fixture.write("packet.yaml", YAML);
    fixture.run("submit packet.yaml --as planner");
    let fixture = close(fixture);
    assert_eq!(fixture.stdout("show yaml --packet"), YAML, "what was sent is kept");
    let whole = std::fs::read(database(&fixture)).unwrap();
    let places = places(&whole, YAML.as_bytes());
    assert!(!places.is_empty());
    for offset in (0..YAML.len()).step_by(3) {
        let found = flip(&fixture, &whole, &places, offset);
        assert_eq!(found.exit, 1, "byte {offset}: {}", found.said);
        assert_eq!(found.first_bad, Some(3), "{}", found.said);
        assert!(found.said.contains("the packet 1 is kept with another text than was sent"));
    }
    assert_eq!(fixture.exit("log check"), 0, "it is as it was");
}

#[test]
fn a_change_anywhere_never_ends_in_a_panic() {
    let fixture = closed();
    let path = database(&fixture);
    let whole = std::fs::read(&path).unwrap();
    for at in (0..whole.len()).step_by(whole.len() / 120 + 1) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x41;
        std::fs::write(&path, bytes).unwrap();
        for line in ["log check", "doctor"] {
            let output = fixture.command(line).output().unwrap();
            let code = output.status.code();
            assert!(
                matches!(code, Some(0 | 1 | 7)),
                "byte {at}: {}",
                fixture.folder.shown(&output)
            );
        }
        std::fs::write(&path, &whole).unwrap();
        for left in ["project.db-wal", "project.db-shm"] {
            let _absent = std::fs::remove_file(path.with_file_name(left)).is_err();
        }
    }
}
