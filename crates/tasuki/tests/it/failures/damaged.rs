//! A store that is damaged, gone, in the way or newer than the tool: every command says what is wrong,
//! with a code, and nothing panics or goes on with made-up values.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use super::exchange::{Exchange, words};

/// Reading, checking, writing.
const COMMANDS: &[&str] = &[
    "list",
    "events",
    "log check",
    "submit --as ana --to ben --goal Ship --task new",
    "claim build-1 --as ben --no-drift",
];

/// Bytes of a page of a database.
const PAGE: usize = 8192;

#[test]
fn whatever_happened_to_the_files_is_named() {
    let overwrite = |bytes| move |path: &Path| std::fs::write(path, vec![0x5a; bytes]).unwrap();
    let cut = |length: u64| {
        move |path: &Path| {
            std::fs::File::options().write(true).open(path).unwrap().set_len(length).unwrap();
        }
    };
    check("exit 7", "TK-STORE-CORRUPT", "project", cut(20_000));
    check("exit 7", "TK-STORE-CORRUPT", "project", cut(100));
    check("exit 7", "TK-STORE-CORRUPT", "project", cut(0));
    check("exit 7", "TK-STORE-CORRUPT", "project", overwrite(5));
    check("exit 7", "TK-STORE-CORRUPT", "project", overwrite(3 * PAGE));
    check("exit 7", "TK-STORE-CORRUPT", "project", |path| flip(path, PAGE, usize::MAX));
    check("exit 7", "TK-STORE-CORRUPT", "exchange", overwrite(3 * PAGE));
    check("exit 7", "TK-STORE-NEWER", "project", |path| set_version(path, 99));
    check("exit 7", "TK-STORE-NEWER", "exchange", |path| set_version(path, 99));
    check("exit 7", "is missing: ", "project", |path| std::fs::remove_file(path).unwrap());
    check("exit 5", "TK-PROJECT-UNKNOWN", "exchange", |path| std::fs::remove_file(path).unwrap());
    check("exit 7", "TK-STORE-UNAVAILABLE", "project", |path| {
        std::fs::remove_file(path).unwrap();
        std::fs::create_dir(path).unwrap();
    });
    check("exit 7", "TK-STORE-UNAVAILABLE", "project", |path| {
        let elsewhere = path.with_extension("elsewhere");
        std::fs::rename(path, &elsewhere).unwrap();
        std::os::unix::fs::symlink(elsewhere, path).unwrap();
    });
    check("exit 2", ".tasuki is a file, not a folder", "place", |path| {
        std::fs::remove_dir_all(path).unwrap();
        std::fs::write(path, "").unwrap();
    });
}

/// Damages one file of a new exchange; every command must end with this exit and say this.
fn check(exit: &str, said: &str, file: &str, damage: impl FnOnce(&Path)) {
    let exchange = filled();
    let path = match file {
        "project" => exchange.database(),
        "exchange" => exchange.folder.path(".tasuki/exchange.db"),
        _ => exchange.folder.path(".tasuki"),
    };
    damage(&path);
    for line in COMMANDS {
        let shown = exchange.folder.shown(&exchange.run("main", line));
        let is_named = shown.starts_with(&format!("{exit}\n")) && shown.contains(said);
        assert!(is_named, "{file}, {said}, `{line}`: {shown}");
    }
}

/// An exchange with some handoffs, everything of it in its databases.
fn filled() -> Exchange {
    let exchange = Exchange::new();
    for number in 1..=3 {
        let line = format!("submit --as ana --to ben --goal Ship --task build-{number}");
        exchange.succeed(&words(&line));
    }
    // The last to close it moves the WAL into the database.
    for _ in 0..100 {
        exchange.check_log();
        if !exchange.database().with_extension("db-wal").exists() {
            return exchange;
        }
    }
    panic!("the WAL stays");
}

/// Turns every bit of a part of a file.
fn flip(path: &Path, from: usize, to: usize) {
    let mut bytes = std::fs::read(path).unwrap();
    let to = to.min(bytes.len());
    bytes[from..to].iter_mut().for_each(|byte| *byte = !*byte);
    std::fs::write(path, bytes).unwrap();
}

/// Writes the `user_version` into the header of a database.
fn set_version(path: &Path, version: u32) {
    let mut bytes = std::fs::read(path).unwrap();
    bytes[60..64].copy_from_slice(&version.to_be_bytes());
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn a_damaged_page_is_found_or_does_not_matter_and_never_a_panic() {
    let exchange = filled();
    let path = exchange.database();
    let whole = std::fs::read(&path).unwrap();
    let mut found = 0;
    for page in 0..whole.len() / PAGE {
        flip(&path, page * PAGE, (page + 1) * PAGE);
        let shown = exchange.folder.shown(&exchange.run("main", "log check"));
        let is_clean = shown.starts_with("exit 0\n");
        let is_found = shown.starts_with("exit 1\n") || shown.contains("TK-STORE-CORRUPT");
        assert!(is_clean || is_found, "page {page}: {shown}");
        assert!(!shown.contains("panicked"), "page {page}: {shown}");
        found += usize::from(is_found);
        std::fs::write(&path, &whole).unwrap();
    }
    // Pages of the search index and of nothing yet are not part of the log.
    assert!(found >= 5, "only {found} damaged pages were found");
    exchange.check_log();
}

#[test]
fn a_place_that_may_not_be_written_is_named() {
    let exchange = filled();
    let place = exchange.folder.path(".tasuki");
    let check = |shown: String| {
        let is_named = shown.starts_with("exit 7\n") && shown.contains("[TK-STORE-UNAVAILABLE]");
        assert!(is_named, "{shown}");
    };
    let everybody = std::fs::metadata(&place).unwrap().permissions();
    std::fs::set_permissions(&place, PermissionsExt::from_mode(0o500)).unwrap();
    if std::fs::write(place.join("probe"), "").is_err() {
        for line in COMMANDS {
            check(exchange.folder.shown(&exchange.run("main", line)));
        }
        return std::fs::set_permissions(&place, everybody).unwrap();
    }
    // Modes do not stop root, but a file system that is mounted for reading does.
    std::fs::remove_file(place.join("probe")).unwrap();
    let mount = r#"mount --bind "$PWD" "$PWD" && mount -o remount,bind,ro "$PWD" && cd "$PWD""#;
    let own = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["--mount", "--propagation", "private", "sh", "-c", script]);
        command.current_dir(exchange.folder.path("")).env("TASUKI_SESSION", "main").output()
    };
    if !own(mount).is_ok_and(|output| output.status.success()) {
        return eprintln!("not shown: root that may not mount can write everywhere");
    }
    let tool = exchange.folder.command(&[]).get_program().to_owned();
    for line in COMMANDS {
        let script = format!("{mount} && '{}' {line}", tool.display());
        check(exchange.folder.shown(&own(&script).unwrap()));
    }
}
