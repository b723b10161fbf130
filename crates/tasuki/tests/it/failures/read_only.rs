//! A store on a read-only mount: it can be read and checked, and a write is refused by name.

use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

use super::damaged::filled;
use super::exchange::{Exchange, words};
use super::mounts::{own_mounts, script};
use crate::support::folder::Folder;

const READS: &[&str] =
    &["ls", "show build-1", "events", "log check", "log show", "doctor", "search Ship"];

const WRITES: &[&str] = &[
    "submit --as ana --to ben --goal Ship --task new",
    "claim build-1 --as ben --no-drift",
    "doctor --fix",
];

const MOUNT: &str = r#"mount --bind "$PWD" "$PWD" && mount -o remount,bind,ro "$PWD" && cd "$PWD""#;

/// Runs a line in a mount namespace of its own, in which the folder is mounted for reading.
fn run_mounted(folder: &Folder, program: &[&str], line: &str) -> Output {
    script(folder, program, &format!("{MOUNT} && exec \"$tool\" {line}")).output().unwrap()
}

fn check_reads_and_writes(folder: &Folder, run: impl Fn(&str) -> Output) {
    for line in READS {
        let shown = folder.shown(&run(line));
        assert!(shown.starts_with("exit 0\n"), "`{line}`: {shown}");
    }
    assert_eq!(folder.shown(&run("ls --json")).matches("\"build-").count(), 3);
    for line in WRITES {
        let shown = folder.shown(&run(line));
        assert!(!shown.starts_with("exit 0\n"), "`{line}`: {shown}");
        assert!(
            shown.contains("project.db` is read-only; nothing was changed"),
            "`{line}`: {shown}"
        );
    }
}

/// The names of the files of a store.
fn names(exchange: &Exchange) -> Vec<String> {
    let place = exchange.database().parent().unwrap().to_owned();
    let mut names: Vec<String> = [place, exchange.folder.path(".tasuki")]
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_closed_store_on_a_read_only_mount_can_be_read_and_checked() {
    let exchange = filled();
    let Some(program) = own_mounts(&exchange.folder, MOUNT) else { return };
    let before = names(&exchange);
    check_reads_and_writes(&exchange.folder, |line| run_mounted(&exchange.folder, program, line));
    assert_eq!(names(&exchange), before, "nothing is created");
}

/// A snapshot of a store that was in use: its last commits are in the WAL.
#[test]
fn a_snapshot_with_a_wal_can_be_read_and_checked() {
    for without in [&["-shm"][..], &[]] {
        let exchange = Exchange::new();
        exchange.succeed(&words("submit --as ana --to ben --goal Ship --task build-1"));
        let database = exchange.database();
        // While a connection is open, nothing moves the WAL into the database.
        let store = tasuki_store::SqliteStore::open(
            &exchange.folder.path(".tasuki"),
            tasuki_store::Options::default(),
        )
        .unwrap();
        let id = database.parent().unwrap().file_name().unwrap().to_str().unwrap().parse().unwrap();
        store.data_version(id).unwrap();
        for number in 2..=3 {
            let line = format!("submit --as ana --to ben --goal Ship --task build-{number}");
            exchange.succeed(&words(&line));
        }
        let copy = Folder::outside_repository();
        let copied = Command::new("cp")
            .args(["-a", "."])
            .arg(copy.path(""))
            .current_dir(exchange.folder.path(""))
            .status();
        assert!(copied.unwrap().success());
        drop(store);
        let below = database.strip_prefix(exchange.folder.path("")).unwrap().to_owned();
        let copied = copy.path(below.to_str().unwrap());
        assert!(copied.with_extension("db-wal").metadata().unwrap().len() > 0);
        for suffix in without {
            std::fs::remove_file(copied.with_extension(format!("db{suffix}"))).unwrap();
        }
        let Some(program) = own_mounts(&copy, MOUNT) else { return };
        check_reads_and_writes(&copy, |line| run_mounted(&copy, program, line));
    }
}

/// Modes do not stop root, so this shows something for other users only.
#[test]
fn a_directory_that_may_not_be_written_can_be_read() {
    let exchange = filled();
    let place = exchange.folder.path(".tasuki");
    let project = exchange.database().parent().unwrap().to_owned();
    let set = |mode: u32| {
        for folder in [&place, &project] {
            std::fs::set_permissions(folder, PermissionsExt::from_mode(mode)).unwrap();
        }
    };
    set(0o500);
    if std::fs::write(place.join("probe"), "").is_ok() {
        std::fs::remove_file(place.join("probe")).unwrap();
        return set(0o700);
    }
    check_reads_and_writes(&exchange.folder, |line| exchange.run("main", line));
    set(0o700);
}
