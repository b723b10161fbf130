//! Dependencies: their licences and sources, the lock files, and the direction between our crates.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::repository::{files, root};

/// Returns the metadata of a workspace, provided that its lock file is current.
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

/// Returns the workspaces of the benchmarks. They build what they measure, and share nothing else
/// with it.
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
        ("tasuki-api", &["tasuki-packet"]),
        ("tasuki-engine", &["tasuki-packet", "tasuki-api", "tasuki-testkit"]),
        ("tasuki-store", &["tasuki-packet", "tasuki-engine", "tasuki-testkit"]),
        // Neither store nor server: a test passes in what it checks.
        ("tasuki-testkit", &["tasuki-packet", "tasuki-api", "tasuki-engine"]),
        (
            "tasuki-server",
            &[
                "tasuki-packet",
                "tasuki-api",
                "tasuki-engine",
                "tasuki-mcp",
                "tasuki-store",
                "tasuki-testkit",
            ],
        ),
        ("tasuki-client", &["tasuki-packet", "tasuki-api"]),
        // A transport passes in the exchange that its tools use.
        ("tasuki-mcp", &["tasuki-packet", "tasuki-api"]),
        (
            "tasuki",
            &[
                "tasuki-packet",
                "tasuki-api",
                "tasuki-client",
                "tasuki-engine",
                "tasuki-mcp",
                "tasuki-server",
                "tasuki-store",
                "tasuki-testkit",
            ],
        ),
    ];
    let forbidden: &[(&str, &[&str])] = &[
        ("tasuki-packet", &["tokio", "clap", "axum", "rusqlite"]),
        ("tasuki-api", &["tokio", "clap", "axum", "rusqlite"]),
        ("tasuki-engine", &["clap", "axum", "rusqlite"]),
        ("tasuki-store", &["clap", "axum"]),
        ("tasuki-mcp", &["clap", "axum", "rusqlite"]),
        // Types of `rmcp` change with every version, and stay in one crate.
        ("tasuki-server", &["clap", "rusqlite", "rmcp"]),
        ("tasuki-testkit", &["clap", "axum", "rusqlite"]),
        ("tasuki-client", &["clap", "axum", "rusqlite", "tokio"]),
        ("tasuki", &["axum", "rusqlite", "rmcp"]),
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
            .unwrap_or_else(|| panic!("list the allowed dependencies of {name} here"));
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
