//! `tasuki patch`: one field changes, and nothing else.

use insta::assert_snapshot;

use crate::support::folder::Folder;
use crate::support::samples::{HANDOFF, WRONG, with_handoff};

const BLOCKED: &str = r#"{"status": "blocked"}"#;

#[test]
fn both_kinds_of_patch_go_to_stdout() {
    let folder = with_handoff().with(
        "change.json",
        r#"[{"op": "add", "path": "/completed/-", "value": "Wrote tests"}, {"op": "remove", "path": "/goal"}]"#,
    );
    assert_snapshot!(folder.run(&["patch", "handoff.yaml", BLOCKED]), @r#"
    exit 0
    --- stdout
    handoff_version: "1.0"
    task_id: build-42
    from_agent: planner
    to_agent: coder
    status: blocked
    goal: Ship the web part
    completed:
      - Scaffolded it
    remaining:
      - Write the component
    "#);
    assert_snapshot!(folder.run(&["patch", "handoff.yaml", "change.json"]), @r#"
    exit 0
    --- stdout
    handoff_version: "1.0"
    task_id: build-42
    from_agent: planner
    to_agent: coder
    status: in_progress
    completed:
      - Scaffolded it
      - Wrote tests
    remaining:
      - Write the component
    "#);
    assert_snapshot!(folder.run(&["patch", "handoff.yaml", BLOCKED, "--json"]), @r#"
    exit 0
    --- stdout
    {"form":"yaml","text":"handoff_version: \"1.0\"\ntask_id: build-42\nfrom_agent: planner\nto_agent: coder\nstatus: blocked\ngoal: Ship the web part\ncompleted:\n  - Scaffolded it\nremaining:\n  - Write the component\n","notes":[]}
    "#);
    assert_eq!(folder.read("handoff.yaml"), HANDOFF);
    let piped = folder.run_with(&["patch", "-", BLOCKED], HANDOFF);
    assert_eq!(piped, folder.run(&["patch", "handoff.yaml", BLOCKED]));
}

#[test]
fn a_packet_keeps_its_form() {
    for form in ["json", "wire", "yaml"] {
        let folder = with_handoff();
        let text = folder.stdout(&["convert", "handoff.yaml", "--to", form]);
        let folder = folder.with("packet", &text);
        let patched = folder.stdout(&["patch", "packet", BLOCKED]);
        assert_eq!(patched, text.replace("in_progress", "blocked"), "{form}");
    }
}

#[test]
fn in_place_writes_over_the_file() {
    let folder = with_handoff();
    assert_snapshot!(folder.run(&["patch", "-i", "handoff.yaml", BLOCKED]), @"
    exit 0
    --- stderr
    Patched handoff.yaml
    ");
    assert_snapshot!(folder.read("handoff.yaml"), @r#"
    handoff_version: "1.0"
    task_id: build-42
    from_agent: planner
    to_agent: coder
    status: blocked
    goal: Ship the web part
    completed:
      - Scaffolded it
    remaining:
      - Write the component
    "#);
    assert_snapshot!(folder.run(&["patch", "-i", "handoff.yaml", BLOCKED, "--json"]), @r#"
    exit 0
    --- stdout
    {"form":"yaml","text":null,"notes":[]}
    "#);
    assert_snapshot!(folder.run_with(&["patch", "-i", "-", BLOCKED], HANDOFF), @"
    exit 2
    --- stderr
    error: `--in-place` cannot be used with stdin
    ");
}

#[test]
fn in_markdown_every_byte_around_the_packet_stays() {
    let block = "handoff_version: \"1.0\"\ntask_id: build-42\nfrom_agent: planner\n\
                 to_agent: coder\nstatus: in_progress\ngoal: Ship it\n\
                 completed:\n  - a\nremaining:\n  - b\n";
    let json = |folder: &Folder| folder.stdout(&["convert", "block.yaml", "--to", "json"]);
    let plain = Folder::new().with("block.yaml", block);
    let json = json(&plain);
    let windows = |text: &str| text.replace('\n', "\r\n");
    for (name, before, block, after) in [
        (
            "fence",
            "# Issue\n\nSee  this:\t\n\n~~~~tasuki\n",
            block,
            "~~~~\n\n* more  \n\nlast line without end",
        ),
        ("front matter", "---\n", block, "---\n\n# Title\n\n\n"),
        ("json", "Text\n```json\n", json.as_str(), "```\n```json\n{}\n```\n"),
        ("byte order mark", "\u{feff}# Issue\n\n```tasuki\n", block, "```\n"),
    ] {
        let text = format!("{before}{block}{after}");
        let expected = text.replace("in_progress", "blocked");
        let folder = Folder::new().with("issue.md", &text).with("windows.md", windows(&text));
        assert_eq!(folder.exit(&["patch", "-i", "issue.md", BLOCKED]), 0, "{name}");
        assert_eq!(folder.read("issue.md"), expected, "{name}");
        assert_eq!(folder.exit(&["patch", "-i", "windows.md", BLOCKED]), 0, "{name}");
        assert_eq!(folder.read("windows.md"), windows(&expected), "{name} with \\r\\n");
    }
}

#[test]
fn comments_in_the_packet_are_left_behind_and_said_so() {
    let folder = Folder::new().with("handoff.yaml", format!("# Mine\n{HANDOFF}"));
    assert_snapshot!(folder.run(&["patch", "-i", "handoff.yaml", BLOCKED]), @"
    exit 0
    --- stderr
    note: 1 comment is dropped
    Patched handoff.yaml
    ");
}

#[test]
fn the_text_around_a_packet_is_rewritten_if_it_was_generated_and_else_mentioned() {
    let folder = with_handoff();
    let comment = folder.stdout(&["render", "handoff.yaml", "--as", "comment"]);
    let edited = comment.replace("Ship the web part", "Please ship the web part");
    let edited = edited.replacen("goal: Please ship", "goal: Ship", 1);
    let folder = folder.with("comment.md", comment).with("edited.md", &edited);
    let patch = |file: &str| folder.run(&["patch", "-i", file, r#"{"goal": "Stop it"}"#]);
    let shown = patch("comment.md");
    assert!(shown.contains("note: the generated text before the packet was rewritten"), "{shown}");
    let shown = patch("edited.md");
    assert!(shown.contains("note: the text around the packet was left as it is"), "{shown}");
    assert!(folder.read("edited.md").contains("Please ship the web part"));
}

#[test]
fn a_result_that_is_not_valid_is_refused_unless_forced() {
    let folder = with_handoff();
    let wrong = r#"{"status": "done"}"#;
    assert_snapshot!(folder.run(&["patch", "-i", "handoff.yaml", wrong]), @r#"
    exit 3
    --- stderr
    error: the result is not a valid packet; nothing was written

    <result>:5:9: TK-FIELD-VALUE `status` must be one of `in_progress`, `blocked`, `failed`, `completed`
      |
    5 | status: done
      |         ^^^^
      = found: "done"
      = allowed: in_progress, blocked, failed, completed

      hint: use `--force` to write it anyway
    "#);
    assert_eq!(folder.read("handoff.yaml"), HANDOFF);
    assert_snapshot!(folder.run(&["patch", "-i", "handoff.yaml", wrong, "--force"]), @"
    exit 0
    --- stderr
    Patched handoff.yaml
    ");
    assert!(folder.read("handoff.yaml").contains("status: done\n"));
}

#[test]
fn a_packet_that_is_not_valid_can_be_repaired() {
    let folder = Folder::new().with("wrong.yaml", WRONG);
    let repair = r#"{"status": "blocked", "confidence": 0.74}"#;
    assert_eq!(folder.exit(&["patch", "-i", "wrong.yaml", repair]), 0);
    assert_eq!(folder.exit(&["validate", "wrong.yaml"]), 0);
}

#[test]
fn a_document_of_another_system_stays_one() {
    let folder = Folder::new().with_copy_of("examples/02-dialects");
    let before = folder.read("card.json");
    let patch = r#"{"nextRequest": "Read them."}"#;
    assert_eq!(folder.exit(&["patch", "-i", "card.json", patch]), 0);
    let [before, after]: [serde_json::Value; 2] =
        [before, folder.read("card.json")].map(|text| serde_json::from_str(&text).unwrap());
    let mut expected = before;
    expected["nextRequest"] = "Read them.".into();
    assert_eq!(after, expected);
}

#[test]
fn a_patch_that_cannot_be_applied_changes_nothing() {
    let folder = with_handoff();
    let patch = |patch| folder.run(&["patch", "-i", "handoff.yaml", patch]);
    assert_snapshot!(patch(r#"[{"op": "remove", "path": "/gaol"}]"#), @r#"
    exit 3
    --- stderr
    error: the patch cannot be applied

    <patch>:1:27: TK-PATCH-PATH `/gaol` does not exist in the document
      |
    1 | [{"op": "remove", "path": "/gaol"}]
      |                           ^^^^^^^
    "#);
    assert_snapshot!(patch(r#"[{"op": "test", "path": "/status", "value": "failed"}]"#), @r#"
    exit 3
    --- stderr
    error: the patch cannot be applied

    <patch>:1:45: TK-PATCH-TEST test failed: `/status` has a different value
      |
    1 | [{"op": "test", "path": "/status", "value": "failed"}]
      |                                             ^^^^^^^^
      = found: "in_progress"
      = allowed: "failed"
      = hint: the document has changed; create the patch again
    "#);
    assert_snapshot!(patch(r#"[{"op": "erase", "path": "/goal"}]"#), @r#"
    exit 3
    --- stderr
    error: the patch cannot be applied

    <patch>:1:9: TK-PATCH-INVALID unknown operation
      |
    1 | [{"op": "erase", "path": "/goal"}]
      |         ^^^^^^^
      = found: `erase`
      = allowed: `add`, `remove`, `replace`, `move`, `copy` or `test`
    "#);
    assert_snapshot!(patch(r#"{"goal": "#), @"
    exit 3
    --- stderr
    error: the patch cannot be applied

    <patch>:1:10: TK-JSON-SYNTAX unexpected end of the document: expected a value
    ");
    assert_snapshot!(patch("gone.json"), @"
    exit 2
    --- stderr
    error: cannot read gone.json: no such file or directory
    ");
    assert_eq!(folder.read("handoff.yaml"), HANDOFF);
}

#[cfg(unix)]
#[test]
fn in_place_keeps_a_link_and_the_permissions() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let folder = with_handoff();
    let path = folder.path("handoff.yaml");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    symlink("handoff.yaml", folder.path("link.yaml")).unwrap();
    assert_eq!(folder.exit(&["patch", "-i", "link.yaml", BLOCKED]), 0);
    assert!(folder.path("link.yaml").is_symlink());
    assert!(folder.read("handoff.yaml").contains("status: blocked"));
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(std::fs::read_dir(folder.path("")).unwrap().count(), 2, "nothing else is left");
}
