//! A store that was left behind by a crash, on a disk without free space: it can be read, a write
//! is refused by name, and everything works again when space is back.

use super::exchange::{Exchange, words};
use super::mounts::{SMALL_DISK, own_mounts, script};
use crate::support::folder::Folder;

const READS: &[&str] =
    &["list --json", "show build-1", "status", "log check", "events", "search Ship", "list --json"];

/// The files that a crash left behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Image {
    /// The last commits are in the WAL. Its index is shared memory, which a copy often omits.
    Wal,
    /// The index was copied too.
    WalAndIndex,
    /// The space ends between the database that all projects share and that of the project.
    WalOfProject,
    /// Everything is in the databases.
    Databases,
}

/// Writes the files of a store that is in use to `image` below a folder.
fn crashed(image: Image) -> Folder {
    let exchange = Exchange::new();
    exchange.succeed(&words("submit --as ana --to ben --goal Ship --task build-1"));
    let open = || {
        let directory = exchange.folder.path(".tasuki");
        let store =
            tasuki_store::SqliteStore::open(&directory, tasuki_store::Options::default()).unwrap();
        let project = exchange.database();
        let id = project.parent().unwrap().file_name().unwrap().to_str().unwrap();
        store.data_version(id.parse().unwrap()).unwrap();
        store
    };
    // While a connection is open, nothing moves the WAL into the database.
    let store = open();
    for number in 2..=3 {
        let line = format!("submit --as ana --to ben --goal Ship --task build-{number}");
        exchange.succeed(&words(&line));
    }
    if image == Image::Databases {
        drop(store);
        exchange.check_log();
        return copied(&exchange, image);
    }
    let copy = copied(&exchange, image);
    drop(store);
    copy
}

fn copied(exchange: &Exchange, image: Image) -> Folder {
    let folder = Folder::outside_repository();
    std::fs::create_dir(folder.path("small")).unwrap();
    let copied = std::process::Command::new("cp")
        .args(["-a", "."])
        .arg(folder.path("image"))
        .current_dir(exchange.folder.path(""))
        .status();
    assert!(copied.unwrap().success());
    let below = exchange.database().strip_prefix(exchange.folder.path("")).unwrap().to_owned();
    let project = folder.path("image").join(below);
    let all = folder.path("image/.tasuki/exchange.db");
    let has_wal = project.with_extension("db-wal").metadata().is_ok_and(|file| file.len() > 0);
    assert_eq!(has_wal, image != Image::Databases);
    let without_index: &[_] = match image {
        Image::Wal => &[all, project],
        Image::WalOfProject => &[project],
        Image::WalAndIndex | Image::Databases => &[],
    };
    for database in without_index {
        std::fs::remove_file(database.with_extension("db-shm")).unwrap();
    }
    folder
}

/// Runs every read while the disk is full, a write, and the write again with space.
const SCRIPT: &str = r#"
cp -a image/. small/ && cd small && mkdir .git && touch .git/HEAD || exit 89
cat /dev/zero > zeros 2>/dev/null
while read -r line; do
  echo "--- $line"
  "$tool" $line || exit 90
done <<READS
$READS
READS
echo "--- submit"
"$tool" submit --as ana --to ben --goal Ship --task during
echo "ended with $?"
rm zeros
echo "--- space"
"$tool" submit --as ana --to ben --goal Ship --task during || exit 91
"$tool" log check || exit 92
"#;

fn check(image: Image) {
    let folder = crashed(image);
    let Some(program) = own_mounts(&folder, SMALL_DISK) else { return };
    let mut command = script(&folder, program, &format!("{SMALL_DISK} || exit 88\n{SCRIPT}"));
    let output = command.env("READS", READS.join("\n")).output().unwrap();
    let shown = folder.shown(&output);
    assert!(output.status.success(), "{image:?}: {shown}");
    let parts: Vec<&str> = shown.split("--- ").collect();
    for list in parts.iter().filter(|part| part.starts_with("list")) {
        assert_eq!(list.matches("\"task\":\"build-").count(), 3, "{image:?}: {list}");
    }
    // A WAL with an index may have room for one more commit.
    if image != Image::WalAndIndex {
        assert!(shown.contains("ended with 7\n"), "{image:?}: {shown}");
        assert!(shown.contains("[TK-STORE-FULL]"), "{shown}");
    }
    assert!(shown.contains("The log is intact"), "{image:?}: {shown}");
}

#[test]
fn a_crash_image_without_an_index_can_be_read() {
    check(Image::Wal);
}

#[test]
fn a_crash_image_with_its_index_can_be_read() {
    check(Image::WalAndIndex);
}

#[test]
fn a_crash_image_can_be_read_if_space_ends_between_its_databases() {
    check(Image::WalOfProject);
}

#[test]
fn a_closed_store_can_be_read() {
    check(Image::Databases);
}
