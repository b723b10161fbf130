//! `tasuki run`: a command without hooks holds a task, and leaves the continuation however it ends.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::work_tree::{WorkTree, answer, run};

fn card(tree: &WorkTree) -> Value {
    let list = tree.ok("list --all --task port --json");
    serde_json::from_str(list.lines().next().unwrap_or("null")).unwrap()
}

/// Starts a shell script that holds the task `port`, and returns once it has printed a line.
fn start(tree: &WorkTree, flags: &str, script: &str) -> Child {
    let mut command = tree.command(&format!("run --as coder --task port {flags} --"));
    command.args(["/bin/sh", "-c", script]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    child
}

fn kill(signal: &str, id: u32) {
    let id = id.to_string();
    assert!(std::process::Command::new("kill").args([signal, &id]).status().unwrap().success());
}

#[test]
fn streams_and_exit_code_are_those_of_the_command() {
    let tree = WorkTree::new();
    let mut command = tree.command("run --as coder --task port --goal 'Port it' -q --");
    command.args(["/bin/sh", "-c", "cat; echo oops >&2; exit 7"]);
    let found = answer(run(command, "hello\n"));
    assert_eq!((found.code, found.stdout.as_str()), (Some(7), "hello\n"));
    assert_eq!(found.stderr, "oops\n");
    assert_eq!(
        (&card(&tree)["state"], &card(&tree)["goal"]),
        (&json!("offered"), &json!("Port it"))
    );
    assert!(tree.ok("timeline port").contains("exited with 7"));
}

#[test]
fn a_command_that_returns_the_task_leaves_nothing_behind() {
    let tree = WorkTree::new();
    let mut command = tree.command("run --as coder --task port -q --");
    let tool = env!("CARGO_BIN_EXE_tasuki");
    command.args([tool, "return", "--as", "coder", "--summary", "Done"]);
    let found = answer(run(command, ""));
    assert_eq!(found.code, Some(0), "{found:?}");
    assert_eq!(card(&tree)["state"], "done");
}

#[test]
fn an_offered_task_is_claimed_and_checkpoints_are_saved_while_it_runs() {
    let tree = WorkTree::new();
    tree.ok("submit --as planner --to coder --task port --goal 'Port it'");
    let script = "echo ready; echo x > new.txt; exec sleep 20";
    let child = start(&tree, "--interval 1ms", script);
    let began = Instant::now();
    while card(&tree).get("checkpoints") != Some(&json!(1)) {
        assert!(began.elapsed() < Duration::from_secs(20), "{}", card(&tree));
    }
    assert_eq!(card(&tree)["holder"], "coder");
    kill("-TERM", child.id());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(128 + 15));
    assert_eq!(card(&tree)["state"], "offered");
}

#[test]
fn a_command_that_is_killed_leaves_the_continuation() {
    let tree = WorkTree::new();
    let child = start(&tree, "", "echo ready; echo x > new.txt; kill -9 $$");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(128 + 9));
    assert_eq!(card(&tree)["state"], "offered");
    assert!(tree.ok("timeline port").contains("was killed by signal 9"));
}

#[test]
fn the_next_run_continues_if_run_itself_was_killed() {
    let tree = WorkTree::new();
    let mut child = start(&tree, "", "echo ready; echo x > new.txt; exec sleep 5");
    kill("-9", child.id());
    child.wait().unwrap();
    assert_eq!(card(&tree)["state"], "claimed");
    let mut next = tree.command("run --as coder --task port -q --");
    next.args(["/bin/sh", "-c", "exit 0"]);
    assert_eq!(answer(run(next, "")).code, Some(0));
    let timeline = tree.ok("timeline port");
    assert!(timeline.contains("the session ended without a word"), "{timeline}");
    assert!(timeline.contains("(fence 2)"), "{timeline}");
}
