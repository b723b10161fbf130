//! Folders short enough to be read as a table of contents.

use std::collections::BTreeMap;
use std::path::Path;

use crate::allowed;
use crate::repository::{crates, root};

/// LIMIT: entries of one folder of sources, tests or SQL.
const ENTRIES_MAX: usize = 20;

#[test]
fn no_folder_has_too_many_entries() {
    let mut counts = BTreeMap::new();
    for (_, folder) in crates() {
        for part in ["src", "tests", "sql"] {
            count(&folder.join(part), &mut counts);
        }
    }
    assert!(counts.len() > 50, "only {} folders were found", counts.len());
    let problems = check(&counts, allowed::FOLDERS);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Counts the entries of a folder and of all folders in it, without generated snapshots.
fn count(folder: &Path, counts: &mut BTreeMap<String, usize>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let names = entries.map(|entry| entry.expect("a readable folder").file_name());
    let names = names.map(|name| name.to_string_lossy().into_owned());
    let is_counted = |name: &String| !name.starts_with('.') && name != "snapshots";
    let names: Vec<_> = names.filter(is_counted).collect();
    let shown = folder.strip_prefix(root()).expect("a folder of the repository").display();
    counts.insert(shown.to_string(), names.len());
    for inner in names.iter().map(|name| folder.join(name)).filter(|inner| inner.is_dir()) {
        count(&inner, counts);
    }
}

fn check(counts: &BTreeMap<String, usize>, allowed: &[(&str, usize)]) -> Vec<String> {
    let mut problems = Vec::new();
    for (folder, &count) in counts {
        let entry = allowed.iter().find(|(name, _)| name == folder);
        let max = entry.map_or(ENTRIES_MAX, |(_, max)| *max);
        if count > max {
            problems.push(format!(
                "{folder} has {count} entries, and at most {max} are allowed: group what belongs \
                 together into folders"
            ));
        }
    }
    for (folder, max) in allowed {
        match counts.get(*folder) {
            Some(count) if count >= max && *count > ENTRIES_MAX => {}
            Some(count) if *count > ENTRIES_MAX => problems.push(format!(
                "FOLDERS in tests/tidy/allowed.rs allows {folder} {max} entries: lower it to {count}"
            )),
            _ => problems.push(format!(
                "FOLDERS in tests/tidy/allowed.rs: {folder} is no longer too large: remove it"
            )),
        }
    }
    problems
}

#[test]
fn a_folder_may_be_full_and_an_allowed_one_only_shrinks() {
    let counts = |count| BTreeMap::from([("src".to_owned(), count)]);
    let found = |count, allowed| check(&counts(count), allowed).join("\n");
    assert_eq!(found(20, &[]), "");
    assert_eq!(found(30, &[("src", 30)]), "");
    let (new, grown) = (found(21, &[]), found(31, &[("src", 30)]));
    assert!(new.starts_with("src has 21 entries, and at most 20 are allowed"), "{new}");
    assert!(grown.starts_with("src has 31 entries, and at most 30 are allowed"), "{grown}");
    let (smaller, gone) = (found(25, &[("src", 30)]), found(20, &[("src", 30)]));
    assert!(smaller.ends_with("allows src 30 entries: lower it to 25"), "{smaller}");
    assert!(gone.ends_with("src is no longer too large: remove it"), "{gone}");
    assert!(check(&BTreeMap::new(), &[("src", 30)])[0].ends_with("remove it"));
}
