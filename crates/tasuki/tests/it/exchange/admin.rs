//! Running an exchange: contracts, gates, rules, settings, halt, dead letters, doctor.

use insta::assert_snapshot;

use crate::support::fixture::Fixture;
use crate::support::folder::repository;

/// An exchange beside the documents of the repository.
fn with_documents() -> Fixture {
    let fixture = Fixture::new();
    for folder in ["contracts", "gates", "rules"] {
        let link = fixture.folder.path(folder);
        std::os::unix::fs::symlink(repository(folder).canonicalize().unwrap(), link).unwrap();
    }
    fixture
}

#[test]
fn contracts_are_published_with_their_schemas() {
    let fixture = with_documents();
    let said = fixture.play(&[
        "contract list",
        "contract publish contracts/planner-to-coder.yaml contracts/reviewer-to-coder.yaml",
        "contract publish contracts/planner-to-coder.yaml",
        "contract list",
        "contract show planner-to-coder@9.9",
    ]);
    assert_snapshot!(said, @"
    $ contract list
    No contracts yet. Next: tasuki contract publish FILE

    $ contract publish contracts/planner-to-coder.yaml contracts/reviewer-to-coder.yaml
    ✓ Published planner-to-coder@1.0
    ✓ Published reviewer-to-coder@1.0

    $ contract publish contracts/planner-to-coder.yaml
    ✓ Nothing changed: planner-to-coder@1.0 is already published

    $ contract list
    CONTRACT  FROM  TO  DIGEST
    planner-to-coder@1.0  planner  coder  [digest]
    reviewer-to-coder@1.0  role:reviewer  coder  [digest]

    $ contract show planner-to-coder@9.9
    error: unknown contract `planner-to-coder@9.9` [TK-CONTRACT-UNKNOWN]
      hint: `tasuki contract list` lists the contracts of the project
    [exit 5]
    ");
    let shown = &fixture.objects("contract show planner-to-coder")[0];
    assert!(shown["schemas"]["schemas/change.schema.json"].is_object(), "{shown}");
    let text = fixture.stdout("contract show reviewer-to-coder@1.0");
    assert!(text.starts_with("contract: reviewer-to-coder\nversion: \"1.0\"\n"), "{text}");
}

/// A contract with four of the five parts, and a rung.
fn contract(name: &str, from: &str, to: &str, rung: &str) -> String {
    format!(
        "contract: {name}\nversion: '1.0'\nfrom: [{from}]\nto: [{to}]\npayload_schema: {{}}\n\
         scope: {{ is: work }}\nconfidence: {{ required: false }}\n\
         fallback: [{rung}, {{ to: dead_letter }}]\n"
    )
}

#[test]
fn what_the_check_of_contracts_calls_an_error_is_not_published() {
    let fixture = with_documents();
    let fifth = "provenance: { require: [] }\n";
    fixture.write("bad.yaml", &contract("bad", "ana", "ben", "{ to: cem, on: invalid }"));
    fixture.write("there.yaml", &(contract("there", "ana", "ben", "{ to: cem }") + fifth));
    fixture.write("back.yaml", &(contract("back", "ben", "ana", "{ to: cem }") + fifth));
    let said = fixture.play(&[
        "contract publish there.yaml bad.yaml",
        "contract list",
        "contract publish there.yaml",
        "contract publish back.yaml",
    ]);
    assert_snapshot!(said, @"
    $ contract publish there.yaml bad.yaml
    error: the contract bad.yaml is invalid

    bad.yaml:1:1: TK-CONTRACT-PART missing `provenance`, one of the five parts of a contract
      = hint: state which sources senders must list

    bad.yaml:8:27: TK-CONTRACT-LADDER the rung for `invalid` is unreachable: invalid packets are refused
      |
    8 | fallback: [{ to: cem, on: invalid }, { to: dead_letter }]
      |  ^^^^^^^
      = found: invalid
      = allowed: one of no_progress, declined, rejected, expired, lapsed, parked
      = hint: remove the rung, or change `on`; without `on` it applies to every reason
    [exit 3]

    $ contract list
    No contracts yet. Next: tasuki contract publish FILE

    $ contract publish there.yaml
    ✓ Published there@1.0

    $ contract publish back.yaml
    error: the contract `back@1.0` has 1 violation [TK-DOCUMENT-INVALID]
      TK-CONTRACT-LOOP /to: ana -> ben -> ana is a loop without a return contract
      hint: remove an edge, or set `returns: { allowed: true }` in a contract from `ana` to `ben`
      hint: each violation gives its position in the document
    [exit 3]
    ");
}

#[test]
fn gates_are_published() {
    let fixture = with_documents();
    let said = fixture.play(&[
        "gate list",
        "gate publish gates/clinical-release.yaml",
        "gate publish gates/clinical-release.yaml",
        "gate list",
        "gate show other",
    ]);
    assert_snapshot!(said, @"
    $ gate list
    No gates yet. Next: tasuki gate publish FILE

    $ gate publish gates/clinical-release.yaml
    ✓ Published clinical-release@1.0

    $ gate publish gates/clinical-release.yaml
    ✓ Nothing changed: clinical-release@1.0 is already published

    $ gate list
    GATE  FACTORS  DIGEST
    clinical-release@1.0  1 × cso, 2 × four_eyes  [digest]

    $ gate show other
    error: unknown gate `other` [TK-GATE-UNKNOWN]
      hint: `tasuki gate list` lists the gates of the project
    [exit 5]
    ");
    assert_eq!(fixture.objects("gate show clinical-release")[0]["document"]["deny"], 1);
    let said = fixture.says("gate publish contracts/planner-to-coder.yaml");
    assert!(
        said.contains("contracts/planner-to-coder.yaml:") && said.contains("[exit 3]"),
        "{said}"
    );
}

#[test]
fn rules_are_set() {
    let fixture = with_documents();
    let said = fixture.play(&["rules show", "rules set rules/default.yaml"]);
    assert_snapshot!(said, @"
    $ rules show
    No rules yet. Next: tasuki rules set FILE

    $ rules set rules/default.yaml
    ✓ Published rules
    ");
    assert_eq!(fixture.objects("rules show")[0]["document"]["rules"][0]["name"], "money");
    let said = fixture.says("rules set gates/clinical-release.yaml");
    assert!(said.contains("gates/clinical-release.yaml:") && said.contains("[exit 3]"), "{said}");
}

#[test]
fn another_content_under_the_same_version_is_refused() {
    let fixture = Fixture::new();
    let gate = "gate: release\nversion: \"1.0\"\nfactors:\n  - { name: eyes, roles: [reviewer], approvals: 1 }\n";
    fixture.write("gate.yaml", gate);
    fixture.run("gate publish gate.yaml");
    fixture.write("gate.yaml", &gate.replace("approvals: 1", "approvals: 2"));
    assert_snapshot!(fixture.says("gate publish gate.yaml"), @"
    $ gate publish gate.yaml
    error: gate `release@1.0` is already published with other content, and versions are immutable [TK-CONTRACT-CHANGED]
      hint: publish it under the next version
    [exit 6]
    ");
}

#[test]
fn settings_are_shown_and_set() {
    let said = Fixture::new().play(&[
        "project show",
        "project set hops=8 chain_time=2h redacts_secrets=true open_handoffs=100",
        "project set hops=8",
        "project set hopps=8",
        "project set hops=many",
        "project set hops",
        "project show",
    ]);
    assert_snapshot!(said, @r#"
    $ project show
    default  [project]
    allows_edges_without_contract  true
    registers_on_first_use  true
    redacts_secrets  false
    ladder  []
    hops  5
    attempts  3
    reworks  2
    chain_time  null
    mails_codes  false
    remind_after  "1d"
    quoted_up_to  "internal"
    open_handoffs  null

    $ project set hops=8 chain_time=2h redacts_secrets=true open_handoffs=100
    ✓ Set hops=8, chain_time=2h, redacts_secrets=true, open_handoffs=100

    $ project set hops=8
    ✓ Nothing changed: already set

    $ project set hopps=8
    error: unknown setting `hopps`
      hint: did you mean `hops`?
    [exit 2]

    $ project set hops=many
    error: invalid setting value: invalid type: string "many", expected u32
      hint: use a JSON value of the setting's type; `null` unsets it
    [exit 2]

    $ project set hops
    error: `hops` is not a setting
      hint: write KEY=VALUE
    [exit 2]

    $ project show
    default  [project]
    allows_edges_without_contract  true
    registers_on_first_use  true
    redacts_secrets  true
    ladder  []
    hops  8
    attempts  3
    reworks  2
    chain_time  "2h"
    open_handoffs  100
    mails_codes  false
    remind_after  "1d"
    quoted_up_to  "internal"
    "#);
}

#[test]
fn a_halt_stops_all_work_until_it_is_lifted() {
    let said = Fixture::with_work().play(&[
        "halt -m 'the key leaked'",
        "halt",
        "claim draft --as coder --no-drift",
        "doctor",
        "halt --lift",
        "halt --lift -m 'the key was replaced'",
        "halt --lift -m again",
        "claim draft --as coder --no-drift",
    ]);
    assert_snapshot!(said, @r#"
    $ halt -m 'the key leaked'
    ✓ Halted the project: every claim has ended, and nothing can be claimed.
    Next: tasuki halt --lift -m "why"

    $ halt
    error: the project is already halted [TK-PROJECT-HALTED]
      hint: lift the halt with `tasuki halt --lift -m …`
    [exit 6]

    $ claim draft --as coder --no-drift
    error: the project is halted [TK-PROJECT-HALTED]
      hint: you can still record a checkpoint; an operator lifts the halt with `tasuki halt --lift`
    [exit 6]

    $ doctor
    ✓ config  1 value from the environment; project `default`
    ✓ sessions  0 files, all readable
    ✓ exchange  integrity ok, every listed project exists
    ✓ store  integrity ok, schema 2, [n] KB, no backup yet
    ✓ log  15 entries and 5 documents checked in [n] s
    ✓ conservation  0 begun + 3 submitted = 1 done + 0 passed on + 0 rejected + 0 cancelled + 0 discarded + 0 dead + 2 open
    ✓ clock  next deadline: none
    ✓ ladders  every rung has a receiver
    ✓ search  the search index is up to date
    ! work  the project is halted  → `tasuki halt --lift -m "why"`
    0 errors, 1 warning.

    $ halt --lift
    error: a reason is required to lift a halt [TK-REASON-MISSING]
      hint: add one with `-m "…"`
    [exit 3]

    $ halt --lift -m 'the key was replaced'
    ✓ Lifted the halt: work is offered again.

    $ halt --lift -m again
    error: the project is not halted [TK-PROJECT-RUNNING]
      hint: nothing to do
    [exit 6]

    $ claim draft --as coder --no-drift
    ✓ Claimed draft from planner (fence 1, lease until [clock]).

      Goal  Draft the note
      Request  none stated
      Left  1. Draft the note

    Next: tasuki resume draft · tasuki checkpoint --completed "…"
    "#);
}

#[test]
fn what_is_dead_is_started_again_or_given_up() {
    let fixture = Fixture::new();
    fixture.write(
        "packet.json",
        r#"{"handoff_version":"1.0","task_id":"t","to_agent":"coder","status":"in_progress",
            "goal":"g","completed":[],"remaining":[],"fallback":[{"after":"1s","to":"dead_letter"}]}"#,
    );
    fixture.run("submit packet.json --as planner");
    assert_eq!(fixture.exit("wait t --until claimed --timeout 30s"), 15);
    let said = fixture.play(&["dead list", "dead redrive t -m 'try again'"]);
    assert_snapshot!(said, @"
    $ dead list
    TASK  FROM → TO  STATE  RISK  DUE  GOAL
    t  planner → coder  dead letter  low  -  g
    Next: tasuki show t · tasuki dead redrive t

    $ dead redrive t -m 'try again'
    ✓ Redrove t. It is offered to coder.
    ");
    assert_eq!(fixture.exit("wait t --until claimed --timeout 30s"), 15);
    let said = fixture.play(&["dead discard t", "dead discard t -m 'not wanted'", "dead list"]);
    assert_snapshot!(said, @r#"
    $ dead discard t
    error: a reason is required to discard [TK-REASON-MISSING]
      hint: add one with `-m "…"`
    [exit 3]

    $ dead discard t -m 'not wanted'
    ✓ Discarded t.

    $ dead list
    No dead letters.
    "#);
}

#[test]
fn the_doctor_finds_nothing_wrong() {
    assert_snapshot!(Fixture::with_work().says("doctor"), @"
    $ doctor
    ✓ config  1 value from the environment; project `default`
    ✓ sessions  0 files, all readable
    ✓ exchange  integrity ok, every listed project exists
    ✓ store  integrity ok, schema 2, [n] KB, no backup yet
    ✓ log  14 entries and 5 documents checked in [n] s
    ✓ conservation  0 begun + 3 submitted = 1 done + 0 passed on + 0 rejected + 0 cancelled + 0 discarded + 0 dead + 2 open
    ✓ clock  next deadline: none
    ✓ ladders  every rung has a receiver
    ✓ search  the search index is up to date
    ✓ work  not halted
    No problems found.
    ");
}

#[test]
fn the_doctor_names_what_is_wrong() {
    let fixture = Fixture::with_work();
    fixture.run("project set 'ladder=[{\"after\":\"10m\",\"to\":\"role:oncall\"},{\"to\":\"dead_letter\"}]'");
    fixture.write(".tasuki/sessions/broken.json", "{");
    assert_snapshot!(fixture.says("doctor"), @"
    $ doctor
    ✓ config  1 value from the environment; project `default`
    ✗ sessions  [DIR]/.tasuki/sessions/broken.json is not a valid session file: EOF while parsing an object at line 1 column 1  → move it away, then claim again or pass `--fence`
    ✓ exchange  integrity ok, every listed project exists
    ✓ store  integrity ok, schema 2, [n] KB, no backup yet
    ✓ log  15 entries and 5 documents checked in [n] s
    ✓ conservation  0 begun + 3 submitted = 1 done + 0 passed on + 0 rejected + 0 cancelled + 0 discarded + 0 dead + 2 open
    ✓ clock  next deadline: none
    ! ladders  rungs without a receiver are skipped: role:oncall  → `tasuki party add ROLE --member NAME`
    ✓ search  the search index is up to date
    ✓ work  not halted
    1 error, 1 warning.
    [exit 1]
    ");
    let states: Vec<_> = {
        let output = fixture.command("doctor --json").output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
        lines.map(|line: serde_json::Value| line["state"].clone()).collect()
    };
    assert!(states.contains(&"error".into()) && states.contains(&"warning".into()), "{states:?}");
}

#[test]
fn a_command_that_has_ended_leaves_no_wal_behind() {
    let fixture = Fixture::new();
    for line in ["party add ana", "submit --goal try --to hermes --as ana", "inbox --as hermes"] {
        fixture.stdout(line);
        let projects = std::fs::read_dir(fixture.folder.path(".tasuki/projects")).unwrap();
        for project in projects {
            let wal = project.unwrap().path().join("project.db-wal");
            assert!(!wal.exists(), "after `{line}`");
        }
    }
}

#[test]
fn a_role_that_loses_its_last_member_passes_its_offers_on() {
    let fixture = Fixture::new();
    fixture.run("party add role:team --member coder");
    fixture.run("party add other");
    for (task, can_intercept) in [("one", false), ("two", true)] {
        let packet = format!(
            r#"{{"handoff_version":"1.0","task_id":"{task}","to_agent":"role:team",
                "status":"in_progress","goal":"g","completed":[],"remaining":[],
                "can_intercept":{can_intercept},"fallback":[{{"to":"other"}}]}}"#
        );
        fixture.write("packet.json", &packet);
        fixture.run("submit packet.json --as planner");
    }
    let standing = || {
        let mut all = fixture.objects("list");
        all.sort_by_key(|one| one["task"].to_string());
        let word = |one: &serde_json::Value, name: &str| one[name].as_str().unwrap().to_owned();
        let line = |one| format!("{} to {}", word(one, "state"), word(one, "to"));
        all.iter().map(line).collect::<Vec<_>>()
    };
    assert_eq!(standing(), ["offered to role:team", "held to role:team"]);
    fixture.run("party add role:team --without coder");
    assert_eq!(standing(), ["offered to other", "held to role:team"]);
    // The store says the same as the rules about what is due.
    fixture.run("doctor");
}
