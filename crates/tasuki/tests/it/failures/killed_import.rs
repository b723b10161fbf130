//! An import that is killed (`kill -9`) at any point: no command uses its store until the same file was
//! imported again.

use std::path::PathBuf;

use super::exchange::{Exchange, words};
use super::trace::{Trace, traced};
use crate::support::folder::Folder;

/// Calls at which an import is killed.
const CALLS: &[&str] = &["fsync", "fdatasync", "pwrite64", "mkdir"];

/// Points of each call, spread over all of them.
const POINTS: usize = 8;

/// A file with an exchange.
fn exported() -> (Exchange, PathBuf) {
    let exchange = Exchange::new();
    for task in ["first", "second"] {
        exchange.succeed(&words(&format!("submit --as ana --to ben --goal Ship --task {task}")));
    }
    exchange.succeed(&words("claim first --as ben --no-drift"));
    exchange.succeed(&words("export exchange.jsonl"));
    let file = exchange.folder.path("exchange.jsonl");
    (exchange, file)
}

fn empty() -> Exchange {
    Exchange { folder: Folder::outside_repository() }
}

fn count(target: &Exchange, line: &str, call: &str) -> usize {
    let options = ["-e", &format!("trace={call}")];
    let Some((mut command, trace)) = traced(target, &options, &words(line)) else { return 0 };
    assert!(command.output().unwrap().status.success());
    Trace::read(&std::fs::read_to_string(trace).unwrap()).count(call)
}

/// Kills an import at this call. Returns `false` if it has fewer of them.
fn is_killed(target: &Exchange, line: &str, call: &str, number: usize) -> bool {
    let injection = format!("inject={call}:signal=KILL:when={number}");
    let options = ["-e", &format!("trace={call}"), "-e", &injection];
    let Some((mut command, _)) = traced(target, &options, &words(line)) else { return false };
    !command.output().unwrap().status.success()
}

#[test]
fn a_killed_import_continues_with_the_same_file() {
    let (from, file) = exported();
    let (line, log) = (format!("import {}", file.display()), from.succeed(&words("log show")));
    let (mut killed, mut refused) = (0, 0);
    for call in CALLS {
        let calls = count(&empty(), &line, call);
        for number in (1..=calls).step_by(calls / POINTS + 1) {
            let target = empty();
            if !is_killed(&target, &line, call, number) {
                continue;
            }
            killed += 1;
            let place = format!("{call} {number} of {calls}");
            let shown = target.folder.shown(&target.run("main", "ls --all --json"));
            // The marker is written first and removed last, so it is all or nothing.
            let is_refused = shown.contains("an import into this store is not finished");
            refused += usize::from(is_refused);
            let is_whole = shown.contains("\"first\"") && shown.contains("\"second\"");
            let is_empty = shown.contains("TK-PROJECT-UNKNOWN") || shown.contains("no `.tasuki/`");
            assert!(is_refused || is_whole || is_empty, "{place}: {shown}");
            if !is_whole {
                target.succeed(&words(&line));
            }
            target.check_log();
            assert_eq!(target.succeed(&words("log show")), log, "{place}");
        }
    }
    let is_left_out = std::env::var_os("TASUKI_WITHOUT_STRACE").is_some();
    assert!(killed > 10 && refused > 3 || is_left_out, "{killed} killed, {refused} refused");
}
