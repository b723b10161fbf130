//! Queries: status, list, events, timeline, wait, search.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Stdio;
use std::time::{Duration, Instant};

use insta::assert_snapshot;

use crate::support::fixture::Fixture;
use crate::support::shared_exchange::asking;

#[test]
fn a_rung_without_a_receiver_names_none() {
    let fixture = Fixture::new();
    for line in [
        "party add worker",
        "party add other",
        "party add planner",
        "party add role:planners --member planner",
    ] {
        fixture.run(line);
    }
    let ladder = "[{ to: \"role:planners\" }, { to: other }, { to: dead_letter }]";
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
      7  [clock]  build  skipped a fallback (worker declined): "no eligible receiver for `role:planners`"
      8  [clock]  build  moved on to other (worker declined)
    Next: tasuki events --since 8
    "#);
}

#[test]
fn a_fallback_that_leads_to_no_party_is_refused_at_submit() {
    let fixture = Fixture::new();
    for line in ["party add worker", "party add other", "party add role:oncall"] {
        fixture.run(line);
    }
    let packet = |to: &str| {
        let packet = format!(
            "handoff_version: \"1.0\"\ntask_id: build\nto_agent: worker\nstatus: in_progress\n\
             goal: Ship it\ncompleted: []\nremaining: []\nfallback: [{{ to: '{to}' }}]\n"
        );
        fixture.write("packet.yaml", &packet);
        fixture.says("submit packet.yaml --as worker --to other")
    };
    assert_snapshot!(packet("role:oncall"), @"
    $ submit packet.yaml --as worker --to other
    error: `fallback`: `role:oncall` has no members [TK-ROLE-EMPTY]
      hint: add one with `tasuki party add role:oncall --member NAME`
    [exit 3]
    ");
    assert_snapshot!(packet("othr"), @"
    $ submit packet.yaml --as worker --to other
    error: `fallback`: unknown party `othr` [TK-PARTY-UNKNOWN]
      hint: did you mean `other`? `tasuki party list` lists all
    [exit 5]
    ");
}

#[test]
fn a_mistyped_name_on_a_read_is_an_error_and_registers_no_party() {
    let fixture = Fixture::new();
    fixture.run("submit --as planner --to coder --task build --goal 'Ship it'");
    assert_snapshot!(fixture.says("inbox --as codr"), @"
    $ inbox --as codr
    error: unknown party `codr` [TK-PARTY-UNKNOWN]
      hint: did you mean `coder`? `tasuki party list` lists all
    [exit 5]
    ");
    let before = fixture.says("party list");
    for read in [
        "inbox",
        "inbox ack build",
        "list",
        "status",
        "show build",
        "events",
        "timeline build",
        "search Ship",
        "resume build",
        "wait --timeout 0s",
        "dead list",
        "decisions export",
    ] {
        let said = fixture.says(&format!("{read} --as codr"));
        assert!(said.contains("unknown party `codr`"), "{read}: {said}");
        assert!(said.contains("did you mean `coder`?"), "{read}: {said}");
    }
    assert_eq!(fixture.says("party list"), before);
}

#[test]
fn failures_stay_in_the_inbox_until_each_person_acknowledges_them() {
    let fixture = Fixture::new();
    for line in ["party add coder", "party add ana --human", "party add ben --human"] {
        fixture.run(line);
    }
    fixture.run("submit --as planner --to coder --task crawl-8 --goal 'Crawl the site'");
    fixture.run("decline crawl-8 --as coder -m 'no network'");
    fixture.run("submit --as planner --to coder --task ship-1 --goal 'Ship it' --hold");
    fixture.run("reject ship-1 --as ben -m 'not on a Friday'");
    assert_snapshot!(fixture.says("inbox --as planner"), @r#"
    $ inbox --as planner
    TASK  FAILED  FROM  SINCE  GOAL
    crawl-8  dead letter: coder declined  planner  [clock]  Crawl the site
    ship-1  rejected by ben ("not on a Friday")  planner  [clock]  Ship it
    Next: tasuki dead redrive crawl-8 · tasuki inbox ack crawl-8
    "#);
    assert_snapshot!(fixture.says("inbox ack ship-1 --as planner"), @"
    $ inbox ack ship-1 --as planner
    ✓ Acknowledged 1 failure.
    ");
    assert_snapshot!(fixture.says("inbox --as planner"), @"
    $ inbox --as planner
    TASK  FAILED  FROM  SINCE  GOAL
    crawl-8  dead letter: coder declined  planner  [clock]  Crawl the site
    Next: tasuki dead redrive crawl-8 · tasuki inbox ack crawl-8
    ");
    assert_snapshot!(fixture.says("inbox ack ship-1 --as planner"), @"
    $ inbox ack ship-1 --as planner
    error: your inbox has no failure of `ship-1`
      hint: `tasuki inbox` lists what you have not acknowledged
    [exit 2]
    ");
    assert_snapshot!(fixture.says("inbox --as ben"), @"
    $ inbox --as ben
    TASK  FAILED  FROM  SINCE  GOAL
    crawl-8  dead letter: coder declined  planner  [clock]  Crawl the site
    Next: tasuki dead redrive crawl-8 · tasuki inbox ack crawl-8
    ");
    assert_snapshot!(fixture.says("inbox ack --all --as ana"), @"
    $ inbox ack --all --as ana
    ✓ Acknowledged 2 failures.
    ");
    assert_snapshot!(fixture.says("inbox --as ana"), @"
    $ inbox --as ana
    Nothing waits for ana.
    ");
    assert_snapshot!(fixture.says("dead list"), @"
    $ dead list
    TASK  FROM → TO  STATE  RISK  DUE  GOAL
    crawl-8  planner → coder  dead letter  low  -  Crawl the site
    Next: tasuki show crawl-8 · tasuki dead redrive crawl-8
    ");
}

#[test]
fn a_limit_of_zero_is_refused() {
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
            said.contains("invalid value '0' for '--limit <COUNT>': must be at least 1"),
            "{said}"
        );
        assert!(said.ends_with("[exit 2]\n"), "{said}");
    }
}

#[test]
fn the_status_groups_open_work_by_who_acts_next() {
    let fixture = Fixture::with_work();
    for line in [
        "submit --as planner --to coder --task import --goal 'Import the data'",
        "claim import --as coder --no-drift",
        "checkpoint import --as coder --completed 'Read it'",
        "begin --as coder --task deploy --goal 'Deploy it'",
        "submit --as planner --to worker --task crawl --goal 'Crawl it'",
    ] {
        fixture.run(line);
    }
    let asking = asking("'npm publish --access public' --task deploy --as coder");
    assert_eq!(fixture.exit(&asking), 20);
    fixture.write(
        "dead.json",
        r#"{"handoff_version":"1.0","task_id":"lost","to_agent":"worker","status":"in_progress",
            "goal":"Find it","completed":[],"remaining":[],"fallback":[{"to":"dead_letter"}]}"#,
    );
    fixture.run("submit dead.json --as planner");
    fixture.run("decline lost --as worker -m 'Not mine'");
    assert_snapshot!(fixture.says("status"), @"
    $ status
    Needs a person  2  deploy: npm publish --access public (coder, medium risk)
      review: held for review (planner → ana)
    In progress  1  import  coder  1 of 2 done, last sign of life [clock], [n] min left
    Waiting  2  crawl  offered to worker since [clock]
      draft  offered to coder since [clock]
    Dead letters  1  lost  planner → worker  Find it
    Next: tasuki show deploy
    ");
    let status = &fixture.objects("status")[0];
    for (group, count) in
        [("needs_a_person", 2), ("in_progress", 1), ("waiting", 2), ("dead_letters", 1)]
    {
        assert_eq!(status[group]["count"], count, "{group}");
        let id = status[group]["handoffs"][0]["id"].as_str().unwrap();
        assert_eq!(id.len(), "hof_".len() + 32);
    }
    assert_snapshot!(Fixture::new().says("status"), @r#"
    $ status
    Nothing is open.
    Next: tasuki submit --to PARTY --goal "…"
    "#);
}

#[test]
fn a_status_group_shows_the_most_urgent_handoffs() {
    let fixture = Fixture::new();
    for n in 1..=7 {
        fixture.run(&format!("submit --as planner --to coder --task task-{n} --goal Goal-{n}"));
    }
    let said = fixture.says("status");
    assert!(said.contains("and 2 more: tasuki list --state offered --state returned"), "{said}");
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
    TASK  FROM → TO  STATE  RISK  DUE  GOAL
    draft  planner → coder  offered  low  -  Draft the note
    review  planner → ana  held for review  low  -  Look at the plan
    Next: tasuki show draft

    $ list --all --limit 1
    TASK  FROM → TO  STATE  RISK  DUE  GOAL
    draft  planner → coder  offered  low  -  Draft the note
    Showing 1 handoff; use `--limit` for more.
    Next: tasuki show draft

    $ list --state done --state held
    TASK  FROM → TO  STATE  RISK  DUE  GOAL
    review  planner → ana  held for review  low  -  Look at the plan
    build  planner → coder  done  low  -  Ship the part
    Next: tasuki show review

    $ list --task draft
    TASK  FROM → TO  STATE  RISK  DUE  GOAL
    draft  planner → coder  offered  low  -  Draft the note
    Next: tasuki show draft

    $ list --to ana
    TASK  FROM → TO  STATE  RISK  DUE  GOAL
    review  planner → ana  held for review  low  -  Look at the plan
    Next: tasuki show review

    $ list --from coder --all
    No handoffs.

    $ list --from coder
    No open handoffs; `--all` includes closed ones.

    $ list --to nobody
    error: unknown party `nobody` [TK-PARTY-UNKNOWN]
      hint: add it with `tasuki party add nobody`
    [exit 5]

    $ list --state lost
    error: invalid value 'lost' for '--state <STATE>': must be one of held, offered, claimed, returned, done, passed_on, rejected, cancelled, discarded, dead

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
    [clock]  planner submitted it to coder
    [clock]  coder read it
    [clock]  coder claimed it (fence 1)
    [clock]  coder checkpointed: \"Wrote it\" (1 done, 1 left)
    [clock]  coder started work
    [clock]  coder returned it: \"It is shipped\"
    [clock]  done

    $ timeline nothing
    error: unknown handoff or task `nothing` [TK-HANDOFF-UNKNOWN]
      hint: list the handoffs of this project with `tasuki list`
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
        4  [clock]  build  planner submitted it to coder
        5  [clock]  build  coder read it
        6  [clock]  build  coder claimed it (fence 1)
        7  [clock]  build  coder checkpointed: \"Wrote it\" (1 done, 1 left)
        8  [clock]  build  coder started work
        12  [clock]  build  coder returned it: \"It is shipped\"
        13  [clock]  build  done
      Next: tasuki events --since 13

      $ events --limit 2
        12  [clock]  build  coder returned it: \"It is shipped\"
        13  [clock]  build  done
      Next: tasuki events --since 13

      $ events --type claimd
      error: invalid value 'claimd' for '--type <TYPE>': unknown event type; did you mean `claimed`?

      For more information, try '--help'.
      [exit 2]

      $ events --since 99
      Next: tasuki events --since 99
      ");
}

#[test]
fn a_follower_sees_each_event_once_as_it_happens() {
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
fn the_exit_code_states_how_a_wait_ended() {
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
    assert_snapshot!(said, @r#"
    $ wait build --until done
    ✓ build: done
    Waiting for build to be done; it is done now. Ctrl-C to stop.

    $ wait review --until decided --timeout 200ms
    Waiting for at most [n] s for review to be decided; it is held for review now. Ctrl-C to stop.
    ! Timed out after 0 s: review is still held for review
    [exit 20]

    $ wait draft --until decided
    ✓ draft: planner submitted it to coder
    Waiting for draft to be decided; it is offered now. Ctrl-C to stop.
    Next: tasuki claim draft · tasuki ask draft -m "…" · tasuki decline draft -m "why"

    $ wait draft --until claimed --timeout 200ms
    Waiting for at most [n] s for draft to be claimed; it is offered now. Ctrl-C to stop.
    ! Timed out after 0 s: draft is still offered
    [exit 20]

    $ wait --as coder
    TASK  WHAT  FROM  RISK  DUE  GOAL
    draft  claim  planner  low  -  Draft the note
    Waiting for new work for coder. Ctrl-C to stop.
    Next: tasuki show draft

    $ wait --as nobody-yet --timeout 200ms
    error: unknown party `nobody-yet` [TK-PARTY-UNKNOWN]
      hint: add it with `tasuki party add nobody-yet`
    [exit 5]

    $ wait --until done
    error: the following required arguments were not provided:
      <ID>

    Usage: tasuki wait --until <UNTIL> <ID>

    For more information, try '--help'.
    [exit 2]
    "#);
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
    assert!(said.contains("unknown field `scopes`") && said.contains("[exit 2]"), "{said}");
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
EVENT  HANDOFF  IN  TEXT
12  [handoff]  return  shipped
4  [handoff]  packet  Ship the part build
2 results. Next: tasuki show [short]

$ search SHIP part
EVENT  HANDOFF  IN  TEXT
4  [handoff]  packet  Ship the part build
1 result. Next: tasuki show [short]

$ search shipped
EVENT  HANDOFF  IN  TEXT
12  [handoff]  return  shipped
1 result. Next: tasuki show [short]

$ search nothing
No results.
");
}
