//! Before a claim: ask, answer, decline, revise.

use insta::assert_snapshot;

use crate::support::shared_exchange::SharedExchange;

const PACKET: &str = "handoff_version: \"1.0\"\ntask_id: build-42\nto_agent: worker\n\
                      status: in_progress\ngoal: Ship it\n\
                      completed: []\nremaining: [Code]\nfallback: [{ to: pia }, { to: dead_letter }]\n";

fn offered() -> SharedExchange {
    let exchange = SharedExchange::new();
    std::fs::write(exchange.folder.path("packet.yaml"), PACKET).unwrap();
    let better = PACKET.replace("Ship it", "Ship it well");
    std::fs::write(exchange.folder.path("better.yaml"), better).unwrap();
    exchange.run("main", "submit packet.yaml");
    exchange
}

#[test]
fn the_sender_sees_the_question_and_each_party_its_own_steps() {
    let exchange = offered();
    exchange.run("worker", "ask build-42 --field acceptance -m 'Which browsers?' --blocking");
    let next = |who: &str| {
        let said = exchange.says(who, "show build-42");
        said.lines().find(|line| line.starts_with("Next: ")).unwrap_or("nothing").to_owned()
    };
    assert_eq!(
        next("main"),
        "Next: tasuki answer build-42 -m \"…\" · tasuki reroute build-42 --to PARTY · tasuki cancel build-42"
    );
    let asked = "Next: tasuki ask build-42 -m \"…\" · tasuki decline build-42 -m \"why\"";
    assert_eq!(next("worker"), asked);
    let said = exchange.says("main", "show build-42");
    let asked = "Question     worker asks about acceptance (blocking): Which browsers?";
    assert!(said.contains(asked), "{said}");
    let shown = exchange.json("main", "show build-42");
    assert_eq!(shown["questions"][0]["question"], "Which browsers?");
    assert!(exchange.says("main", "inbox").contains(" · tasuki answer build-42"));
}

#[test]
fn no_suggested_command_is_refused() {
    let exchange = SharedExchange::new();
    for line in ["party add a", "party add b", "party add role:team --member a --member b"] {
        exchange.run("", line);
    }
    let next = |who: &str| {
        let said = exchange.says(who, "show t1");
        said.lines().find(|line| line.starts_with("Next: ")).unwrap_or("nothing").to_owned()
    };
    let offered = "Next: tasuki claim t1 · tasuki ask t1 -m \"…\" · tasuki decline t1 -m \"why\"";
    let packet = PACKET.replace("build-42", "t1").replace("worker", "\"role:team\"");
    let packet = format!("{packet}return_required: [status]\n");
    std::fs::write(exchange.folder.path("packet.yaml"), packet).unwrap();
    exchange.run("main", "submit packet.yaml");
    exchange.run("a", "decline t1 -m 'Not me'");
    assert_eq!((next("a").as_str(), next("b").as_str()), ("nothing", offered));
    exchange.run("b", "claim t1 --no-drift");
    exchange.run("b", "park t1 --for 1h");
    let parked = "Next: tasuki ask t1 -m \"…\" · tasuki decline t1 -m \"why\"";
    assert_eq!(next("b"), parked);
    exchange.run("pia", "intercept t1 -m 'It is urgent'");
    exchange.run("pia", "return t1 --summary Done");
    let next_of_main = next("main");
    assert_eq!(next_of_main, "Next: tasuki verify t1@[return] --pass");
    assert_eq!((next("pia").as_str(), next("a").as_str()), ("nothing", "nothing"));
}

#[test]
fn a_question_is_answered_before_the_work_is_taken() {
    let said = offered().play(&[
        "other: ask build-42 -m 'May I?'",
        "worker: ask build-42 --field acceptance -m 'Which browsers?' --blocking",
        "worker: claim build-42",
        "worker: answer build-42 -m 'All of them'",
        "main: answer build-42",
        "main: answer build-42 --question 7 -m 'All of them'",
        "main: answer build-42 -m 'All of them'",
        "main: answer build-42 -m 'All of them'",
        "worker: claim build-42",
        "worker: ask build-42 -m 'And now?'",
    ]);
    assert_snapshot!(said, @r#"
    other$ ask build-42 -m 'May I?'
    Registered other as an agent (use `tasuki party add NAME --human` for a person).
    error: the receiver of handoff [handoff] is `worker`, not `other` [TK-NOT-ALLOWED]
      hint: `tasuki show` shows whose turn it is
    [exit 4]

    worker$ ask build-42 --field acceptance -m 'Which browsers?' --blocking
    ✓ Asked main about build-42. It cannot be claimed until main answers.
    Next: main runs `tasuki answer build-42 -m "…"`

    worker$ claim build-42
    error: question [question] on handoff [handoff] waits for an answer [TK-QUESTION-OPEN]
      hint: the sender must answer it with `tasuki answer`
    [exit 6]

    worker$ answer build-42 -m 'All of them'
    error: the sender of handoff [handoff] is `main`, not `worker` [TK-NOT-ALLOWED]
      hint: `tasuki show` shows whose turn it is
    [exit 4]

    main$ answer build-42
    error: the following required arguments were not provided:
      --message <TEXT>

    Usage: tasuki answer --message <TEXT> <ID[@REVISION]>

    For more information, try '--help'.
    [exit 2]

    main$ answer build-42 --question 7 -m 'All of them'
    error: `7` is not the id of a question: malformed id: expected `qst_` and 32 lower-case hex digits
      hint: `tasuki show` lists the open questions
    [exit 2]

    main$ answer build-42 -m 'All of them'
    ✓ Answered: build-42 is now revision 2. It is offered to worker.

    main$ answer build-42 -m 'All of them'
    error: no open question [TK-QUESTION-UNKNOWN]
      hint: use `tasuki revise` to change the packet
    [exit 5]

    worker$ claim build-42
    ✓ Claimed build-42 from main (fence 1, lease until [clock]).

      Goal      Ship it
      Request   none stated
      Left      1. Code
      Also      fallback, notes (`tasuki resume build-42 --as-packet` prints them)

    Next: tasuki resume build-42 · tasuki checkpoint --completed "…"

    worker$ ask build-42 -m 'And now?'
    error: cannot ask about handoff [handoff]: it is claimed, but must be offered or held [TK-STATE-CONFLICT]
      hint: `tasuki show` lists the commands that are possible now
    [exit 6]
    "#);
}

#[test]
fn an_answer_may_be_a_revised_packet() {
    let exchange = offered();
    exchange.run("worker", "ask build-42 -m 'How well?'");
    let said =
        exchange.play(&["main: answer build-42 -f better.yaml", "worker: show build-42 --packet"]);
    assert_snapshot!(said, @r#"
    main$ answer build-42 -f better.yaml
    ✓ Answered: build-42 is now revision 2. It is offered to worker.

    worker$ show build-42 --packet
    handoff_version: "1.0"
    task_id: build-42
    to_agent: worker
    status: in_progress
    goal: Ship it well
    completed: []
    remaining: [Code]
    fallback: [{ to: pia }, { to: dead_letter }]
    "#);
}

#[test]
fn declined_work_goes_to_the_next_rung() {
    let said = offered().play(&[
        "other: decline build-42 -m 'Not mine'",
        "worker: decline build-42",
        "worker: decline build-42 -m 'Needs a Windows machine'",
        "worker: decline build-42 -m 'Needs a Windows machine'",
    ]);
    assert_snapshot!(said, @r#"
    other$ decline build-42 -m 'Not mine'
    Registered other as an agent (use `tasuki party add NAME --human` for a person).
    error: the receiver of handoff [handoff] is `worker`, not `other` [TK-NOT-ALLOWED]
      hint: `tasuki show` shows whose turn it is
    [exit 4]

    worker$ decline build-42
    error: a reason is required to decline [TK-REASON-MISSING]
      hint: add one with `-m "…"`
    [exit 3]

    worker$ decline build-42 -m 'Needs a Windows machine'
    ✓ Declined build-42. It is offered to pia.

    worker$ decline build-42 -m 'Needs a Windows machine'
    error: the receiver of handoff [handoff] is `pia`, not `worker` [TK-NOT-ALLOWED]
      hint: `tasuki show` shows whose turn it is
    [exit 4]
    "#);
}

#[test]
fn a_sender_revises_until_the_work_is_claimed() {
    let said = offered().play(&[
        "worker: revise build-42 better.yaml",
        "main: revise build-42 better.yaml",
        "main: revise build-42@1 packet.yaml",
        "main: revise build-42@x packet.yaml",
        "main: show build-42@1 --packet",
        "main: show build-42@3 --packet",
        "worker: claim build-42",
        "main: revise build-42 packet.yaml",
    ]);
    assert_snapshot!(said, @r#"
    worker$ revise build-42 better.yaml
    error: the sender of handoff [handoff] is `main`, not `worker` [TK-NOT-ALLOWED]
      hint: `tasuki show` shows whose turn it is
    [exit 4]

    main$ revise build-42 better.yaml
    ✓ Sent revision 2 of build-42. It is offered to worker.

    main$ revise build-42@1 packet.yaml
    error: handoff [handoff] changed: it is at revision 2, you saw revision 1 [TK-REVISION-CHANGED]
      hint: run `tasuki show` again, then decide
    [exit 6]

    main$ revise build-42@x packet.yaml
    error: `x` is not a revision number
      hint: use the reference that `tasuki show` prints, such as `export-7@[version]`
    [exit 2]

    main$ show build-42@1 --packet
    handoff_version: "1.0"
    task_id: build-42
    to_agent: worker
    status: in_progress
    goal: Ship it
    completed: []
    remaining: [Code]
    fallback: [{ to: pia }, { to: dead_letter }]

    main$ show build-42@3 --packet
    error: handoff [handoff] has no revision 3 [TK-ARGUMENT-INVALID]
      hint: it has revisions 1 to 2
    [exit 3]

    worker$ claim build-42
    ✓ Claimed build-42 from main (fence 1, lease until [clock]).

      Goal      Ship it well
      Request   none stated
      Left      1. Code
      Also      fallback (`tasuki resume build-42 --as-packet` prints them)

    Next: tasuki resume build-42 · tasuki checkpoint --completed "…"

    main$ revise build-42 packet.yaml
    error: cannot revise handoff [handoff]: it is claimed, but must be open and unclaimed [TK-STATE-CONFLICT]
      hint: `tasuki show` lists the commands that are possible now
    [exit 6]
    "#);
}
