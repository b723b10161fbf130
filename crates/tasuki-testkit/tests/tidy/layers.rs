//! The layers of the engine: each module imports only from the layers below it.

use std::collections::BTreeSet;

use crate::allowed;
use crate::imports::Imports;
use crate::repository::root;

/// Modules that every layer may import, and that import none.
const BASE: &[&str] = &["error", "hmac", "limits", "refusal"];

/// The layers from the lowest to the highest. Each may import those before it.
const LAYERS: &[&str] =
    &["model", "ports", "rules", "view", "prepare", "steps", "command", "worker", "engine"];

/// Modules beside the layers, with the modules beyond `BASE` that they may import. Only `engine`
/// imports them, and they import each other only as listed.
const READERS: &[(&str, &[&str])] = &[
    ("query", &["model", "ports", "rules", "view"]),
    ("audit", &["model", "ports", "rules", "view", "query"]),
];

#[test]
fn every_module_of_the_engine_imports_only_lower_layers() {
    let folder = root().join("crates/tasuki-engine");
    // The order applies once the layers exist.
    if !folder.join("src/model").is_dir() {
        return;
    }
    let problems = check(&Imports::of_crate(&folder), allowed::LAYERS);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn check(imports: &Imports, allowed: &[(&str, &str)]) -> Vec<String> {
    let mut problems = Vec::new();
    for module in imports.modules.iter().filter(|module| may_import(module).is_none()) {
        problems.push(format!(
            "crates/tasuki-engine/src/{module} has no layer: move it into one, or name it in \
             tests/tidy/layers.rs"
        ));
    }
    let wrong: BTreeSet<_> = imports.pairs().filter(|(from, to)| is_upward(from, to)).collect();
    for (from, to) in wrong.iter().filter(|pair| !allowed.contains(pair)) {
        let example = imports.example(from, to);
        problems.push(format!(
            "tasuki-engine: `{from}` must not import `{to}`: {example}\n  move what is imported to \
             the lowest layer that needs it: {}",
            LAYERS.join(" <- "),
        ));
    }
    for pair in allowed.iter().filter(|pair| !wrong.contains(pair)) {
        problems.push(format!(
            "LAYERS in tests/tidy/allowed.rs: {pair:?} is no longer needed: remove it"
        ));
    }
    problems
}

/// Returns the modules that a module may import besides `BASE`, if it has a layer.
fn may_import(module: &str) -> Option<Vec<&'static str>> {
    let readers = || READERS.iter().map(|(reader, _)| *reader);
    if BASE.contains(&module) {
        return Some(Vec::new());
    }
    if let Some((_, lower)) = READERS.iter().find(|(reader, _)| *reader == module) {
        return Some(lower.to_vec());
    }
    let rank = LAYERS.iter().position(|layer| *layer == module)?;
    let lower = LAYERS[..rank].iter().copied();
    Some(lower.chain(readers().filter(|_| module == "engine")).collect())
}

/// Returns `true` if an import between two layered modules leads upwards.
fn is_upward(from: &str, to: &str) -> bool {
    match (may_import(from), may_import(to)) {
        (Some(lower), Some(_)) => !BASE.contains(&to) && !lower.contains(&to),
        _ => false,
    }
}

fn problems(edges: &[(&str, &str)], allowed: &[(&str, &str)]) -> Vec<String> {
    let mut imports = Imports::default();
    for (from, to) in edges {
        imports.add(from, to, format!("src/{from}.rs:1: {to}::Item"));
    }
    check(&imports, allowed)
}

#[test]
fn imports_downwards_are_right() {
    let edges = [
        ("ports", "model"),
        ("engine", "worker"),
        ("engine", "query"),
        ("engine", "audit"),
        ("audit", "query"),
        ("query", "view"),
        ("steps", "refusal"),
        ("error", "limits"),
    ];
    assert_eq!(problems(&edges, &[]), [""; 0]);
}

#[test]
fn imports_upwards_and_modules_without_a_layer_are_wrong() {
    for (from, to) in [
        ("model", "ports"),
        ("rules", "view"),
        ("query", "prepare"),
        ("query", "audit"),
        ("audit", "steps"),
        ("steps", "query"),
        ("refusal", "model"),
    ] {
        let found = problems(&[(from, to)], &[]);
        assert_eq!(found.len(), 1, "{from} {to} {found:?}");
        let start = format!("tasuki-engine: `{from}` must not import `{to}`: src/{from}.rs:1: ");
        assert!(found[0].starts_with(&start), "{found:?}");
        assert_eq!(problems(&[(from, to)], &[(from, to)]), [""; 0]);
    }
    let found = problems(&[("model", "summary")], &[]);
    assert!(found[0].starts_with("crates/tasuki-engine/src/summary has no layer"), "{found:?}");
}

#[test]
fn an_allowed_import_that_is_gone_is_removed_from_the_list() {
    let found = problems(&[("ports", "model")], &[("model", "ports")]);
    assert!(
        found[0].ends_with(r#"("model", "ports") is no longer needed: remove it"#),
        "{found:?}"
    );
}
