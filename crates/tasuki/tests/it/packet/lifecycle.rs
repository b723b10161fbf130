//! One handoff from the first draft to a return that finishes it, with nothing but the tool.

use insta::assert_snapshot;

use crate::support::folder::{Folder, repository_files};

const RETURN: &str = "handoff_version: \"1.0\"\npacket_type: return\ntask_id: build-42\n\
                      from_agent: coder\nto_agent: planner\nstatus: blocked\n\
                      summary: The tests fail.\n";

const LINES: &[&str] = &[
    "init --packet --task build-42 --from planner --to coder --goal 'Ship it' --out handoff.yaml",
    "validate handoff.yaml",
    r#"patch -i handoff.yaml '{"return_required": ["status", "verification"]}'"#,
    "lint handoff.yaml",
    "render handoff.yaml",
    "convert handoff.yaml --to wire --out handoff.wire",
    "diff handoff.yaml handoff.wire",
    "validate --against handoff.wire return.yaml",
    r#"patch -i return.yaml '{"status": "completed", "summary": "They pass."}'"#,
    r#"patch -i return.yaml '{"verification": [{"criterion": "tests", "result": "pass"}]}'"#,
    "validate --against handoff.wire return.yaml",
];

#[test]
fn work_is_handed_over_and_comes_back() {
    let folder = Folder::new().with("return.yaml", RETURN);
    let mut story = String::new();
    for line in LINES {
        story.push_str(&format!("$ {line}\n{}", folder.play(line)));
    }
    assert_snapshot!(story, @r#"
    $ init --packet --task build-42 --from planner --to coder --goal 'Ship it' --out handoff.yaml
    Wrote handoff.yaml. Next: edit it, then tasuki validate handoff.yaml
    $ validate handoff.yaml
    valid    handoff.yaml  baseline, yaml, sha256:19909df182d3c213c1275396b130c2cc1a725fc4e5255bc4a1c3869b5d9ba52c
    $ patch -i handoff.yaml '{"return_required": ["status", "verification"]}'
    note: 30 comments are dropped
    Patched handoff.yaml
    $ lint handoff.yaml
    handoff.yaml  completeness 85/100
      context           25/25  complete
      ownership         20/20  complete
      next action       30/30  complete
      reproducibility   10/25  lacks `evidence_refs`
      advice  TK-LINT-EVIDENCE /evidence_refs: 1 completed step without evidence
              hint: add `evidence_refs`, for example `commit:9f2c1e0` or `log:ci-7`
    $ render handoff.yaml
    ┌──────────────────────────────────────────────────────────────────────────────┐
    │ planner → coder                                               Context Packet │
    ├──────────────────────────────────────────────────────────────────────────────┤
    │ Goal                                                                         │
    │   Ship it                                                                    │
    │                                                                              │
    │ What happened                                                                │
    │   What has happened so far, in a sentence or two.                            │
    │                                                                              │
    │ What I need from you                                                         │
    │   What the receiver should do next.                                          │
    ├──────────────────────────────────────────────────────────────────────────────┤
    │ Status in_progress · Digest sha256:b5ef7b17e50f…                             │
    └──────────────────────────────────────────────────────────────────────────────┘
    $ convert handoff.yaml --to wire --out handoff.wire
    Wrote handoff.wire
    $ diff handoff.yaml handoff.wire
    The packets are equal.
    $ validate --against handoff.wire return.yaml
    not done  return.yaml

      ✓ field `status`: present
      ✗ field `verification`: missing
      ✗ criterion `All tests pass`: absent

      TK-RETURN-FAILED the return has status `blocked`
        hint: continue the work, or pass it on with the remaining items
      TK-RETURN-MISSING missing required field `verification`
        hint: add `verification`; an empty list means that there are none
      TK-RETURN-CRITERION no result for criterion `tests`
        hint: add an entry with `criterion`, `result` and `evidence` to `verification`
    $ patch -i return.yaml '{"status": "completed", "summary": "They pass."}'
    Patched return.yaml
    $ patch -i return.yaml '{"verification": [{"criterion": "tests", "result": "pass"}]}'
    Patched return.yaml
    $ validate --against handoff.wire return.yaml
    done      return.yaml

      ✓ field `status`: present
      ✓ field `verification`: present
      ✓ criterion `All tests pass`: pass

      note: criterion `tests` passed without evidence
    "#);
}

#[test]
fn every_example_is_valid_and_can_be_shown() {
    for example in [
        "examples/01-hello",
        "examples/02-dialects",
        "examples/04-forms",
        "examples/05-profiles",
        "examples/06-kinds",
    ] {
        let folder = Folder::new().with_copy_of(example);
        for file in repository_files(example).iter().filter(|file| *file != "README.md") {
            for command in [
                &["validate", file.as_str()][..],
                &["render", file],
                &["render", file, "--as", "brief"],
                &["render", file, "--as", "comment"],
                &["render", file, "--as", "html"],
                &["patch", file, "{\"notes\": [\"Seen\"]}"],
            ] {
                let said = folder.run(command);
                assert!(said.starts_with("exit 0\n"), "{example}: {command:?}\n{said}");
            }
        }
    }
}

#[test]
fn an_example_of_each_kind_fits_a_model() {
    let folder =
        Folder::new().with_copy_of("examples/01-hello").with_copy_of("examples/02-dialects");
    for file in ["handoff.yaml", "return.yaml", "incident.json"] {
        let budget = ["render", file, "--as", "agent", "--budget", "400"];
        assert_eq!(folder.exit(&budget), 0, "{file}");
    }
    assert_eq!(folder.exit(&["tokens", "issue.md"]), 0);
}

#[test]
fn a_dialect_comes_back_as_it_was() {
    let folder = Folder::new().with_copy_of("examples/02-dialects");
    for (file, dialect) in [
        ("ahp-flat.yaml", "ahp"),
        ("works-with-agents.json", "works-with-agents"),
        ("incident.json", "incident"),
        ("card.json", "card"),
    ] {
        let packet =
            folder.stdout(&["convert", file, "--to", "yaml", "--dialect", "packet", "--force"]);
        std::fs::write(folder.path("packet.yaml"), packet).unwrap();
        let back = folder.run(&["convert", "packet.yaml", "--to", "json", "--dialect", dialect]);
        assert!(!back.contains("lost:"), "{file}: {back}");
        let back = back.trim_start_matches("exit 0\n--- stdout\n");
        std::fs::write(folder.path("back.json"), back).unwrap();
        assert_eq!(folder.run(&["diff", "-q", file, "back.json"]), "exit 0\n", "{file}");
    }
}
