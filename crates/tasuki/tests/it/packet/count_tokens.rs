//! `tasuki tokens`: what a packet costs a model.

use insta::assert_snapshot;

use crate::support::samples::{HANDOFF, with_handoff};

#[test]
fn every_form_has_its_count() {
    let folder = with_handoff();
    let table = folder.run(&["tokens", "handoff.yaml"]);
    assert_snapshot!(table, @"
    exit 0
    --- stdout
    json              84
    yaml              54
    wire              59
    brief             71
    agent brief      102
    --- stderr
    tokens, ≈ o200k_base
    ");
    assert_eq!(folder.run_with(&["tokens", "-"], HANDOFF), table);
    assert_snapshot!(folder.run(&["tokens", "handoff.yaml", "--json"]), @r#"
    exit 0
    --- stdout
    {"encoding":"o200k_base","tokens":{"json":84,"yaml":54,"wire":59,"brief":71,"agent_brief":102},"cut":null}
    "#);
    assert_snapshot!(folder.run(&["tokens", "handoff.yaml", "-q", "--encoding", "cl100k_base"]), @"
    exit 0
    --- stdout
    json              85
    yaml              54
    wire              59
    brief             71
    agent brief      102
    ");
}

#[test]
fn an_unknown_vocabulary_or_file_is_named() {
    let folder = with_handoff();
    assert_snapshot!(folder.run(&["tokens", "handoff.yaml", "--encoding", "p50k"]), @"
    exit 2
    --- stderr
    error: unknown encoding `p50k`
      hint: use o200k_base or cl100k_base
    ");
    assert_snapshot!(folder.run(&["tokens", "gone.yaml"]), @"
    exit 2
    --- stderr
    error: cannot read gone.yaml: no such file or directory
    ");
}
