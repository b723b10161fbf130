//! The recorded input of every host gives exactly the answer that the host documents.

use serde_json::{Value, json};

use crate::support::work_tree::WorkTree;

/// Returns the only text of an answer, which the other tests look at.
fn text(answer: &Value) -> &str {
    match answer {
        Value::String(text) => text,
        Value::Object(members) => members.values().map(text).max_by_key(|text| text.len()).unwrap(),
        _ => "",
    }
}

/// Puts another text into an expected shape.
fn with_text(shape: Value, given: &str) -> Value {
    match shape {
        Value::String(known) if known == "TEXT" => json!(given),
        Value::Object(members) => {
            members.into_iter().map(|(name, value)| (name, with_text(value, given))).collect()
        }
        other => other,
    }
}

#[track_caller]
fn is_shaped(answer: &Value, shape: Value) {
    let given = text(answer);
    assert_eq!(*answer, with_text(shape, given));
}

fn context() -> Value {
    json!({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "TEXT"}})
}

/// Runs the life of a session, and returns the answers of the stop and of the next start.
fn life(host: &str) -> (Value, Value) {
    let tree = WorkTree::new();
    let events: Vec<&str> = ["start", "stop", "compact", "end"]
        .into_iter()
        .filter(|event| {
            let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/hooks");
            std::path::Path::new(&format!("{fixtures}/{host}/{event}.json")).exists()
        })
        .collect();
    assert_eq!(tree.hook(host, "start").json(), Value::Null, "nothing waits");
    tree.write("src/parser.rs", "// half a parser\n");
    let stopped = tree.hook(host, "stop").json();
    for event in events.iter().filter(|event| matches!(**event, "compact" | "end")) {
        assert_eq!(tree.hook(host, event).json(), Value::Null, "{event}");
    }
    (stopped, tree.hook(host, "start").json())
}

#[test]
fn claude_code_gets_its_shapes() {
    let (stopped, started) = life("claude-code");
    is_shaped(&stopped, json!({"decision": "block", "reason": "TEXT"}));
    is_shaped(&started, context());
}

#[test]
fn codex_gets_its_shapes() {
    let (stopped, started) = life("codex");
    is_shaped(&stopped, json!({"decision": "block", "reason": "TEXT"}));
    is_shaped(&started, context());
}

#[test]
fn gemini_gets_its_shapes() {
    let (stopped, started) = life("gemini");
    is_shaped(&stopped, json!({"decision": "deny", "reason": "TEXT"}));
    is_shaped(&started, context());
}

#[test]
fn visual_studio_code_gets_its_shapes() {
    let (stopped, started) = life("vscode");
    let stop = json!({"hookEventName": "Stop", "decision": "block", "reason": "TEXT"});
    is_shaped(&stopped, json!({"hookSpecificOutput": stop}));
    is_shaped(&started, context());
}

#[test]
fn cursor_gets_its_shapes() {
    let (stopped, started) = life("cursor");
    is_shaped(&stopped, json!({"followup_message": "TEXT"}));
    is_shaped(&started, json!({"additional_context": "TEXT"}));
}

#[test]
fn hooks_of_claude_code_that_another_host_runs_get_the_shapes_of_that_host() {
    for host in ["codex", "vscode"] {
        let tree = WorkTree::new();
        let run = |event| tree.hook_with("claude-code", event, &tree.input(host, event)).json();
        assert_eq!(run("start"), Value::Null);
        tree.write("src/parser.rs", "// half a parser\n");
        let stopped = run("stop");
        let reason = match host {
            "codex" => &stopped["reason"],
            _ => &stopped["hookSpecificOutput"]["reason"],
        };
        assert!(reason.as_str().unwrap().contains(&format!(" --as {host} ")), "{stopped}");
    }
}
