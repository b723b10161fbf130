//! A restore that is killed (`kill -9`) at any point: it has happened or it has not, and the next
//! command leaves no copy of it behind.

use std::path::{Path, PathBuf};

use super::exchange::{Exchange, words};
use super::trace::{Trace, traced};

/// Calls at which a restore is killed.
const CALLS: &[&str] = &["fsync", "fdatasync", "rename", "pwrite64", "unlink"];

/// Points of each call, spread over all of them.
const POINTS: usize = 6;

/// Copies that a restore has left.
fn left(exchange: &Exchange) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(exchange.folder.path(".tasuki")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.to_string_lossy().contains(".partial-")).collect()
}

/// An exchange with a backup of its first handoff, in `copy.db` and `all`.
fn backed_up() -> Exchange {
    let exchange = Exchange::new();
    exchange.succeed(&words("submit --as ana --to ben --goal Ship --task before"));
    exchange.succeed(&words("backup copy.db"));
    exchange.succeed(&words("backup copies/"));
    let copied = std::fs::read_dir(exchange.folder.path("copies")).unwrap().next().unwrap();
    std::fs::rename(copied.unwrap().path(), exchange.folder.path("all")).unwrap();
    exchange.succeed(&words("submit --as ana --to ben --goal Ship --task after"));
    exchange
}

/// Kills a restore at this call; `None` if it has fewer of them.
fn kill(exchange: &Exchange, line: &str, call: &str, number: usize) -> Option<String> {
    let injection = format!("inject={call}:signal=KILL:when={number}");
    let options = ["-e", &format!("trace={call}"), "-e", &injection];
    let (mut command, _) = traced(exchange, &options, &words(line))?;
    let output = command.output().unwrap();
    (!output.status.success()).then(|| format!("{line}, {call} {number}"))
}

fn count(exchange: &Exchange, line: &str, call: &str) -> usize {
    let options = ["-e", &format!("trace={call}")];
    let Some((mut command, trace)) = traced(exchange, &options, &words(line)) else { return 0 };
    assert!(command.output().unwrap().status.success());
    Trace::read(&std::fs::read_to_string(trace).unwrap()).count(call)
}

fn check_old_or_new(exchange: &Exchange, place: &str) {
    let shown = exchange.folder.shown(&exchange.run("main", "ls --all --json"));
    assert!(shown.starts_with("exit 0\n"), "{place}: {shown}");
    assert!(shown.contains("\"before\""), "{place}: {shown}");
    assert_eq!(left(exchange), Vec::<PathBuf>::new(), "{place}");
    exchange.check_log();
    let is_restored = exchange.events().iter().any(|event| event.word() == "log.restored");
    assert_eq!(shown.contains("\"after\""), !is_restored, "{place}: {shown}");
}

fn check_all_points(line: &str, forget: impl Fn(&Exchange)) {
    let mut killed = 0;
    for call in CALLS {
        let exchange = backed_up();
        forget(&exchange);
        let calls = count(&exchange, line, call);
        for number in (1..=calls).step_by(calls / POINTS + 1) {
            let exchange = backed_up();
            forget(&exchange);
            let Some(place) = kill(&exchange, line, call, number) else { continue };
            killed += 1;
            if exchange.folder.path(".tasuki/exchange.db").exists() || !left(&exchange).is_empty() {
                check_old_or_new_or_empty(&exchange, &place);
            }
            exchange.succeed(&words("restore all --force"));
            check_old_or_new(&exchange, &place);
        }
    }
    assert!(killed > 5 || std::env::var_os("TASUKI_WITHOUT_STRACE").is_some(), "{killed}");
}

/// Without a store before, a restore that did not happen leaves none.
fn check_old_or_new_or_empty(exchange: &Exchange, place: &str) {
    let shown = exchange.folder.shown(&exchange.run("main", "ls --all --json"));
    assert_eq!(left(exchange), Vec::<PathBuf>::new(), "{place}: {shown}");
    if shown.contains("TK-PROJECT-UNKNOWN") {
        let projects = exchange.folder.path(".tasuki/projects");
        assert!(!projects.exists() || is_empty(&projects), "{place}: {shown}");
        return;
    }
    check_old_or_new(exchange, place);
}

fn is_empty(folder: &Path) -> bool {
    std::fs::read_dir(folder).unwrap().next().is_none()
}

#[test]
fn a_killed_restore_of_a_project_has_happened_or_not() {
    check_all_points("restore copy.db --force", |_| {});
}

#[test]
fn a_killed_restore_of_a_whole_store_has_happened_or_not() {
    check_all_points("restore all --force", |_| {});
}

#[test]
fn a_killed_restore_into_an_empty_place_has_happened_or_not() {
    check_all_points("restore all", |exchange| {
        std::fs::remove_dir_all(exchange.folder.path(".tasuki")).unwrap();
    });
}
