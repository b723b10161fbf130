//! `tasuki lint`: the score, findings that count and advice that does not.

use insta::assert_snapshot;

use crate::support::folder::Folder;
use crate::support::samples::{HANDOFF, WRONG, with_handoff};

#[test]
fn advice_is_no_finding_unless_asked_for() {
    let folder = with_handoff();
    assert_snapshot!(folder.run(&["lint", "handoff.yaml"]), @"
    exit 0
    --- stdout
    handoff.yaml  completeness 33/100
      context            8/25  lacks `summary` or `handoff_summary`; `decisions` or `pitfalls_hit` or `failed_approaches`; `constraints` or `assumptions` or `context`
      ownership         20/20  complete
      next action        5/30  lacks `next_request`; `acceptance`; `return_required`
      reproducibility    0/25  lacks `evidence_refs`; `artifacts` or `inputs`
      advice  TK-LINT-REQUEST /next_request: the packet has no `next_request`
              hint: state what the receiver should do next
      advice  TK-LINT-EVIDENCE /evidence_refs: 1 completed step without evidence
              hint: add `evidence_refs`, for example `commit:9f2c1e0` or `log:ci-7`
    ");
    assert_eq!(folder.exit(&["lint", "handoff.yaml", "--strict"]), 1);
}

#[test]
fn a_warning_is_a_finding() {
    let folder =
        Folder::new().with("vague.yaml", HANDOFF.to_owned() + "acceptance: [It works well]\n");
    assert_snapshot!(folder.run(&["lint", "vague.yaml"]), @"
    exit 1
    --- stdout
    vague.yaml  completeness 43/100
      context            8/25  lacks `summary` or `handoff_summary`; `decisions` or `pitfalls_hit` or `failed_approaches`; `constraints` or `assumptions` or `context`
      ownership         20/20  complete
      next action       15/30  lacks `next_request`; `return_required`
      reproducibility    0/25  lacks `evidence_refs`; `artifacts` or `inputs`
      advice  TK-LINT-REQUEST /next_request: the packet has no `next_request`
              hint: state what the receiver should do next
      advice  TK-LINT-EVIDENCE /evidence_refs: 1 completed step without evidence
              hint: add `evidence_refs`, for example `commit:9f2c1e0` or `log:ci-7`
      warning TK-LINT-VAGUE /acceptance/0: criterion `It works well` is not checkable
              hint: name a command, a number, a file or an observable behaviour
    ");
    assert_snapshot!(folder.run(&["lint", "--json", "vague.yaml"]), @r#"
    exit 1
    --- stdout
    {"file":"vague.yaml","valid":true,"findings":[{"severity":"advice","code":"TK-LINT-REQUEST","pointer":"/next_request","message":"the packet has no `next_request`","hint":"state what the receiver should do next"},{"severity":"advice","code":"TK-LINT-EVIDENCE","pointer":"/evidence_refs","message":"1 completed step without evidence","hint":"add `evidence_refs`, for example `commit:9f2c1e0` or `log:ci-7`"},{"severity":"warning","code":"TK-LINT-VAGUE","pointer":"/acceptance/0","message":"criterion `It works well` is not checkable","hint":"name a command, a number, a file or an observable behaviour"}],"score":{"total":43,"parts":[{"name":"context","weight":25,"points":8,"reason":"lacks `summary` or `handoff_summary`; `decisions` or `pitfalls_hit` or `failed_approaches`; `constraints` or `assumptions` or `context`"},{"name":"ownership","weight":20,"points":20,"reason":"complete"},{"name":"next action","weight":30,"points":15,"reason":"lacks `next_request`; `return_required`"},{"name":"reproducibility","weight":25,"points":0,"reason":"lacks `evidence_refs`; `artifacts` or `inputs`"}]},"variant":"baseline","violations":[]}
    "#);
}

#[test]
fn a_packet_that_is_not_valid_is_a_finding() {
    let folder = Folder::new().with("wrong.yaml", WRONG).with("torn.yaml", "goal: [\n");
    assert_snapshot!(folder.run(&["lint", "wrong.yaml"]), @r#"
    exit 1
    --- stdout
    wrong.yaml  completeness 33/100
      context            8/25  lacks `summary` or `handoff_summary`; `decisions` or `pitfalls_hit` or `failed_approaches`; `constraints` or `assumptions` or `context`
      ownership         20/20  complete
      next action        5/30  lacks `next_request`; `acceptance`; `return_required`
      reproducibility    0/25  lacks `evidence_refs`; `artifacts` or `inputs`
      advice  TK-LINT-REQUEST /next_request: the packet has no `next_request`
              hint: state what the receiver should do next
      advice  TK-LINT-EVIDENCE /evidence_refs: 1 completed step without evidence
              hint: add `evidence_refs`, for example `commit:9f2c1e0` or `log:ci-7`
    invalid  wrong.yaml  2 violations of baseline

    wrong.yaml:5:9: TK-FIELD-VALUE `status` must be one of `in_progress`, `blocked`, `failed`, `completed`
      |
    5 | status: done
      |         ^^^^
      = found: "done"
      = allowed: in_progress, blocked, failed, completed

    wrong.yaml:9:13: TK-FIELD-RANGE `confidence` is out of range
      |
    9 | confidence: 74
      |             ^^
      = found: 74
      = allowed: a number between 0 and 1
      = hint: did you mean 0.74?
    "#);
    assert_snapshot!(folder.run(&["lint", "--json", "wrong.yaml", "torn.yaml"]), @r#"
    exit 1
    --- stdout
    {"file":"wrong.yaml","valid":false,"findings":[{"severity":"advice","code":"TK-LINT-REQUEST","pointer":"/next_request","message":"the packet has no `next_request`","hint":"state what the receiver should do next"},{"severity":"advice","code":"TK-LINT-EVIDENCE","pointer":"/evidence_refs","message":"1 completed step without evidence","hint":"add `evidence_refs`, for example `commit:9f2c1e0` or `log:ci-7`"}],"score":{"total":33,"parts":[{"name":"context","weight":25,"points":8,"reason":"lacks `summary` or `handoff_summary`; `decisions` or `pitfalls_hit` or `failed_approaches`; `constraints` or `assumptions` or `context`"},{"name":"ownership","weight":20,"points":20,"reason":"complete"},{"name":"next action","weight":30,"points":5,"reason":"lacks `next_request`; `acceptance`; `return_required`"},{"name":"reproducibility","weight":25,"points":0,"reason":"lacks `evidence_refs`; `artifacts` or `inputs`"}]},"variant":"baseline","violations":[{"code":"TK-FIELD-VALUE","pointer":"/status","line":5,"column":9,"message":"`status` must be one of `in_progress`, `blocked`, `failed`, `completed`","found":"\"done\"","allowed":"in_progress, blocked, failed, completed"},{"code":"TK-FIELD-RANGE","pointer":"/confidence","line":9,"column":13,"message":"`confidence` is out of range","found":"74","allowed":"a number between 0 and 1","hint":"did you mean 0.74?"}]}
    {"file":"torn.yaml","valid":false,"violations":[{"code":"TK-YAML-SYNTAX","pointer":"","line":1,"column":7,"message":"unclosed bracket '['","hint":"check the indentation, and quote text that contains `: ` or ` #`"}]}
    "#);
}

#[test]
fn folders_stdin_and_missing_files_are_as_in_validate() {
    let folder = with_handoff()
        .with("packets/a.yaml", HANDOFF)
        .with("packets/notes.md", "# Notes\n")
        .with("docs/notes.md", "# Notes\n");
    assert_snapshot!(folder.run(&["lint", "packets"]), @"
    exit 0
    --- stdout
    packets/a.yaml  completeness 33/100
      context            8/25  lacks `summary` or `handoff_summary`; `decisions` or `pitfalls_hit` or `failed_approaches`; `constraints` or `assumptions` or `context`
      ownership         20/20  complete
      next action        5/30  lacks `next_request`; `acceptance`; `return_required`
      reproducibility    0/25  lacks `evidence_refs`; `artifacts` or `inputs`
      advice  TK-LINT-REQUEST /next_request: the packet has no `next_request`
              hint: state what the receiver should do next
      advice  TK-LINT-EVIDENCE /evidence_refs: 1 completed step without evidence
              hint: add `evidence_refs`, for example `commit:9f2c1e0` or `log:ci-7`
    ");
    assert_snapshot!(folder.run(&["lint", "docs"]), @"
    exit 2
    --- stderr
    error: no packet found
      hint: in a folder, only files that end in .json, .yaml, .yml, .md, .markdown, .wire, .ahp and have the key of a packet are read
    ");
    assert_snapshot!(folder.run(&["lint", "gone.yaml"]), @"
    exit 2
    --- stderr
    error: cannot read gone.yaml: no such file or directory
    ");
    assert_eq!(folder.exit(&["lint", "gone.yaml", "packets"]), 2);
    assert!(folder.run_with(&["lint", "-"], HANDOFF).contains("<stdin>  completeness"));
}
