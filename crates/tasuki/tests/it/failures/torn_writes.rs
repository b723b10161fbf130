//! A write of the tool that the disk does in part: told to be short, failed, or cut off with the
//! process. What was answered is there, and what was not is there as a whole or not at all.
//!
//! The C compiler that builds SQLite builds the library that tears the write.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::exchange::{Event, Exchange, words};
use crate::support::folder::Folder;

/// Builds the library. `None` where the person who runs the tests has said that there is no
/// compiler.
fn library(folder: &Folder) -> Option<PathBuf> {
    if std::env::var_os("TASUKI_WITHOUT_CC").is_some() {
        return None;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/failures/torn_write.c");
    let library = folder.path("torn_write.so");
    let mut command = Command::new("cc");
    command.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(source).arg("-ldl");
    let built = command.output();
    assert!(
        built.as_ref().is_ok_and(|built| built.status.success()),
        "a C compiler is missing: install the package gcc, or set TASUKI_WITHOUT_CC=1 to leave out \
         the tests with torn writes\n{built:?}"
    );
    Some(library)
}

/// Runs a line while its write with this number is torn. Returns `None` if it makes fewer writes.
fn run_torn(
    exchange: &Exchange,
    library: &Path,
    way: &str,
    number: usize,
    line: &str,
) -> Option<Output> {
    let mark = exchange.folder.path("torn");
    let mut command = exchange.command("main", &words(line));
    command.env("LD_PRELOAD", library).env("TORN_CALL", number.to_string());
    command.env("TORN_WAY", way).env("TORN_MARK", &mark);
    let output = command.output().unwrap();
    std::fs::remove_file(mark).ok().map(|()| output)
}

/// Tears the first, second, ... write of a submit, until it makes no more.
fn check(way: &str, is_right: impl Fn(&Output) -> bool) {
    let exchange = Exchange::new();
    let folder = Folder::outside_repository();
    let Some(library) = library(&folder) else { return };
    let mut answered = 0;
    for number in 1.. {
        let task = format!("{way}-{number}");
        let line =
            format!("submit --as ana --to ben --goal Ship --task {task} --key {task} --json");
        let Some(output) = run_torn(&exchange, &library, way, number, &line) else {
            assert!(number > 4, "only {number} writes were torn");
            break;
        };
        let shown = exchange.folder.shown(&output);
        assert!(is_right(&output), "{way} {number}: {shown}");
        // A process may be killed after its answer, when it closes the store.
        let is_answered = output.stdout.ends_with(b"\n");
        assert!(is_answered || !output.status.success(), "{way} {number}: {shown}");
        exchange.check_log();
        let count = || {
            let events = exchange.events();
            let is_own = |event: &&Event| event.task() == task && event.word() == "submitted";
            events.iter().filter(is_own).count()
        };
        let before = count();
        assert!(before == 1 || !is_answered, "{way} {number}: {shown}");
        answered += usize::from(is_answered);
        // The same key finds what happened, or does it now.
        exchange.succeed(&words(&line));
        assert_eq!(count(), 1, "{way} {number}");
        exchange.check_log();
    }
    println!("{way}: {answered} of the commands were answered");
}

#[test]
fn a_short_write_is_continued() {
    check("short", |output| output.status.success());
}

#[test]
fn a_write_that_fails_halfway_is_refused_or_overcome() {
    for (way, codes) in [
        ("eio", &["TK-STORE-IO", "TK-OUTCOME-UNKNOWN"][..]),
        ("enospc", &["TK-STORE-FULL", "TK-OUTCOME-UNKNOWN"]),
    ] {
        check(way, |output| {
            let said = String::from_utf8_lossy(&output.stderr);
            let is_named = codes.iter().any(|code| said.contains(code));
            output.status.success() || output.status.code() == Some(7) && is_named
        });
    }
}

#[test]
fn a_process_that_ends_within_a_write_leaves_no_part_of_its_commit() {
    check("kill", |output| output.status.code().is_none());
}
