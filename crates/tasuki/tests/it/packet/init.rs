//! `tasuki init --packet`: a packet to start from.

use insta::assert_snapshot;

use crate::support::folder::Folder;

#[test]
#[expect(clippy::too_many_lines, reason = "one template, as it is written")]
fn the_template_has_every_common_field_with_a_comment() {
    assert_snapshot!(Folder::new().stdout(&["init", "--packet"]), @r#"
    # A packet. `tasuki help packet` explains the fields, `tasuki validate` checks it.
    # The version of the format; keep it.
    handoff_version: "1.0"
    # The same in all handoffs of the task.
    task_id: my-task-1
    # You.
    from_agent: planner
    # A party, or a role such as role:reviewer.
    to_agent: coder
    # in_progress, blocked, failed or completed.
    status: in_progress
    # What the work is for, in one sentence.
    goal: What this work is for
    # What has happened so far.
    summary: What has happened so far, in a sentence or two.
    # What the receiver should do next.
    next_request: What the receiver should do next.
    # Steps that are done; `evidence` shows it. Empty means none, absent means not stated.
    completed:
      - A step that is done
    # Steps that are left.
    remaining:
      - A step that is left
    # What need not be decided again, and why.
    decisions:
      - A decision and why it was taken
    # What did not work. Pinned items reach every later receiver verbatim.
    failed_approaches:
      - tried: What was tried
        result: Why it did not work
        pinned: true
    # What you did not check.
    assumptions:
      - Something that was not checked
    # Facts about the environment.
    context:
      tool_version: "1.2.3"
    # What the receiver must not break. An item is a text, or an object with `text`.
    constraints:
      - Something the receiver must not break
      - text: Something that every later receiver must keep
        pinned: true
    # Files that the receiver should read first.
    inputs:
      - a/file/to/read.md
    # When the work is accepted; `run` is a command that decides it.
    acceptance:
      - id: tests
        text: All tests pass
        run: make test
    # When the receiver must stop and ask.
    failure_boundary:
      - Stop before anything is published
    # Names of fields that the return must have; sentences belong in acceptance.
    return_required:
      - status
      - summary
      - changed_paths
      - verification
      - blockers
    # Sign-offs that are due before a later step; delete it if there are none.
    sign_offs_due:
      - text: What must be approved
        before: the step
        by: role:owner
    # Remove the `#` of a line to use its field.
    # profile: coding  # The variant that the packet follows; usually detected.
    # pitfalls_hit: [What surprised you]  # What the next receiver should not run into.
    # artifacts: [{ kind: output, path: dist/app.js }]  # Files; `digest` and `bytes` pin them.
    # secret_ref: [{ name: db, ref: vault://team/db }]  # Where it gets a secret; never the secret.
    # authority: ['write:src/*']  # What it may do for you; [] means nothing.
    # expected_outputs: [The report]  # Outputs, with a `schema` if they must match one.
    # fallback: [{ to: dead_letter }]  # Where the work goes if the receiver cannot continue.
    # expires_at: 2030-01-31T18:00:00Z  # The deadline.
    "#);
}

#[test]
fn without_a_terminal_nothing_is_asked() {
    let folder = Folder::new();
    let packet = folder.run(&["init", "--packet"]);
    assert_eq!(folder.run(&["init", "--packet", "--no-input"]), packet);
    assert_eq!(folder.run_with(&["init", "--packet"], "answer\nanswer\nanswer\nanswer\n"), packet);
}

#[test]
fn flags_fill_it_in() {
    let flags =
        ["--task", "build-42", "--from", "ana", "--to", "role:reviewer", "--goal", "Ship: it"];
    let folder = Folder::new();
    let written = folder
        .run(&[&["init", "--packet", "--minimal", "--out", "handoff.yaml"], &flags[..]].concat());
    assert_snapshot!(written, @"
    exit 0
    --- stderr
    Wrote handoff.yaml. Next: edit it, then tasuki validate handoff.yaml
    ");
    assert_snapshot!(folder.read("handoff.yaml"), @r#"
    handoff_version: "1.0"
    task_id: build-42
    from_agent: ana
    to_agent: role:reviewer
    status: in_progress
    goal: "Ship: it"
    "#);
    assert_snapshot!(folder.run(&["init", "--packet", "--out", "handoff.yaml"]), @"
    exit 2
    --- stderr
    error: cannot write handoff.yaml: file exists
      hint: choose another name, or remove the file
    ");
    assert!(folder.read("handoff.yaml").contains("from_agent: ana\n"), "it was not overwritten");
}

#[test]
fn a_new_packet_is_valid_in_every_variant_and_form() {
    let folder = Folder::new();
    let names = folder.stdout(&["schema", "--list"]);
    let names: Vec<_> = names.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() > 5, "{names:?}");
    for name in names {
        for form in [&[][..], &["--json"]] {
            let packet = folder.stdout(&[&["init", "--packet", "--variant", name], form].concat());
            let judged = folder.run_with(&["validate", "-", "--variant", name], &packet);
            assert!(judged.starts_with("exit 0\n"), "{name}: {judged}");
        }
    }
}

#[test]
fn a_variant_file_says_what_the_packet_has() {
    let folder = Folder::new()
        .with("ours.yaml", "variant: ours\nextends: baseline\nrequire: [confidence]\n");
    let packet = folder.stdout(&["init", "--packet", "--variant", "ours.yaml"]);
    assert!(packet.contains("confidence: 0.8\n"), "{packet}");
}

#[test]
fn a_place_is_made_once() {
    let folder = Folder::outside_repository();
    assert_snapshot!(folder.run(&["init"]), @r#"
    exit 0
    --- stdout
    Created an exchange in .tasuki/ (project default).
    --- stderr
    Next: tasuki submit --as planner --to coder --goal "…"
    "#);
    assert_snapshot!(folder.run(&["init", "-q"]), @"
    exit 0
    --- stdout
    Nothing changed: project default already exists in .tasuki/.
    ");
    assert_snapshot!(folder.run(&["init", "--json"]), @r#"
    exit 0
    --- stdout
    {"place":"[DIR]/.tasuki","project":"default","created":false}
    "#);
    assert_snapshot!(folder.run(&["init", "-q", "--project", "other"]), @"
    exit 0
    --- stdout
    Created project other in the exchange .tasuki/.
    ");
}

#[test]
fn wrong_usage_is_explained() {
    let folder = Folder::new();
    assert_snapshot!(folder.run(&["init", "--packet", "--variant", "auto"]), @"
    exit 2
    --- stderr
    error: `auto` needs a packet to detect the variant
      hint: name a variant: `tasuki schema --list`
    ");
    assert_snapshot!(folder.run(&["init", "--packet", "--variant", "nothing"]), @"
    exit 2
    --- stderr
    error: unknown variant `nothing`
      hint: use auto, baseline, ahp, strict, regulated, nhs, fca, gov, executor, reviewer, researcher, coding, or the path of a variant file
    ");
}
