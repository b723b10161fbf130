//! `tasuki validate --format sarif` and `--format github`: violations for other programs.

use insta::assert_snapshot;
use serde_json::Value;

use crate::support::folder::Folder;
use crate::support::samples::{WRONG, with_handoff};

/// Files with violations of every sort: with a place, without one, unreadable as a packet, a warning
/// and a secret.
fn folder() -> Folder {
    with_handoff()
        .with("packets/a b.yaml", WRONG)
        .with("packets/torn.json", "{\"task_id\": ")
        .with("packets/lines.yaml", "handoff_version: \"1.0\"\ntask_id: [a,\n  b]\nstatsu: blocked\n")
        .with(
            "packets/secret.yaml",
            "handoff_version: \"1.0\"\ntask_id: t\nfrom_agent: a\nto_agent: b\nstatus: blocked\ncontext: { key: ghp_0123456789abcdefghijABCDEFGHIJ012345 }\n",
        )
}

fn log(folder: &Folder, arguments: &[&str]) -> Value {
    let all = [&["validate", "--format", "sarif"], arguments].concat();
    let output = folder.command(&all).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_log_has_code_file_line_and_column_of_every_violation() {
    let folder = folder();
    let log = log(&folder, &["handoff.yaml", "packets"]);
    let mut shown = String::new();
    for result in log["runs"][0]["results"].as_array().unwrap() {
        let place = &result["locations"][0]["physicalLocation"];
        let region = &place["region"];
        let number = |name: &str| region[name].as_u64().map_or("-".to_owned(), |n| n.to_string());
        shown.push_str(&format!(
            "{} {} {} {}:{} to {}:{} {}\n",
            result["level"].as_str().unwrap(),
            result["ruleId"].as_str().unwrap(),
            place["artifactLocation"]["uri"].as_str().unwrap(),
            number("startLine"),
            number("startColumn"),
            number("endLine"),
            number("endColumn"),
            result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"].as_str().unwrap(),
        ));
    }
    assert_snapshot!(shown);
    let text = log.to_string();
    assert!(!text.contains("ghp_0123456789"), "a secret is in the log");
}

#[test]
fn the_exit_code_is_that_of_every_format() {
    let folder = folder();
    for format in ["text", "json", "sarif", "github"] {
        let exit = |file: &str| folder.exit(&["validate", "--format", format, file]);
        assert_eq!((exit("handoff.yaml"), exit("packets"), exit("absent.yaml")), (0, 1, 2));
    }
}

#[test]
fn an_input_that_cannot_be_read_is_a_notification() {
    let log = log(&folder(), &["absent.yaml"]);
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let notification = &invocation["toolExecutionNotifications"][0];
    assert_eq!(
        notification["message"]["text"],
        "cannot read absent.yaml: no such file or directory"
    );
}

#[test]
fn stdin_has_no_address() {
    let folder = Folder::new();
    let shown = folder.run_with(&["validate", "--format", "sarif", "-"], WRONG);
    assert!(shown.contains("\"text\": \"standard input\""), "{shown}");
    assert!(!shown.contains("\"uri\""), "{shown}");
}

/// Every member that we write is one that the published schema knows. With `TASUKI_SARIF_SCHEMA`, as
/// `scripts/check-sarif` sets it, the logs are also validated against that schema.
#[test]
fn logs_satisfy_the_published_schema() {
    let folder = folder();
    let stdin = folder.run_with(&["validate", "--format", "sarif", "-"], WRONG);
    let stdin = stdin.split_once("--- stdout\n").unwrap().1;
    let logs = [
        log(&folder, &["handoff.yaml"]),
        log(&folder, &["packets", "handoff.yaml"]),
        log(&folder, &["absent.yaml", "packets"]),
        serde_json::from_str(stdin.split("--- stderr").next().unwrap()).unwrap(),
    ];
    for log in &logs {
        assert_eq!(log["version"], "2.1.0");
        let run = &log["runs"][0];
        let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
        for result in run["results"].as_array().unwrap() {
            let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
            assert_eq!(rules[index]["id"], result["ruleId"]);
            assert!(["error", "warning"].contains(&result["level"].as_str().unwrap()));
            assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        }
    }
    let Some(path) = std::env::var_os("TASUKI_SARIF_SCHEMA") else { return };
    let schema = std::fs::read_to_string(path).unwrap();
    // A lone bracket in one pattern, which our matcher takes only escaped.
    let schema = schema.replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}\\\\]?$");
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for log in &logs {
        let errors: Vec<_> = validator
            .iter_errors(log)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{}", errors.join("\n"));
    }
}

#[test]
fn annotations_are_one_line_for_each_violation() {
    let folder = Folder::new().with("wrong.yaml", WRONG).with("warned.yaml", "handoff_version: \"1.0\"\ntask_id: t\nfrom_agent: a\nto_agent: b\nstatus: blocked\npitfalls_hitt: [x]\n");
    assert_snapshot!(folder.run(&["validate", "--format", "github", "wrong.yaml", "warned.yaml"]));
}

#[test]
fn formats_that_contradict_other_flags_are_refused() {
    let folder = folder();
    assert_snapshot!(folder.run(&["validate", "--json", "--format", "sarif", "handoff.yaml"]), @"
    exit 2
    --- stderr
    error: `--json` and `--format` contradict each other
      hint: leave out `--json`
    ");
    assert_snapshot!(folder.run(&["validate", "--format", "github", "--against", "handoff.yaml", "handoff.yaml"]), @"
    exit 2
    --- stderr
    error: `--against` reports as text or JSON only
      hint: validate the return packets themselves with `--format sarif` or `github`
    ");
}
