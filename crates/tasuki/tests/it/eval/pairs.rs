//! `tasuki eval pairs`, with a scripted agent.
//!
//! The script hands over what it was told to, by condition, and its successor answers with all the
//! words it was given. So the number of facts that arrive is known in advance.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::folder::Folder;

const PROSE: &str = "Hi Ben, EXP-7 is yours. I have written the parser. Please do not touch the \
    schema. It is done when all 41 tests pass. Tell me the commit. Ana\n";
const PACKET: &str = "handoff_version: \"1.0\"\ntask_id: EXP-7\nfrom_agent: Ana\nto_agent: Ben\n\
    status: in_progress\ncompleted: [Wrote the parser]\nconstraints: [Do not touch the schema]\n\
    acceptance: [All 41 tests pass]\nreturn_required: [commit]\n";
const FACTS: &str = "case: coding-parser\narea: coding\nlength: short\nstyle: mail\nvariant: baseline\n\
    unstated: [handoff_version]\nstated:\n  - { field: /task_id, words: [EXP-7] }\nfacts:\n\
    \x20 - { id: tests, field: /acceptance/0, question: How many tests must pass?, answer: all 41, pattern: '\\b41 tests' }\n\
    \x20 - { id: limit, field: /constraints/0, question: What must not change?, answer: the schema, pattern: 'touch the schema' }\n";

/// Hands over both facts in a packet and one in a note. Its return lacks the commit the first time.
const AGENT: &str = r#"
text=$(tr -cd 'a-zA-Z0-9 .:\n' | tr '\n' ' ')
cd "$TASUKI_EVAL_OUT" || exit 1
case "$TASUKI_EVAL_STEP $TASUKI_EVAL_CONDITION" in
"hand-over prose") echo "All 41 tests must pass." > note.md ;;
"hand-over packet"|"repair packet")
  status=in_progress
  [ "$TASUKI_EVAL_STEP" = hand-over ] && status=done
  printf 'handoff_version: "1.0"\ntask_id: EXP-7\nfrom_agent: a\nto_agent: b\nstatus: %s\nconstraints: [Do not touch the schema]\nacceptance: [All 41 tests pass]\n' $status > packet.yaml ;;
"finish "*)
  printf '{"tests": "%s", "limit": "%s"}' "$text" "$text" > answers.json
  printf 'handoff_version: "1.0"\npacket_type: return\ntask_id: EXP-7\nstatus: completed\nverification: [{ criterion: 0, result: pass, evidence: "log:1" }]\n' > return.yaml
  [ "$TASUKI_EVAL_CONDITION" = none ] && printf 'How many tests?\n\nWhich limits?\n' > questions.md
  printf '{"input_tokens": 100, "output_tokens": 20}' > usage.json ;;
"rework "*) echo 'commit: 1a2b3c4' >> return.yaml ;;
esac
exit 0
"#;

fn folder(agent: &str) -> Folder {
    Folder::new()
        .with("cases/coding-parser/prose.md", PROSE)
        .with("cases/coding-parser/packet.yaml", PACKET)
        .with("cases/coding-parser/facts.yaml", FACTS)
        .with("agent.sh", agent)
}

const RUN: &[&str] =
    &["eval", "pairs", "--agent", "sh ../../../../agent.sh", "--cases", "cases", "--out", "run"];

fn run(folder: &Folder, more: &[&str]) -> Value {
    let text = folder.stdout(&[RUN, more, &["--json"]].concat());
    serde_json::from_str(&text).unwrap()
}

/// The results that were recorded, by condition.
fn recorded(folder: &Folder, condition: &str) -> Value {
    let text = folder.read("run/results.jsonl");
    let mut results = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    results.rfind(|result| result["condition"] == condition).unwrap()
}

#[test]
fn conditions_are_compared_by_the_facts_that_arrive() {
    let folder = folder(AGENT);
    let summary = run(&folder, &[]);
    let of = |index: usize, name: &str| summary["conditions"][index][name].clone();
    for (index, condition, facts) in [(0, "none", 0), (1, "prose", 1), (2, "packet", 2)] {
        assert_eq!(of(index, "condition"), condition);
        assert_eq!(of(index, "facts_kept"), facts, "{condition}");
        assert_eq!(of(index, "facts"), 2);
        assert_eq!(of(index, "verified"), 1);
        assert_eq!(of(index, "rework"), 1.0, "the first return lacks the commit");
        assert_eq!(of(index, "fields_missing"), 1.0);
        assert_eq!(of(index, "tokens_reported"), 120.0);
    }
    assert_eq!((of(0, "clarifications"), of(2, "clarifications")), (2.0.into(), 0.0.into()));
    assert_eq!((of(1, "repairs"), of(2, "repairs")), (0.0.into(), 1.0.into()));
    let packet = recorded(&folder, "packet");
    assert_eq!(packet["facts_handed"], serde_json::json!([2]));
    assert!(packet["tokens"]["handed"][0].as_u64().unwrap() > 50, "{packet}");
    assert!(packet["seconds"].as_f64().unwrap() > 0.0);
    let handed = folder.read("run/coding-parser/packet-hops1-1/hop-1/handed.md");
    assert!(handed.contains("TASUKI-DATA"), "the successor sees a brief: {handed}");
    let markdown = folder.stdout(RUN);
    assert!(markdown.contains("\n| packet | 1 | 2 of 2 | 2 | 1 | 1.0 |"), "{markdown}");
}

#[test]
fn a_run_is_continued_where_it_stopped() {
    let folder = folder(AGENT);
    let first = folder.run(&[RUN, &["--condition", "prose"]].concat());
    assert!(first.contains("1/1  coding-parser, prose: 1 of 2 facts kept, verified"), "{first}");
    let before = folder.read("run/results.jsonl");
    // Half a line, as a killed run leaves it.
    std::fs::write(folder.path("run/results.jsonl"), format!("{before}{{\"case\": \"cod")).unwrap();
    let second = folder.run(RUN);
    assert!(second.contains("Continuing: 1 trial of 3 already recorded"), "{second}");
    assert!(second.contains("2/2  coding-parser, packet"), "{second}");
    let after = folder.read("run/results.jsonl");
    assert!(after.starts_with(&before) && after.lines().count() == 3, "{after}");
    let third = folder.run(RUN);
    assert!(!third.contains("1/"), "nothing is run again: {third}");
}

#[test]
fn facts_are_counted_after_the_last_hop() {
    // Each note keeps only what its writer was told, and the second forgets the tests.
    let agent = AGENT.replace(
        "echo \"All 41 tests must pass.\" > note.md",
        "[ \"$TASUKI_EVAL_HOP\" = 1 ] && echo \"All 41 tests. Do not touch the schema.\" > note.md || echo \"$text\" | sed 's/41 tests/some tests/g' > note.md",
    );
    let folder = folder(&agent);
    run(&folder, &["--hops", "3", "--condition", "prose,packet"]);
    let prose = recorded(&folder, "prose");
    assert_eq!(prose["facts_handed"], serde_json::json!([2, 1, 1]));
    assert_eq!(prose["facts_kept"], 1);
    assert_eq!(recorded(&folder, "packet")["facts_handed"], serde_json::json!([2, 2, 2]));
}

#[test]
fn note_and_brief_have_the_same_budget() {
    let agent = AGENT.replace(
        "echo \"All 41 tests must pass.\" > note.md",
        "for i in 1 2 3 4 5 6 7 8 9; do echo 'A long introduction that says nothing at all about the work, and goes on and on.' >> note.md; done; echo 'All 41 tests must pass.' >> note.md",
    );
    let folder = folder(&agent);
    run(&folder, &["--budget", "120", "--condition", "prose,packet"]);
    let prose = recorded(&folder, "prose");
    assert_eq!(prose["tokens"]["handed"], serde_json::json!([120]));
    assert_eq!(prose["facts_kept"], 0);
    let packet = recorded(&folder, "packet");
    assert!(packet["tokens"]["handed"][0].as_u64().unwrap() <= 120, "{packet}");
    assert_eq!(packet["facts_kept"], 2);
}

#[test]
fn a_killed_predecessor_leaves_its_last_checkpoint() {
    let agent = AGENT.replace(
        "case \"$TASUKI_EVAL_STEP",
        "if [ \"$TASUKI_EVAL_STEP\" = hand-over ]; then\n\
         printf 'handoff_version: \"1.0\"\\npacket_type: checkpoint\\ndecisions: [We do not touch the schema]\\n' > checkpoint-1.yaml\n\
         printf 'handoff_version: \"1.0\"\\npacket_type: checkpoint\\nremaining: [Make all 41 tests pass]\\n' > checkpoint-2.yaml\n\
         printf 'handoff_version: \"1.0\"\\npacket_ty' > checkpoint-3.yaml\n\
         sleep 60; echo late > note.md; fi\ncase \"$TASUKI_EVAL_STEP",
    );
    let folder = folder(&agent);
    let start = Instant::now();
    let summary = run(&folder, &["--kill", "1s"]);
    assert!(start.elapsed() < Duration::from_secs(40), "the predecessors were killed");
    let conditions: Vec<_> = summary["conditions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["condition"].as_str().unwrap())
        .collect();
    assert_eq!(conditions, ["none", "packet"]);
    assert_eq!(
        (&recorded(&folder, "none")["killed"], &recorded(&folder, "none")["facts_kept"]),
        (&1.into(), &0.into())
    );
    let packet = recorded(&folder, "packet");
    assert_eq!((&packet["killed"], &packet["facts_kept"]), (&1.into(), &2.into()), "{packet}");
}

#[test]
fn an_agent_that_fails_or_does_not_exist_is_told_apart() {
    let failing = folder("exit 3");
    let summary = run(&failing, &["--condition", "packet", "--rework", "0"]);
    let one = &summary["conditions"][0];
    assert_eq!(
        (&one["failed_steps"], &one["facts_kept"], &one["verified"]),
        (&3.into(), &0.into(), &0.into())
    );
    let absent = Folder::new().with_copy_of("evals/cases");
    let shown =
        absent.run(&["eval", "pairs", "--agent", "no-such-agent", "--cases", ".", "--out", "run"]);
    assert!(
        shown.starts_with("exit 2")
            && shown.contains("the agent cannot be run: `no-such-agent` ended with 127"),
        "{shown}"
    );
    let unknown = absent.run(&[
        "eval", "pairs", "--agent", "true", "--cases", ".", "--out", "run", "--case", "none",
    ]);
    assert!(unknown.contains("error: unknown case `none`"), "{unknown}");
}

#[test]
fn a_signal_ends_the_agent_and_the_run_can_go_on() {
    let folder = folder("echo $$ > \"$TASUKI_EVAL_OUT/pid\"; sleep 60");
    let mut child =
        folder.command(RUN).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let pid = folder.path("run/coding-parser/none-hops1-1/hop-1/pid");
    let start = Instant::now();
    while !pid.exists() && start.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let id = child.id().to_string();
    std::process::Command::new("/bin/sh")
        .args(["-c", "kill -s INT \"$0\""])
        .arg(&id)
        .status()
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let agent = folder.read("run/coding-parser/none-hops1-1/hop-1/pid");
    // A zombie has ended; only its parent has not looked yet.
    let status =
        std::fs::read_to_string(format!("/proc/{}/status", agent.trim())).unwrap_or_default();
    assert!(
        status.is_empty() || status.contains("State:\tZ"),
        "the agent ended with the run: {status}"
    );
    assert!(!folder.path("run/results.jsonl").exists(), "an interrupted trial has no result");
}
