//! `tasuki validate`: verdicts on files, folders and stdin; variants, contracts, returns.

use insta::assert_snapshot;

use crate::support::folder::Folder;
use crate::support::samples::{HANDOFF, RETURN, WRONG, with_handoff};

#[test]
fn a_valid_packet_is_named_with_variant_form_and_digest() {
    assert_snapshot!(with_handoff().run(&["validate", "handoff.yaml"]), @"
    exit 0
    --- stdout
    valid    handoff.yaml  baseline, yaml, sha256:7255014eb37ec84578d635a4e041a9e03da1af848ba22a0a89936a83de5f3f7a
    ");
}

#[test]
fn every_violation_is_shown_with_its_line() {
    let folder = Folder::new().with("wrong.yaml", WRONG);
    assert_snapshot!(folder.run(&["validate", "wrong.yaml"]), @r#"
    exit 1
    --- stdout
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
}

#[test]
fn json_has_one_object_for_each_file() {
    let folder = with_handoff().with("wrong.yaml", WRONG);
    let json = folder.run(&["validate", "--json", "handoff.yaml", "wrong.yaml"]);
    assert_snapshot!(json, @r#"
    exit 1
    --- stdout
    {"file":"handoff.yaml","valid":true,"form":"yaml","variant":"baseline","digest":"sha256:7255014eb37ec84578d635a4e041a9e03da1af848ba22a0a89936a83de5f3f7a","violations":[]}
    {"file":"wrong.yaml","valid":false,"form":"yaml","variant":"baseline","violations":[{"code":"TK-FIELD-VALUE","pointer":"/status","line":5,"column":9,"message":"`status` must be one of `in_progress`, `blocked`, `failed`, `completed`","found":"\"done\"","allowed":"in_progress, blocked, failed, completed"},{"code":"TK-FIELD-RANGE","pointer":"/confidence","line":9,"column":13,"message":"`confidence` is out of range","found":"74","allowed":"a number between 0 and 1","hint":"did you mean 0.74?"}]}
    --- stderr
    1 valid, 1 invalid with 2 violations
    "#);
    assert_eq!(folder.run(&["validate", "--format", "json", "handoff.yaml", "wrong.yaml"]), json);
}

#[test]
fn stdin_is_read_like_a_file() {
    let folder = Folder::new();
    assert_snapshot!(folder.run_with(&["validate", "-"], HANDOFF), @"
    exit 0
    --- stdout
    valid    <stdin>  baseline, yaml, sha256:7255014eb37ec84578d635a4e041a9e03da1af848ba22a0a89936a83de5f3f7a
    ");
    assert_snapshot!(folder.run_with(&["validate", "-"], "Please go on with it.\n"), @"
    exit 1
    --- stdout
    invalid  <stdin>  1 violation

    <stdin>: TK-PACKET-FREE-TEXT expected a packet, found prose
      = allowed: an object with fields such as `task_id` and `goal`
      = hint: run `tasuki init --packet` to create a packet
    ");
    assert_snapshot!(folder.run_with(&["validate", "-"], ""), @"
    exit 1
    --- stdout
    invalid  <stdin>  1 violation

    <stdin>: TK-PACKET-EMPTY the input is empty
      = hint: run `tasuki init --packet` to create a packet
    ");
}

#[test]
fn a_folder_is_looked_through_in_order_and_other_files_are_skipped() {
    let folder = with_handoff()
        .with("packets/b.yaml", HANDOFF)
        .with("packets/a.yaml", WRONG)
        .with("packets/deep/return.YML", RETURN)
        .with("packets/.hidden/c.yaml", WRONG)
        .with("packets/.d.yaml", WRONG)
        .with("packets/notes.md", "# Notes\n\nNothing to hand over.\n")
        .with("packets/package.json", "{\"name\": \"web-part\", \"version\": \"1.0.0\"}\n")
        .with("packets/picture.png", "handoff_version:");
    assert_snapshot!(folder.run(&["validate", "packets", "handoff.yaml"]), @r#"
    exit 1
    --- stdout
    invalid  packets/a.yaml  2 violations of baseline

    packets/a.yaml:5:9: TK-FIELD-VALUE `status` must be one of `in_progress`, `blocked`, `failed`, `completed`
      |
    5 | status: done
      |         ^^^^
      = found: "done"
      = allowed: in_progress, blocked, failed, completed

    packets/a.yaml:9:13: TK-FIELD-RANGE `confidence` is out of range
      |
    9 | confidence: 74
      |             ^^
      = found: 74
      = allowed: a number between 0 and 1
      = hint: did you mean 0.74?

    valid    packets/b.yaml  baseline, yaml, sha256:7255014eb37ec845
    valid    packets/deep/return.YML  baseline, yaml, sha256:570865d067934e96
    valid    handoff.yaml  baseline, yaml, sha256:7255014eb37ec845
    --- stderr
    3 valid, 1 invalid with 2 violations, 2 skipped (not a packet)
    "#);
    assert_snapshot!(folder.run(&["validate", "packets/notes.md", "--json"]), @r#"
    exit 1
    --- stdout
    {"file":"packets/notes.md","valid":false,"violations":[{"code":"TK-MARKDOWN-NO-PACKET","pointer":"","message":"no packet found in the Markdown text","allowed":"front matter, or a block tagged `tasuki`, `ahp-yaml`, `yaml` or `json`","hint":"put the packet into a code block tagged `tasuki`"}]}
    "#);
    assert_snapshot!(folder.run(&["validate", "packets/deep", "packets", "--json", "-q"]), @r#"
    exit 1
    --- stdout
    {"file":"packets/deep/return.YML","valid":true,"form":"yaml","variant":"baseline","digest":"sha256:570865d067934e9626c38c9b2c4b47fe95c282f04bc58f4ce7b38752b9ff43a9","violations":[]}
    {"file":"packets/a.yaml","valid":false,"form":"yaml","variant":"baseline","violations":[{"code":"TK-FIELD-VALUE","pointer":"/status","line":5,"column":9,"message":"`status` must be one of `in_progress`, `blocked`, `failed`, `completed`","found":"\"done\"","allowed":"in_progress, blocked, failed, completed"},{"code":"TK-FIELD-RANGE","pointer":"/confidence","line":9,"column":13,"message":"`confidence` is out of range","found":"74","allowed":"a number between 0 and 1","hint":"did you mean 0.74?"}]}
    {"file":"packets/b.yaml","valid":true,"form":"yaml","variant":"baseline","digest":"sha256:7255014eb37ec84578d635a4e041a9e03da1af848ba22a0a89936a83de5f3f7a","violations":[]}
    {"file":"packets/deep/return.YML","valid":true,"form":"yaml","variant":"baseline","digest":"sha256:570865d067934e9626c38c9b2c4b47fe95c282f04bc58f4ce7b38752b9ff43a9","violations":[]}
    {"file":"packets/notes.md","valid":false,"violations":[],"skipped":"no packet in it"}
    {"file":"packets/package.json","valid":false,"violations":[],"skipped":"no packet in it"}
    "#);
}

#[test]
fn quiet_leaves_out_the_count() {
    let folder = with_handoff();
    assert_snapshot!(folder.run(&["validate", "-q", "handoff.yaml", "handoff.yaml"]), @"exit 0");
}

#[test]
fn a_folder_with_other_files_has_nothing_wrong_and_an_empty_one_is_no_success() {
    let folder = Folder::new().with("docs/notes.md", "# Notes\n").with("empty/x.txt", "");
    assert_snapshot!(folder.run(&["validate", "docs", "empty"]), @"
    exit 0
    --- stderr
    0 valid, 0 invalid, 1 skipped (not a packet)
    ");
    assert_eq!(folder.exit(&["validate", "empty"]), 2);
}

#[test]
fn a_missing_file_does_not_keep_the_others_from_being_judged() {
    let folder = with_handoff().with("wrong.yaml", WRONG);
    assert_snapshot!(folder.run(&["validate", "gone.yaml"]), @"
    exit 2
    --- stderr
    error: cannot read gone.yaml: no such file or directory
    ");
    let all = folder.run(&["validate", "gone.yaml", "handoff.yaml", "wrong.yaml"]);
    assert_snapshot!(all, @r#"
    exit 2
    --- stdout
    valid    handoff.yaml  baseline, yaml, sha256:7255014eb37ec845
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

    --- stderr
    error: cannot read gone.yaml: no such file or directory
    1 valid, 1 invalid with 2 violations, 1 unreadable
    "#);
}

#[test]
fn a_file_larger_than_a_packet_may_be_is_not_read() {
    let folder = Folder::new();
    let file = std::fs::File::create(folder.path("large.json")).unwrap();
    file.set_len(2 * 1024 * 1024).unwrap();
    assert_snapshot!(folder.run(&["validate", "large.json"]), @"
    exit 1
    --- stdout
    invalid  large.json  1 violation

    large.json: TK-PACKET-TOO-LARGE the input is too large
      = found: 2097152 bytes
      = allowed: at most 1048576 bytes
      = hint: move large content into an artifact and refer to it by digest
    ");
}

#[test]
fn bytes_that_are_no_text_are_a_violation() {
    let folder = Folder::new().with("bytes.yaml", [b'g', 0xff, 0xfe]);
    assert_snapshot!(folder.run(&["validate", "bytes.yaml"]), @"
    exit 1
    --- stdout
    invalid  bytes.yaml  1 violation

    bytes.yaml:1:2: TK-PACKET-ENCODING the input is not UTF-8
      = found: byte 0xff
      = hint: save the file as UTF-8
    ");
}

#[test]
fn a_variant_is_built_in_or_a_file() {
    let folder = with_handoff()
        .with("ours.yaml", "variant: ours\nextends: baseline\nrequire: [summary]\n")
        .with("bad.yaml", "variant: ours\nextends: nothing\nrequires: [summary]\n")
        .with("torn.yaml", "variant: [\n");
    assert_snapshot!(folder.run(&["validate", "handoff.yaml", "--variant", "strict"]), @"
    exit 1
    --- stdout
    invalid  handoff.yaml  10 violations of strict

    handoff.yaml:1:1: TK-FIELD-MISSING missing required field `summary` (variant `strict`)
      = allowed: text

    handoff.yaml:1:1: TK-FIELD-MISSING missing required field `next_request` (variant `strict`)
      = allowed: text

    handoff.yaml:1:1: TK-FIELD-MISSING missing required field `constraints` (variant `strict`)
      = allowed: a list in which each item is text or an object with `text`

    handoff.yaml:1:1: TK-FIELD-MISSING missing required field `acceptance` (variant `strict`)
      = allowed: a list in which each item is text or an object with `text`

    handoff.yaml:1:1: TK-FIELD-MISSING missing required field `failure_boundary` (variant `strict`)
      = allowed: a list in which each item is text or an object with `text`

    handoff.yaml:1:1: TK-FIELD-MISSING missing required field `return_required` (variant `strict`)
      = allowed: a list in which each item is the name of a field, such as `changed_paths`, or an object with `text`

    handoff.yaml:1:1: TK-FIELD-MISSING missing required field `scope` (variant `strict`)
      = allowed: an object

    handoff.yaml:1:1: TK-FIELD-MISSING missing required field `confidence` (variant `strict`)
      = allowed: a number between 0 and 1

    handoff.yaml:1:1: TK-FIELD-MISSING missing required field `provenance` (variant `strict`)
      = allowed: an object

    handoff.yaml:1:1: TK-FIELD-MISSING missing required field `fallback` (variant `strict`)
      = allowed: a fallback such as `escalate_to_oncall_if_not_progressed_within_300s`, or a list in which each item is an object with `to`
    ");
    assert_snapshot!(folder.run(&["validate", "handoff.yaml", "--variant", "ours.yaml"]), @"
    exit 1
    --- stdout
    invalid  handoff.yaml  1 violation of ours

    handoff.yaml:1:1: TK-FIELD-MISSING missing required field `summary` (variant `ours`)
      = allowed: text
    ");
    assert_snapshot!(folder.run(&["validate", "handoff.yaml", "--variant", "bad.yaml"]), @"
    exit 2
    --- stderr
    error: the variant file bad.yaml is invalid

    bad.yaml:3:11: TK-VARIANT-INVALID unknown member `requires` in a variant file
      |
    3 | requires: [summary]
      |           ^^^^^^^^^
      = hint: did you mean `require`?

    bad.yaml:2:10: TK-VARIANT-INVALID `extends` must be one of `baseline`, `ahp`, `strict`, `regulated`, `nhs`, `fca`, `gov`, `executor`, `reviewer`, `researcher`, `coding`
      |
    2 | extends: nothing
      |          ^^^^^^^
    ");
    assert_snapshot!(folder.run(&["validate", "handoff.yaml", "--variant", "torn.yaml"]), @"
    exit 2
    --- stderr
    error: the variant file torn.yaml is invalid

    torn.yaml:1:10: TK-YAML-SYNTAX unclosed bracket '['
      |
    1 | variant: [
      |          ^
      = hint: check the indentation, and quote text that contains `: ` or ` #`
    ");
    assert_snapshot!(folder.run(&["validate", "handoff.yaml", "--variant", "strickt"]), @"
    exit 2
    --- stderr
    error: unknown variant `strickt`
      hint: use auto, baseline, ahp, strict, regulated, nhs, fca, gov, executor, reviewer, researcher, coding, or the path of a variant file
    ");
}

#[test]
fn a_contract_is_kept_or_broken() {
    let good = HANDOFF.to_owned()
        + "next_request: Write it.\nacceptance: [npm test passes]\nconfidence: 0.8\n\
           constraints: [Keep the interface]\ndecisions: []\nfailed_approaches: []\n\
           provenance: { inputs: [The plan] }\n\
           payload: { repository: web, base_commit: 9f2c1e0, branch: main }\ncontract: planner-to-coder@1.0\n";
    let folder = with_handoff().with_copy_of("contracts").with("good.yaml", good);
    let check = |file| folder.run(&["validate", file, "--contract", "planner-to-coder.yaml"]);
    assert_snapshot!(check("good.yaml"), @"
    exit 0
    --- stdout
    valid    good.yaml  coding, yaml, sha256:92acffcb357951156798a1462c9c7695625b44cda13bfbb630757dc4f3c171d7
    ");
    assert_snapshot!(check("handoff.yaml"), @"
    exit 1
    --- stdout
    invalid  handoff.yaml  4 violations of coding

    handoff.yaml:1:1: TK-FIELD-MISSING missing required field `failed_approaches` (variant `coding`)
      = allowed: a list in which each item is an object with `tried` and `result`

    handoff.yaml:1:1: TK-PAYLOAD-INVALID missing `payload`, which the contract requires

    handoff.yaml:1:1: TK-CONFIDENCE-MISSING missing `confidence`, which contract `planner-to-coder@1.0` requires
      = allowed: a number from 0 to 1

    handoff.yaml:1:1: TK-PROVENANCE-MISSING missing `provenance.inputs`, which contract `planner-to-coder@1.0` requires
      = hint: list them so that the receiver can check where the statements come from
    ");
}

#[test]
fn a_contract_that_cannot_be_used_is_said_to_be_at_fault() {
    let contract = "contract: a-to-b\nversion: \"1.0\"\nfrom: [a]\nto: [b]\n\
                    payload_schema: { $ref: gone.schema.json }\nfallback: [{ to: dead_letter }]\n";
    let folder = with_handoff().with("a.yaml", contract).with("torn.yaml", "contract: [\n");
    let check = |file| folder.run(&["validate", "handoff.yaml", "--contract", file]);
    assert_snapshot!(check("a.yaml"), @"
    exit 3
    --- stderr
    error: the contract a.yaml is invalid

    a.yaml:5:25: TK-SCHEMA-MISSING schema file `gone.schema.json` not found
      |
    5 | payload_schema: { $ref: gone.schema.json }
      |                         ^^^^^^^^^^^^^^^^
      = found: gone.schema.json
      = hint: the path is relative to the contract's folder
    ");
    assert_snapshot!(check("torn.yaml"), @"
    exit 3
    --- stderr
    error: the contract torn.yaml is invalid

    torn.yaml:1:11: TK-YAML-SYNTAX unclosed bracket '['
      |
    1 | contract: [
      |           ^
      = hint: check the indentation, and quote text that contains `: ` or ` #`
    ");
    assert_snapshot!(check("gone.yaml"), @"
    exit 2
    --- stderr
    error: cannot read gone.yaml: no such file or directory
    ");
}

/// Asks for fields, criteria and outputs of every kind.
const ASKED: &str = r"return_required: [status, changed_paths, handoff_summary, blockers]
acceptance:
  - { id: tests, text: npm test passes, run: npm test }
  - { id: size, text: The bundle has at most 300 kB }
  - { id: keyboard, text: Every control can be reached by keyboard }
  - { id: docs, text: The README names the new prop }
expected_outputs:
  - { name: bundle, schema: { type: object, required: [bytes] } }
  - { name: report, schema: { type: object, required: [lines] } }
  - { name: changelog }
  - { name: licence }
  - a screenshot of the web part
";

const ANSWERED: &str = r"changed_paths: []
verification:
  - { criterion: tests, result: pass, evidence: 'log:ci-7' }
  - { criterion: 1, result: fail, evidence: 312 kB }
  - { criterion: keyboard, result: not_run }
  - { criterion: colours, result: pass }
blockers: [The tenant is away]
payload: { bundle: { bytes: 12 }, report: { pages: 1 }, changelog: written }
verdict: fail
";

#[test]
fn a_return_is_held_against_everything_the_handoff_asked_for() {
    let folder = Folder::new()
        .with("handoff.yaml", HANDOFF.to_owned() + ASKED)
        .with("return.yaml", RETURN.to_owned() + ANSWERED);
    let not_done = folder.run(&["validate", "--against", "handoff.yaml", "return.yaml"]);
    assert_snapshot!(not_done, @"
    exit 1
    --- stdout
    not done  return.yaml

      ✓ field `status`: present
      ✓ field `changed_paths`: present
      ✓ field `handoff_summary`: present as `summary`
      ✓ field `blockers`: present
      ✓ criterion `npm test passes`: pass (log:ci-7)
      ✗ criterion `The bundle has at most 300 kB`: fail (312 kB)
      ✗ criterion `Every control can be reached by keyboard`: not_run
      ✗ criterion `The README names the new prop`: absent
      ✓ output `bundle`: matches its schema
      ✗ output `report`: does not match its schema
      ✓ output `changelog`: present
      ✗ output `licence`: missing
      ✓ output `a screenshot of the web part`: described in words, not checked

      TK-RETURN-UNKNOWN unknown criterion `colours` in `verification`
        hint: refer to a criterion by its id, its exact text or its index from 0
      TK-RETURN-FAILED criterion `size` failed
        hint: fix it and run the check again
      TK-RETURN-FAILED criterion `keyboard` was not run
        hint: run it, or state in `blockers` why it cannot be run
      TK-RETURN-CRITERION no result for criterion `docs`
        hint: add an entry with `criterion`, `result` and `evidence` to `verification`
      TK-OUTPUT-INVALID output `report`: missing required member `lines`
      TK-RETURN-MISSING missing output `licence`
        hint: add it as `payload.licence`
      TK-RETURN-FAILED the reviewer's verdict is `fail`
        hint: fix the reviewer's findings and request another review

      note: the return is `completed`, but `blockers` is not empty (1)
    ");
}

#[test]
fn a_return_that_has_everything_is_done() {
    let folder = with_handoff()
        .with("return.yaml", RETURN)
        .with("other.yaml", RETURN.replace("build-42", "build-43").replace("completed", "failed"))
        .with("wrong.yaml", RETURN.replace("completed", "finished"));
    let against = |arguments: &[&str]| {
        folder.run(&[&["validate", "--against", "handoff.yaml"], arguments].concat())
    };
    assert_snapshot!(against(&["return.yaml"]), @"
    exit 0
    --- stdout
    done      return.yaml
    ");
    assert_snapshot!(against(&["return.yaml", "other.yaml", "wrong.yaml"]), @r#"
    exit 1
    --- stdout
    done      return.yaml

    not done  other.yaml

      TK-RETURN-TASK the return is for task `build-43`, not for `build-42`
        hint: submit the return packet of this task
      TK-RETURN-FAILED the return has status `failed`
        hint: continue the work, or pass it on with the remaining items

    invalid   wrong.yaml  1 violation

    wrong.yaml:6:9: TK-FIELD-VALUE `status` must be one of `in_progress`, `blocked`, `failed`, `completed`
      |
    6 | status: finished
      |         ^^^^^^^^
      = found: "finished"
      = allowed: in_progress, blocked, failed, completed
    "#);
    let json = against(&["return.yaml", "other.yaml", "wrong.yaml", "--json"]);
    assert_snapshot!(json, @r#"
    exit 1
    --- stdout
    {"file":"return.yaml","valid":true,"verdict":{"done":true,"fields":[],"criteria":[],"outputs":[],"missing":[],"notes":[]}}
    {"file":"other.yaml","valid":true,"verdict":{"done":false,"fields":[],"criteria":[],"outputs":[],"missing":[{"code":"TK-RETURN-TASK","pointer":"/task_id","message":"the return is for task `build-43`, not for `build-42`","found":"build-43","allowed":"build-42","hint":"submit the return packet of this task"},{"code":"TK-RETURN-FAILED","pointer":"/status","message":"the return has status `failed`","found":"failed","allowed":"completed","hint":"continue the work, or pass it on with the remaining items"}],"notes":[]}}
    {"file":"wrong.yaml","valid":false,"violations":[{"code":"TK-FIELD-VALUE","pointer":"/status","line":6,"column":9,"message":"`status` must be one of `in_progress`, `blocked`, `failed`, `completed`","found":"\"finished\"","allowed":"in_progress, blocked, failed, completed"}]}
    "#);
    assert_eq!(against(&["return.yaml", "other.yaml", "wrong.yaml", "--format", "json"]), json);
    assert_snapshot!(against(&["handoff.yaml"]), @"
    exit 3
    --- stderr
    error: handoff.yaml is not a return packet
      hint: a return packet has `packet_type: return`
    ");
    assert_snapshot!(against(&["gone.yaml"]), @"
    exit 2
    --- stderr
    error: cannot read gone.yaml: no such file or directory
    ");
    assert_snapshot!(against(&["."]), @r#"
    exit 1
    --- stdout
    not done  ./other.yaml

      TK-RETURN-TASK the return is for task `build-43`, not for `build-42`
        hint: submit the return packet of this task
      TK-RETURN-FAILED the return has status `failed`
        hint: continue the work, or pass it on with the remaining items

    done      ./return.yaml

    invalid   ./wrong.yaml  1 violation

    ./wrong.yaml:6:9: TK-FIELD-VALUE `status` must be one of `in_progress`, `blocked`, `failed`, `completed`
      |
    6 | status: finished
      |         ^^^^^^^^
      = found: "finished"
      = allowed: in_progress, blocked, failed, completed
    "#);
}

#[test]
fn a_return_is_held_against_a_valid_handoff_only() {
    let folder = Folder::new().with("wrong.yaml", WRONG).with("return.yaml", RETURN);
    let refused = folder.run(&["validate", "--against", "wrong.yaml", "return.yaml"]);
    assert_snapshot!(refused, @r#"
    exit 3
    --- stderr
    error: wrong.yaml is not a valid packet

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
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read_is_named() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = with_handoff();
    let path = folder.path("handoff.yaml");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    // Root may read every file, so there is nothing to check.
    if std::fs::read(&path).is_err() {
        let refused = folder.run(&["validate", "handoff.yaml"]);
        assert_eq!(
            refused,
            "exit 2\n--- stderr\nerror: cannot read handoff.yaml: permission denied\n"
        );
    }
}

#[test]
fn work_that_is_passed_on_keeps_what_was_pinned_and_widens_nothing() {
    let parent = "handoff_version: \"1.0\"\ntask_id: t\nfrom_agent: a\nto_agent: b\nstatus: in_progress\n\
                  completed: []\nremaining: []\nauthority: [write:src/*]\n\
                  constraints: [{ text: Keep the public API, pinned: true }]\n";
    let child =
        parent.replace("write:src/*", "deploy:production").replace("Keep the public API", "None");
    let folder = Folder::new().with("parent.yaml", parent).with("child.yaml", child);
    assert_eq!(folder.exit(&["validate", "--parent", "parent.yaml", "parent.yaml"]), 0);
    let said = folder.run(&["validate", "--parent", "parent.yaml", "child.yaml"]);
    assert!(said.contains("child.yaml:8:13: TK-AUTHORITY-WIDENED"), "{said}");
    assert!(said.contains("TK-PINNED-DROPPED"), "{said}");
}
