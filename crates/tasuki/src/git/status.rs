//! The entries of `git status`, format 2.

use super::command::Git;
use super::paths::is_own_data;

/// A file that differs between commit, index and work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) path: Vec<u8>,
    pub(super) kind: EntryKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum EntryKind {
    /// Git does not track it. A path that ends in `/` is a nested repository.
    Untracked,
    /// A merge left a conflict in the index.
    Conflicted,
    /// A tracked file.
    Tracked(Tracked),
}

/// The versions of a tracked file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tracked {
    /// The difference between commit and index, `.` for none.
    pub(super) staged: u8,
    /// The difference between index and work tree, `.` for none.
    pub(super) changed: u8,
    /// `true` for a submodule.
    pub(super) is_submodule: bool,
    /// `true` for a submodule with uncommitted content, which a commit id does not carry.
    pub(super) is_dirty_submodule: bool,
    /// The mode and the object id in the commit.
    pub(super) committed: (String, String),
    /// The object id in the index.
    pub(super) indexed: String,
}

/// Returns every file with uncommitted changes, as of an index.
pub(super) fn status(git: &Git, index: Option<&std::path::Path>) -> Result<Vec<Entry>, String> {
    let call = git.call("status").args([
        "--porcelain=v2",
        "-z",
        "--untracked-files=all",
        "--no-renames",
        "--ignore-submodules=none",
    ]);
    let call = match index {
        Some(index) => call.index(index),
        None => call,
    };
    let output = call.run()?;
    let entries = output.split(|byte| *byte == 0).filter_map(entry);
    Ok(entries.filter(|entry| !is_own_data(&entry.path)).collect())
}

/// Parses one entry. The path is last and may contain blanks.
fn entry(bytes: &[u8]) -> Option<Entry> {
    let fields = |count: usize| -> Option<Vec<&[u8]>> {
        let fields: Vec<&[u8]> = bytes.splitn(count, |byte| *byte == b' ').collect();
        (fields.len() == count).then_some(fields)
    };
    let text = |field: &[u8]| String::from_utf8_lossy(field).into_owned();
    let (path, kind) = match bytes.first()? {
        b'?' => (fields(2)?[1], EntryKind::Untracked),
        b'u' => (fields(11)?[10], EntryKind::Conflicted),
        b'1' => {
            let fields = fields(9)?;
            let (&[staged, changed], submodule) = (fields[1].first_chunk()?, fields[2]);
            let tracked = Tracked {
                staged,
                changed,
                is_submodule: submodule.first() == Some(&b'S'),
                is_dirty_submodule: submodule
                    .iter()
                    .skip(2)
                    .any(|flag| matches!(flag, b'M' | b'U')),
                committed: (text(fields[3]), text(fields[6])),
                indexed: text(fields[7]),
            };
            (fields[8], EntryKind::Tracked(tracked))
        }
        _ => return None,
    };
    Some(Entry { path: path.to_vec(), kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_every_kind_are_parsed() {
        let zero = "0".repeat(40);
        let one = format!("1 .M N... 100644 100644 100755 {zero} {zero} a b");
        let Entry { path, kind: EntryKind::Tracked(tracked) } = entry(one.as_bytes()).unwrap()
        else {
            panic!("not tracked");
        };
        assert_eq!((path.as_slice(), tracked.staged, tracked.changed), (&b"a b"[..], b'.', b'M'));
        let module = format!("1 .M S.MU 160000 160000 160000 {zero} {zero} sub");
        let Some(Entry { kind: EntryKind::Tracked(module), .. }) = entry(module.as_bytes()) else {
            panic!("not tracked");
        };
        assert!(module.is_submodule && module.is_dirty_submodule);
        let commit = format!("1 .M SC.. 160000 160000 160000 {zero} {zero} sub");
        let Some(Entry { kind: EntryKind::Tracked(commit), .. }) = entry(commit.as_bytes()) else {
            panic!("not tracked");
        };
        assert!(commit.is_submodule && !commit.is_dirty_submodule);
        let conflict = format!("u UU N... 1 2 3 4 {zero} {zero} {zero} c");
        assert_eq!(entry(conflict.as_bytes()).unwrap().kind, EntryKind::Conflicted);
        assert_eq!(entry(b"? new file").unwrap().path, b"new file");
        assert_eq!(entry(b""), None);
        assert_eq!(entry(b"1 .M"), None);
    }
}
