//! Documents: a page for every code, resolving links and anchors, and current maps.

use std::collections::BTreeSet;
use std::path::Path;

use tasuki_api::problem::HttpErrorCode;
use tasuki_engine::error::FaultKind;
use tasuki_engine::refusal::RefusalCode;
use tasuki_packet::Code;

use crate::repository::{files, read, root};

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let folder = root().join("docs/errors");
    let violations = Code::ALL.iter().map(|code| code.as_str());
    let refusals = RefusalCode::ALL.iter().map(|code| code.as_str());
    let faults = FaultKind::ALL.iter().map(|kind| kind.code());
    let doors = HttpErrorCode::ALL.iter().map(|code| code.as_str());
    // A set, because a violation and a refusal may share a code.
    let all = violations.chain(refusals).chain(faults).chain(doors);
    let codes: BTreeSet<_> = all.map(str::to_owned).collect();
    let pages: BTreeSet<_> = files(&folder, "md")
        .iter()
        .map(|page| page.file_stem().unwrap().to_string_lossy().into_owned())
        .filter(|name| name != "README")
        .collect();
    let without_page: Vec<_> = codes.difference(&pages).collect();
    let without_code: Vec<_> = pages.difference(&codes).collect();
    assert!(without_page.is_empty(), "codes without a page in docs/errors: {without_page:?}");
    assert!(without_code.is_empty(), "pages in docs/errors without a code: {without_code:?}");
    let index = read(&folder.join("README.md"));
    for code in &codes {
        let page = read(&folder.join(format!("{code}.md")));
        assert!(page.starts_with(&format!("# {code}\n")), "{code}: the page has another title");
        let row = format!("| [{code}]({code}.md) | ");
        assert!(index.contains(&row), "{code}: docs/errors/README.md has no row for it");
    }
}

#[test]
fn links_in_documents_resolve() {
    let root = root();
    let mut broken = Vec::new();
    for document in files(&root, "md") {
        if document.starts_with(root.join("vectors")) {
            continue;
        }
        // Patterns in code look like links.
        let text: String = read(&document).split('`').step_by(2).collect();
        for link in text.split("](").skip(1) {
            let link = link.split(')').next().unwrap_or_default();
            let (target, anchor) = link.split_once('#').unwrap_or((link, ""));
            if target.contains("://") || target.contains(' ') || link.is_empty() {
                continue;
            }
            let page = match target {
                "" => document.clone(),
                target => document.parent().unwrap().join(target),
            };
            if !page.exists() || !anchor.is_empty() && !has_heading(&page, anchor) {
                broken.push(format!("{}: {link}", document.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// Returns `true` if a page has a heading for an anchor, by the rule that renderers share.
fn has_heading(page: &Path, anchor: &str) -> bool {
    let text = read(page);
    text.lines().filter(|line| line.starts_with('#')).any(|line| {
        let words = line.trim_start_matches('#').trim().to_lowercase();
        let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>() == anchor
    })
}

#[test]
fn the_codemap_of_the_engine_is_current() {
    let text = read(&root().join("ARCHITECTURE.md"));
    let (_, rest) = text.split_once("**`tasuki-engine`**").expect("the engine has a codemap");
    let (map, _) = rest.split_once("**`tasuki-store`**").expect("the store comes next");
    let rows = map.lines().filter(|line| line.starts_with("| `"));
    let cells = rows.filter_map(|row| row.split('|').nth(1)).flat_map(|cell| cell.split('`'));
    let named: BTreeSet<&str> = cells.map(str::trim).filter(|name| name.len() > 1).collect();
    let source = root().join("crates/tasuki-engine/src");
    let entries = std::fs::read_dir(&source).expect("the engine has sources");
    let mut missing = Vec::new();
    for entry in entries {
        let path = entry.expect("a folder can be read").path();
        let name = path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        let whole = if path.is_dir() { format!("{name}/") } else { format!("{name}.rs") };
        let is_step = !path.is_dir() && named.contains(name.as_str());
        let is_named = is_step || map.contains(&format!("`{whole}`"));
        if !is_named && !["lib", "testing", "snapshots"].contains(&name.as_str()) {
            missing.push(whole);
        }
    }
    assert!(missing.is_empty(), "the codemap leaves out {missing:?}");
    let is_there =
        |name: &&&str| source.join(name).exists() || source.join(format!("{name}.rs")).exists();
    let gone: Vec<&&str> = named.iter().filter(|name| !is_there(name) && **name != ",").collect();
    assert!(gone.is_empty(), "the codemap names {gone:?}");
}

/// A threat without a test is only a promise.
#[test]
fn every_threat_names_tests_that_exist() {
    let page = root().join("docs/reference/threats.md");
    let text = read(&page);
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| T")).collect();
    assert!(rows.len() >= 7, "{} threats", rows.len());
    for row in rows {
        let mut found = 0;
        for link in row.split("](").skip(1) {
            let (file, behind) = link.split_once(')').expect("a link has an end");
            let source = read(&page.parent().unwrap().join(file));
            // Test names follow the file that contains them.
            let names = behind.split('[').next().unwrap_or_default();
            for name in names.split('`').skip(1).step_by(2) {
                assert!(source.contains(&format!("fn {name}(")), "{file} has no test `{name}`");
                found += 1;
            }
        }
        assert!(found > 0, "{row}");
    }
}
