//! Backup, restore, and what the doctor repairs.

use insta::assert_snapshot;
use tasuki_engine::store::Store as _;
use tasuki_store::{Options, SqliteStore};

use crate::support::fixture::Desk;
use crate::support::server_process::Served;

#[test]
fn a_backup_is_brought_back_and_the_log_says_so() {
    let desk = Desk::with_work();
    let before = desk.objects("log check")[0].clone();
    let said = desk.play(&["backup copy.db", "backup copy.db", "doctor"]);
    assert_snapshot!(said, @"
    $ backup copy.db
    ✓ Copied project `default` to copy.db
    Next: tasuki restore copy.db

    $ backup copy.db
    error: copy.db is there already
     hint: name a file that is not there yet
    [exit 2]

    $ doctor
    ✓ config  1 value from the environment; project `default`
    ✓ sessions  0 files readable
    ✓ exchange  integrity ok, every project that is listed is there
    ✓ store  schema 13, WAL, every commit synced, integrity ok, [n] KB, last backup [n] s ago
    ✓ log  14 leaves and 5 documents checked in [n] s
    ✓ conservation  0 begun + 3 submitted = 1 done + 0 passed on + 0 rejected + 0 cancelled + 0 discarded + 0 dead + 2 open
    ✓ clock  next due: nothing
    ✓ ladders  every rung leads to somebody
    ✓ search  the index of words is up to date
    ✓ work  claims are taken
    ");
    desk.run("claim draft --as coder --no-drift");
    let said = desk.play(&["restore copy.db", "restore copy.db --force", "ls", "doctor"]);
    assert_snapshot!(said, @"
    $ restore copy.db
    error: `[project]/project.db` is there already [TK-STORE-TAKEN]
     hint: `--force` overwrites what is there
    [exit 6]

    $ restore copy.db --force
    ✓ Restored `default` to event 13; the log says so
    Next: tasuki doctor

    $ ls
    ID  RISK  FROM → TO  GOAL  STATE  DUE
    [handoff]  low  planner → coder  Draft the note  offered
    [handoff]  low  planner → ana  Look at the plan  held: asked
    2 handoffs. Next: tasuki show [short]

    $ doctor
    ✓ config  1 value from the environment; project `default`
    ✓ sessions  1 file readable
    ✓ exchange  integrity ok, every project that is listed is there
    ✓ store  schema 13, WAL, every commit synced, integrity ok, [n] KB, last backup [n] s ago
    ✓ log  15 leaves and 5 documents checked in [n] s
    ✓ conservation  0 begun + 3 submitted = 1 done + 0 passed on + 0 rejected + 0 cancelled + 0 discarded + 0 dead + 2 open
    ✓ clock  next due: nothing
    ✓ ladders  every rung leads to somebody
    ✓ search  the index of words is up to date
    ✓ work  claims are taken
    ");
    let events = desk.objects("events --type log.restored");
    assert_eq!(events.len(), 1);
    assert_eq!(events[0]["attributes"]["hash"], before["hash"]);
    assert_eq!(events[0]["attributes"]["last"], before["leaves"].as_u64().unwrap() - 1);
    assert_eq!(desk.exit("log check"), 0);
}

#[test]
fn a_claim_that_a_restore_has_forgotten_is_no_claim_any_more() {
    let desk = Desk::with_work();
    desk.run("backup copy.db");
    let lost = desk.objects("claim draft --as coder --no-drift")[0]["claim"]["token"].clone();
    desk.run("restore copy.db --force");
    // Another session of the same agent, so that only the token tells them apart.
    let claimed = desk.command("claim draft --as coder --no-drift --json");
    let claimed = { claimed }.env("TASUKI_SESSION", "other").output().unwrap();
    let claimed: serde_json::Value = serde_json::from_slice(&claimed.stdout).unwrap();
    let token = claimed["claim"]["token"].as_u64().unwrap();
    assert!(lost == 1 && token > 1_000_000, "{lost} and {token}");
    let said = desk.says("checkpoint draft --as coder --completed 'Wrote it'");
    assert!(said.contains("[TK-CLAIM-STALE]") && said.contains("[exit 6]"), "{said}");
}

/// Copies everything, and says where to.
fn backed_up(desk: &Desk) -> String {
    desk.run("backup copies/");
    let copies: Vec<_> = std::fs::read_dir(desk.folder.path("copies")).unwrap().collect();
    copies[0].as_ref().unwrap().path().display().to_string()
}

#[test]
fn while_one_project_is_in_use_no_log_is_cut() {
    let desk = Desk::with_work();
    desk.command("init").env("TASUKI_PROJECT", "zz").status().unwrap();
    let copy = backed_up(&desk);
    desk.run("claim draft --as coder --no-drift");
    let before = desk.objects("log check")[0].clone();
    let store = SqliteStore::open(&desk.folder.path(".tasuki"), Options::default()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let projects = runtime.block_on(store.projects()).unwrap();
    let (_, zz) = projects.iter().find(|(name, _)| name == "zz").unwrap();
    store.data_version(*zz).unwrap();
    assert_eq!(desk.exit(&format!("restore {copy} --force")), 7);
    drop(store);
    assert_eq!(desk.objects("log check")[0]["hash"], before["hash"]);

    desk.run(&format!("restore {copy} --force"));
    assert_eq!(desk.objects("events --type log.restored").len(), 1);
    desk.run(&format!("restore {copy} --force"));
    assert_eq!(desk.objects("events --type log.restored").len(), 1, "it was cut once more");
}

#[test]
fn a_project_of_the_same_name_is_another_one() {
    let (desk, other) = (Desk::with_work(), Desk::with_work());
    let copy = backed_up(&other);
    let said = desk.says(&format!("restore {copy} --force"));
    assert!(said.contains("✓ Restored `default` to event 13; the log says so"), "{said}");
    assert!(said.contains("! `default` lies here as before, and is not listed"), "{said}");
    assert!(said.contains("Next: tasuki doctor --fix"), "{said}");
    assert_eq!(desk.objects("events --type log.restored").len(), 1);
    let said = desk.says("doctor --fix");
    assert!(said.contains("`default` is listed again as `default-2`"), "{said}");
}

#[test]
fn everything_is_brought_back_where_nothing_is_left() {
    let desk = Desk::with_work();
    let copy = backed_up(&desk);
    std::fs::remove_dir_all(desk.folder.path(".tasuki")).unwrap();
    assert_eq!(desk.exit("ls"), 2, "there is no place any more");
    desk.run(&format!("restore {copy}"));
    assert_eq!(desk.objects("ls --all").len(), 3);
    assert_eq!(desk.objects("events --type log.restored").len(), 1);
    assert_eq!(desk.exit("doctor"), 0);
}

#[test]
fn a_backup_that_is_as_new_as_the_log_cuts_nothing() {
    let desk = Desk::with_work();
    desk.run("backup copy.db");
    desk.run("restore copy.db --force");
    assert!(desk.objects("events --type log.restored").is_empty());
}

#[test]
fn what_is_no_backup_is_refused() {
    let desk = Desk::with_work();
    desk.write("other.db", "not a database");
    let code = desk.exit("restore other.db --force");
    assert_eq!(code, 7);
    assert_ne!(desk.exit("restore missing.db --force"), 0);
    desk.write("empty.db", "");
    assert_eq!(desk.exit("restore empty.db --force"), 7);
    assert_eq!(desk.exit("doctor"), 0, "nothing was touched");
}

#[test]
fn force_is_only_named_where_it_helps() {
    let (desk, other) = (Desk::with_work(), Desk::with_work());
    let copy = desk.folder.path("other.db").display().to_string();
    other.run(&format!("backup {copy}"));
    let said = desk.play(&["restore other.db", "restore missing.db"]);
    assert_snapshot!(said, @"
    $ restore other.db
    error: project `default` is [project] here, the backup is of [project] [TK-STORE-TAKEN]
     hint: restore into another directory
    [exit 6]

    $ restore missing.db
    error: cannot read missing.db: no such file or directory
    [exit 2]
    ");
}

#[test]
fn the_doctor_makes_anew_what_is_derived() {
    let desk = Desk::with_work();
    let said = desk.says("doctor --fix");
    assert!(said.contains("✓ fix") && !said.contains('✗'), "{said}");
    assert_eq!(desk.objects("search ship").len(), 2, "the index of words is there again");
}

#[test]
fn a_damaged_index_of_words_costs_no_write() {
    for damage in ["DELETE FROM search_data WHERE id > 10", "DROP TABLE search"] {
        let desk = Desk::with_work();
        desk.run("search ship");
        if !desk.is_damaged_by(damage) {
            return;
        }
        let said = desk.says("doctor");
        assert!(said.contains("→ `tasuki doctor --fix`") && !said.contains("restore"), "{said}");
        let said = desk.says("search ship");
        assert!(said.contains("hint: `tasuki doctor --fix`"), "{said}");
        let said = desk.says("doctor --fix");
        assert!(!said.contains('✗'), "{said}");
        assert_eq!(desk.objects("search ship").len(), 2);
    }
}

#[test]
fn no_backup_is_asked_for_where_columns_can_be_told() {
    let desk = Desk::with_work();
    if !desk.is_damaged_by("UPDATE handoff SET priority = 7, since = 0") {
        return;
    }
    let said = desk.says("doctor");
    assert_eq!(said.matches("✗ store").count(), 3, "{said}");
    assert_eq!(said.matches('✗').count(), 3, "{said}");
    assert!(said.contains("→ `tasuki doctor --fix`") && !said.contains("restore"), "{said}");
    let said = desk.says("doctor --fix");
    assert!(!said.contains('✗') && !said.contains("[exit"), "{said}");
}

#[test]
fn a_project_whose_database_is_gone_is_named() {
    let desk = Desk::with_work();
    let projects = desk.folder.path(".tasuki/projects");
    let project = std::fs::read_dir(projects).unwrap().next().unwrap().unwrap().path();
    std::fs::remove_file(project.join("project.db")).unwrap();
    let said = desk.says("doctor");
    assert!(said.contains("✗ exchange  `default` is listed, and projects/"), "{said}");
    assert!(said.contains("/project.db is gone  → bring a backup back"), "{said}");
}

#[test]
fn a_lost_list_of_projects_is_made_from_the_projects() {
    let desk = Desk::with_work();
    let place = desk.folder.path(".tasuki");
    std::fs::remove_file(place.join("exchange.db")).unwrap();
    let said = desk.play(&["ls", "init", "doctor"]);
    assert_snapshot!(said, @"
    $ ls
    error: there is no project `default` [TK-PROJECT-UNKNOWN]
     hint: `default` lies here, and `exchange.db` does not list it: `tasuki doctor --fix` lists it again, with all that is in it
    [exit 5]

    $ init
    error: `default` lies here, and `exchange.db` does not list it [TK-STORE-CORRUPT]
     hint: `tasuki doctor --fix` lists it again, with all that is in it
    [exit 7]

    $ doctor
    ✓ config  1 value from the environment; project `default`
    ✓ sessions  0 files readable
    ✓ exchange  integrity ok, every project that is listed is there
    ✗ projects  `default` lies in projects/[project] and is not listed  → `tasuki doctor --fix` lists it again
    1 error, 0 warnings.
    [exit 1]
    ");
    let said = desk.says("doctor --fix");
    assert!(said.contains("! projects  `default` is listed again  → people choose"), "{said}");
    assert!(!said.contains('✗'), "{said}");
    assert_eq!(desk.objects("ls --all").len(), 3);
}

#[test]
fn a_project_whose_file_is_gone_comes_back_from_a_backup() {
    let desk = Desk::with_work();
    desk.run("backup copy.db");
    let projects = std::fs::read_dir(desk.folder.path(".tasuki/projects")).unwrap();
    for project in projects {
        for file in std::fs::read_dir(project.unwrap().path()).unwrap() {
            drop(std::fs::remove_file(file.unwrap().path()));
        }
    }
    for line in ["ls", "init"] {
        let said = desk.says(line);
        assert!(said.contains("project.db is gone [TK-STORE-AWAY]"), "{said}");
        assert!(said.contains("`tasuki restore FILE` brings a backup back"), "{said}");
    }
    desk.run("restore copy.db");
    assert!(desk.says("ls").contains("Draft the note"));
}

#[test]
fn nothing_is_restored_beside_a_server() {
    let desk = Desk::with_work();
    desk.run("backup copy.db");
    let served = Served::start(&desk.folder);
    let said = desk.says("restore copy.db --force");
    assert!(said.contains("has this store open: stop it first"), "{said}");
    drop(served);
    desk.run("restore copy.db --force");
}
