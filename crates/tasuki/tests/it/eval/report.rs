//! `tasuki eval`: the report in its three formats, from a folder of cases.

use insta::assert_snapshot;
use serde_json::Value;

use crate::support::folder::{Folder, repository, repository_files};

/// The folder of the repository, in which `tasuki eval` needs no flags.
fn in_repository(folder: &Folder, arguments: &[&str]) -> std::process::Output {
    let mut command = folder.command(arguments);
    command.current_dir(repository("")).output().unwrap()
}

pub(super) fn json_report() -> Value {
    let output = in_repository(&Folder::new(), &["eval", "--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

pub(super) fn markdown_report() -> String {
    let output = in_repository(&Folder::new(), &["eval"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_case_is_measured_in_both_vocabularies() {
    let report = json_report();
    let cases = report["cases"].as_array().unwrap();
    let folders = repository_files("evals/cases");
    let folders: std::collections::BTreeSet<_> =
        folders.iter().map(|file| file.split('/').next().unwrap()).collect();
    assert!(cases.len() >= 24, "{} cases", cases.len());
    assert_eq!(cases.len(), folders.len());
    for case in cases {
        for vocabulary in ["o200k", "cl100k"] {
            for form in ["prose", "yaml", "json", "wire", "brief"] {
                let tokens = case["tokens"][vocabulary][form].as_u64().unwrap();
                assert!(tokens > 50, "{}: {vocabulary} {form} {tokens}", case["case"]);
            }
        }
        let found = &case["recognition"];
        assert_eq!(found["packet"], found["stated"], "{}", case["case"]);
        assert!(found["prose"].as_u64() <= found["stated"].as_u64());
    }
    let sum = |form: &str| -> u64 {
        cases.iter().map(|case| case["tokens"]["o200k"][form].as_u64().unwrap()).sum()
    };
    assert_eq!(report["totals"]["tokens"]["o200k"]["wire"], sum("wire"));
    let examples = &report["examples"];
    assert_eq!(examples["invalid"], serde_json::json!([]));
    assert_eq!(examples["valid"], examples["packets"]);
    assert!(examples["packets"].as_u64().unwrap() > 20, "{examples}");
}

#[test]
fn areas_and_lengths_are_all_there() {
    let report = json_report();
    let mut seen = std::collections::BTreeSet::new();
    for case in report["cases"].as_array().unwrap() {
        seen.insert((
            case["area"].as_str().unwrap().to_owned(),
            case["length"].as_str().unwrap().to_owned(),
        ));
    }
    for area in
        ["coding", "research", "review", "operations", "clinical", "finance", "support", "media"]
    {
        for length in ["short", "medium", "long"] {
            assert!(seen.contains(&(area.to_owned(), length.to_owned())), "{area}, {length}");
        }
    }
}

#[test]
fn the_web_page_loads_nothing() {
    let folder = Folder::new();
    let path = folder.path("report.html");
    let output =
        in_repository(&folder, &["eval", "--format", "html", "--out", path.to_str().unwrap()]);
    assert!(output.status.success());
    let page = folder.read("report.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    assert_eq!(page.matches("<svg ").count(), 3);
    assert!(page.contains("default-src 'none'"));
    for loading in
        ["<script", "<link", "<img", "src=", "href=", "url(", "@import", "http:", "https:"]
    {
        assert!(!page.contains(loading), "the page has {loading}");
    }
    let again =
        in_repository(&folder, &["eval", "--format", "html", "--out", path.to_str().unwrap()]);
    assert_eq!(again.status.code(), Some(2), "an existing file is not replaced");
}

#[test]
fn folders_without_cases_are_named() {
    let folder = Folder::new()
        .with("empty/note.md", "x")
        .with("bad/one/facts.yaml", "case: one\narea: coding\nlength: short\nvariant: baseline\n")
        .with("bad/one/prose.md", "Hello")
        .with("bad/one/packet.yaml", "status: done\nhandoff_version: \"1.0\"\n");
    assert_snapshot!(folder.run(&["eval"]), @"
    exit 2
    --- stderr
    error: cannot read the folder evals/cases: no such file or directory
      hint: run it in a clone of the repository, or name the folder with `--cases`
    ");
    assert_snapshot!(folder.run(&["eval", "--cases", "empty"]), @"
    exit 2
    --- stderr
    error: no cases in empty
      hint: a case is a folder with `prose.md`, `packet.yaml` and `facts.yaml`
    ");
    let bad = folder.run(&["eval", "--cases", "bad"]);
    assert!(bad.starts_with("exit 3") && bad.contains("bad/one/packet.yaml: "), "{bad}");
}
