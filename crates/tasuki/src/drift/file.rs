//! Compares the files that a packet names: artifacts, inputs, and paths in `context`.
//!
//! A path in a packet is written by another party, so it is restricted:
//!
//! - It must stay in the directory, with links followed, and outside `.git`.
//! - Only a regular file is opened: a pipe would block, a device would never end.
//! - The digest that was found is not reported, because it could tell the author of the packet
//!   about files that it has no access to.

use std::fs::File;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tasuki_packet::{Members, Packet};

use super::check::context_texts;
use super::dirty::DIRTY_FILES;
use super::finding::{Drift, Finding, Outcome, What};
use crate::exit::reason;

/// LIMIT: bytes of a file to hash.
const FILE_BYTES_MAX: u64 = 256 * 1_024 * 1_024;

/// LIMIT: bytes of all files to hash, some seconds of work.
const ALL_BYTES_MAX: u64 = 1_024 * 1_024 * 1_024;

/// The file or folder at a path.
#[derive(Debug, PartialEq, Eq)]
enum FileState {
    File {
        path: PathBuf,
        bytes: u64,
    },
    Folder,
    Missing,
    /// Not checked, for this reason.
    NotChecked(String),
}

/// Compares artifacts, inputs and the paths of the context. The directory must be canonical.
pub(super) fn compare(packet: &Packet, directory: &Path, drift: &mut Drift) {
    let paths = context_texts(packet).filter(|(name, _)| is_name_of_path(name));
    drift.compare_all(paths, |(_, path)| present(What::Path, &path, directory));
    let mut room = ALL_BYTES_MAX;
    let artifacts = packet.list("artifacts").iter().filter_map(Value::as_object);
    drift.compare_all(artifacts, |members| artifact(members, directory, &mut room));
    let inputs = packet.items("inputs").map(|item| item.text).filter(|text| is_like_a_path(text));
    drift.compare_all(inputs, |path| present(What::Input, path, directory));
}

/// Compares the artifacts of a packet with the files of a directory.
pub(crate) fn artifacts(packet: &Packet, directory: &Path) -> Drift {
    let directory = &directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    let mut drift = Drift::default();
    let mut room = ALL_BYTES_MAX;
    let artifacts = packet.list("artifacts").iter().filter_map(Value::as_object);
    drift.compare_all(artifacts, |members| {
        let finding = artifact(members, directory, &mut room);
        // Without even its folder, the file is on another machine or in another work tree.
        let folder = Path::new(&finding.name).parent().map(|inner| directory.join(inner));
        let is_reachable = folder.is_some_and(|folder| folder.is_dir());
        match finding.outcome {
            Outcome::Missing if !is_reachable => finding.not_looked("its folder is not here"),
            _ => finding,
        }
    });
    drift
}

/// Returns `true` if the name of a context member says that it holds a path.
fn is_name_of_path(name: &str) -> bool {
    let last = name.rsplit('_').next().unwrap_or_default();
    let is_path = matches!(
        last,
        "path" | "paths" | "file" | "files" | "dir" | "directory" | "folder" | "folders"
    );
    is_path && name != DIRTY_FILES
}

/// Returns `true` if an input looks like a path: one word with a folder or an extension.
fn is_like_a_path(text: &str) -> bool {
    let is_word = !text.contains(|character: char| {
        character.is_whitespace() || matches!(character, ':' | '*' | '?' | '<' | '>' | '|' | '"')
    });
    let (folder, last) = text.rsplit_once('/').unwrap_or(("", text));
    let has_ending = last.rsplit_once('.').is_some_and(|(_, ending)| {
        matches!(ending.len(), 1..=10)
            && ending.starts_with(|first: char| first.is_ascii_alphabetic())
            && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
    });
    // "and/or" has a folder but no extension, and is not a path.
    let is_clear = last.is_empty() || folder.starts_with('.') || text.starts_with('/');
    is_word && text.len() > 1 && (has_ending || is_clear)
}

/// Checks that a path exists.
fn present(what: What, path: &str, directory: &Path) -> Finding {
    let finding = Finding::new(what, path, "exists");
    match at(directory, path) {
        FileState::File { .. } => finding.same("a file"),
        FileState::Folder => finding.same("a folder"),
        FileState::Missing => finding.missing(),
        FileState::NotChecked(reason) => finding.not_looked(reason),
    }
}

/// Compares the size first, because it is cheap, then the digest, within the limit.
fn artifact(members: &Members, directory: &Path, room: &mut u64) -> Finding {
    let path = members.get("path").and_then(Value::as_str).unwrap_or_default();
    let digest = members.get("digest").and_then(Value::as_str);
    let size = members.get("bytes").and_then(Value::as_u64);
    let finding = Finding::new(What::Artifact, path, expectation(digest, size));
    let (path, bytes) = match at(directory, path) {
        FileState::File { path, bytes } => (path, bytes),
        FileState::Folder => return finding.differs("a folder"),
        FileState::Missing => return finding.missing(),
        FileState::NotChecked(reason) => return finding.not_looked(reason),
    };
    if size.is_some_and(|size| size != bytes) {
        return finding.differs(format!("{bytes} bytes"));
    }
    let Some(digest) = digest else { return finding.same(format!("{bytes} bytes")) };
    if !is_digest(digest) {
        return finding.not_looked("unsupported digest: `sha256:` with 64 hex digits expected");
    }
    match digest_of(&path, bytes, room) {
        Ok(found) if found.eq_ignore_ascii_case(digest) => finding.same("same digest"),
        Ok(found) => Finding { output: Some(found), ..finding.differs("different digest") },
        Err(reason) => finding.not_looked(reason),
    }
}

fn expectation(digest: Option<&str>, size: Option<u64>) -> String {
    match (digest, size) {
        (Some(digest), Some(size)) => format!("{size} bytes, {digest}"),
        (Some(digest), None) => digest.to_owned(),
        (None, Some(size)) => format!("{size} bytes"),
        (None, None) => "exists".to_owned(),
    }
}

fn is_digest(text: &str) -> bool {
    let hex = text.strip_prefix("sha256:").unwrap_or_default();
    hex.len() == 64 && hex.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns the file or folder at a path, without opening it.
fn at(directory: &Path, name: &str) -> FileState {
    let not_checked = |reason: &str| FileState::NotChecked(reason.to_owned());
    if name.is_empty() || name.contains('\0') {
        return not_checked("not a path");
    }
    if name.contains("://") {
        return not_checked("URLs are not fetched");
    }
    let relative = Path::new(name);
    // Includes the forms of other systems, which may have written the packet.
    let has_drive = matches!(name.get(1..3), Some(":\\" | ":/"));
    if relative.has_root() || has_drive || name.starts_with(['\\', '~']) {
        return not_checked("absolute paths are not opened");
    }
    if relative.components().any(|part| part == Component::ParentDir) {
        return not_checked("paths with `..` are not opened");
    }
    let path = match directory.join(relative).canonicalize() {
        Ok(path) => path,
        Err(error) if is_absent(&error) => return FileState::Missing,
        Err(error) => return FileState::NotChecked(reason(&error)),
    };
    let Ok(inner) = path.strip_prefix(directory) else {
        return not_checked("outside the directory");
    };
    if inner.components().any(|part| part.as_os_str().eq_ignore_ascii_case(".git")) {
        return not_checked("files in `.git` are not opened");
    }
    match std::fs::symlink_metadata(&path) {
        Ok(data) if data.is_file() => FileState::File { path, bytes: data.len() },
        Ok(data) if data.is_dir() => FileState::Folder,
        Ok(_) => not_checked("not a regular file"),
        Err(error) => FileState::NotChecked(reason(&error)),
    }
}

fn is_absent(error: &std::io::Error) -> bool {
    use std::io::ErrorKind;
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Returns the digest of a file. The read is bounded again, because the file may have grown.
fn digest_of(path: &Path, bytes: u64, room: &mut u64) -> Result<String, String> {
    if bytes > FILE_BYTES_MAX {
        return Err(format!("too large to read: {bytes} bytes, limit {FILE_BYTES_MAX}"));
    }
    if bytes > *room {
        return Err(format!("limit of {ALL_BYTES_MAX} bytes for all files reached"));
    }
    let failed = |error: std::io::Error| reason(&error);
    let mut file = File::open(path).map_err(failed)?.take(bytes + 1);
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 64 * 1_024];
    let mut count = 0;
    loop {
        let read = file.read(&mut buffer).map_err(failed)?;
        if read == 0 {
            break;
        }
        hasher.update(&buffer[..read]);
        count += read as u64;
    }
    *room = room.saturating_sub(count);
    if count != bytes {
        return Err("the file changed while it was read".to_owned());
    }
    let hex =
        hasher.finalize().iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    Ok(format!("sha256:{hex}"))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::process::Command;

    use serde_json::json;

    use super::*;
    use crate::drift::samples::TestRepository;

    const HELLO: &str = "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

    fn check(repo: &TestRepository, artifact: &Value, expected: &str) {
        let path = artifact["path"].as_str().unwrap().to_owned();
        let line = &repo.lines(json!({"artifacts": [artifact]}))[0];
        assert_eq!(line.replacen(&format!(" artifact {path}"), "", 1), expected);
    }

    #[test]
    fn an_artifact_is_the_same_if_size_and_digest_match() {
        let repo = TestRepository::new().with("out/a.txt", "hello").with("b.txt", "jello");
        let a = "out/a.txt";
        let upper = HELLO.to_uppercase().replace("SHA256", "sha256");
        for (artifact, expected) in [
            (json!({"path": a, "digest": HELLO, "bytes": 5}), "same: same digest"),
            (json!({"path": "./out//a.txt", "digest": upper}), "same: same digest"),
            (json!({"path": a, "bytes": 5}), "same: 5 bytes"),
            (json!({"path": a}), "same: 5 bytes"),
            (json!({"path": a, "digest": HELLO, "bytes": 6}), "differs: 5 bytes"),
            (json!({"path": "b.txt", "digest": HELLO, "bytes": 5}), "differs: different digest"),
            (json!({"path": "out", "digest": HELLO}), "differs: a folder"),
            (json!({"path": "gone.txt", "digest": HELLO}), "missing"),
            (json!({"path": "b.txt/below", "digest": HELLO}), "missing"),
            (
                json!({"path": a, "digest": "md5:5d41402abc4b2a76b9719d911017c592"}),
                "not_looked: unsupported digest: `sha256:` with 64 hex digits expected",
            ),
        ] {
            check(&repo, &artifact, expected);
        }
    }

    #[test]
    fn no_path_leads_out_of_the_directory() {
        let outside = TestRepository::new().with("secret", "hello");
        let repo = TestRepository::new().with(".git/config", "hello").with("a", "hello");
        symlink(outside.path("secret"), repo.path("link")).unwrap();
        symlink(outside.path(""), repo.path("folder")).unwrap();
        symlink(repo.path(".git"), repo.path("inner")).unwrap();
        symlink(repo.path("loop"), repo.path("loop")).unwrap();
        symlink("a", repo.path("good")).unwrap();
        let absolute = outside.path("secret").display().to_string();
        for (path, expected) in [
            (absolute.as_str(), "not_looked: absolute paths are not opened"),
            ("C:\\secret", "not_looked: absolute paths are not opened"),
            ("~/secret", "not_looked: absolute paths are not opened"),
            ("../secret", "not_looked: paths with `..` are not opened"),
            ("a/../../secret", "not_looked: paths with `..` are not opened"),
            ("link", "not_looked: outside the directory"),
            ("folder/secret", "not_looked: outside the directory"),
            (".git/config", "not_looked: files in `.git` are not opened"),
            ("inner/config", "not_looked: files in `.git` are not opened"),
            ("https://example.com/a", "not_looked: URLs are not fetched"),
            ("a\0b", "not_looked: not a path"),
            ("", "not_looked: not a path"),
            ("é", "missing"),
            ("good", "same: same digest"),
        ] {
            check(&repo, &json!({"path": path, "digest": HELLO}), expected);
        }
        let outcome = &repo.drift(json!({"artifacts": [{"path": "loop"}]})).findings[0].outcome;
        assert_eq!(outcome.as_str(), "not_looked");
        let long = "x".repeat(10_000);
        let outcome = &repo.drift(json!({"artifacts": [{"path": long}]})).findings[0].outcome;
        assert_eq!(outcome.as_str(), "not_looked");
    }

    #[test]
    fn files_that_would_block_or_never_end_are_not_opened() {
        let repo = TestRepository::new();
        let status = Command::new("mkfifo").arg(repo.path("fifo")).status().unwrap();
        assert!(status.success());
        let huge = File::create(repo.path("huge")).unwrap();
        huge.set_len(FILE_BYTES_MAX + 1).unwrap();
        symlink("/dev/zero", repo.path("zero")).unwrap();
        for (path, expected) in [
            ("fifo", "not_looked: not a regular file"),
            ("zero", "not_looked: outside the directory"),
            ("huge", "not_looked: too large to read: 268435457 bytes, limit 268435456"),
        ] {
            check(&repo, &json!({"path": path, "digest": HELLO}), expected);
        }
        assert_eq!(
            at(Path::new("/dev"), "zero"),
            FileState::NotChecked("not a regular file".to_owned())
        );
    }

    #[test]
    fn all_files_together_are_bounded_too() {
        let repo = TestRepository::new().with("a", "hello");
        let mut room = 8;
        let path = repo.path("a");
        assert_eq!(digest_of(&path, 5, &mut room), Ok(HELLO.to_owned()));
        assert_eq!(room, 3);
        assert!(digest_of(&path, 5, &mut room).is_err());
        assert_eq!(
            digest_of(&path, 4, &mut 9),
            Err("the file changed while it was read".to_owned())
        );
    }

    #[test]
    fn the_number_of_compared_artifacts_is_limited() {
        let artifact = json!({"path": "a", "digest": HELLO});
        let drift = TestRepository::new().with("a", "hello").drift(json!({
            "artifacts": vec![artifact; 10_000], "inputs": vec!["./a"; 10_000],
        }));
        assert_eq!((drift.findings.len(), drift.left_out), (400, 19_600));
    }

    #[test]
    fn inputs_that_are_words_are_not_paths() {
        for text in ["schemas/packet.schema.json", "plan.md", "./Makefile", "src/", "/etc/hosts"] {
            assert!(is_like_a_path(text), "{text}");
        }
        for text in [
            "the design",
            "and/or",
            "n/a",
            "commit:9f2c1e0",
            "https://a.org/x.md",
            "v1.2",
            "src/*.rs",
        ] {
            assert!(!is_like_a_path(text), "{text}");
        }
        let repo = TestRepository::new().with("plan.md", "").with("src/lib.rs", "");
        let inputs = ["plan.md", "src/", "gone.md", "The design", "../plan.md"];
        assert_eq!(
            repo.lines(json!({"inputs": inputs})),
            [
                "same input plan.md: a file",
                "same input src/: a folder",
                "missing input gone.md",
                "not_looked input ../plan.md: paths with `..` are not opened",
            ]
        );
    }

    #[test]
    fn paths_of_the_context_are_known_by_their_names() {
        let repo = TestRepository::new().with("config/sass.json", "").with("a", "");
        let context = json!({
            "config_file": "config/sass.json", "changed_files": ["a", "b"], "root_dir": "/srv/x",
            "profile": "a", "path": "c",
        });
        assert_eq!(
            repo.lines(json!({"context": context})),
            [
                "same path config/sass.json: a file",
                "same path a: a file",
                "missing path b",
                "not_looked path /srv/x: absolute paths are not opened",
                "missing path c",
            ]
        );
    }
}
