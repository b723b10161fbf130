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
    assert_snapshot!(folder.run(&["schema", "--list", "--json"]).lines().nth(2).unwrap(), @r#"{"name":"baseline","purpose":"the open format: who, what, how far"}"#);
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
