//! A random work tree survives snapshot, bundle, another clone and restore.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;

use super::bundle;
use super::command::Git;
use super::head::Repository;
use super::restore::Restore;
use super::snapshot::{Cause, Limits, Outcome, Request, Snapshot, newest, take};
use crate::drift::samples::TestRepository;

const LIMITS: Limits = Limits { file_bytes_max: 1_000, keep: 3 };
const TASK: &str = "build-42";

/// A generator of numbers, the same for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// The repository of one test and git for it.
struct Tree {
    files: TestRepository,
    place: &'static str,
}

impl Tree {
    fn path(&self, name: &str) -> std::path::PathBuf {
        self.files.path(self.place).join(name)
    }

    fn repository(&self) -> Repository {
        Repository::around(&self.path("").canonicalize().unwrap()).unwrap()
    }

    fn git(&self) -> Git {
        Git::open(&self.repository(), Duration::from_mins(1)).unwrap()
    }

    fn run(&self, arguments: &[&str]) -> String {
        let options = ["-c", "protocol.file.allow=always", "-C", self.place];
        self.files.git(&[&options, arguments].concat())
    }

    fn write(&self, name: &str, content: &str) {
        std::fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        std::fs::write(self.path(name), content).unwrap();
    }

    fn take(&self) -> Outcome {
        take(&self.repository(), &self.git(), &request("coder"), LIMITS).unwrap()
    }

    fn newest(&self) -> Snapshot {
        newest(&self.git(), TASK).unwrap().unwrap()
    }

    fn restore(&self, snapshot: &Snapshot) -> Result<String, String> {
        let git = self.git();
        let restore =
            Restore::prepare(&self.repository(), &git, snapshot, &request("other"), LIMITS)?;
        let undo = restore.undo_reference().to_owned();
        restore.apply()?;
        Ok(undo)
    }
}

fn request(party: &str) -> Request {
    let (task, party) = (TASK.to_owned(), party.to_owned());
    Request { task, party, cause: Cause::Checkpoint, now: Timestamp::now() }
}

/// Builds a repository with files of every kind, committed, and a clone of it.
fn begin() -> (Tree, Tree) {
    let files = TestRepository::new().with("lib/x.txt", "x");
    files.git(&["init", "--quiet", "--initial-branch=main", "lib"]);
    files.git(&["-C", "lib", "add", "--all"]);
    files.git(&["-C", "lib", "commit", "--quiet", "--message", "x"]);
    files.git(&["init", "--quiet", "--initial-branch=main", "main"]);
    let tree = Tree { files, place: "main" };
    for number in 0..12 {
        tree.write(&format!("dir{}/file {number}.txt", number % 3), &format!("{number}\n"));
    }
    tree.write("ünï\tcode", "u\n");
    tree.write("run.sh", "#!/bin/sh\n");
    std::fs::set_permissions(tree.path("run.sh"), std::fs::Permissions::from_mode(0o755)).unwrap();
    symlink("run.sh", tree.path("link")).unwrap();
    tree.write(".gitignore", "*.log\nbuild/\n");
    tree.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
    let oid = "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393";
    tree.write(
        "big.bin",
        &format!("version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize 12345\n"),
    );
    tree.run(&["submodule", "--quiet", "add", "../lib", "sub"]);
    tree.run(&["add", "--all"]);
    tree.run(&["commit", "--quiet", "--message", "begin"]);
    let files = TestRepository::new();
    let from = tree.path("").display().to_string();
    files.git(&["clone", "--quiet", &from, "side"]);
    (tree, Tree { files, place: "side" })
}

/// Changes files, stages some of them, and leaves what must not travel.
fn change(tree: &Tree, random: &mut Random) {
    for step in 0..20 {
        let name = format!("dir{}/file {}.txt", random.below(3), random.below(12));
        let path = tree.path(&name);
        match random.below(9) {
            0 | 1 => tree.write(&name, &format!("changed {step}\n")),
            2 => drop(std::fs::remove_file(&path)),
            3 => tree.write(&format!("new/{step} of it"), "new\n"),
            4 if path.exists() => {
                std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
            }
            5 if path.exists() => {
                std::fs::remove_file(&path).unwrap();
                symlink(format!("target {step}"), &path).unwrap();
            }
            6 if path.exists() => {
                tree.write(&format!("staged{step}"), "first\n");
                tree.run(&["add", &format!("staged{step}"), &name]);
                tree.write(&format!("staged{step}"), "second\n");
            }
            7 if path.exists() => {
                tree.run(&["rm", "--quiet", "--cached", "--force", "--ignore-unmatch", &name]);
            }
            _ => tree.write("big.bin", &format!("version {step}\n")),
        }
    }
    tree.write("out.log", "ignored\n");
    tree.write("build/out", "ignored\n");
    tree.write(".env", "PASSWORD=x\n");
    tree.write("staged.key", "secret\n");
    tree.run(&["add", "staged.key"]);
    tree.write("large.txt", &"x".repeat(2_000));
    tree.write("token.txt", &format!("{}{}\n", "ghp_", "R7xQ2mZ9bLw4Kc8Vt1Ny6Ps3Hd5Gf0JaWkXo"));
    tree.write("sub/x.txt", &format!("dirty {}\n", random.below(9)));
    tree.files.git(&["init", "--quiet", &format!("{}/nested", tree.place)]);
    tree.write("nested/a", "a\n");
    tree.write(".tasuki/db", "data\n");
}

/// The paths that no snapshot has.
const LEFT_OUT: &[&str] = &[".env", "large.txt", "nested/", "staged.key", "sub", "token.txt"];

/// The files of a work tree: their content, mode and links, without what is left out or ignored.
fn files(tree: &Tree) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    collect(&tree.path(""), "", &mut found);
    found
}

fn collect(folder: &Path, prefix: &str, found: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let (path, name) = {
            let entry = entry.unwrap();
            (entry.path(), format!("{prefix}{}", entry.file_name().to_str().unwrap()))
        };
        let is_left_out = LEFT_OUT.iter().any(|one| one.trim_end_matches('/') == name);
        if is_left_out || matches!(name.as_str(), ".git" | ".tasuki" | "out.log" | "build") {
            continue;
        }
        let metadata = path.symlink_metadata().unwrap();
        if metadata.is_dir() {
            collect(&path, &format!("{name}/"), found);
        } else if metadata.is_symlink() {
            found.insert(name, format!("link {:?}", std::fs::read_link(&path).unwrap()));
        } else {
            let is_program = metadata.permissions().mode() & 0o100 != 0;
            let content = std::fs::read_to_string(&path).unwrap();
            found.insert(name, format!("{is_program} {content:?}"));
        }
    }
}

/// The entries of the index, and what git says about the work tree, without what is left out.
fn index_and_status(tree: &Tree) -> Vec<String> {
    let listed = tree.run(&["ls-files", "--stage"]);
    let status = tree.run(&["status", "--porcelain", "--untracked-files=all"]);
    let is_left_out =
        |line: &&str| LEFT_OUT.iter().chain(&[".tasuki/db"]).any(|name| line.ends_with(name));
    let lines = listed.lines().chain(status.lines()).filter(|line| !is_left_out(line));
    lines.map(str::to_owned).collect()
}

#[test]
fn a_random_work_tree_survives_snapshot_bundle_clone_and_restore() {
    for seed in 0..3 {
        let (source, target) = begin();
        change(&source, &mut Random(seed));
        let index = std::fs::read(source.path(".git/index")).unwrap();
        let before = (source.run(&["rev-parse", "HEAD"]), files(&source));
        assert!(matches!(source.take(), Outcome::Taken));
        // The source is as it was, byte for byte.
        assert_eq!(std::fs::read(source.path(".git/index")).unwrap(), index, "seed {seed}");
        assert_eq!((source.run(&["rev-parse", "HEAD"]), files(&source)), before, "seed {seed}");
        assert!(matches!(source.take(), Outcome::Unchanged), "seed {seed}");
        let snapshot = source.newest();
        let mut left_out: Vec<&str> =
            snapshot.meta.left_out.iter().map(|one| one.path.as_str()).collect();
        left_out.sort_unstable();
        assert_eq!(left_out, LEFT_OUT, "seed {seed}");

        let bytes = bundle::create(&source.git(), &snapshot).unwrap();
        target.write("stray file", "stray\n");
        target.write(".env", "MINE=1\n");
        let was = files(&target);
        let received = bundle::receive(&target.repository(), &target.git(), &bytes, TASK).unwrap();
        let undo =
            target.restore(&received).unwrap_or_else(|reason| panic!("seed {seed}: {reason}"));
        assert_eq!(files(&target), files(&source), "seed {seed}");
        assert_eq!(index_and_status(&target), index_and_status(&source), "seed {seed}");
        assert_eq!(std::fs::read_to_string(target.path(".env")).unwrap(), "MINE=1\n");
        // The undo brings back what was there.
        let undo = super::snapshot::at_reference(&target.git(), &undo).unwrap().unwrap();
        target.restore(&undo).unwrap_or_else(|reason| panic!("seed {seed}: {reason}"));
        assert_eq!(files(&target), was, "seed {seed}");
    }
}
