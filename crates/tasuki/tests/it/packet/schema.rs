//! `tasuki schema`: the JSON Schema of a variant.

use insta::assert_snapshot;
use serde_json::Value;

use crate::support::folder::{Folder, repository, repository_files};

#[test]
fn the_variants_are_listed_with_their_purpose() {
    let folder = Folder::new();
    assert_snapshot!(folder.run(&["schema", "--list"]), @"
    exit 0
    --- stdout
    baseline    the open format: parties, task and progress
    ahp         Agent Handoff Packet 0.1: its six required fields
    strict      everything a receiver needs to start and a reviewer needs to verify; no unknown fields
    regulated   health care, finance and government: classification, regulations, sign-off, retention
    nhs         regulated, for clinical work: hazards, safety case, purpose and records schedule
    fca         regulated, for financial services: accountable person, retention of at least five years
    gov         regulated, for the UK government: classification by tier
    executor    bounded work: files, constraints, acceptance criteria and required return fields
    reviewer    a review: the return packet has evidence, blockers, assumptions and a verdict
    researcher  a scoped question: sources, uncertainty and expected outputs
    coding      code: failed approaches, even if there are none
    ");
    assert_snapshot!(folder.run(&["schema", "--list", "--json"]).lines().nth(2).unwrap(), @r#"{"name":"baseline","purpose":"the open format: parties, task and progress"}"#);
}

#[test]
fn a_schema_is_the_one_that_is_published() {
    let folder = Folder::new();
    for file in repository_files("schemas/packet/1.0") {
        let name = file.trim_end_matches(".json");
        let published =
            std::fs::read_to_string(repository("schemas/packet/1.0").join(&file)).unwrap();
        let printed = folder.stdout(&["schema", name]);
        assert_eq!(printed, published, "{name}");
        let line = folder.stdout(&["schema", name, "--json"]);
        assert_eq!(line.lines().count(), 1, "{name}");
        let [line, printed]: [Value; 2] =
            [&line, &printed].map(|text| serde_json::from_str(text).unwrap());
        assert_eq!(line, printed, "{name}");
    }
    assert_eq!(folder.stdout(&["schema"]), folder.stdout(&["schema", "baseline"]));
}

#[test]
fn a_variant_file_has_a_schema_too() {
    let folder =
        Folder::new().with("ours.yaml", "variant: ours\nextends: baseline\nrequire: [summary]\n");
    let schema: Value = serde_json::from_str(&folder.stdout(&["schema", "ours.yaml"])).unwrap();
    let required = schema.to_string();
    assert!(required.contains("\"summary\""), "{required}");
}

#[test]
fn a_variant_that_is_none_is_refused() {
    let folder = Folder::new();
    assert_snapshot!(folder.run(&["schema", "auto"]), @"
    exit 2
    --- stderr
    error: `auto` has no schema
      hint: name a variant: `tasuki schema --list`
    ");
    assert_snapshot!(folder.run(&["schema", "baselines"]), @"
    exit 2
    --- stderr
    error: unknown variant `baselines`
      hint: use auto, baseline, ahp, strict, regulated, nhs, fca, gov, executor, reviewer, researcher, coding, or the path of a variant file
    ");
}

#[test]
fn the_form_for_models_is_closed_and_its_answers_become_packets() {
    let folder = Folder::new().with(
        "answer.json",
        r#"{"handoff_version": "1.0", "packet_type": "checkpoint", "task_id": "export-7", "to_agent": "",
            "status": "in_progress", "summary": "", "next_request": "", "decisions": [],
            "completed": [{"text": "Wrote it", "state": "verified", "evidence": ["log:ci-7"], "pinned": false}],
            "remaining": [{"text": "Test it", "state": "unknown", "evidence": [], "pinned": false}],
            "pitfalls_hit": [], "failed_approaches": [], "assumptions": [], "evidence_refs": [],
            "context": [{"name": "rust", "value": "1.95"}], "confidence": null, "blockers": []}"#,
    );
    let schema: Value =
        serde_json::from_str(&folder.stdout(&["schema", "--for", "model", "--kind", "checkpoint"]))
            .unwrap();
    let answer: Value = serde_json::from_str(&folder.read("answer.json")).unwrap();
    assert!(jsonschema::is_valid(&schema, &answer));
    assert_snapshot!(folder.run(&["convert", "--from", "model", "answer.json", "--to", "yaml", "--out", "checkpoint.yaml"]), @"
    exit 0
    --- stderr
    Wrote checkpoint.yaml
    ");
    assert_eq!(folder.exit(&["validate", "checkpoint.yaml"]), 0);
    assert_snapshot!(folder.read("checkpoint.yaml"), @r#"
    handoff_version: "1.0"
    packet_type: checkpoint
    task_id: export-7
    status: in_progress
    decisions: []
    completed:
      - text: Wrote it
        state: verified
        evidence:
          - log:ci-7
    remaining:
      - Test it
    pitfalls_hit: []
    failed_approaches: []
    assumptions: []
    evidence_refs: []
    context:
      rust: "1.95"
    blockers: []
    "#);
}

#[test]
fn a_kind_belongs_to_the_form_for_models() {
    assert_snapshot!(Folder::new().run(&["schema", "--kind", "return"]), @"
    exit 2
    --- stderr
    error: `--kind` needs `--for model`
      hint: the schema for validators covers every kind
    ");
}
