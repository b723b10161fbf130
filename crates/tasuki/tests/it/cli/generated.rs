//! Files that the tool prints are committed, so that people find and diff them. They must be current;
//! `TASUKI_UPDATE=1 cargo test` rewrites them.

use std::process::Command;

use crate::support::folder::{Folder, repository, repository_files};

/// Compares a file of the repository with what it should hold, or writes it.
fn compare(file: &str, expected: &str) {
    let path = repository(file);
    if std::env::var_os("TASUKI_UPDATE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, expected).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    let place = found.lines().zip(expected.lines()).position(|(found, expected)| found != expected);
    let line = place.unwrap_or(found.lines().count().min(expected.lines().count())) + 1;
    assert!(found == expected, "{file} is not current from line {line} on; run `make generate`");
}

#[test]
fn manual_pages_are_current() {
    let folder = Folder::new();
    folder.stdout(&["man", "--to", "."]);
    let pages = names_in(&folder);
    assert!(pages.contains(&"tasuki-validate.1".to_owned()), "{pages:?}");
    for page in &pages {
        compare(&format!("docs/man/{page}"), &folder.read(page));
    }
    assert_eq!(repository_files("docs/man"), pages, "a page of no command");
}

fn names_in(folder: &Folder) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path("")).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn manual_pages_are_well_formed() {
    let folder = Folder::new();
    folder.stdout(&["man", "--to", "."]);
    for page in names_in(&folder) {
        let lint =
            Command::new("mandoc").args(["-Tlint", "-Werror"]).arg(folder.path(&page)).output();
        // Not every machine has it.
        let Ok(output) = lint else { return };
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{page}: {said}");
    }
}

/// The page with the output of every command in its console blocks.
fn played(page: &str, folder: &Folder) -> String {
    let mut text = String::new();
    let mut is_console = false;
    for line in page.lines() {
        let is_fence = line.starts_with("```");
        if is_fence {
            is_console = line == "```console";
        }
        match line.strip_prefix("$ tasuki ") {
            Some(command) if is_console => {
                text.push_str(&format!("{line}\n{}", folder.play(command)));
            }
            // Old output.
            None if is_console && !is_fence => {}
            _ => text.push_str(&format!("{line}\n")),
        }
    }
    text
}

#[test]
fn the_readme_shows_what_the_tool_prints() {
    let page = std::fs::read_to_string(repository("README.md")).unwrap();
    compare("README.md", &played(&page, &Folder::new()));
}

#[test]
fn the_pages_of_the_examples_show_what_the_tool_prints() {
    for example in [
        "examples/01-hello",
        "examples/02-dialects",
        "examples/04-forms",
        "examples/05-profiles",
        "examples/06-kinds",
    ] {
        let folder = Folder::new().with_copy_of(example);
        let page = folder.read("README.md");
        assert!(page.contains("$ tasuki "), "{example}");
        compare(&format!("{example}/README.md"), &played(&page, &folder));
    }
}
