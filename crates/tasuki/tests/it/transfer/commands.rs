//! The output of the commands, and their refusals.

use insta::assert_snapshot;

use crate::support::fixture::Fixture;
use crate::support::folder::Folder;

/// Returns an empty folder as the target of an import.
fn empty() -> Fixture {
    Fixture { folder: Folder::outside_repository() }
}

#[test]
fn an_exchange_is_exported_and_imported_in_another_folder() {
    let fixture = Fixture::with_work();
    let said = fixture.play(&["export exchange.jsonl", "export exchange.jsonl"]);
    assert_snapshot!(said, @"
    $ export exchange.jsonl
    ✓ Exported project `default`: last event 13, hash [hash]
    ✓ Wrote 31 rows to exchange.jsonl, which contains secrets
    Next: tasuki import FILE, in a new folder or with TASUKI_STORE=postgres://…

    $ export exchange.jsonl
    error: cannot write exchange.jsonl: file exists
      hint: choose another name, or remove the file
    [exit 2]
    ");
    let target = empty();
    let file = fixture.folder.read("exchange.jsonl");
    target.write("exchange.jsonl", &file);
    let said = target.play(&["import exchange.jsonl", "import exchange.jsonl"]);
    for expected in [
        "✓ Imported project `default`: last event 13",
        "every log is intact",
        "the store is not empty [TK-STORE-TAKEN]",
    ] {
        assert!(said.contains(expected), "{said}");
    }
    assert_eq!(fixture.stdout("log show"), target.stdout("log show"));
    let doctor = target.says("doctor");
    assert!(doctor.contains("No problems found."), "{doctor}");
    target.run("claim draft --as coder --no-drift");
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_the_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let fixture = Fixture::with_work();
    fixture.run("export exchange.jsonl");
    let mode = fixture.folder.path("exchange.jsonl").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn the_result_is_an_object_with_the_end_of_every_log() {
    let fixture = Fixture::with_work();
    let head = fixture.objects("log check")[0].clone();
    let exported = fixture.objects("export exchange.jsonl").remove(0);
    let target = empty();
    target.write("exchange.jsonl", &fixture.folder.read("exchange.jsonl"));
    let imported = target.objects("import exchange.jsonl").remove(0);
    assert_eq!(exported["projects"], imported["projects"]);
    assert_eq!(exported["rows"], imported["rows"]);
    assert_eq!(imported["resumed_after_line"], serde_json::Value::Null);
    let project = &imported["projects"][0];
    assert_eq!(project["hash"], head["hash"]);
    assert_eq!(project["last"], head["leaves"].as_u64().unwrap() - 1);
}

#[test]
fn stdout_and_stdin_need_no_file() {
    let fixture = Fixture::with_work();
    let exported = fixture.command("export -").output().unwrap();
    let remarks = String::from_utf8(exported.stderr).unwrap();
    assert!(remarks.contains("Exported project `default`: last event 13"), "{remarks}");
    let target = empty();
    let file = String::from_utf8(exported.stdout).unwrap();
    let said = target.folder.run_with(&["import", "-"], &file);
    assert!(said.starts_with("exit 0\n"), "{said}");
    assert_eq!(fixture.stdout("log show"), target.stdout("log show"));
}

#[test]
fn a_bad_file_changes_nothing() {
    let fixture = Fixture::with_work();
    fixture.run("export exchange.jsonl");
    let file = fixture.folder.read("exchange.jsonl");
    let target = empty();
    let changed = file.replacen("Ship the part", "Sink the part", 1);
    assert_ne!(changed, file);
    let number = file.lines().position(|line| line.contains("Ship the part")).unwrap() + 1;
    target.write("changed.jsonl", &changed);
    target.write("truncated.jsonl", &file[..file.len() - 10]);
    target.write("other.jsonl", "{}\n");
    let said = target.says("import changed.jsonl");
    let expected = format!("line {number} of the file was changed [TK-IMPORT-INVALID]");
    assert!(said.contains(&expected) && said.contains("[exit 3]"), "{said}");
    let said = target.play(&["import truncated.jsonl", "import other.jsonl", "import missing"]);
    let said = said.replace(&format!("line {}", file.lines().count()), "line [last]");
    assert_snapshot!(said, @"
    $ import truncated.jsonl
    error: the file is truncated in line [last] [TK-IMPORT-INVALID]
      hint: export again, or copy the file again
    [exit 3]

    $ import other.jsonl
    error: the file is not an export [TK-IMPORT-INVALID]
      hint: `tasuki export FILE` writes one
    [exit 3]

    $ import missing
    error: cannot read missing: no such file or directory
    [exit 2]
    ");
    assert!(!target.folder.path(".tasuki").exists(), "nothing was created");

    // From standard input, rows are stored before the end is seen.
    let said = target.folder.run_with(&["import", "-"], &file[..file.len() - 10]);
    assert!(said.starts_with("exit 3\n"), "{said}");
    let said = target.says("list");
    assert!(said.contains("an import into this store is not finished"), "{said}");
    assert!(said.contains("[exit 7]"), "{said}");
    target.write("exchange.jsonl", &file);
    target.run("import exchange.jsonl");
    assert_eq!(fixture.stdout("log show"), target.stdout("log show"));
}

#[test]
fn an_exchange_that_exists_is_not_overwritten() {
    let (fixture, other) = (Fixture::with_work(), Fixture::with_work());
    fixture.run("export exchange.jsonl");
    other.write("exchange.jsonl", &fixture.folder.read("exchange.jsonl"));
    let before = other.stdout("log show");
    let said = other.says("import exchange.jsonl");
    assert!(said.contains("the store is not empty [TK-STORE-TAKEN]"), "{said}");
    assert!(said.contains("[exit 6]"), "{said}");
    assert_eq!(other.stdout("log show"), before);
}
