//! Decisions of people: they end waits, and can be counted and exported.

use tasuki_engine::command::Command;
use tasuki_engine::steps::{Accept, Attention, Edit, Reject, SeenVersion};

use crate::support::fixture::Fixture;

fn seen() -> SeenVersion {
    let attention = Attention { seconds: Some(12), ..Attention::default() };
    SeenVersion { attention, ..SeenVersion::default() }
}

#[test]
fn a_wait_tells_what_was_decided() {
    let fixture = Fixture::with_work();
    fixture.decide("review", |handoff| {
        let reason = Some("too early".to_owned());
        Command::Reject(Reject { handoff, seen: seen(), reason })
    });
    let said = fixture.says("wait review");
    assert!(
        said.contains("ana rejected it, after 12 s: \"too early\"") && said.contains("[exit 10]"),
        "{said}"
    );
    fixture.run("submit --as planner --to coder --task other --goal 'Do it' --hold");
    let card = &fixture.objects("list --task other")[0];
    let digest = card["digest"].as_str().map(str::to_owned);
    let seen = SeenVersion { revision: Some(1), digest, ..seen() };
    fixture.decide("other", |handoff| Command::Accept(Accept { handoff, seen, reason: None }));
    let said = fixture.says("wait other");
    assert!(said.contains("ana approved it") && !said.contains("[exit"), "{said}");
}

#[test]
fn a_wait_reports_a_decision_from_before_it_began() {
    let fixture = Fixture::with_work();
    fixture.run("party add other");
    for (task, more) in [("t1", ""), ("t2", " --hold")] {
        fixture.run(&format!("submit --as planner --to coder --task {task} --goal Ship{more}"));
        fixture.run(&format!("reroute {task} --to other --as ana -m 'They know it'"));
        for until in ["decided", "claimed", "returned", "done"] {
            let wait = format!("wait {task} --until {until} --as planner --timeout 200ms");
            let said = fixture.says(&wait);
            assert!(said.contains("ana rerouted it") && said.contains("[exit 11]"), "{said}");
        }
        // Who did it knows of it, and so does who heard of it.
        assert_eq!(fixture.exit(&format!("wait {task} --until done --as ana --timeout 200ms")), 20);
        let rerouted = fixture.objects(&format!("events --handoff {task} --type rerouted"));
        let rerouted = rerouted[0]["n"].as_u64().unwrap();
        for (since, exit) in [(rerouted - 1, 11), (rerouted, 20)] {
            let wait = format!("wait {task} --until done --as planner --since {since}");
            assert_eq!(fixture.exit(&format!("{wait} --timeout 200ms")), exit, "{since}");
        }
    }
    fixture.run("submit --as planner --to coder --task t3 --goal Ship");
    fixture.run("intercept t3 --as ana -m 'Mine'");
    assert_eq!(fixture.exit("wait t3 --until done --as planner --timeout 200ms"), 11);
    assert_eq!(fixture.exit("wait t3 --until claimed --as planner --timeout 200ms"), 11);
}

#[test]
fn decisions_are_exported_with_what_was_shown() {
    let fixture = Fixture::with_work();
    fixture.decide("review", |handoff| {
        let source = br#"{"handoff_version":"1.0","to_agent":"ana","task_id":"review",
            "status":"in_progress","goal":"Look at the new plan","completed":[],"remaining":[]}"#;
        let reason = Some("the plan has changed".to_owned());
        Command::Edit(Edit { handoff, source: source.to_vec(), seen: seen(), reason })
    });
    let text = fixture.stdout("decisions export");
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 1);
    let line = &lines[0];
    assert_eq!(line["decision"], "edit");
    assert_eq!(line["person"], "ana");
    assert_eq!(line["reason"], "the plan has changed");
    assert_eq!(line["seconds"], 12);
    assert_eq!(line["revision"], 1);
    assert_eq!(line["packet"]["goal"], "Look at the plan");
    assert_eq!(line["edited"]["goal"], "Look at the new plan");
    assert_eq!(fixture.exit("log check"), 0);
}

#[test]
fn a_cancel_of_a_person_is_exported_and_none_of_an_agent() {
    let fixture = Fixture::with_work();
    fixture.run("cancel review --as ana -m 'Not needed'");
    fixture.run("cancel draft --as planner -m 'Mine'");
    let lines = fixture.objects("decisions export");
    assert_eq!(lines.len(), 1);
    let told = [&lines[0]["person"], &lines[0]["decision"], &lines[0]["reason"]];
    assert_eq!(told, ["ana", "cancel", "Not needed"]);
    assert_eq!(lines[0]["packet"]["goal"], "Look at the plan");
}

#[test]
fn the_statistics_of_each_edge_are_printed() {
    let fixture = Fixture::with_work();
    fixture.decide("review", |handoff| {
        let reason = Some("too early".to_owned());
        Command::Reject(Reject { handoff, seen: seen(), reason })
    });
    let edges = fixture.objects("stats");
    assert_eq!(edges.len(), 2);
    let (ana, coder) = (&edges[0], &edges[1]);
    assert_eq!((&ana["to"], &coder["to"]), (&"ana".into(), &"coder".into()));
    assert_eq!(coder["handoffs"], 2);
    assert_eq!(coder["submit_to_claim"]["count"], 1);
    assert_eq!(coder["claim_to_return"]["count"], 1);
    assert!(coder["tokens"]["median"].as_u64().unwrap() > 20, "{coder}");
    assert_eq!(ana["hold_to_decision"]["count"], 1);
    assert_eq!(ana["rejections"]["too early"], 1);
    let said = fixture.says("stats");
    assert!(said.contains("planner → coder"), "{said}");
    assert!(said.contains("planner → ana: rejected 1×: too early"), "{said}");
}

#[test]
fn the_cause_of_a_hold_and_the_statements_of_a_decision_can_be_read() {
    let fixture = Fixture::new();
    fixture.write(
        "rules.yaml",
        "rules:\n  - { name: money-movement, when: { words: [wire] }, then: hold }\n",
    );
    fixture.run("party add ana --human --no-password");
    fixture.run("rules set rules.yaml --as ana");
    fixture.run("submit --as planner --to coder --task pay-1 --goal 'Please wire it'");
    let held = fixture.says("events --task pay-1");
    assert!(held.contains("held by rule money-movement"), "{held}");
    let event = &fixture.objects("events --task pay-1 --type held")[0];
    assert_eq!(event["causes"][0]["by"], "rule:money-movement");
    let card = fixture.says("show pay-1 --as ana");
    assert!(card.contains("Held by  rule money-movement\n"), "{card}");
    fixture.decide("pay-1", |handoff| {
        let reason = Some("wrong account".to_owned());
        let mut seen = seen();
        seen.attention.opened = vec!["packet".to_owned()];
        Command::Reject(Reject { handoff, seen, reason })
    });
    let stated = "after 12 s, opened packet: \"wrong account\"";
    for line in ["show pay-1 --as ana", "show pay-1 --trail --as ana", "events --task pay-1"] {
        let said = fixture.stdout(line);
        assert!(said.contains("ana rejected") && said.contains(stated), "{line}: {said}");
    }
    let trail = &fixture.objects("show pay-1 --trail")[0];
    assert_eq!(trail["decisions"][0]["reason"], "wrong account");
    assert_eq!(fixture.exit("log check"), 0);
}
