//! Modules of a crate import each other in one direction only.
//!
//! The server's `app` is left out: it assembles the others, and so imports them all.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::allowed;
use crate::imports::Imports;
use crate::repository::crates;

#[test]
fn no_two_modules_of_a_crate_import_each_other() {
    let crates = crates();
    let is_gone = |owner: &str| crates.iter().all(|(name, _)| name != owner);
    let gone = allowed::CYCLES.iter().filter(|(owner, _)| is_gone(owner));
    let mut problems: Vec<_> = gone
        .map(|entry| format!("CYCLES in tests/tidy/allowed.rs: remove {entry:?}, it has no crate"))
        .collect();
    for (name, folder) in &crates {
        let mut imports = Imports::of_crate(folder);
        if name == "tasuki-server" {
            imports.remove("app");
        }
        let entries = allowed::CYCLES.iter().filter(|(owner, _)| owner == name);
        let allowed: Vec<_> =
            entries.map(|(_, modules)| modules.split_whitespace().collect()).collect();
        problems.extend(check(name, &imports, &allowed));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}

/// Compares the cycles of a crate with the allowed ones.
fn check(name: &str, imports: &Imports, allowed: &[BTreeSet<&str>]) -> Vec<String> {
    let cycles = cycles(imports);
    let is_new = |cycle: &&BTreeSet<&str>| !allowed.iter().any(|entry| cycle.is_subset(entry));
    let new = cycles.iter().filter(is_new).map(|cycle| {
        let known: BTreeSet<_> = allowed.iter().flatten().copied().collect();
        let start = cycle.difference(&known).chain(cycle.iter()).next().expect("two or more");
        let modules: Vec<_> = cycle.iter().copied().collect();
        format!(
            "import cycle of {} modules in {name}: {}\nfor example\n{}\nmove the item that closes \
             the cycle to the lowest module that needs it, or pass it in as a value",
            modules.len(),
            modules.join(", "),
            shortest(imports, start).join("\n"),
        )
    });
    let unused = allowed.iter().filter(|entry| !cycles.contains(entry)).map(|entry| {
        let left: Vec<_> = cycles.iter().filter(|cycle| cycle.is_subset(entry)).collect();
        format!(
            "CYCLES in tests/tidy/allowed.rs allows more than there is in {name}: {entry:?}\n\
             replace the entry by what is left of it: {left:?}"
        )
    });
    new.chain(unused).collect()
}

/// Returns the largest sets of modules that can all reach each other.
fn cycles(imports: &Imports) -> Vec<BTreeSet<&str>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> = imports
        .modules
        .iter()
        .map(|module| (module.as_str(), reachable(imports, module)))
        .collect();
    let mut cycles = BTreeSet::new();
    for (module, others) in &reached {
        let is_mutual = |other: &&&str| reached[**other].contains(module);
        let cycle: BTreeSet<_> = others.iter().filter(is_mutual).copied().collect();
        cycles.insert(cycle);
    }
    cycles.into_iter().filter(|cycle| cycle.len() > 1).collect()
}

/// Returns the modules that a module imports, directly or indirectly.
fn reachable<'i>(imports: &'i Imports, module: &str) -> BTreeSet<&'i str> {
    let mut found = BTreeSet::new();
    let mut waiting: Vec<_> = imports.of(module).collect();
    while let Some(next) = waiting.pop() {
        if found.insert(next) {
            waiting.extend(imports.of(next));
        }
    }
    found
}

/// Returns the imports of the shortest cycle through a module, one per line.
fn shortest(imports: &Imports, start: &str) -> Vec<String> {
    let mut before: BTreeMap<&str, &str> = BTreeMap::new();
    let mut waiting = VecDeque::from([start]);
    while let Some(from) = waiting.pop_front() {
        for to in imports.of(from) {
            if !before.contains_key(to) {
                before.insert(to, from);
                waiting.push_back(to);
            }
        }
    }
    let mut lines = Vec::new();
    let mut to = start;
    while let Some(from) = before.get(to) {
        lines.insert(0, format!("  {from} -> {to}: {}", imports.example(from, to)));
        to = from;
        if to == start {
            break;
        }
    }
    lines
}

fn imports(edges: &[(&str, &str)]) -> Imports {
    let mut imports = Imports::default();
    for (from, to) in edges {
        imports.add(from, to, format!("src/{from}.rs:1: {to}::Item"));
    }
    imports
}

#[test]
fn a_cycle_is_named_with_the_imports_that_close_it() {
    let imports = imports(&[("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("e", "a")]);
    let problems = check("tasuki-x", &imports, &[]);
    assert_eq!(problems.len(), 1, "{problems:?}");
    for expected in [
        "import cycle of 3 modules in tasuki-x: a, b, c\n",
        "  a -> b: src/a.rs:1: b::Item\n  b -> c: src/b.rs:1: c::Item\n  c -> a: src/c.rs:1: a::Item\n",
    ] {
        assert!(problems[0].contains(expected), "{}", problems[0]);
    }
    assert!(check("tasuki-x", &imports, &[["a", "b", "c"].into()]).is_empty());
}

#[test]
fn an_allowed_cycle_only_shrinks() {
    let pair = imports(&[("a", "b"), ("b", "a"), ("b", "c")]);
    let problems = check("tasuki-x", &pair, &[["a", "b", "c"].into()]);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].ends_with(r#"what is left of it: [{"a", "b"}]"#), "{}", problems[0]);
    let wider = imports(&[("a", "b"), ("b", "a"), ("b", "c"), ("c", "b")]);
    let problems = check("tasuki-x", &wider, &[["a", "b"].into()]);
    assert!(problems[0].starts_with("import cycle of 3 modules in tasuki-x: a, b, c"));
    assert!(problems[0].contains("  b -> c: src/b.rs:1: c::Item"), "{}", problems[0]);
    assert!(check("tasuki-x", &imports(&[("a", "b")]), &[["a", "b"].into()])[0].ends_with("[]"));
}
