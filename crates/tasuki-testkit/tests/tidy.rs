//! What a machine can check about the repository itself, so that review is left for judgement.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tasuki_engine::error::FaultKind;
use tasuki_engine::refusal::RefusalCode;
use tasuki_packet::Code;
use tasuki_packet::problem::DoorCode;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the root exists")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Files below `folder` with this extension, generated and foreign folders left out.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else { return found };
    for entry in entries {
        let path = entry.expect("a readable folder").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with('.') || matches!(name.as_str(), "target" | "node_modules") {
            continue;
        }
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// What cargo knows of a workspace, if its lock is there and in step with its manifests.
fn metadata(workspace: &Path) -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(workspace)
        .output()
        .expect("cargo runs");
    let (place, error) = (workspace.display(), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{place}: {error}");
    serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON")
}

/// The workspaces of the benchmarks. They build what they measure, and share nothing with it else.
fn benchmarks() -> Vec<PathBuf> {
    let manifests = files(&root().join("bench"), "toml").into_iter();
    let manifests = manifests.filter(|path| path.ends_with("Cargo.toml"));
    let found: Vec<_> = manifests.filter_map(|path| path.parent().map(Path::to_owned)).collect();
    assert!(found.len() >= 2, "{found:?}");
    found
}

fn packages(metadata: &Value) -> &Vec<Value> {
    metadata["packages"].as_array().expect("metadata lists packages")
}

#[test]
fn every_dependency_has_a_licence_we_accept_and_comes_from_the_registry() {
    const ACCEPTED: &[&str] = &[
        "MIT",
        "Apache-2.0",
        "Apache-2.0 WITH LLVM-exception",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "ISC",
        "Unicode-3.0",
        "Unlicense",
        "Zlib",
        "0BSD",
        "MIT-0",
        "CC0-1.0",
        "BSL-1.0",
    ];
    let workspaces = std::iter::once(root()).chain(benchmarks());
    let metadata: Vec<Value> = workspaces.map(|workspace| metadata(&workspace)).collect();
    let mut wrong = BTreeSet::new();
    for package in metadata.iter().flat_map(packages) {
        let name = package["name"].as_str().unwrap();
        let licence = package["license"].as_str().unwrap_or("none");
        // Of alternatives one must be acceptable, of a conjunction all.
        let is_accepted = licence.replace('/', " OR ").split(" OR ").any(|choice| {
            choice.split(" AND ").all(|one| ACCEPTED.contains(&one.trim_matches(['(', ')', ' '])))
        });
        if !is_accepted {
            wrong.insert(format!("{name}: licence {licence}"));
        }
        let source = package["source"].as_str().unwrap_or("path");
        if source != "path" && !source.starts_with("registry+") {
            wrong.insert(format!("{name}: source {source}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_lock_of_every_workspace_beside_the_product_follows_the_crates_it_builds() {
    for workspace in benchmarks().into_iter().chain([root().join("fuzz")]) {
        assert!(workspace.join("Cargo.lock").exists(), "{} has no lock", workspace.display());
        let known = metadata(&workspace);
        let is_ours = |package: &&Value| package["source"].is_null();
        let ours = packages(&known).iter().filter(is_ours).count();
        assert!(ours > 1, "{} builds no crate of ours", workspace.display());
    }
}

#[test]
fn crates_depend_only_in_the_allowed_direction() {
    let allowed: &[(&str, &[&str])] = &[
        ("tasuki-packet", &[]),
        ("tasuki-engine", &["tasuki-packet", "tasuki-testkit"]),
        ("tasuki-store", &["tasuki-packet", "tasuki-engine", "tasuki-testkit"]),
        // Neither store nor server: a test hands the testkit what it should prove.
        ("tasuki-testkit", &["tasuki-packet", "tasuki-engine"]),
        ("tasuki-server", &["tasuki-packet", "tasuki-engine", "tasuki-store", "tasuki-testkit"]),
        ("tasuki-client", &["tasuki-packet"]),
        (
            "tasuki",
            &[
                "tasuki-packet",
                "tasuki-client",
                "tasuki-engine",
                "tasuki-server",
                "tasuki-store",
                "tasuki-testkit",
            ],
        ),
    ];
    let forbidden: &[(&str, &[&str])] = &[
        ("tasuki-packet", &["tokio", "clap", "axum", "rusqlite"]),
        ("tasuki-engine", &["clap", "axum", "rusqlite"]),
        ("tasuki-store", &["clap", "axum"]),
        ("tasuki-server", &["clap", "rusqlite"]),
        ("tasuki-testkit", &["clap", "axum", "rusqlite"]),
        ("tasuki-client", &["clap", "axum", "rusqlite", "tokio"]),
        ("tasuki", &["axum", "rusqlite"]),
    ];
    let metadata = metadata(&root());
    for package in packages(&metadata).iter().filter(|package| package["source"].is_null()) {
        let name = package["name"].as_str().unwrap();
        let dependencies: BTreeSet<_> = package["dependencies"]
            .as_array()
            .unwrap()
            .iter()
            .map(|dependency| dependency["name"].as_str().unwrap())
            .collect();
        let (_, ours) = allowed
            .iter()
            .find(|(crate_name, _)| *crate_name == name)
            .unwrap_or_else(|| panic!("say here what {name} may depend on"));
        for dependency in dependencies.iter().filter(|name| name.starts_with("tasuki")) {
            assert!(ours.contains(dependency), "{name} must not depend on {dependency}");
        }
        for (_, names) in forbidden.iter().filter(|(crate_name, _)| *crate_name == name) {
            for dependency in *names {
                assert!(!dependencies.contains(dependency), "{name} must not use {dependency}");
            }
        }
        let folder = Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap();
        assert_eq!(folder.file_name().unwrap().to_string_lossy(), name, "folder and crate differ");
    }
}

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let folder = root().join("docs/errors");
    let violations = Code::ALL.iter().map(|code| code.as_str());
    let refusals = RefusalCode::ALL.iter().map(|code| code.as_str());
    let faults = FaultKind::ALL.iter().map(|kind| kind.code());
    let doors = DoorCode::ALL.iter().map(|code| code.as_str());
    // A set, because a violation and a refusal may say the same with one code.
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
fn links_in_documents_lead_somewhere() {
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

/// Whether a page has a heading that an anchor means, by the rule that renderers share.
fn has_heading(page: &Path, anchor: &str) -> bool {
    let text = read(page);
    text.lines().filter(|line| line.starts_with('#')).any(|line| {
        let words = line.trim_start_matches('#').trim().to_lowercase();
        let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>() == anchor
    })
}

#[test]
fn the_codemap_of_the_engine_names_what_is_there() {
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

/// A threat that nobody tests is only a promise.
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
            // Names in code follow the file that they are in.
            let names = behind.split('[').next().unwrap_or_default();
            for name in names.split('`').skip(1).step_by(2) {
                assert!(source.contains(&format!("fn {name}(")), "{file} has no test `{name}`");
                found += 1;
            }
        }
        assert!(found > 0, "{row}");
    }
}

#[test]
fn nothing_unfinished_is_left_in_the_source() {
    let mut left = Vec::new();
    for file in files(&root().join("crates"), "rs") {
        if file.ends_with("tidy.rs") {
            continue;
        }
        for (number, line) in read(&file).lines().enumerate() {
            let is_vague = line.contains("TODO") && !line.contains("TODO(#");
            if is_vague || line.contains("FIXME") || line.contains("#[ignore") {
                left.push(format!("{}:{}: {}", file.display(), number + 1, line.trim()));
            }
        }
    }
    assert!(left.is_empty(), "{}", left.join("\n"));
}

#[test]
fn every_source_file_says_what_it_is_for() {
    let mut silent = Vec::new();
    for file in files(&root().join("crates"), "rs") {
        if !read(&file).starts_with("//!") {
            silent.push(file.display().to_string());
        }
    }
    assert!(silent.is_empty(), "files without a module doc:\n{}", silent.join("\n"));
}
