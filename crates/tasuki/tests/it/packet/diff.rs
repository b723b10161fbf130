//! `tasuki diff`: what is different, and a patch that makes it so.

use insta::assert_snapshot;

use crate::support::folder::Folder;
use crate::support::samples::{HANDOFF, with_handoff};

/// The other packet: changed, added, removed, moved.
fn pair() -> Folder {
    let before =
        HANDOFF.replace("[Scaffolded it]", "[Scaffolded it, Asked the team, Read the plan]");
    let after = HANDOFF
        .replace("[Scaffolded it]", "[Read the plan, Scaffolded it]")
        .replace("in_progress", "blocked")
        + "confidence: 0.5\n";
    Folder::new()
        .with("before.yaml", before.replace("goal: Ship the web part\n", ""))
        .with("after.yaml", after)
}

#[test]
fn packets_of_the_same_meaning_are_the_same() {
    let folder = with_handoff();
    let json = folder.stdout(&["convert", "handoff.yaml", "--to", "json"]);
    let folder = folder.with("handoff.json", json);
    assert_snapshot!(folder.run(&["diff", "handoff.yaml", "handoff.json"]), @"
    exit 0
    --- stderr
    The packets are equal.
    ");
    assert_eq!(folder.run(&["diff", "-q", "handoff.yaml", "handoff.json"]), "exit 0\n");
    assert_eq!(folder.run(&["diff", "-q", "--json", "handoff.yaml", "handoff.json"]), "exit 0\n");
    assert_eq!(folder.run_with(&["diff", "-q", "handoff.yaml", "-"], HANDOFF), "exit 0\n");
}

#[test]
fn every_change_has_a_line() {
    let folder = pair();
    assert_snapshot!(folder.run(&["diff", "before.yaml", "after.yaml"]), @r#"
    exit 1
    --- stdout
    ~ /status  "in_progress" → "blocked"
    - /completed/1  "Asked the team"
    > /completed/1  "Scaffolded it" from /completed/0
    + /goal  "Ship the web part"
    + /confidence  0.5
    "#);
    assert_snapshot!(folder.run(&["diff", "--json", "before.yaml", "after.yaml"]), @r#"
    exit 1
    --- stdout
    {"op":"changed","pointer":"/status","before":"in_progress","after":"blocked"}
    {"op":"removed","pointer":"/completed/1","before":"Asked the team"}
    {"op":"moved","pointer":"/completed/1","from":"/completed/0","before":"Scaffolded it","after":"Scaffolded it"}
    {"op":"added","pointer":"/goal","after":"Ship the web part"}
    {"op":"added","pointer":"/confidence","after":0.5}
    "#);
}

#[test]
fn a_patch_of_the_difference_makes_one_the_other() {
    let folder = pair();
    let patch = folder.run(&["diff", "--patch", "before.yaml", "after.yaml"]);
    assert_snapshot!(patch, @r#"
    exit 1
    --- stdout
    [
      {
        "op": "replace",
        "path": "/status",
        "value": "blocked"
      },
      {
        "op": "remove",
        "path": "/completed/1"
      },
      {
        "op": "remove",
        "path": "/completed/0"
      },
      {
        "op": "add",
        "path": "/completed/1",
        "value": "Scaffolded it"
      },
      {
        "op": "add",
        "path": "/goal",
        "value": "Ship the web part"
      },
      {
        "op": "add",
        "path": "/confidence",
        "value": 0.5
      }
    ]
    "#);
    let operations = patch.trim_start_matches("exit 1\n--- stdout\n");
    let folder = folder.with("change.json", operations);
    assert_eq!(folder.exit(&["patch", "-i", "before.yaml", "change.json"]), 0);
    assert_eq!(folder.exit(&["diff", "before.yaml", "after.yaml"]), 0);
}

#[test]
fn a_long_value_is_cut_on_its_line() {
    let long = HANDOFF.to_owned() + &format!("summary: {}\n", "word ".repeat(60).trim());
    let folder = with_handoff().with("long.yaml", long);
    assert_snapshot!(folder.run(&["diff", "handoff.yaml", "long.yaml"]), @r#"
    exit 1
    --- stdout
    + /summary  "word word word word word word word word word word word word word word word word word word word word word word word word…
    "#);
}

#[test]
fn what_cannot_be_read_cannot_be_compared() {
    let folder = with_handoff().with("torn.json", "{\"goal\": 1,}");
    assert_snapshot!(folder.run(&["diff", "handoff.yaml", "torn.json"]), @r#"
    exit 3
    --- stderr
    error: torn.json is not a valid packet

    torn.json:1:12: TK-JSON-SYNTAX expected a member name in double quotes
      |
    1 | {"goal": 1,}
      |            ^
    "#);
    assert_snapshot!(folder.run(&["diff", "gone.yaml", "handoff.yaml"]), @"
    exit 2
    --- stderr
    error: cannot read gone.yaml: no such file or directory
    ");
}
