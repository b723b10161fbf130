//! Running an exchange: contracts, gates, rules, settings, halt, dead letters, doctor.

use insta::assert_snapshot;

use crate::exchange_desk::Desk;
use crate::folder::repository;

#[test]
fn contracts_gates_and_rules_are_published_once() {
    let desk = Desk::new();
    for folder in ["contracts", "gates", "rules"] {
        let link = desk.folder.path(folder);
        std::os::unix::fs::symlink(repository(folder).canonicalize().unwrap(), link).unwrap();
    }
    let said = desk.play(&[
        "contract ls",
        "contract publish contracts/planner-to-coder.yaml contracts/reviewer-to-coder.yaml",
        "contract publish contracts/planner-to-coder.yaml",
        "contract ls",
        "contract show reviewer-to-coder",
        "contract show planner-to-coder@9.9",
        "gate ls",
        "gate publish gates/clinical-release.yaml",
        "gate ls",
        "gate show clinical-release",
        "gate show other",
        "gate publish contracts/planner-to-coder.yaml",
        "rules show",
        "rules set rules/default.yaml",
        "rules set gates/clinical-release.yaml",
    ]);
    assert_snapshot!(said, @r#"
    $ contract ls
    No contracts yet. Next: tasuki contract publish FILE

    $ contract publish contracts/planner-to-coder.yaml contracts/reviewer-to-coder.yaml
    ✓ Published planner-to-coder@1.0
    ✓ Published reviewer-to-coder@1.0

    $ contract publish contracts/planner-to-coder.yaml
    ✓ planner-to-coder@1.0 is published already

    $ contract ls
    CONTRACT  FROM  TO  DIGEST
    planner-to-coder@1.0  planner  coder  [digest]
    reviewer-to-coder@1.0  role:reviewer  coder  [digest]

    $ contract show reviewer-to-coder
    contract: reviewer-to-coder
    version: "1.0"
    description: A change that needs work, with the remarks of its review
    from:
      - role:reviewer
    to:
      - coder
    payload_schema:
      $ref: schemas/change.schema.json
    scope:
      is: the remarks of a review on a change
      is_not:
      - a new plan
      - leave to deploy
      forbid:
      - deploy
    confidence:
      required: false
    provenance:
      require:
      - inputs
    profile: coding
    lease:
      for: 30m
      attempts: 3
    deadlines:
      claim: 4h
      progress: 2h
      return: 1d
    hops: 8
    fallback:
      - to: role:human-queue
      after: 4h
      - to: dead_letter
    returns:
      require:
      - status
      - changed_paths
      - verification
      schema:
      $ref: schemas/change.schema.json
    With schemas/change.schema.json; `--json` prints them too

    $ contract show planner-to-coder@9.9
    error: the project has no contract `planner-to-coder@9.9`
     hint: `tasuki contract ls` lists the contracts of the project
    [exit 5]

    $ gate ls
    No gates yet. Next: tasuki gate publish FILE

    $ gate publish gates/clinical-release.yaml
    ✓ Published clinical-release@1.0

    $ gate ls
    GATE  FACTORS  DIGEST
    clinical-release@1.0  1 × cso, 2 × four_eyes  [digest]

    $ gate show clinical-release
    gate: clinical-release
    version: "1.0"
    description: Released for clinical use, by the safety officer and two reviewers
    factors:
      - name: cso
      roles:
      - clinical_safety_officer
      approvals: 1
      meaning:
      - approved_for_clinical_use
      - name: four_eyes
      roles:
      - reviewer
      - compliance_officer
      approvals: 2
      meaning:
      - reviewed
      - approved
    deny: 1
    distinct:
      from_author: true
      from_contributors: true
      from_on_behalf_of: true
      across_factors: true
    ttl: 72h
    requires_opened:
      - packet
      - evidence
    applies:
      - regulation:
      - UK-DCB0129
      - UK-DCB0160
      - classification:
      - OFFICIAL-SENSITIVE
      trigger:
      - critical_action
      - required_step

    $ gate show other
    error: the project has no gate `other`
     hint: `tasuki gate ls` lists the gates of the project
    [exit 5]

    $ gate publish contracts/planner-to-coder.yaml
    error: the gate contracts/planner-to-coder.yaml cannot be used

    contracts/planner-to-coder.yaml:2:1: TK-FIELD-UNKNOWN `contract` is not a known member
      |
    2 | contract: planner-to-coder
      | ^^^^^^^^
      = found: contract
      = allowed: gate, version, description, factors, deny, distinct, ttl, requires_opened, applies

    contracts/planner-to-coder.yaml:5:1: TK-FIELD-UNKNOWN `from` is not a known member
      |
    5 | from: [planner]
      | ^^^^
      = found: from
      = allowed: gate, version, description, factors, deny, distinct, ttl, requires_opened, applies

    contracts/planner-to-coder.yaml:6:1: TK-FIELD-UNKNOWN `to` is not a known member
      |
    6 | to: [coder]
      | ^^
      = found: to
      = allowed: gate, version, description, factors, deny, distinct, ttl, requires_opened, applies

    contracts/planner-to-coder.yaml:7:1: TK-FIELD-UNKNOWN `payload_schema` is not a known member
      |
    7 | payload_schema: { $ref: schemas/change.schema.json }
      | ^^^^^^^^^^^^^^
      = found: payload_schema
      = allowed: gate, version, description, factors, deny, distinct, ttl, requires_opened, applies

    contracts/planner-to-coder.yaml:8:1: TK-FIELD-UNKNOWN `scope` is not a known member
      |
    8 | scope:
      | ^^^^^
      = found: scope
      = allowed: gate, version, description, factors, deny, distinct, ttl, requires_opened, applies

    contracts/planner-to-coder.yaml:12:1: TK-FIELD-UNKNOWN `confidence` is not a known member
      |
    12 | confidence: { required: true, hold_below: 0.5 }
      | ^^^^^^^^^^
      = found: confidence
      = allowed: gate, version, description, factors, deny, distinct, ttl, requires_opened, applies

    contracts/planner-to-coder.yaml:13:1: TK-FIELD-UNKNOWN `provenance` is not a known member
      |
    13 | provenance: { require: [inputs] }
      | ^^^^^^^^^^
      = found: provenance
      = allowed: gate, version, description, factors, deny, distinct, ttl, requires_opened, applies

    contracts/planner-to-coder.yaml:14:1: TK-FIELD-UNKNOWN `profile` is not a known member
      |
    14 | profile: coding
      | ^^^^^^^
      = found: profile
      = allowed: gate, version, description, factors, deny, distinct, ttl, requires_opened, applies

    contracts/planner-to-coder.yaml:15:1: TK-FIELD-UNKNOWN `lease` is not a known member
      |
    15 | lease: { for: 30m, attempts: 3 }
      | ^^^^^
      = found: lease
      = allowed: gate, version, description, factors, deny, distinct, ttl, requires_opened, applies

    contracts/planner-to-coder.yaml:16:1: TK-FIELD-UNKNOWN `deadlines` is not a known member
      |
    16 | deadlines: { claim: 1h, progress: 2h, return: 1d, verify: 1d }
      | ^^^^^^^^^
      = found: deadlines
      = allowed: gate, version, description, factors, deny, distinct, ttl, requires_opened, applies

    contracts/planner-to-coder.yaml:17:1: TK-FIELD-UNKNOWN `rework` is not a known member
      |
    17 | rework: { attempts: 2 }
      | ^^^^^^
      = found: rework
      = allowed: gate, version, description, factors, deny, distinct, ttl, requires_opened, applies

    contracts/planner-to-coder.yaml:18:1: TK-FIELD-UNKNOWN `hops` is not a known member
      |
    18 | hops: 8
      | ^^^^
      = found: hops
      = allowed: gate, version, description, factors, deny, distinct, ttl, requires_opened, applies

    contracts/planner-to-coder.yaml:19:1: TK-FIELD-UNKNOWN `fallback` is not a known member
      |
    19 | fallback:
      | ^^^^^^^^
      = found: fallback
      = allowed: gate, version, description, factors, deny, distinct, ttl, requires_opened, applies

    contracts/planner-to-coder.yaml:23:1: TK-FIELD-UNKNOWN `returns` is not a known member
      |
    23 | returns:
      | ^^^^^^^
      = found: returns
      = allowed: gate, version, description, factors, deny, distinct, ttl, requires_opened, applies

    contracts/planner-to-coder.yaml:2:1: TK-FIELD-MISSING `gate` is missing

    contracts/planner-to-coder.yaml:2:1: TK-FIELD-MISSING `factors` is missing
    [exit 3]

    $ rules show
    No rules yet. Next: tasuki rules set FILE

    $ rules set rules/default.yaml
    ✓ Published rules

    $ rules set gates/clinical-release.yaml
    error: the rules document gates/clinical-release.yaml cannot be used

    gates/clinical-release.yaml:3:1: TK-FIELD-UNKNOWN `gate` is not a known member
      |
    3 | gate: clinical-release
      | ^^^^
      = found: gate
      = allowed: description, rules, triggers

    gates/clinical-release.yaml:4:1: TK-FIELD-UNKNOWN `version` is not a known member
      |
    4 | version: "1.0"
      | ^^^^^^^
      = found: version
      = allowed: description, rules, triggers

    gates/clinical-release.yaml:6:1: TK-FIELD-UNKNOWN `factors` is not a known member
      |
    6 | factors:
      | ^^^^^^^
      = found: factors
      = allowed: description, rules, triggers

    gates/clinical-release.yaml:9:1: TK-FIELD-UNKNOWN `deny` is not a known member
      |
    9 | deny: 1
      | ^^^^
      = found: deny
      = allowed: description, rules, triggers

    gates/clinical-release.yaml:10:1: TK-FIELD-UNKNOWN `distinct` is not a known member
      |
    10 | distinct: { from_author: true, from_contributors: true, from_on_behalf_of: true, across_factors: tru
      | ^^^^^^^^
      = found: distinct
      = allowed: description, rules, triggers

    gates/clinical-release.yaml:11:1: TK-FIELD-UNKNOWN `ttl` is not a known member
      |
    11 | ttl: 72h
      | ^^^
      = found: ttl
      = allowed: description, rules, triggers

    gates/clinical-release.yaml:12:1: TK-FIELD-UNKNOWN `requires_opened` is not a known member
      |
    12 | requires_opened: [packet, evidence]
      | ^^^^^^^^^^^^^^^
      = found: requires_opened
      = allowed: description, rules, triggers

    gates/clinical-release.yaml:13:1: TK-FIELD-UNKNOWN `applies` is not a known member
      |
    13 | applies:
      | ^^^^^^^
      = found: applies
      = allowed: description, rules, triggers
    [exit 3]
    "#);
    let shown = &desk.objects("contract show planner-to-coder")[0];
    assert!(shown["schemas"]["schemas/change.schema.json"].is_object(), "{shown}");
    assert_eq!(desk.objects("rules show")[0]["document"]["rules"][0]["name"], "money");
}

#[test]
fn another_content_under_the_same_version_is_refused() {
    let desk = Desk::new();
    let gate = "gate: release\nversion: \"1.0\"\nfactors:\n  - { name: eyes, roles: [reviewer], approvals: 1 }\n";
    desk.write("gate.yaml", gate);
    desk.run("gate publish gate.yaml");
    desk.write("gate.yaml", &gate.replace("approvals: 1", "approvals: 2"));
    assert_snapshot!(desk.says("gate publish gate.yaml"), @"
    $ gate publish gate.yaml
    error: gate `release@1.0` was published with other content [TK-CONTRACT-CHANGED]
     hint: publish it under the next version
    [exit 6]
    ");
}

#[test]
fn settings_are_shown_and_set() {
    let said = Desk::new().play(&[
        "project show",
        "project set hops=8 chain_time=2h redacts_secrets=true",
        "project set hops=8",
        "project set hopps=8",
        "project set hops=many",
        "project set hops",
        "project show",
    ]);
    assert_snapshot!(said, @r#"
    $ project show
    default  [id]
    allows_edges_without_contract  true
    registers_on_first_use  true
    redacts_secrets  false
    ladder  []
    hops  5
    attempts  3
    reworks  2
    chain_time  null

    $ project set hops=8 chain_time=2h redacts_secrets=true
    ✓ Set hops=8, chain_time=2h, redacts_secrets=true

    $ project set hops=8
    ✓ The project is set so already

    $ project set hopps=8
    error: there is no setting `hopps`
     hint: did you mean `hops`?
    [exit 2]

    $ project set hops=many
    error: that is no value for it: invalid type: string "many", expected u32
     hint: `tasuki project set --help` has examples
    [exit 2]

    $ project set hops
    error: `hops` sets nothing
     hint: write KEY=VALUE
    [exit 2]

    $ project show
    default  [id]
    allows_edges_without_contract  true
    registers_on_first_use  true
    redacts_secrets  true
    ladder  []
    hops  8
    attempts  3
    reworks  2
    chain_time  "2h"
    "#);
}

#[test]
fn a_halt_stops_everybody_until_it_is_lifted() {
    let said = Desk::with_work().play(&[
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
    ✓ Halted: nobody can claim
    Next: tasuki halt --lift -m "…"

    $ halt
    error: the project is halted already [TK-PROJECT-HALTED]
     hint: `tasuki halt --lift -m …` lifts it
    [exit 6]

    $ claim draft --as coder --no-drift
    error: the project is halted: nobody claims, renews, returns or passes on [TK-PROJECT-HALTED]
     hint: leave a last checkpoint; an operator lifts the halt with `tasuki halt --lift`
    [exit 6]

    $ doctor
    ✓ config  1 value from the environment; project `default`
    ✓ sessions  1 file readable
    ✓ store  schema 3, WAL, every commit synced, integrity ok, [n] KB, no backup yet
    ✓ log  14 leaves and 5 documents checked in [n] s
    ✓ conservation  0 begun + 3 submitted = 1 done + 0 passed on + 0 rejected + 0 cancelled + 0 discarded + 0 dead + 2 open
    ✓ clock  next due: nothing
    ✓ ladders  every rung leads to somebody
    ✓ search  the index of words is up to date
    ! work  the project is halted  → `tasuki halt --lift -m …`
    0 errors, 1 warning.

    $ halt --lift
    error: to lift a halt, say why [TK-REASON-MISSING]
     hint: add a reason: `-m "…"`
    [exit 3]

    $ halt --lift -m 'the key was replaced'
    ✓ Work goes on

    $ halt --lift -m again
    error: the project is not halted [TK-PROJECT-RUNNING]
    [exit 6]

    $ claim draft --as coder --no-drift
    ✓ Claimed [handoff]  planner → coder  r1  claimed by coder  Draft the note  token 1, lease ends in [n] min
    Next: tasuki resume draft for the brief, then tasuki checkpoint
    "#);
}

#[test]
fn what_is_dead_is_started_again_or_given_up() {
    let desk = Desk::new();
    desk.write(
        "packet.json",
        r#"{"handoff_version":"1.0","task_id":"t","to_agent":"coder","status":"in_progress",
            "goal":"g","completed":[],"remaining":[],"fallback":[{"after":"1s","to":"dead_letter"}]}"#,
    );
    desk.run("submit packet.json --as planner");
    assert_eq!(desk.exit("wait t --until claimed --timeout 30s"), 15);
    let said = desk.play(&["dead list", "dead redrive t -m 'try again'"]);
    assert_snapshot!(said, @"
    $ dead list
    ID  RISK  FROM → TO  GOAL  STATE  DUE
    [handoff]  low  planner → coder  g  dead
    1 handoff. Next: tasuki show [short]

    $ dead redrive t -m 'try again'
    ✓ Started again [handoff]  planner → coder  r1  offered  g
    ");
    assert_eq!(desk.exit("wait t --until claimed --timeout 30s"), 15);
    let said = desk.play(&["dead discard t", "dead discard t -m 'not wanted'", "dead list"]);
    assert_snapshot!(said, @r#"
    $ dead discard t
    error: to discard, say why [TK-REASON-MISSING]
     hint: add a reason: `-m "…"`
    [exit 3]

    $ dead discard t -m 'not wanted'
    ✓ Gave up [handoff]  planner → coder  r1  discarded  g

    $ dead list
    No dead letters.
    "#);
}

#[test]
fn the_doctor_finds_nothing_wrong() {
    assert_snapshot!(Desk::with_work().says("doctor"), @"
    $ doctor
    ✓ config  1 value from the environment; project `default`
    ✓ sessions  1 file readable
    ✓ store  schema 3, WAL, every commit synced, integrity ok, [n] KB, no backup yet
    ✓ log  13 leaves and 5 documents checked in [n] s
    ✓ conservation  0 begun + 3 submitted = 1 done + 0 passed on + 0 rejected + 0 cancelled + 0 discarded + 0 dead + 2 open
    ✓ clock  next due: nothing
    ✓ ladders  every rung leads to somebody
    ✓ search  the index of words is up to date
    ✓ work  claims are taken
    ");
}

#[test]
fn the_doctor_names_what_is_wrong() {
    let desk = Desk::with_work();
    desk.run("project set 'ladder=[{\"after\":\"10m\",\"to\":\"role:oncall\"},{\"to\":\"dead_letter\"}]'");
    desk.write(".tasuki/sessions/broken.json", "{");
    assert_snapshot!(desk.says("doctor"), @"
    $ doctor
    ✓ config  1 value from the environment; project `default`
    ✗ sessions  [DIR]/.tasuki/sessions/broken.json does not hold a session: EOF while parsing an object at line 1 column 1  → move it away, then claim again or show `--token`
    ✓ store  schema 3, WAL, every commit synced, integrity ok, [n] KB, no backup yet
    ✓ log  14 leaves and 5 documents checked in [n] s
    ✓ conservation  0 begun + 3 submitted = 1 done + 0 passed on + 0 rejected + 0 cancelled + 0 discarded + 0 dead + 2 open
    ✓ clock  next due: nothing
    ! ladders  rungs lead to nobody and are skipped: role:oncall  → `tasuki party add ROLE --member NAME`
    ✓ search  the index of words is up to date
    ✓ work  claims are taken
    1 error, 1 warning.
    [exit 1]
    ");
    let states: Vec<_> = {
        let output = desk.command("doctor --json").output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
        lines.map(|line: serde_json::Value| line["state"].clone()).collect()
    };
    assert!(states.contains(&"error".into()) && states.contains(&"warning".into()), "{states:?}");
}
