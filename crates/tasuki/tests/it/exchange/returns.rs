//! Returns, as the judge reads them.

use insta::assert_snapshot;

use crate::support::shared_exchange::SharedExchange;

const HANDOFF: &str = "handoff_version: '1.0'\ntask_id: build-42\nfrom_agent: main\n\
    to_agent: worker\nstatus: in_progress\ngoal: Ship the web part\ncompleted: [Scaffold]\n\
    remaining: [Tests]\nreturn_required: [status, summary, verification]\n\
    acceptance: [{ id: tests, text: All tests pass }]\n";

const RETURN: &str = "handoff_version: '1.0'\npacket_type: return\nstatus: completed\n\
    summary: \"All tests pass \\e[31m\"\nchanged_paths: [src/part.rs]\nblockers: [No licence yet]\n\
    verification: [{ criterion: tests, result: pass, evidence: 'log:ci-7' }]\n";

fn shared_exchange() -> SharedExchange {
    let exchange = SharedExchange::new();
    for (name, content) in [("handoff.yaml", HANDOFF), ("return.yaml", RETURN)] {
        std::fs::write(exchange.folder.path(name), content).unwrap();
    }
    exchange.run("main", "submit handoff.yaml");
    exchange
}

#[test]
fn a_sender_reads_what_came_back_with_its_verdict() {
    let exchange = shared_exchange();
    exchange.run("worker", "claim build-42 --no-drift");
    assert_snapshot!(exchange.says("main", "show build-42 --return"), @"
    main$ show build-42 --return
    error: this handoff has no return yet
      hint: `tasuki wait ID --until returned` waits for one
    [exit 5]
    ");
    exchange.run("worker", "return -f return.yaml");
    let card = exchange.says("main", "show build-42");
    let (_, section) = card.split_once("\n\n").unwrap();
    let (section, _) = section.split_once("\nHandoff").unwrap();
    assert_snapshot!(section, @"
    Returned by worker at [clock]

    Return packet
      Status: completed

    Verification:
      - tests: pass · log:ci-7
      From: worker

    Summary:
      All tests pass <U+001B>[31m

    Changed paths:
      - src/part.rs

    Blockers:
      - No licence yet

    Details:
      - Packet type: return
      - Format version: 1.0
    ");
    assert_snapshot!(exchange.says("main", "show build-42 --return"), @r#"
    main$ show build-42 --return
    {"handoff_version":"1.0","packet_type":"return","status":"completed","summary":"All tests pass \u001b[31m","changed_paths":["src/part.rs"],"blockers":["No licence yet"],"verification":[{"criterion":"tests","result":"pass","evidence":"log:ci-7"}]}
    "#);
    exchange.run("main", "verify build-42@seen --fail -m 'The bundle is 400 kB'");
    let card = exchange.says("main", "show build-42");
    let verdict = card.lines().find(|line| line.starts_with("Rejected")).unwrap();
    assert_snapshot!(verdict, @"Rejected by main at [clock]: The bundle is 400 kB");
}

#[test]
fn a_sender_reads_how_the_claimer_understood_the_work() {
    let exchange = shared_exchange();
    exchange.run(
        "worker",
        "claim build-42 --goal-in-my-words 'Make it small' --first-step 'Read the tests'",
    );
    let card = exchange.says("main", "show build-42");
    let (_, section) = card.split_once("\n\n").unwrap();
    let (section, _) = section.split_once("\n\n").unwrap();
    assert_snapshot!(section, @"
    Claimed by worker at [clock]
    goal         Make it small
    first step   Read the tests
    ");
}

#[test]
fn a_verdict_names_the_return_that_was_seen() {
    let exchange = shared_exchange();
    exchange.run("main", "submit handoff.yaml");
    let give_back = || {
        exchange.run("worker", "claim build-42 --no-drift");
        exchange.run("worker", "return build-42 -f return.yaml");
    };
    give_back();
    let seen = exchange.reference("main", "build-42");
    assert_snapshot!(exchange.says("main", "verify build-42 --pass"), @"
    main$ verify build-42 --pass
    error: the decision does not name the return packet that you saw [TK-REVISION-MISSING]
      hint: run `tasuki show [handoff]` and pass the reference that it prints
    [exit 2]
    ");
    let shown = exchange.says("main", "show build-42");
    assert!(shown.contains("Next: tasuki verify build-42@[return] --pass\n"), "{shown}");
    exchange.run("pia", "verify build-42@seen --fail -m 'Not yet'");
    give_back();
    let said = exchange.says("main", &format!("verify {seen} --pass"));
    assert!(said.contains("TK-REVISION-CHANGED") && said.contains("[exit 6]"), "{said}");
    if let Some(said) = exchange.at_terminal("main", "verify build-42 --pass", &["y"]) {
        assert!(said.contains("Pass this return? [y/N] y\n✓ Verified build-42."), "{said}");
    }
}
