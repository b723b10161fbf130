//! What came back, as whoever judges it reads it.

use insta::assert_snapshot;

use crate::support::shared_exchange::World;

const HANDOFF: &str = "handoff_version: '1.0'\ntask_id: build-42\nfrom_agent: main\n\
    to_agent: worker\nstatus: in_progress\ngoal: Ship the web part\ncompleted: [Scaffold]\n\
    remaining: [Tests]\nreturn_required: [status, summary, verification]\n\
    acceptance: [{ id: tests, text: All tests pass }]\n";

const RETURN: &str = "handoff_version: '1.0'\npacket_type: return\nstatus: completed\n\
    summary: \"All tests pass \\e[31m\"\nchanged_paths: [src/part.rs]\nblockers: [No licence yet]\n\
    verification: [{ criterion: tests, result: pass, evidence: 'log:ci-7' }]\n";

fn world() -> World {
    let world = World::new();
    for (name, content) in [("handoff.yaml", HANDOFF), ("return.yaml", RETURN)] {
        std::fs::write(world.folder.path(name), content).unwrap();
    }
    world.run("main", "submit handoff.yaml");
    world
}

#[test]
fn a_sender_reads_what_came_back_with_its_verdict() {
    let world = world();
    world.run("worker", "claim build-42 --no-drift");
    assert_snapshot!(world.says("main", "show build-42 --return"), @"
    main$ show build-42 --return
    error: nothing has come back on this handoff
     hint: `tasuki wait ID` blocks until something does
    [exit 5]
    ");
    world.run("worker", "return -f return.yaml");
    let card = world.says("main", "show build-42");
    let (_, section) = card.split_once("\n\n").unwrap();
    let (section, _) = section.split_once("\n# Handoff").unwrap();
    assert_snapshot!(section, @r"
    Came back from worker, [n] s ago

    # Return packet

    **Status:** completed

    **From:** worker

    ## What happened

    All tests pass &lt;U+001B>\[31m

    ## Evidence

    | Criterion | Result | Evidence |
    | --- | --- | --- |
    | tests | pass | log:ci-7 |

    ## Changed paths

    - src/part.rs

    ## Blockers

    - No licence yet

    ## Circumstances

    | Fact | Value |
    | --- | --- |
    | Packet type | return |
    | Format version | 1.0 |
    ");
    assert_snapshot!(world.says("main", "show build-42 --return"), @r#"
    main$ show build-42 --return
    {"handoff_version":"1.0","packet_type":"return","status":"completed","summary":"All tests pass \u001b[31m","changed_paths":["src/part.rs"],"blockers":["No licence yet"],"verification":[{"criterion":"tests","result":"pass","evidence":"log:ci-7"}]}
    "#);
    world.run("main", "verify build-42 --fail -m 'The bundle is 400 kB'");
    let card = world.says("main", "show build-42");
    let verdict = card.lines().find(|line| line.starts_with("failed")).unwrap();
    assert_snapshot!(verdict, @"failed by main, [n] s ago: The bundle is 400 kB");
}

#[test]
fn a_sender_reads_how_the_claimer_understood_the_work() {
    let world = world();
    world.run(
        "worker",
        "claim build-42 --goal-in-my-words 'Make it small' --first-step 'Read the tests'",
    );
    let card = world.says("main", "show build-42");
    let (_, section) = card.split_once("\n\n").unwrap();
    let (section, _) = section.split_once("\n\n").unwrap();
    assert_snapshot!(section, @"
    Claimed by worker, [n] s ago
    goal         Make it small
    first step   Read the tests
    ");
}
