//! Looking: ls, events, timeline, wait, search.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Stdio;
use std::time::{Duration, Instant};

use insta::assert_snapshot;

use crate::support::fixture::Fixture;

#[test]
fn a_rung_that_led_to_nobody_names_nobody() {
    let fixture = Fixture::new();
    for line in ["party add worker", "party add other", "party add role:nobody"] {
        fixture.run(line);
    }
    let ladder = "[{ to: \"role:nobody\" }, { to: other }, { to: dead_letter }]";
    let packet = format!(
        "handoff_version: \"1.0\"\ntask_id: build\nto_agent: worker\nstatus: in_progress\n\
         goal: Ship it\ncompleted: []\nremaining: []\nfallback: {ladder}\n"
    );
    fixture.write("packet.yaml", &packet);
    fixture.run("submit packet.yaml --as planner");
    fixture.run("decline build --as worker -m 'Not mine'");
    let said = fixture.says("events --type handoff.moved_on");
    assert_snapshot!(said, @r#"
    $ events --type handoff.moved_on
      7  [n] s ago  build  [handoff]  moved on by worker (declined): "`role:nobody` leads to nobody who may take it"
      8  [n] s ago  build  [handoff]  moved on by worker to other (declined)
    Next: tasuki events --since 8
    "#);
}

#[test]
fn nobody_asks_for_a_list_of_nothing() {
    let fixture = Fixture::with_work();
    let id = "sub_0190c2f1a5b87c3d9e4f5a6b7c8d9e0f";
    for list in [
        "list",
        "inbox",
        "dead list",
        "events",
        "search note",
        "log show",
        &format!("subscription deliveries {id}"),
    ] {
        let said = fixture.says(&format!("{list} --limit 0"));
        assert!(
            said.contains("invalid value '0' for '--limit <COUNT>': it is at least 1"),
            "{said}"
        );
        assert!(said.ends_with("[exit 2]\n"), "{said}");
    }
}

#[test]
fn handoffs_are_listed_by_state_task_and_party() {
    let said = Fixture::with_work().play(&[
        "list",
        "list --all --limit 1",
        "list --state done --state held",
        "list --task draft",
        "list --to ana",
        "list --from coder --all",
        "list --from coder",
        "list --to nobody",
        "list --state lost",
    ]);
    assert_snapshot!(said, @"
    $ list
    ID  RISK  FROM → TO  GOAL  STATE  DUE
    [handoff]  low  planner → coder  Draft the note  offered
    [handoff]  low  planner → ana  Look at the plan  held: asked
    2 handoffs. Next: tasuki show [short]

    $ list --all --limit 1
    ID  RISK  FROM → TO  GOAL  STATE  DUE
    [handoff]  low  planner → coder  Draft the note  offered
    1 handoff and more. Next: tasuki show [short]

    $ list --state done --state held
    ID  RISK  FROM → TO  GOAL  STATE  DUE
    [handoff]  low  planner → ana  Look at the plan  held: asked
    [handoff]  low  planner → coder  Ship the part  done
    2 handoffs. Next: tasuki show [short]

    $ list --task draft
    ID  RISK  FROM → TO  GOAL  STATE  DUE
    [handoff]  low  planner → coder  Draft the note  offered
    1 handoff. Next: tasuki show [short]

    $ list --to ana
    ID  RISK  FROM → TO  GOAL  STATE  DUE
    [handoff]  low  planner → ana  Look at the plan  held: asked
    1 handoff. Next: tasuki show [short]

    $ list --from coder --all
    No handoffs. Next: tasuki submit

    $ list --from coder
    No handoff is open. `--all` lists those that are over too. Next: tasuki submit

    $ list --to nobody
    error: no party is called `nobody` [TK-PARTY-UNKNOWN]
     hint: add it with `tasuki party add nobody`
    [exit 5]

    $ list --state lost
    error: invalid value 'lost' for '--state <STATE>': the states are held, offered, claimed, returned, done, passed_on, rejected, cancelled, discarded, dead

    For more information, try '--help'.
    [exit 2]
    ");
}

#[test]
fn a_list_for_machines_has_one_object_per_line() {
    let fixture = Fixture::with_work();
    let all = fixture.objects("list --all");
    assert_eq!(all.len(), 3);
    assert_eq!(all[0]["task"], "draft");
    assert_eq!(fixture.objects("list --state held")[0]["held_for"][0], "asked");
}

#[test]
fn a_task_has_a_timeline() {
    assert_snapshot!(Fixture::with_work().play(&["timeline build", "timeline nothing"]), @"
    $ timeline build
    [handoff]  planner → coder  r1  done  Ship the part

    [handoff]
      4  [n] s ago  submitted by planner to coder
      5  [n] s ago  delivered by coder
      6  [n] s ago  claimed by coder
      7  [n] s ago  checkpointed by coder
      8  [n] s ago  started by coder
      12  [n] s ago  returned by coder
      13  [n] s ago  done by coder

    $ timeline nothing
    error: no handoff and no task is called `nothing` [TK-HANDOFF-UNKNOWN]
     hint: `tasuki list` lists the handoffs of this project
    [exit 5]
    ");
}

#[test]
fn events_resume_by_number() {
    let fixture = Fixture::with_work();
    let all = fixture.objects("events --since 0");
    let numbers: Vec<u64> = all.iter().map(|event| event["n"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    let mut pieces = Vec::new();
    for start in (0..numbers.len()).step_by(2) {
        pieces.extend(fixture.objects(&format!("events --since {start} --limit 2")));
    }
    assert_eq!(pieces, all);
    let of_build = fixture.objects("events --task build");
    assert!(of_build.len() > 4 && of_build.iter().all(|event| event["task"] == "build"));
    let claims = fixture.objects("events --type claimed");
    assert_eq!(claims.len(), 1);
    assert_eq!(claims[0]["type"], "handoff.claimed");
    assert_eq!(claims[0]["attributes"]["fence"], 1);
    let of_ana = fixture.objects("events --party ana");
    assert!(!of_ana.is_empty() && of_ana.iter().all(|event| event["task"] == "review"));
}

#[test]
fn events_say_what_happened() {
    let said = Fixture::with_work().play(&[
        "events --task build",
        "events --limit 2",
        "events --type claimd",
        "events --since 99",
    ]);
    assert_snapshot!(said, @"
    $ events --task build
      4  [n] s ago  build  [handoff]  submitted by planner to coder
      5  [n] s ago  build  [handoff]  delivered by coder
      6  [n] s ago  build  [handoff]  claimed by coder
      7  [n] s ago  build  [handoff]  checkpointed by coder
      8  [n] s ago  build  [handoff]  started by coder
      12  [n] s ago  build  [handoff]  returned by coder
      13  [n] s ago  build  [handoff]  done by coder
    Next: tasuki events --since 13

    $ events --limit 2
      12  [n] s ago  build  [handoff]  returned by coder
      13  [n] s ago  build  [handoff]  done by coder
    Next: tasuki events --since 13

    $ events --type claimd
    error: invalid value 'claimd' for '--type <TYPE>': no event has this type; did you mean `claimed`?

    For more information, try '--help'.
    [exit 2]

    $ events --since 99
    Next: tasuki events --since 99
    ");
}

#[test]
fn whoever_follows_sees_each_event_once_as_it_happens() {
    let fixture = Fixture::with_work();
    let mut child = fixture
        .command("events --follow --json --limit 4")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    // It follows from the moment it has looked; events before that are not its.
    std::thread::sleep(Duration::from_millis(700));
    fixture.run("claim draft --as coder --no-drift");
    for kind in ["handoff.delivered", "handoff.claimed"] {
        let line = lines.next().unwrap().unwrap();
        let event: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(event["type"], kind);
    }
    fixture.run("checkpoint draft --as coder --completed 'Half'");
    let rest: Vec<_> = lines.map(|line| line.unwrap()).collect();
    assert_eq!(rest.len(), 2, "{rest:?}");
    assert!(rest[0].contains("handoff.started") || rest[0].contains("handoff.checkpointed"));
    assert!(child.wait().unwrap().success());
}

#[test]
fn whoever_waits_is_told_by_the_exit_code() {
    let fixture = Fixture::with_work();
    let said = fixture.play(&[
        "wait build --until done",
        "wait review --until decided --timeout 200ms",
        "wait draft --until decided",
        "wait draft --until claimed --timeout 200ms",
        "wait --as coder",
        "wait --as nobody-yet --timeout 200ms",
        "wait --until done",
    ]);
    assert_snapshot!(said, @"
    $ wait build --until done
    ✓ [handoff] done by coder

    $ wait review --until decided --timeout 200ms
    ! [handoff] goes on, nothing that ends the wait came in [n] s
    [exit 20]

    $ wait draft --until decided
    ✓ [handoff] submitted by planner to coder
    Next: tasuki claim [short] · tasuki ask [short] · tasuki decline [short]

    $ wait draft --until claimed --timeout 200ms
    ! [handoff] goes on, nothing that ends the wait came in [n] s
    [exit 20]

    $ wait --as coder
    ID  RISK  FROM → TO  GOAL  STATE  DUE
    [handoff]  low  planner → coder  Draft the note  offered
    1 handoff. Next: tasuki show [short]

    $ wait --as nobody-yet --timeout 200ms
    Added `nobody-yet` to the project as an agent. For a person: `tasuki party add nobody-yet --human`
    ! Nothing came in [n] s
    [exit 20]

    $ wait --until done
    error: the following required arguments were not provided:
      <ID>

    Usage: tasuki wait --until <UNTIL> <ID>

    For more information, try '--help'.
    [exit 2]
    ");
}

#[test]
fn a_receiver_who_reads_the_packet_as_it_was_sent_has_it() {
    let fixture = Fixture::with_work();
    let delivered = || fixture.objects("events --handoff draft --type delivered").len();
    fixture.run("show draft --packet --as planner");
    assert_eq!(delivered(), 0);
    fixture.run("show draft --packet --as coder");
    assert_eq!(delivered(), 1);
}

#[test]
fn fields_are_those_of_each_thing() {
    let fixture = Fixture::with_work();
    let offered = serde_json::json!({ "task": "draft", "state": "offered" });
    for line in ["inbox --as coder --fields task,state", "wait --as coder --fields task,state"] {
        assert_eq!(fixture.objects(line), std::slice::from_ref(&offered), "{line}");
    }
    let said = fixture.says("party list --fields scopes");
    assert!(said.contains("there is no field `scopes`") && said.contains("[exit 2]"), "{said}");
    let none = fixture.objects("rules show");
    assert_eq!(none, [serde_json::json!({ "document": null, "digest": null })]);
}

#[test]
fn a_wait_ends_when_it_happens() {
    let fixture = Fixture::with_work();
    let mut child = fixture
        .command("wait draft --until claimed --timeout 30s --json")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none(), "it waits");
    fixture.run("claim draft --as coder --no-drift");
    let ended = Instant::now();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(ended.elapsed() < Duration::from_secs(10));
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    let handoff: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(handoff["holder"], "coder");
}

#[test]
fn a_lease_that_is_over_ends_a_wait_without_anybody_else() {
    let fixture = Fixture::new();
    fixture.write(
        "packet.json",
        r#"{"handoff_version":"1.0","task_id":"t","to_agent":"coder","status":"in_progress",
            "goal":"g","completed":[],"remaining":[],"fallback":[{"after":"1s","to":"other"},{"to":"dead_letter"}]}"#,
    );
    fixture.run("party add other");
    fixture.run("submit packet.json --as planner");
    assert_eq!(fixture.exit("wait t --until claimed --timeout 30s"), 13);
}

#[test]
fn words_are_found() {
    let said = Fixture::with_work().play(&[
        "search ship",
        "search SHIP part",
        "search shipped",
        "search nothing",
    ]);
    assert_snapshot!(said, @"
    $ search ship
    EVENT  ID  IN  TEXT
    12  [handoff]  return  shipped
    4  [handoff]  packet  Ship the part build
    2 places. Next: tasuki show [short]

    $ search SHIP part
    EVENT  ID  IN  TEXT
    4  [handoff]  packet  Ship the part build
    1 place. Next: tasuki show [short]

    $ search shipped
    EVENT  ID  IN  TEXT
    12  [handoff]  return  shipped
    1 place. Next: tasuki show [short]

    $ search nothing
    Nothing has all these words.
    ");
}
