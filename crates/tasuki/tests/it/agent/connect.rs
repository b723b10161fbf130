//! `tasuki connect`: golden files before and after for each host, and everything taken back.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::support::work_tree::WorkTree;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/connect");
const HOSTS: [&str; 5] = ["claude-code", "codex", "gemini", "vscode", "cursor"];

type Files = BTreeMap<PathBuf, String>;

/// Returns every file below a folder that a host or `connect` writes.
fn files(folder: &Path) -> Files {
    let mut found = Files::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in std::fs::read_dir(&inner).into_iter().flatten() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if path.is_dir() && !matches!(name.as_str(), ".git" | ".tasuki" | "state" | "src") {
                folders.push(path);
            } else if path.is_file() && !matches!(name.as_str(), ".keep" | "README.md") {
                let text = std::fs::read_to_string(&path).unwrap();
                let text = text.replace(env!("CARGO_BIN_EXE_tasuki"), "[TASUKI]");
                found.insert(path.strip_prefix(folder).unwrap().to_owned(), text);
            }
        }
    }
    found
}

/// A work tree and a home with the golden files of a host.
fn before(host: &str) -> WorkTree {
    let tree = WorkTree::new();
    for (name, text) in files(Path::new(&format!("{FIXTURES}/{host}/before"))) {
        let path = tree.folder.path(name.to_str().unwrap());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    tree
}

fn all(tree: &WorkTree) -> Files {
    files(&tree.folder.path(""))
}

/// Compares files with the golden ones, or writes them with `TASUKI_UPDATE`.
fn is_golden(found: &Files, folder: &str) {
    let folder = PathBuf::from(format!("{FIXTURES}/{folder}"));
    if std::env::var_os("TASUKI_UPDATE").is_some() {
        for (name, text) in found {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }
    assert_eq!(*found, files(&folder), "{}", folder.display());
}

#[test]
fn connect_writes_the_golden_files_and_undo_restores_every_byte() {
    for host in HOSTS {
        for (flags, golden) in [("", "after"), (" --shared", "after-shared")] {
            let tree = before(host);
            let at_first = all(&tree);
            tree.ok(&format!("connect {host} --yes{flags}"));
            is_golden(&all(&tree), &format!("{host}/{golden}"));
            tree.ok(&format!("connect {host} --yes{flags}"));
            is_golden(&all(&tree), &format!("{host}/{golden}"));
            tree.ok(&format!("connect {host} --undo{flags}"));
            assert_eq!(all(&tree), at_first, "{host}{flags}");
            let said = tree.says(&format!("connect {host} --undo{flags}"));
            assert_eq!(said, format!("{host} is not connected.\n"));
        }
    }
}

#[test]
fn approvals_add_the_hook_for_permissions_and_a_connect_without_them_removes_it() {
    for (host, file) in [("claude-code", ".claude/settings.json"), ("codex", ".codex/hooks.json")] {
        let tree = before(host);
        let at_first = all(&tree);
        tree.ok(&format!("connect {host} --yes"));
        let without = all(&tree);
        tree.ok(&format!("connect {host} --yes --approvals"));
        let text = tree.folder.read(&format!("home/{file}"));
        assert!(text.contains("\"PermissionRequest\""), "{text}");
        assert!(text.contains(&format!(" hook {host} permission\"")), "{text}");
        tree.ok(&format!("connect {host} --yes"));
        assert_eq!(all(&tree), without);
        tree.ok(&format!("connect {host} --yes --approvals"));
        tree.ok(&format!("connect {host} --undo"));
        assert_eq!(all(&tree), at_first);
    }
}

#[test]
fn undo_takes_out_only_our_entries_if_a_file_changed_since() {
    for host in HOSTS {
        let tree = before(host);
        let at_first = all(&tree);
        tree.ok(&format!("connect {host} --yes"));
        for (name, text) in all(&tree) {
            let changed = match name.extension().and_then(|end| end.to_str()) {
                Some("toml" | "md") => text.replacen("model = ", "model =  ", 1) + "\n# More.\n",
                _ => text.replacen('{', "{ ", 1),
            };
            let changed = changed.replace("[TASUKI]", env!("CARGO_BIN_EXE_tasuki"));
            std::fs::write(tree.folder.path(name.to_str().unwrap()), changed).unwrap();
        }
        tree.ok(&format!("connect {host} --undo"));
        for (name, text) in all(&tree) {
            assert!(!text.contains("tasuki") || name.ends_with("SKILL.md"), "{name:?}: {text}");
            if let Some(first) = at_first.get(&name) {
                let words = |text: &str| {
                    let text = text.replace("# More.", "");
                    text.split_whitespace().map(str::to_owned).collect::<Vec<_>>().concat()
                };
                assert_eq!(words(&text), words(first), "{host} {name:?}");
            }
        }
    }
}

#[test]
fn a_file_that_does_not_parse_is_left_alone_and_the_entries_are_printed() {
    let tree = WorkTree::new();
    let broken = "{ \"mcpServers\": { oh no\n";
    std::fs::create_dir_all(tree.folder.path("home/.cursor")).unwrap();
    std::fs::write(tree.folder.path("home/.cursor/mcp.json"), broken).unwrap();
    let said = tree.says("connect cursor --yes");
    assert!(said.contains("! ~/.cursor/mcp.json is left alone: "), "{said}");
    assert!(said.contains("\"args\": [\"mcp\", \"--as\", \"cursor\"]"), "{said}");
    assert_eq!(tree.folder.read("home/.cursor/mcp.json"), broken);
}

#[test]
fn connect_shows_the_change_and_writes_nothing_without_a_yes() {
    let tree = WorkTree::without_exchange();
    let output = tree.command("connect cursor").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("~/.cursor/mcp.json (new)\n"), "{said}");
    assert!(said.contains(".tasuki/ (new) the exchange of this project"), "{said}");
    assert!(said.contains("add `--yes`"), "{said}");
    assert!(all(&tree).is_empty());
    tree.ok("connect cursor --yes");
    tree.ok("list");
}

#[test]
fn installed_hosts_are_found_and_another_party_can_be_named() {
    let tree = WorkTree::new();
    let none = tree.command("connect --yes").env("PATH", "").output().unwrap();
    assert!(String::from_utf8(none.stderr).unwrap().contains("no coding agent was found"));
    for folder in [".gemini", ".cursor"] {
        std::fs::create_dir(tree.folder.path("home").join(folder)).unwrap();
    }
    let mut command = tree.command("connect --yes --as robot");
    assert!(command.env("PATH", "").output().unwrap().status.success());
    let text = tree.folder.read("home/.gemini/settings.json");
    assert!(text.contains("hook gemini start --as robot"), "{text}");
    assert!(text.contains("\"args\": [\"mcp\", \"--as\", \"robot\"]"), "{text}");
    assert!(tree.folder.path("home/.cursor/mcp.json").exists());
}

#[test]
fn a_check_says_what_is_wired_and_tries_the_hook() {
    let tree = WorkTree::new();
    let said = tree.says("connect claude-code --check");
    assert!(said.contains("✗ claude-code ~/.claude/settings.json: not wired"), "{said}");
    tree.ok("connect claude-code --yes");
    let said = tree.says("connect claude-code --check");
    assert!(said.contains("✓ claude-code ~/.claude/settings.json: wired"), "{said}");
    assert!(said.contains("✓ claude-code start hook: answers"), "{said}");
    let left = std::fs::read_dir(tree.work().join(".tasuki/sessions")).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, [".lock"]);
}
