//! Files: their permissions, their location, and when they are open.

use std::time::{Duration, Instant};

use tasuki_engine::error::FaultKind;
use tasuki_engine::model::StateWord;
use tasuki_engine::ports::{AccountStore as _, Store as _};
use tasuki_store::{Options, SqliteStore};
use tasuki_testkit::samples;

use crate::fixture::{Folder, commit, now, open, with_project};

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_a_store() {
    use std::os::unix::fs::PermissionsExt as _;

    let outer = Folder::new();
    let inner = outer.path().join("a/.tasuki");
    let store = open(&inner);
    let log = samples::Log::new(samples::project("default"));
    assert_eq!(now(store.create(log.head.clone(), "default".to_owned())), Ok(true));
    drop(now(store.open(log.head.project)).unwrap());

    let mut seen = 0;
    let mut folders = vec![inner];
    while let Some(folder) = folders.pop() {
        let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder), 0o700, "{}", folder.display());
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                assert_eq!(mode(&path), 0o600, "{}", path.display());
                seen += 1;
            }
        }
    }
    assert!(seen >= 4, "two databases and their WAL");
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_store_is_not_followed() {
    use std::os::unix::fs::symlink;

    let check = |target: fn(&Folder) -> std::path::PathBuf| {
        let (store, log, folder) = with_project();
        drop(store);
        let outside = Folder::new();
        let (inside, moved) = (target(&folder), outside.path().join("moved"));
        std::fs::rename(&inside, &moved).unwrap();
        symlink(&moved, &inside).unwrap();

        let asked = SqliteStore::open(folder.path(), Options::default())
            .and_then(|store| now(store.open(log.head.project)).map(drop));
        let fault = asked.unwrap_err();
        assert_eq!(fault.kind, FaultKind::StoreUnavailable, "{fault}");
    };
    check(Folder::database);
    check(|folder| folder.database().parent().unwrap().to_owned());
    check(|folder| folder.path().join("projects"));
    check(|folder| folder.path().join("exchange.db"));
}

#[cfg(unix)]
#[test]
fn the_store_itself_may_be_behind_a_link() {
    let (store, log, folder) = with_project();
    drop(store);
    let elsewhere = Folder::new();
    let link = elsewhere.path().join("link");
    std::os::unix::fs::symlink(folder.path(), &link).unwrap();

    assert!(now(open(&link).head(log.head.project)).unwrap().is_some());
}

#[test]
fn an_unused_project_is_closed_after_a_minute() {
    let (store, mut log, folder) = with_project();
    let wal = folder.database().with_file_name("project.db-wal");
    let start = Instant::now();
    let later = |seconds| start + Duration::from_secs(seconds);
    let written = log.submitted(samples::handoff(StateWord::Offered));
    commit(&store, &log, written).unwrap();
    let version = store.data_version(log.head.project).unwrap();

    store.close_idle(later(0));
    store.close_idle(later(59));
    assert!(wal.exists());
    now(store.head(log.head.project)).unwrap();
    store.close_idle(later(61));
    store.close_idle(later(120));
    assert!(wal.exists(), "it was used meanwhile");
    let open_one = now(store.open(log.head.project)).unwrap();
    store.close_idle(later(300));
    store.close_idle(later(400));
    assert!(wal.exists(), "a transaction is open");
    drop(open_one);
    store.close_idle(later(401));
    store.close_idle(later(461));
    assert!(!wal.exists(), "closing the last connection checkpoints the WAL");

    assert_eq!(now(store.head(log.head.project)).unwrap().unwrap().leaves, 1);
    assert_ne!(store.data_version(log.head.project).unwrap(), version);
}

#[test]
fn people_have_one_password_each() {
    let (store, _log, folder) = with_project();
    assert_eq!(now(store.person("ana".to_owned())), Ok(None));
    now(store.set_person("ana".to_owned(), "$argon2id$1".to_owned())).unwrap();
    now(store.set_person("ben".to_owned(), "$argon2id$2".to_owned())).unwrap();
    now(store.set_person("ana".to_owned(), "$argon2id$3".to_owned())).unwrap();
    drop(store);

    let store = open(folder.path());
    assert_eq!(now(store.person("ana".to_owned())), Ok(Some("$argon2id$3".to_owned())));
    assert_eq!(now(store.person("ben".to_owned())), Ok(Some("$argon2id$2".to_owned())));
}
