//! The state of the work tree that a command runs in, for the document beside the packet.

use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use tasuki_api::handoff::{FILES_MAX, TEXT_CHARACTERS_MAX};
use tasuki_api::{FileState, WorkTree, WorkTreeFile};
use tasuki_packet::canonical::digest_of_bytes;

use super::command::Git;
use super::head::Repository;
use super::leave_out::has_secret_name;
use super::paths::{to_path, to_text};
use super::remote_address::without_user;
use super::status::{Entry, EntryKind, status};

/// The time that git gets. A command of the caller waits for it.
const TIMEOUT: Duration = Duration::from_secs(2);

/// LIMIT: bytes of a file whose digest is stated.
const DIGEST_BYTES_MAX: u64 = 1_024 * 1_024;

/// The length of a short hash.
const HASH_DIGITS: usize = 16;

/// Returns the facts about the work tree around a directory, or `None` outside of a repository.
pub(crate) fn facts(directory: &Path) -> Option<WorkTree> {
    facts_within(directory, TIMEOUT)
}

/// Returns the facts about the work tree that this command runs in.
pub(crate) fn here() -> Option<WorkTree> {
    facts(Path::new("."))
}

fn facts_within(directory: &Path, limit: Duration) -> Option<WorkTree> {
    let repository = Repository::around(&directory.canonicalize().ok()?)?;
    let mut tree = WorkTree { id: id(&repository.root), ..WorkTree::default() };
    if let Ok(head) = repository.head() {
        tree.branch = head.branch.map(bounded);
        tree.commit = head.commit;
    }
    if let Err(reason) = look(&repository, limit, &mut tree) {
        tree.not_looked = Some(bounded(reason));
    }
    Some(tree)
}

/// Returns the id of a work tree: of its folder, on this machine. The folder itself stays private.
pub(crate) fn id(root: &Path) -> String {
    let mut named = b"tasuki work tree".to_vec();
    for file in ["/etc/machine-id", "/proc/sys/kernel/hostname"] {
        named.push(0);
        named.extend(std::fs::read(file).unwrap_or_default());
    }
    named.push(0);
    named.extend(root.as_os_str().as_encoded_bytes());
    short_hash(&named)
}

/// Returns the first 16 hex digits of the SHA-256 of some bytes.
pub(super) fn short_hash(bytes: &[u8]) -> String {
    let digest = digest_of_bytes(bytes);
    let digits = digest.trim_start_matches("sha256:");
    digits.get(..HASH_DIGITS).unwrap_or(digits).to_owned()
}

fn look(repository: &Repository, limit: Duration, tree: &mut WorkTree) -> Result<(), String> {
    let git = Git::open(repository, limit)?;
    let entries = status(&git, None)?;
    tree.count = u32::try_from(entries.len()).unwrap_or(u32::MAX);
    let mut files: Vec<WorkTreeFile> =
        entries.iter().take(FILES_MAX).map(|entry| file(&repository.root, entry)).collect();
    files.sort_by(|one, other| one.path.cmp(&other.path));
    tree.files = files;
    let remote = git.call("config").args(["--get", "remote.origin.url"]).answer()?;
    let remote = without_user(String::from_utf8_lossy(&remote.output).trim());
    tree.remote = (!remote.is_empty()).then(|| bounded(remote));
    Ok(())
}

fn file(root: &Path, entry: &Entry) -> WorkTreeFile {
    let state = match &entry.kind {
        EntryKind::Untracked => FileState::Untracked,
        EntryKind::Conflicted => FileState::Conflicted,
        EntryKind::Tracked(one) if one.changed == b'D' || one.staged == b'D' => FileState::Deleted,
        EntryKind::Tracked(one) if one.staged == b'A' => FileState::Added,
        EntryKind::Tracked(_) => FileState::Modified,
    };
    let digest = if has_secret_name(&entry.path, false) {
        // The digest of a short secret would be easy to guess from.
        None
    } else {
        digest(&root.join(to_path(&entry.path)))
    };
    WorkTreeFile { path: bounded(to_text(&entry.path)), state, digest }
}

/// Returns the digest of a small regular file, or of the target of a link.
pub(super) fn digest(path: &Path) -> Option<String> {
    let metadata = path.symlink_metadata().ok()?;
    let mut content = Vec::new();
    if metadata.is_symlink() {
        content.extend(std::fs::read_link(path).ok()?.as_os_str().as_encoded_bytes());
    } else if metadata.is_file() && metadata.len() <= DIGEST_BYTES_MAX {
        std::fs::File::open(path).ok()?.take(DIGEST_BYTES_MAX).read_to_end(&mut content).ok()?;
    } else {
        return None;
    }
    Some(digest_of_bytes(&content))
}

fn bounded(text: String) -> String {
    if text.len() <= TEXT_CHARACTERS_MAX {
        return text;
    }
    text.chars().take(TEXT_CHARACTERS_MAX).collect()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::drift::samples::TestRepository;

    fn described(repository: &TestRepository) -> Vec<String> {
        let tree = facts(&repository.path("")).unwrap();
        assert_eq!(tree.not_looked, None);
        let line = |file: &WorkTreeFile| {
            let digest = if file.digest.is_some() { "digest" } else { "none" };
            format!("{} {} {digest}", file.path, file.state.as_str())
        };
        tree.files.iter().map(line).collect()
    }

    #[test]
    fn facts_name_every_uncommitted_file() {
        let repository = TestRepository::new().with("a", "1").with("b", "2").with("c", "3");
        let repository = repository.committed();
        assert_eq!(described(&repository), Vec::<String>::new());
        let repository =
            repository.with("a", "4").with("n/e/w", "").with(".env", "X=1").with(".tasuki/db", "");
        std::fs::remove_file(repository.path("b")).unwrap();
        repository.git(&["add", "n"]);
        assert_eq!(
            described(&repository),
            [".env untracked none", "a modified digest", "b deleted none", "n/e/w added digest"]
        );
        let tree = facts(&repository.path("n/e")).unwrap();
        assert_eq!(tree.branch.as_deref(), Some("main"));
        assert_eq!(tree.commit.unwrap(), repository.git(&["rev-parse", "HEAD"]));
        assert_eq!((tree.count, tree.remote), (4, None));
    }

    #[test]
    fn facts_have_at_most_200_files_and_count_the_rest() {
        let names: Vec<String> = (0..250).map(|number| format!("f{number}")).collect();
        let repository = names
            .iter()
            .fold(TestRepository::new().committed(), |repository, name| repository.with(name, ""));
        let tree = facts(&repository.path("")).unwrap();
        assert_eq!((tree.files.len(), tree.count), (200, 250));
    }

    #[test]
    fn a_remote_is_stated_without_its_user() {
        let repository = TestRepository::new().committed();
        repository.git(&["remote", "add", "origin", "https://ana:pw@git.example/repo"]);
        let tree = facts(&repository.path("")).unwrap();
        assert_eq!(tree.remote.as_deref(), Some("https://git.example/repo"));
    }

    #[test]
    fn git_that_takes_too_long_is_not_waited_for() {
        let repository = TestRepository::new().with("a", "1").committed();
        let tree = facts_within(&repository.path(""), Duration::ZERO).unwrap();
        assert_eq!(tree.branch.as_deref(), Some("main"));
        let reason = tree.not_looked.unwrap();
        assert!(reason.ends_with(" did not finish in time"), "{reason}");
    }

    #[test]
    fn a_work_tree_has_one_id_and_another_one_has_another() {
        let repository = TestRepository::new().committed();
        let other = TestRepository::new().committed();
        let id_of = |path: &Path| facts(path).unwrap().id;
        assert_eq!(id_of(&repository.path("")), id_of(&repository.path("")));
        assert_ne!(id_of(&repository.path("")), id_of(&other.path("")));
        assert_eq!(facts(Path::new("/proc")), None);
    }
}
