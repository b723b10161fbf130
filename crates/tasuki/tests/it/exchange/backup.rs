//! Backup, restore, and what the doctor repairs.

use insta::assert_snapshot;
use tasuki_engine::ports::Store as _;
use tasuki_store::{Options, SqliteStore};

use crate::support::fixture::Fixture;
use crate::support::server_process::ServerProcess;

#[test]
fn a_backup_is_brought_back_and_the_log_says_so() {
    let fixture = Fixture::with_work();
    let before = fixture.objects("log check")[0].clone();
    let said = fixture.play(&["backup copy.db", "backup copy.db", "doctor"]);
    assert_snapshot!(said, @"
    $ backup copy.db
    ✓ Backed up project `default` to copy.db

    $ backup copy.db
    error: copy.db already exists
      hint: choose another name
    [exit 2]

    $ doctor
    ✓ config  1 value from the environment; project `default`
    ✓ sessions  0 files, all readable
    ✓ exchange  integrity ok, every listed project exists
    ✓ store  integrity ok, schema 2, [n] KB, last backup [n] s ago
    ✓ log  14 entries and 5 documents checked in [n] s
    ✓ conservation  0 begun + 3 submitted = 1 done + 0 passed on + 0 rejected + 0 cancelled + 0 discarded + 0 dead + 2 open
    ✓ clock  next deadline: none
    ✓ ladders  every rung has a receiver
    ✓ search  the search index is up to date
    ✓ work  not halted
    No problems found.
    ");
    fixture.run("claim draft --as coder --no-drift");
    let said = fixture.play(&["restore copy.db", "restore copy.db --force", "list", "doctor"]);
    assert_snapshot!(said, @"
    $ restore copy.db
    error: `[project]/project.db` already exists [TK-STORE-TAKEN]
      hint: use `--force` to overwrite it
    [exit 6]

    $ restore copy.db --force
    ✓ Restored project `default` to event 13
    Next: tasuki doctor

    $ list
    TASK  FROM → TO  STATE  RISK  DUE  GOAL
    draft  planner → coder  offered  low  -  Draft the note
    review  planner → ana  held for review  low  -  Look at the plan
    Next: tasuki show draft

    $ doctor
    ✓ config  1 value from the environment; project `default`
    ✓ sessions  1 file, all readable
    ✓ exchange  integrity ok, every listed project exists
    ✓ store  integrity ok, schema 2, [n] KB, last backup [n] s ago
    ✓ log  15 entries and 5 documents checked in [n] s
    ✓ conservation  0 begun + 3 submitted = 1 done + 0 passed on + 0 rejected + 0 cancelled + 0 discarded + 0 dead + 2 open
    ✓ clock  next deadline: none
    ✓ ladders  every rung has a receiver
    ✓ search  the search index is up to date
    ✓ work  not halted
    No problems found.
    ");
    let events = fixture.objects("events --type log.restored");
    assert_eq!(events.len(), 1);
    assert_eq!(events[0]["attributes"]["hash"], before["hash"]);
    assert_eq!(events[0]["attributes"]["last"], before["leaves"].as_u64().unwrap() - 1);
    assert_eq!(fixture.exit("log check"), 0);
}

#[test]
fn a_claim_that_a_restore_has_forgotten_is_no_claim_any_more() {
    let fixture = Fixture::with_work();
    fixture.run("backup copy.db");
    let lost = fixture.objects("claim draft --as coder --no-drift")[0]["claim"]["fence"].clone();
    fixture.run("restore copy.db --force");
    // Another session of the same agent, so that only the token tells them apart.
    let claimed = fixture.command("claim draft --as coder --no-drift --json");
    let claimed = { claimed }.env("TASUKI_SESSION", "other").output().unwrap();
    let claimed: serde_json::Value = serde_json::from_slice(&claimed.stdout).unwrap();
    let token = claimed["claim"]["fence"].as_u64().unwrap();
    assert!(lost == 1 && token > 1_000_000, "{lost} and {token}");
    let said = fixture.says("checkpoint draft --as coder --completed 'Wrote it'");
    assert!(said.contains("[TK-CLAIM-STALE]") && said.contains("[exit 6]"), "{said}");
}

/// Copies everything, and says where to.
fn backed_up(fixture: &Fixture) -> String {
    fixture.run("backup copies/");
    let copies: Vec<_> = std::fs::read_dir(fixture.folder.path("copies")).unwrap().collect();
    copies[0].as_ref().unwrap().path().display().to_string()
}

#[test]
fn while_one_project_is_in_use_no_log_is_cut() {
    let fixture = Fixture::with_work();
    fixture.command("init").env("TASUKI_PROJECT", "zz").status().unwrap();
    let copy = backed_up(&fixture);
    fixture.run("claim draft --as coder --no-drift");
    let before = fixture.objects("log check")[0].clone();
    let store = SqliteStore::open(&fixture.folder.path(".tasuki"), Options::default()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let projects = runtime.block_on(store.projects()).unwrap();
    let (_, zz) = projects.iter().find(|(name, _)| name == "zz").unwrap();
    store.data_version(*zz).unwrap();
    assert_eq!(fixture.exit(&format!("restore {copy} --force")), 7);
    drop(store);
    assert_eq!(fixture.objects("log check")[0]["hash"], before["hash"]);

    fixture.run(&format!("restore {copy} --force"));
    assert_eq!(fixture.objects("events --type log.restored").len(), 1);
    fixture.run(&format!("restore {copy} --force"));
    assert_eq!(fixture.objects("events --type log.restored").len(), 1, "it was cut once more");
}

#[test]
fn a_project_of_the_same_name_is_another_one() {
    let (fixture, other) = (Fixture::with_work(), Fixture::with_work());
    let copy = backed_up(&other);
    let said = fixture.says(&format!("restore {copy} --force"));
    assert!(said.contains("✓ Restored project `default` to event 13"), "{said}");
    assert!(said.contains("! Kept project `default`, which the backup does not list"), "{said}");
    assert!(said.contains("Next: tasuki doctor --fix"), "{said}");
    assert_eq!(fixture.objects("events --type log.restored").len(), 1);
    let said = fixture.says("doctor --fix");
    assert!(said.contains("`default` is listed again as `default-2`"), "{said}");
}

#[test]
fn everything_is_brought_back_where_nothing_is_left() {
    let fixture = Fixture::with_work();
    let copy = backed_up(&fixture);
    std::fs::remove_dir_all(fixture.folder.path(".tasuki")).unwrap();
    assert_eq!(fixture.exit("list"), 2, "there is no place any more");
    fixture.run(&format!("restore {copy}"));
    assert_eq!(fixture.objects("list --all").len(), 3);
    assert_eq!(fixture.objects("events --type log.restored").len(), 1);
    assert_eq!(fixture.exit("doctor"), 0);
}

#[test]
fn a_backup_that_is_as_new_as_the_log_cuts_nothing() {
    let fixture = Fixture::with_work();
    fixture.run("backup copy.db");
    fixture.run("restore copy.db --force");
    assert!(fixture.objects("events --type log.restored").is_empty());
}

#[test]
fn what_is_no_backup_is_refused() {
    let fixture = Fixture::with_work();
    fixture.write("other.db", "not a database");
    let code = fixture.exit("restore other.db --force");
    assert_eq!(code, 7);
    assert_ne!(fixture.exit("restore missing.db --force"), 0);
    fixture.write("empty.db", "");
    assert_eq!(fixture.exit("restore empty.db --force"), 7);
    assert_eq!(fixture.exit("doctor"), 0, "nothing was touched");
}

#[test]
fn force_is_only_named_where_it_helps() {
    let (fixture, other) = (Fixture::with_work(), Fixture::with_work());
    let copy = fixture.folder.path("other.db").display().to_string();
    other.run(&format!("backup {copy}"));
    let said = fixture.play(&["restore other.db", "restore missing.db"]);
    assert_snapshot!(said, @"
    $ restore other.db
    error: project `default` has id [project] here, but [project] in the backup [TK-STORE-TAKEN]
      hint: restore into another directory
    [exit 6]

    $ restore missing.db
    error: cannot read missing.db: no such file or directory
    [exit 2]
    ");
}

#[test]
fn the_doctor_makes_anew_what_is_derived() {
    let fixture = Fixture::with_work();
    let said = fixture.says("doctor --fix");
    assert!(said.contains("✓ fix") && !said.contains('✗'), "{said}");
    assert_eq!(fixture.objects("search ship").len(), 2, "the index of words is there again");
}

#[test]
fn a_damaged_index_of_words_costs_no_write() {
    for damage in ["DELETE FROM search_data WHERE id > 10", "DROP TABLE search"] {
        let fixture = Fixture::with_work();
        fixture.run("search ship");
        if !fixture.is_damaged_by(damage) {
            return;
        }
        let said = fixture.says("doctor");
        assert!(said.contains("→ `tasuki doctor --fix`") && !said.contains("restore"), "{said}");
        let said = fixture.says("search ship");
        assert!(said.contains("hint: `tasuki doctor --fix`"), "{said}");
        let said = fixture.says("doctor --fix");
        assert!(!said.contains('✗'), "{said}");
        assert_eq!(fixture.objects("search ship").len(), 2);
    }
}

#[test]
fn no_backup_is_asked_for_where_columns_can_be_told() {
    let fixture = Fixture::with_work();
    if !fixture.is_damaged_by("UPDATE handoff SET priority = 7, since = 0") {
        return;
    }
    let said = fixture.says("doctor");
    assert_eq!(said.matches("✗ store").count(), 3, "{said}");
    assert_eq!(said.matches('✗').count(), 3, "{said}");
    assert!(said.contains("→ `tasuki doctor --fix`") && !said.contains("restore"), "{said}");
    let said = fixture.says("doctor --fix");
    assert!(!said.contains('✗') && !said.contains("[exit"), "{said}");
}

#[test]
fn a_project_whose_database_is_gone_is_named() {
    let fixture = Fixture::with_work();
    let projects = fixture.folder.path(".tasuki/projects");
    let project = std::fs::read_dir(projects).unwrap().next().unwrap().unwrap().path();
    std::fs::remove_file(project.join("project.db")).unwrap();
    let said = fixture.says("doctor");
    assert!(said.contains("✗ exchange  `default` is listed, but projects/"), "{said}");
    assert!(said.contains("/project.db is missing  → restore a backup"), "{said}");
}

#[test]
fn a_lost_list_of_projects_is_made_from_the_projects() {
    let fixture = Fixture::with_work();
    let place = fixture.folder.path(".tasuki");
    std::fs::remove_file(place.join("exchange.db")).unwrap();
    let said = fixture.play(&["list", "init", "doctor"]);
    assert_snapshot!(said, @"
    $ list
    error: unknown project `default` [TK-PROJECT-UNKNOWN]
      hint: `exchange.db` does not list project `default`: `tasuki doctor --fix` lists it again, without losing data
    [exit 5]

    $ init
    error: `exchange.db` does not list project `default` [TK-STORE-CORRUPT]
      hint: `tasuki doctor --fix` lists it again, without losing data
    [exit 7]

    $ doctor
    ✓ config  1 value from the environment; project `default`
    ✓ sessions  0 files, all readable
    ✓ exchange  integrity ok, every listed project exists
    ✗ projects  `default` in projects/[project] is not listed  → `tasuki doctor --fix` lists it again
    1 error, 0 warnings.
    [exit 1]
    ");
    let said = fixture.says("doctor --fix");
    assert!(said.contains("! projects  `default` is listed again  → people must set"), "{said}");
    assert!(!said.contains('✗'), "{said}");
    assert_eq!(fixture.objects("list --all").len(), 3);
}

#[test]
fn a_project_whose_file_is_gone_comes_back_from_a_backup() {
    let fixture = Fixture::with_work();
    fixture.run("backup copy.db");
    let projects = std::fs::read_dir(fixture.folder.path(".tasuki/projects")).unwrap();
    for project in projects {
        for file in std::fs::read_dir(project.unwrap().path()).unwrap() {
            drop(std::fs::remove_file(file.unwrap().path()));
        }
    }
    for line in ["list", "init"] {
        let said = fixture.says(line);
        assert!(said.contains("project.db [TK-STORE-UNAVAILABLE]"), "{said}");
        assert!(said.contains("restore a backup: `tasuki restore FILE`"), "{said}");
    }
    fixture.run("restore copy.db");
    assert!(fixture.says("list").contains("Draft the note"));
}

#[test]
fn nothing_is_restored_beside_a_server() {
    let fixture = Fixture::with_work();
    fixture.run("backup copy.db");
    let server = ServerProcess::start(&fixture.folder);
    let said = fixture.says("restore copy.db --force");
    assert!(said.contains("stop the server or process that uses this store"), "{said}");
    drop(server);
    fixture.run("restore copy.db --force");
}
