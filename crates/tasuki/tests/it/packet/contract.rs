//! `tasuki contract`: checks and drawings.

use insta::assert_snapshot;

use crate::support::folder::Folder;

fn good() -> Folder {
    Folder::new().with_copy_of("contracts")
}

/// One contract from `from` to `to`, short of what is given.
fn contract(from: &str, to: &str, rest: &str) -> String {
    format!(
        "contract: {from}-to-{to}\nversion: \"1.0\"\ndescription: Work\nfrom: [{from}]\nto: [{to}]\n\
         payload_schema: {{ $ref: work.schema.json }}\n\
         scope: {{ is: work, is_not: [leave to deploy] }}\n\
         confidence: {{ required: true, hold_below: 0.5 }}\nprovenance: {{ require: [inputs] }}\n{rest}"
    )
}

const SCHEMA: &str = r#"{"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"], "additionalProperties": false}"#;

#[test]
fn good_contracts_pass_one_by_one_and_as_a_folder() {
    let folder = good();
    assert_snapshot!(folder.run(&["contract", "check", "."]), @"
    exit 0
    --- stdout
    ok  6 contracts, 2 payload schemas in use on 4 edges
    ");
    assert_snapshot!(folder.run(&["contract", "check", ".", "--json"]), @r#"
    exit 0
    --- stdout
    {"summary":{"contracts":6,"edges":4,"payload_schemas":2},"errors":0,"warnings":0}
    "#);
    assert_snapshot!(folder.run(&["contract", "check", "planner-to-coder.yaml"]), @"
    exit 0
    --- stdout
    ok  1 contract, 1 payload schema in use on 1 edge
    ");
}

#[test]
fn what_is_wrong_with_a_contract_is_shown_at_its_line() {
    let ladder = "fallback: [{ to: \"role:oncall\", after: 5m }]\n";
    let folder = Folder::new()
        .with("work.schema.json", SCHEMA)
        .with("ladder.yaml", contract("a", "b", ladder))
        .with("torn.yaml", "contract: [\n")
        .with("part.yaml", "contract: c-to-d\nversion: one\nfrom: [c]\n");
    let check = |files: &[&str]| folder.run(&[&["contract", "check"], files].concat());
    assert_snapshot!(check(&["ladder.yaml"]), @r#"
    exit 1
    --- stdout
    error ladder.yaml:10:12: TK-CONTRACT-LADDER the last rung is `role:oncall`, not `dead_letter`
       |
    10 | fallback: [{ to: "role:oncall", after: 5m }]
       |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
       = hint: end the ladder with `{ to: dead_letter }`

    1 error  1 contract, 1 payload schema in use on 1 edge
    "#);
    assert_snapshot!(check(&["torn.yaml"]), @"
    exit 1
    --- stdout
    error torn.yaml:1:11: TK-YAML-SYNTAX unclosed bracket '['
      |
    1 | contract: [
      |           ^
      = hint: check the indentation, and quote text that contains `: ` or ` #`

    1 error  0 contracts, 0 payload schemas in use on 0 edges
    ");
    assert_snapshot!(check(&["part.yaml"]), @r#"
    exit 1
    --- stdout
    error part.yaml:2:10: TK-FIELD-FORMAT `/version` has an invalid format
      |
    2 | version: one
      |          ^^^
      = found: "one"
      = allowed: two integers of up to four digits, as in `1.2`

    error part.yaml:1:1: TK-FIELD-MISSING missing required field `to`

    2 errors  0 contracts, 0 payload schemas in use on 0 edges
    "#);
    assert_snapshot!(check(&["ladder.yaml", "torn.yaml", "--json"]), @r#"
    exit 1
    --- stdout
    {"severity":"error","file":"torn.yaml","violation":{"code":"TK-YAML-SYNTAX","pointer":"","line":1,"column":11,"message":"unclosed bracket '['","hint":"check the indentation, and quote text that contains `: ` or ` #`"}}
    {"severity":"error","file":"ladder.yaml","violation":{"code":"TK-CONTRACT-LADDER","pointer":"/fallback/0","line":10,"column":12,"message":"the last rung is `role:oncall`, not `dead_letter`","hint":"end the ladder with `{ to: dead_letter }`"}}
    {"summary":{"contracts":1,"edges":1,"payload_schemas":1},"errors":2,"warnings":0}
    "#);
}

#[test]
fn a_missing_schema_and_a_loop_are_found() {
    let end = "fallback: [{ to: dead_letter }]\n";
    let folder = Folder::new()
        .with("loop/work.schema.json", SCHEMA)
        .with("loop/a.yaml", contract("a", "b", end))
        .with("loop/b.yaml", contract("b", "a", end))
        .with("alone.yaml", contract("c", "d", end));
    assert_snapshot!(folder.run(&["contract", "check", "alone.yaml"]), @"
    exit 1
    --- stdout
    error alone.yaml:6:25: TK-SCHEMA-MISSING schema file `work.schema.json` not found
      |
    6 | payload_schema: { $ref: work.schema.json }
      |                         ^^^^^^^^^^^^^^^^
      = found: work.schema.json
      = hint: the path is relative to the contract's folder

    1 error  1 contract, 1 payload schema in use on 1 edge
    ");
    assert_snapshot!(folder.run(&["contract", "check", "loop"]), @"
    exit 1
    --- stdout
    error loop/b.yaml:5:5: TK-CONTRACT-LOOP a -> b -> a is a loop without a return contract
      |
    5 | to: [a]
      |     ^^^
      = found: a-to-b@1.0, b-to-a@1.0
      = hint: remove an edge, or set `returns: { allowed: true }` in a contract from `a` to `b`

    1 error  2 contracts, 1 payload schema in use on 2 edges
    ");
}

#[test]
fn places_without_a_contract_are_no_success() {
    let folder =
        Folder::new().with("docs/notes.md", "# contract: none\n").with("a.yaml", "goal: x\n");
    assert_snapshot!(folder.run(&["contract", "check", "docs"]), @"
    exit 2
    --- stderr
    error: no contract documents found
      hint: a contract document has a member `contract`
    ");
    assert_snapshot!(folder.run(&["contract", "check", "gone.yaml"]), @"
    exit 2
    --- stderr
    error: cannot read gone.yaml: no such file or directory
    ");
    assert_snapshot!(folder.run(&["contract", "check", "a.yaml"]), @"
    exit 1
    --- stdout
    error a.yaml:1:1: TK-FIELD-UNKNOWN unknown field `goal`
      |
    1 | goal: x
      | ^^^^
      = found: goal
      = allowed: contract, version, description, from, to, payload_schema, scope, confidence, provenance, fallback, profile, lease, deadlines, returns, rework, hops, risk, gates, triggers, park, reapproval, decide, escalate_after, verify, compatible_with, convert_from

    error a.yaml:1:1: TK-FIELD-MISSING missing required field `contract`

    error a.yaml:1:1: TK-FIELD-MISSING missing required field `version`

    error a.yaml:1:1: TK-FIELD-MISSING missing required field `from`

    error a.yaml:1:1: TK-FIELD-MISSING missing required field `to`

    5 errors  0 contracts, 0 payload schemas in use on 0 edges
    ");
}

#[test]
fn the_graph_is_drawn_for_people_and_for_tools() {
    let folder = good();
    let graph =
        |format| folder.run(&["contract", "graph", "planner-to-coder.yaml", "--format", format]);
    assert_snapshot!(graph("text"), @"
    exit 0
    --- stdout
    coder            - > planner           returns status, changed_paths, verification, blockers, handoff_summary
    coder            ..> role:coder        fallback after 30m on no_progress
    planner          --> coder             planner-to-coder@1.0
    role:coder       ..> role:human-queue  fallback
    role:human-queue ..> dead_letter       fallback
    ");
    assert_snapshot!(graph("mermaid"), @r#"
    exit 0
    --- stdout
    flowchart LR
      n0["coder"]
      n1[("dead_letter")]
      n2["planner"]
      n3(["role:coder"])
      n4(["role:human-queue"])
      n0 -->|"returns status, changed_paths, verification, blockers, handoff_summary"| n2
      n0 -.->|"fallback after 30m on no_progress"| n3
      n2 -->|"planner-to-coder@1.0"| n0
      n3 -.->|"fallback"| n4
      n4 -.->|"fallback"| n1
      linkStyle 0 stroke-dasharray: 8 4
    "#);
    assert_snapshot!(graph("dot"), @r#"
    exit 0
    --- stdout
    digraph contracts {
      rankdir=LR;
      "coder" [shape=box];
      "dead_letter" [shape=cylinder];
      "planner" [shape=box];
      "role:coder" [shape=ellipse];
      "role:human-queue" [shape=ellipse];
      "coder" -> "planner" [style=dashed, label="returns status, changed_paths, verification, blockers, handoff_summary"];
      "coder" -> "role:coder" [style=dotted, label="fallback after 30m on no_progress"];
      "planner" -> "coder" [style=solid, label="planner-to-coder@1.0"];
      "role:coder" -> "role:human-queue" [style=dotted, label="fallback"];
      "role:human-queue" -> "dead_letter" [style=dotted, label="fallback"];
    }
    "#);
    assert_eq!(folder.run(&["contract", "graph", "planner-to-coder.yaml"]), graph("text"));
    let json = folder.stdout(&["contract", "graph", "planner-to-coder.yaml", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["format"], "text");
    assert!(graph("text").ends_with(json["text"].as_str().unwrap()));
}

#[test]
fn a_contract_that_cannot_be_read_is_not_drawn() {
    let folder = good().with("torn.yaml", "contract: [\n");
    assert_snapshot!(folder.run(&["contract", "graph", "."]), @"
    exit 3
    --- stderr
    error: ./torn.yaml is not a valid contract
      hint: `tasuki contract check ./torn.yaml` lists the errors
    ");
}

#[test]
fn each_contract_gets_a_page_and_all_an_index() {
    let folder = good();
    assert_snapshot!(folder.run(&["contract", "docs", ".", "--to", "pages"]), @"
    exit 0
    --- stderr
    Wrote 7 pages to pages
    ");
    assert_snapshot!(folder.read("pages/correlation-to-investigation-1.2.md"));
    let index = folder.read("pages/README.md");
    for (_, rest) in index.match_indices("](").map(|(at, _)| index.split_at(at + 2)) {
        let page = rest.split(')').next().unwrap();
        assert!(folder.path(&format!("pages/{page}")).exists(), "{page}");
    }
    assert!(index.contains("```mermaid\nflowchart LR\n"), "{index}");
    let again = folder.run(&["contract", "docs", ".", "--to", "pages"]);
    assert!(again.starts_with("exit 0"), "pages of an earlier run are replaced: {again}");
    let printed = folder.stdout(&["contract", "docs", "planner-to-coder.yaml"]);
    assert!(printed.starts_with("# planner-to-coder 1.0\n"), "{printed}");
}

#[test]
fn pages_never_replace_another_file() {
    let folder = good().with("pages/README.md", "# Ours\n");
    assert_snapshot!(folder.run(&["contract", "docs", "planner-to-coder.yaml", "--to", "pages"]), @"
    exit 2
    --- stderr
    error: pages/README.md is not a page of `tasuki contract docs`
      hint: choose another folder, or remove the file
    ");
    assert!(!folder.path("pages/planner-to-coder-1.0.md").exists());
    let torn = Folder::new().with("torn.yaml", "contract: [\n");
    assert_snapshot!(torn.run(&["contract", "docs", "torn.yaml"]), @"
    exit 3
    --- stderr
    error: torn.yaml is not a valid contract
      hint: `tasuki contract check torn.yaml` lists the errors
    ");
}
