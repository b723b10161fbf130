//! `connect --approvals`: a person decides about the permission that a host needs.

use std::io::Write as _;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::work_tree::{WorkTree, answer};

fn tree() -> WorkTree {
    let tree = WorkTree::new();
    tree.ok("party add ana --human --no-password");
    tree
}

/// Starts the hook for a permission.
fn ask(tree: &WorkTree, host: &str, flags: &str) -> Child {
    let mut command = tree.command(&format!("hook {host} permission {flags}"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(tree.input(host, "permission").as_bytes()).unwrap();
    child
}

/// Returns the only pending request, once it is there.
fn pending(tree: &WorkTree) -> Value {
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(20) {
        let inbox: Value = serde_json::from_str(&tree.ok("inbox --as ana --json")).unwrap();
        if let Some(handoff) = inbox["handoffs"].get(0) {
            return handoff.clone();
        }
    }
    panic!("no request");
}

fn decide(tree: &WorkTree, verb: &str) {
    let asked = pending(tree);
    let id = asked["id"].as_str().unwrap();
    let said = tree.says(&format!("show {id} --as ana"));
    assert!(said.contains("    npm publish --access public\n"), "{said}");
    let (_, rest) = said.split_once("tasuki approve ").unwrap();
    let reference = rest.split_whitespace().next().unwrap();
    let output = tree.command(&format!("{verb} {reference} --as ana")).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

fn answered(child: Child) -> Value {
    answer(child.wait_with_output().unwrap()).json()
}

#[test]
fn allow_and_deny_come_back_from_the_person() {
    for host in ["claude-code", "codex"] {
        let tree = tree();
        let child = ask(&tree, host, "");
        decide(&tree, "approve");
        let expected =
            json!({"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}});
        assert_eq!(answered(child), json!({"hookSpecificOutput": expected}));
        let child = ask(&tree, host, "");
        decide(&tree, "reject -m 'Not today'");
        let answer = answered(child);
        let decision = &answer["hookSpecificOutput"]["decision"];
        assert_eq!(decision["behavior"], "deny");
        assert_eq!(decision["message"], "ana rejected this action. Not today");
    }
}

#[test]
fn the_host_asks_its_own_user_when_no_one_decides_in_time() {
    let tree = tree();
    assert_eq!(answered(ask(&tree, "codex", "--timeout 300ms")), Value::Null);
    let inbox: Value = serde_json::from_str(&tree.ok("inbox --as ana --json")).unwrap();
    assert_eq!(inbox["handoffs"], json!([]), "the request was withdrawn");
}

#[test]
fn a_hook_that_is_killed_withdraws_its_request() {
    let tree = tree();
    let child = ask(&tree, "claude-code", "");
    pending(&tree);
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").arg(id).status().unwrap().success());
    child.wait_with_output().unwrap();
    let inbox: Value = serde_json::from_str(&tree.ok("inbox --as ana --json")).unwrap();
    assert_eq!(inbox["handoffs"], json!([]));
}
