//! The next packet writes itself: drafts from a held task and from a contract, and the chain.

use super::steps::play;
use crate::support::fixture::Fixture;

const PACKET: &str = "handoff_version: '1.0'
task_id: export-7
from_agent: planner
to_agent: coder
status: in_progress
goal: Port the exporter
completed: [Plan]
remaining: [Code, Tests]
constraints:
  - { text: No new dependency, pinned: true }
  - Keep the public interface
acceptance:
  - { id: tests, text: All tests pass, run: make test }
return_required: [summary]
";

fn held() -> Fixture {
    let fixture = Fixture::new();
    fixture.write("handoff.yaml", PACKET);
    fixture.run("submit handoff.yaml --as planner");
    fixture.run("claim --as coder --no-drift -q");
    fixture.run("checkpoint --as coder --done 2 -q");
    fixture
}

#[test]
#[expect(clippy::too_many_lines, reason = "one story, with what each step prints")]
fn a_draft_has_what_is_owed_and_the_progress_of_the_checkpoints() {
    let fixture = held();
    let draft = fixture.stdout("pass-on --draft --as coder");
    insta::assert_snapshot!(draft, @"
        # Passes export-7 on. It has everything that is owed and pinned, and the progress of your
        # checkpoints. Change what changed. `to_agent` is blank: name the receiver. Then, with this text in next.yaml:
        #   tasuki validate next.yaml
        #   tasuki pass-on export-7 next.yaml
        handoff_version: \"1.0\"
        task_id: export-7
        from_agent: coder
        to_agent: \"\"
        status: in_progress
        goal: Port the exporter
        completed:
          - Plan
          - Code
        remaining:
          - Tests
        constraints:
          - text: No new dependency
            pinned: true
          - Keep the public interface
        acceptance:
          - id: tests
            text: All tests pass
            run: make test
        return_required:
          - summary
        ");
    assert_eq!(fixture.stdout("submit --from-task export-7 --as coder"), draft);
    assert_eq!(fixture.stdout("submit --from-task --as coder"), draft);
    fixture.write("next.yaml", &draft);
    assert!(
        fixture.says("pass-on next.yaml --as coder").contains("[exit "),
        "no receiver is named"
    );
    fixture.write("next.yaml", &draft.replace("to_agent: \"\"", "to_agent: agent-3"));
    insta::assert_snapshot!(play(&fixture, &[
        "validate next.yaml",
        "pass-on next.yaml --as coder",
        "list",
        "claim --as agent-3 --no-drift -q",
        "list",
        "show export-7 --as agent-3",
    ]), @"
        $ validate next.yaml
        valid  next.yaml  baseline, yaml, [digest]
        Checked against export-7, which you hold: what is owed and pinned.

        $ pass-on next.yaml --as coder
        ✓ Passed on to agent-3: export-7.
        Registered agent-3 as an agent (use `tasuki party add NAME --human` for a person).
        note: your claim is read-only now, and ends when the new handoff is claimed
        Next: agent-3 runs `tasuki claim`

        $ list
        TASK  FROM → TO  STATE  RISK  DUE  GOAL
        export-7  planner → coder → agent-3  offered  low  -  Port the exporter
        Next: tasuki show export-7

        $ claim --as agent-3 --no-drift -q
        ✓ Claimed export-7 from coder (fence 1, lease until [clock]).

        $ list
        TASK  FROM → TO  STATE  RISK  DUE  GOAL
        export-7  planner → coder → agent-3  claimed by agent-3  low  in [n] min  Port the exporter
        Next: tasuki show export-7

        $ show export-7 --as agent-3
        export-7 · Port the exporter  claimed by agent-3
        From  coder → agent-3
        Risk  low
        Done  1. Plan
          2. Code
        Left  3. Tests
        Last sign  [clock]
        Submitted  [clock]
        Due  [clock] (in [n] min)
        Parent  [handoff]

        Handoff export-7
          Request: Port the exporter
          Deadline: none
          From: coder · To: agent-3 · Task: export-7 · Status: in_progress

        Constraints:
          - No new dependency pinned
          - Keep the public interface

        Acceptance:
          - All tests pass (id: tests; run: make test)

        Required in the return:
          - summary

        Details:
          - Format version: 1.0
        Next: tasuki checkpoint export-7 --completed \"…\" · tasuki return export-7 --summary \"…\" · tasuki pass-on export-7 --to PARTY
        ");
    assert_eq!(fixture.objects("list --all").len(), 2, "JSON has each handoff");
}

#[test]
fn validate_checks_what_a_held_task_owes() {
    let fixture = held();
    let draft = fixture.stdout("pass-on --draft --to agent-3 --as coder");
    let dropped: String = draft
        .lines()
        .filter(|line| !line.contains("public interface"))
        .flat_map(|line| [line, "\n"])
        .collect();
    fixture.write("next.yaml", &dropped);
    let said = fixture.says("validate next.yaml");
    assert!(said.contains("TK-OWED-DROPPED") && said.contains("[exit 1]"), "{said}");
    // A packet of another sender passes nothing on, and without a claim nothing is owed.
    fixture.write("next.yaml", &dropped.replace("from_agent: coder", "from_agent: planner"));
    assert!(!fixture.says("validate next.yaml").contains("[exit"));
    fixture.write("next.yaml", &dropped);
    fixture.run("release --as coder");
    assert!(!fixture.says("validate next.yaml").contains("[exit"));
}

#[test]
fn held_work_can_be_passed_on_as_show_suggests() {
    let fixture = held();
    let said = fixture.says("show export-7 --as coder");
    assert!(said.contains("tasuki pass-on export-7 --to PARTY"), "{said}");
}

#[test]
fn a_contract_gives_a_packet_with_every_part() {
    let fixture = Fixture::new();
    fixture.run("contract new planner coder --out planner-to-coder.yaml");
    assert!(
        fixture.says("contract new planner coder --out planner-to-coder.yaml").contains("[exit")
    );
    fixture.run("contract check planner-to-coder.yaml");
    fixture.run("contract publish planner-to-coder.yaml");
    let draft = fixture.stdout(
        "submit --from-contract planner-to-coder --as planner --goal 'Port it' --task export-7",
    );
    insta::assert_snapshot!(draft, @"
        # A packet under planner-to-coder@1.0. Fill in what is blank. Then, with this text in handoff.yaml:
        #   tasuki validate handoff.yaml
        #   tasuki submit handoff.yaml

        # The version of this format.
        handoff_version: \"1.0\"

        # The id of the task, the same in all its handoffs.
        task_id: export-7

        # The sender: a party.
        from_agent: planner

        # The receiver: a party, or a role such as `role:reviewer`.
        to_agent: coder

        # The status of the work.
        status: in_progress

        # The intent behind the work.
        goal: Port it

        # The work that is done.
        completed: []

        # The work that is left.
        remaining:
          - \"\"

        # The data that is handed over: labelled values, or an object under a contract.
        payload: {}

        # Names of fields that the return packet must have. They bind every hop: work that is passed on keeps them.
        return_required:
          - status
          - summary

        # The confidence of the sender, from 0 to 1.
        confidence: null

        # The sources that the sender saw and used.
        provenance:
          inputs:
            - \"\"

        # The contract that the packet follows.
        contract: planner-to-coder@1.0
        ");
    fixture.write("handoff.yaml", &draft);
    let said = fixture.says("submit handoff.yaml --as planner");
    assert!(said.contains("[exit"), "blank parts are refused: {said}");
    let filled =
        draft.replace("confidence: null", "confidence: 0.8").replace("- \"\"", "- filled in");
    fixture.write("handoff.yaml", &filled);
    fixture.run("submit handoff.yaml --as planner");
    assert!(fixture.says("submit --from-contract nothing").contains("TK-CONTRACT-UNKNOWN"));
}

#[test]
fn what_the_brief_of_the_receiver_leaves_out_is_said() {
    let fixture = Fixture::new();
    let facts: Vec<String> =
        (0..400).map(|n| format!("  - fact number {n} about the interface\n")).collect();
    let notes = format!("notes:\n{}", facts.concat());
    fixture.write("handoff.yaml", &format!("{PACKET}{notes}"));
    let said = fixture.says("submit handoff.yaml --as planner");
    assert!(
        said.contains(" entries of /notes; it has ") && said.contains(" tokens and needs "),
        "{said}"
    );
    fixture.run("claim --as coder --no-drift -q");
    let said = fixture.says("pass-on --to agent-3 --as coder");
    assert!(said.contains("✓ Passed on to agent-3: export-7."), "{said}");
    assert!(said.contains(" entries of /notes; it has "), "{said}");
    let short = held().says("pass-on --to agent-3 --as coder");
    assert!(!short.contains("leaves out"), "{short}");
}

/// The packet of another dialect, which has neither a task nor a status.
const AHP: &str = include_str!("../../../../../vectors/valid/seed-001-ahp.yaml");

#[test]
fn a_draft_of_a_task_from_another_dialect_is_valid_and_can_be_passed_on() {
    let fixture = Fixture::new();
    fixture.write("ahp.yaml", AHP);
    fixture.run("party add executor");
    fixture.run("submit ahp.yaml --as planner");
    fixture.run("claim --as executor --no-drift -q");
    let draft = fixture.stdout("pass-on --draft --to coder --as executor");
    let head: Vec<&str> = draft.lines().skip(4).take(6).collect();
    assert_eq!(head[..2], ["handoff_version: \"1.0\"", "packet_type: handoff"], "{draft}");
    assert!(head[2].starts_with("task_id: tsk_"), "{draft}");
    let parties = ["from_agent: executor", "to_agent: coder", "status: in_progress"];
    assert_eq!(head[3..], parties, "{draft}");
    fixture.write("next.yaml", &draft);
    let validated = fixture.says("validate next.yaml");
    assert!(!validated.contains("[exit"), "{validated}");
    fixture.run("pass-on --to coder --as executor");
    fixture.run("claim --as coder --no-drift -q");
    fixture.write("next.yaml", &fixture.stdout("pass-on --draft --to tester --as coder"));
    fixture.run("pass-on next.yaml --as coder");
}

#[test]
fn a_draft_from_a_contract_has_what_its_variant_file_requires() {
    let fixture = Fixture::new();
    let contract = fixture.stdout("contract new planner coder");
    fixture.write("contract.yaml", &format!("{contract}profile: exe.yaml\n"));
    fixture.write("exe.yaml", "variant: exe\nextends: executor\nrequire: [ticket, fallback]\n");
    fixture.run("contract publish contract.yaml");
    let draft = fixture.stdout("submit --from-contract planner-to-coder --as planner --goal Port");
    fixture.write("handoff.yaml", &draft);
    let blank = fixture.says("submit handoff.yaml --as planner");
    assert!(blank.contains("[exit 3]") && !blank.contains("TK-FIELD-MISSING"), "{blank}");
    let filled = draft
        .replace("confidence: null", "confidence: 0.8")
        .replace("- to: \"\"", "- to: dead_letter")
        .replace("task_id: \"\"", "task_id: export-7")
        .replace("ticket: \"\"", "ticket: 42")
        .replace("- \"\"", "- filled in");
    fixture.write("handoff.yaml", &filled);
    fixture.run("submit handoff.yaml --as planner");
}

#[test]
fn the_command_that_a_claim_names_prints_what_its_brief_leaves_out() {
    let fixture = Fixture::new();
    let facts: Vec<String> =
        (0..400).map(|n| format!("  fact_{n}: value number {n} of the interface\n")).collect();
    fixture.write("handoff.yaml", &format!("{PACKET}context:\n{}", facts.concat()));
    fixture.run("submit handoff.yaml --as planner");
    let claimed = fixture.stdout("claim --as coder --no-drift");
    let (_, hint) = claimed.split_once("Also      context (`tasuki ").unwrap();
    let (command, _) = hint.split_once('`').unwrap();
    let printed = fixture.stdout(&format!("{command} --as coder"));
    assert!(printed.contains("fact_399: value number 399 of the interface"), "{command}");
}
