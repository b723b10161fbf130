//! `tasuki hook`: what each event does to the task of a session.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::mcp_host::McpHost;
use crate::support::work_tree::{WorkTree, answer, run};

const HOST: &str = "claude-code";
const TASK: &str = "claude-code-0f3c9a12";

/// Returns the cards of the task.
fn card(tree: &WorkTree) -> Value {
    let list = tree.ok(&format!("list --all --task {TASK} --json"));
    serde_json::from_str(list.lines().next().unwrap_or("null")).unwrap()
}

fn shown(answer: &Value) -> &str {
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default()
}

/// Returns an input with other members.
fn changed(input: &str, members: &Value) -> String {
    let mut input: Value = serde_json::from_str(input).unwrap();
    for (name, value) in members.as_object().unwrap() {
        input[name] = value.clone();
    }
    input.to_string()
}

/// A session that has changed the work tree and finished a turn.
fn stopped() -> WorkTree {
    let tree = WorkTree::new();
    assert_eq!(tree.hook(HOST, "start").json(), Value::Null);
    tree.write("src/parser.rs", "// half a parser\n");
    assert_eq!(tree.hook(HOST, "stop").json()["decision"], "block");
    tree
}

#[test]
fn a_task_is_begun_only_if_the_work_tree_changed() {
    let tree = WorkTree::new();
    tree.hook(HOST, "start").json();
    assert_eq!(tree.hook(HOST, "stop").json(), Value::Null);
    assert_eq!(tree.hook(HOST, "end").json(), Value::Null);
    assert_eq!(tree.ok("list --all --json"), "");
}

#[test]
fn a_begun_task_is_in_no_inbox_and_has_no_ladder() {
    let tree = stopped();
    let card = card(&tree);
    assert_eq!((&card["state"], &card["from"]), (&json!("claimed"), &json!(HOST)));
    assert_eq!(card["goal"], "Continue the work of claude-code on branch main");
    assert_eq!(card.get("next_rung"), None);
    tree.hook(HOST, "end").json();
    let inbox: Value = serde_json::from_str(&tree.ok("inbox --as claude-code --json")).unwrap();
    assert_eq!(inbox["handoffs"], json!([]));
    assert_eq!(self::card(&tree)["due_for"], "end");
}

#[test]
fn the_agent_is_asked_once_and_not_again_while_it_answers() {
    let tree = stopped();
    tree.write("src/parser.rs", "// more of a parser\n");
    assert_eq!(tree.hook(HOST, "stop").json(), Value::Null, "asked before");

    let tree = WorkTree::new();
    tree.hook(HOST, "start").json();
    tree.write("a", "1");
    let active = changed(&tree.input(HOST, "stop"), &json!({"stop_hook_active": true}));
    assert_eq!(tree.hook_with(HOST, "stop", &active).json(), Value::Null, "it answers");
}

#[test]
fn an_agent_that_records_its_progress_is_not_asked() {
    let tree = WorkTree::new();
    tree.hook(HOST, "start").json();
    let begin = "begin --goal 'Port the parser' --task port";
    for line in [begin, "checkpoint --completed Lexer --remaining Parser"] {
        let mut command = tree.command(&format!("{line} --as claude-code"));
        command.env("CLAUDE_CODE_SESSION_ID", "0f3c9a12-7b1e-4c55-9f0a-2b7d6c1e8a44");
        let done = command.output().unwrap();
        assert!(done.status.success(), "{done:?}");
    }
    tree.write("a", "1");
    assert_eq!(tree.hook(HOST, "stop").json(), Value::Null);
}

#[test]
fn an_unchanged_work_tree_makes_no_second_checkpoint() {
    let tree = stopped();
    tree.hook(HOST, "stop").json();
    tree.hook(HOST, "compact").json();
    assert_eq!(card(&tree)["checkpoints"], 1);
    tree.write("b", "1");
    tree.hook(HOST, "compact").json();
    assert_eq!(card(&tree)["checkpoints"], 2);
}

#[test]
fn the_next_session_sees_the_task_with_a_brief_and_the_command_that_claims_it() {
    let tree = stopped();
    tree.hook(HOST, "end").json();
    let next = changed(&tree.input(HOST, "start"), &json!({"session_id": "second"}));
    let started = tree.hook_with(HOST, "start", &next).json();
    let text = tree.plain(shown(&started));
    assert!(text.contains("`tasuki claim claude-code-0f3c9a12 --as claude-code`"), "{text}");
    assert!(text.contains("src/parser.rs"), "{text}");
    assert!(text.contains("I ported the lexer. The parser is next."), "{text}");
    tree.ok("claim claude-code-0f3c9a12 --as claude-code");
}

#[test]
fn a_task_of_another_branch_or_party_is_only_counted() {
    let tree = stopped();
    tree.hook(HOST, "end").json();
    tree.ok("submit --as planner --to claude-code --goal 'Write docs'");
    tree.git("checkout -q -b other");
    tree.git("add -A");
    tree.git("commit -q -m 'Half'");
    let next = changed(&tree.input(HOST, "start"), &json!({"session_id": "second"}));
    let started = tree.hook_with(HOST, "start", &next).json();
    assert_eq!(
        shown(&started),
        "1 Tasuki task waits for claude-code: `tasuki inbox --as claude-code`\n"
    );
    assert_eq!(tree.hook("codex", "start").json(), Value::Null, "it is not offered to codex");
    let timeline = tree.ok(&format!("timeline {TASK}"));
    assert!(!timeline.contains("read it"), "a task that is not shown is not read: {timeline}");
}

#[test]
fn after_a_compaction_the_agent_gets_its_own_task_again() {
    let tree = stopped();
    let compacted = changed(&tree.input(HOST, "start"), &json!({"source": "compact"}));
    let started = tree.hook_with(HOST, "start", &compacted).json();
    assert!(shown(&started).starts_with("You hold the Tasuki task claude-code-0f3c9a12"));
}

#[test]
fn the_end_of_a_session_releases_the_task_with_a_checkpoint() {
    let tree = stopped();
    tree.write("src/parser.rs", "// all of a parser\n");
    tree.hook(HOST, "end").json();
    let card = card(&tree);
    assert_eq!((&card["state"], &card["checkpoints"]), (&json!("offered"), &json!(2)));
    let timeline = tree.ok(&format!("timeline {TASK}"));
    assert!(
        timeline.contains("the session of claude-code ended (prompt_input_exit)"),
        "{timeline}"
    );
    assert!(
        !tree
            .work()
            .join(".tasuki/sessions/claude-code-0f3c9a12-7b1e-4c55-9f0a-2b7d6c1e8a44.json")
            .exists()
    );
}

#[test]
fn an_exhausted_quota_parks_the_task_until_it_resets() {
    let tree = stopped();
    tree.hook(HOST, "failure").json();
    let card = card(&tree);
    assert_eq!(card["state"], "offered");
    let until: jiff::Timestamp = card["not_before"].as_str().unwrap().parse().unwrap();
    let minutes = until.duration_since(jiff::Timestamp::now()).as_mins();
    assert!((123..=125).contains(&minutes), "{minutes}");
}

#[test]
fn another_failure_leaves_a_record_and_keeps_the_claim() {
    let tree = stopped();
    let error = json!({"error": "server_error", "error_details": "overloaded"});
    let failed = changed(&tree.input(HOST, "failure"), &error);
    tree.hook_with(HOST, "failure", &failed).json();
    let card = card(&tree);
    assert_eq!((&card["state"], &card["checkpoints"]), (&json!("claimed"), &json!(2)));
}

#[test]
fn secrets_in_a_transcript_are_not_stored() {
    let tree = WorkTree::new();
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let line = json!({"type": "user", "message": {"role": "user",
        "content": format!("Use the token {secret} to port it")}});
    let path = "home/.claude/projects/work/0f3c9a12-7b1e-4c55-9f0a-2b7d6c1e8a44.jsonl";
    let path = tree.folder.path(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, line.to_string()).unwrap();
    tree.hook(HOST, "start").json();
    tree.write("a", "1");
    let said = json!({"last_assistant_message": format!("I used {secret}.")});
    tree.hook_with(HOST, "stop", &changed(&tree.input(HOST, "stop"), &said)).json();
    let packet = tree.ok(&format!("resume {TASK} --as-packet --json"));
    assert!(packet.contains("Use the token [redacted"), "{packet}");
    assert!(packet.contains("I used [redacted"), "{packet}");
    assert!(!packet.contains(secret), "{packet}");
}

#[test]
fn a_hook_in_a_folder_without_an_exchange_does_nothing() {
    let tree = WorkTree::without_exchange();
    for event in ["start", "stop", "end", "failure", "compact"] {
        assert_eq!(tree.hook(HOST, event).json(), Value::Null, "{event}");
    }
    assert!(!tree.work().join(".tasuki").exists());
    assert!(!tree.folder.path("home/.local/state/tasuki/failed-hooks.jsonl").exists());
}

#[test]
fn a_hook_that_fails_is_silent_for_its_host_and_visible_in_doctor() {
    let tree = WorkTree::new();
    for input in ["", "not json", "{}", "{\"session_id\": \"../../x\", \"cwd\": \".\"}"] {
        let answer = tree.hook_with(HOST, "start", input);
        assert_eq!((answer.code, answer.stdout.as_str()), (Some(0), ""), "{input}");
        assert_eq!(answer.stderr, "", "{input}");
    }
    let said = tree.says("doctor");
    assert!(said.contains("4 failed hooks in the last 7 days; claude-code start at "), "{said}");
}

#[test]
fn a_record_is_spooled_while_the_exchange_is_away_and_delivered_by_the_next_command() {
    let tree = stopped();
    let project = std::fs::read_dir(tree.work().join(".tasuki/projects")).unwrap();
    let project = project.map(|entry| entry.unwrap().path()).next().unwrap();
    let away = project.with_extension("away");
    std::fs::rename(&project, &away).unwrap();
    let began = Instant::now();
    assert_eq!(tree.hook(HOST, "end").json(), Value::Null);
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
    std::fs::rename(&away, &project).unwrap();
    let spool = || std::fs::read_dir(tree.work().join(".tasuki/spool")).unwrap().count();
    assert_eq!(spool(), 1);
    assert!(tree.says("doctor").contains("1 crash record not delivered"));
    assert_eq!(card(&tree)["state"], "claimed");
    tree.ok("submit --as planner --to coder --goal 'Something else'");
    assert_eq!(spool(), 0);
    assert_eq!(card(&tree)["state"], "offered");
}

/// A host of an agent that runs the start and stop hooks, says so, and waits to be killed.
const AGENT: &str = r#"
import os, subprocess, sys, time
tool, host, start, stop = sys.argv[1:5]
run = lambda event, text: subprocess.run(
    ["/bin/sh", "-c", '"$0" "$@"', tool, "hook", host, event], input=text.encode(), stdout=subprocess.PIPE)
run("start", start)
os.makedirs("src", exist_ok=True)
open("src/parser.rs", "w").write("// half a parser\n")
run("stop", stop)
print("ready", flush=True)
time.sleep(60)
"#;

#[test]
fn the_next_start_leaves_the_record_of_a_session_that_was_killed() {
    let tree = WorkTree::new();
    let mut command = std::process::Command::new("python3");
    command.args(["-c", AGENT, env!("CARGO_BIN_EXE_tasuki"), HOST]);
    command.args([tree.input(HOST, "start"), tree.input(HOST, "stop")]);
    command.current_dir(tree.work()).stdout(Stdio::piped());
    tree.with_environment(&mut command);
    let mut agent = command.spawn().unwrap();
    let mut ready = [0; 6];
    std::io::Read::read_exact(agent.stdout.as_mut().unwrap(), &mut ready).unwrap();
    let next = changed(&tree.input(HOST, "start"), &json!({"session_id": "second"}));
    let start = || answer(run(tree.command("hook claude-code start"), &next)).json();
    assert_eq!(start(), Value::Null, "the first session still runs");
    agent.kill().unwrap();
    agent.wait().unwrap();
    let started = start();
    assert!(shown(&started).contains(TASK), "{started}");
    assert!(tree.ok(&format!("timeline {TASK}")).contains("the session ended without a word"));
}

#[test]
fn a_hook_continues_the_task_that_the_agent_holds_through_mcp() {
    let tree = WorkTree::new();
    tree.hook(HOST, "start").json();
    let mut command = tree.command("mcp --as claude-code");
    let input: Value = serde_json::from_str(&tree.input(HOST, "start")).unwrap();
    command.env("CLAUDE_CODE_SESSION_ID", input["session_id"].as_str().unwrap());
    let mut agent = McpHost::modern(command);
    let begun = agent.call("handoff_begin", json!({ "goal": "Port the parser", "task": "port" }));
    tree.write("src/parser.rs", "// half a parser\n");
    let done = json!({ "handoff": "port", "fence": begun["fence"], "completed": ["Half of it"] });
    agent.call("handoff_checkpoint", done);
    wait_for_snapshots(&tree, 1);
    tree.write("src/parser.rs", "// most of a parser\n");
    tree.hook(HOST, "stop").json();
    let tasks = tree.ok("list --all --json");
    assert_eq!(tasks.lines().count(), 1, "the hook began no task of its own: {tasks}");
    let shown: Value = serde_json::from_str(&tree.ok("show port --json --as claude-code")).unwrap();
    assert_eq!(shown["handoff"]["checkpoints"], 2, "{shown}");
    wait_for_snapshots(&tree, 2);
}

fn wait_for_snapshots(tree: &WorkTree, count: usize) {
    let began = Instant::now();
    while tree.git("for-each-ref refs/tasuki").lines().count() < count {
        assert!(began.elapsed() < Duration::from_secs(20), "each checkpoint has a snapshot");
        std::thread::sleep(Duration::from_millis(50));
    }
}
