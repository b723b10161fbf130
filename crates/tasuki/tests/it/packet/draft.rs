//! `tasuki draft`: from text to a packet, with what is missing, a receiver and the help of a model.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread::JoinHandle;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::folder::Folder;

const ISSUE: &str = "\
# Port the CSV exporter (EXP-7)

## Why
The old one is slow.

## Tasks
- [x] Read the old code
- [ ] Write the new change

## Done means
- All tests pass
";

#[test]
fn an_issue_becomes_a_packet_and_what_is_missing_is_listed() {
    let folder = Folder::new()
        .with("issue.md", ISSUE)
        .with_copy_of("contracts")
        .with("rules/none.yaml", "rules: []\n");
    assert_snapshot!(folder.run(&["draft", "issue.md", "--contracts", ".", "--from", "planner"]));
    let shown = folder.run(&[
        "draft",
        "issue.md",
        "--from",
        "planner",
        "--contracts",
        ".",
        "--out",
        "handoff.yaml",
    ]);
    assert!(shown.starts_with("exit 0"), "{shown}");
    assert_eq!(folder.exit(&["validate", "handoff.yaml"]), 0);
}

#[test]
fn free_text_is_not_enough_and_says_why() {
    let folder = Folder::new();
    assert_snapshot!(folder.run_with(&["draft", "-"], "Please look into the nightly.\n"));
    let json = folder.run_with(&["draft", "-", "--json"], "Please look into the nightly.\n");
    let line = json.lines().nth(2).unwrap();
    let value: Value = serde_json::from_str(line).unwrap();
    assert_eq!(value["valid"], false);
    assert_eq!(
        value["missing"][0],
        json!({ "field": "task_id", "required": true, "purpose": "The id of the task, the same in all its handoffs." })
    );
    assert_eq!(value["packet"]["summary"], "Please look into the nightly.");
}

#[test]
fn a_receiver_is_proposed_only_if_it_is_clear() {
    let folder = Folder::new()
        .with("issue.md", ISSUE)
        .with("contracts/x.yaml", "contract: a\nversion: \"1.0\"\nfrom: [lead]\nto: [ana, ben]\n");
    let shown = folder.run(&["draft", "issue.md", "--from", "lead"]);
    assert!(
        shown.contains(
            "Cannot propose a receiver: the text fits ana, ben equally. Name one with `--to`."
        ),
        "{shown}"
    );
    let shown = folder.run(&["draft", "issue.md", "--from", "carol"]);
    assert!(
        shown.contains("Cannot propose a receiver: no contract or rule names one for this sender."),
        "{shown}"
    );
    let shown = folder.run(&["draft", "issue.md", "--from", "lead", "--to", "ben"]);
    assert!(shown.starts_with("exit 0") && !shown.contains("receiver:"), "{shown}");
}

#[test]
fn a_text_that_has_a_packet_is_left_alone() {
    let folder = Folder::new().with_copy_of("examples/01-hello");
    assert_snapshot!(folder.run(&["draft", "issue.md"]), @"
    exit 2
    --- stderr
    error: issue.md already has a packet
      hint: `tasuki convert issue.md --to yaml` prints it
    ");
}

/// A server that gives one answer, and returns the request that it got.
fn model(status: &str, answer: &Value) -> (String, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let body = answer.to_string();
    let response = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    let thread = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = Vec::new();
        let mut buffer = [0; 4096];
        loop {
            let count = stream.read(&mut buffer).unwrap();
            request.extend_from_slice(&buffer[..count]);
            let text = String::from_utf8_lossy(&request).into_owned();
            let length = text
                .to_lowercase()
                .split("content-length: ")
                .nth(1)
                .map(|rest| rest.split("\r\n").next().unwrap().parse::<usize>().unwrap());
            if let (Some(length), Some(head)) = (length, text.find("\r\n\r\n"))
                && request.len() >= head + 4 + length
            {
                stream.write_all(response.as_bytes()).unwrap();
                return text;
            }
            assert!(count > 0, "the request ended early: {text}");
        }
    });
    (url, thread)
}

fn message(content: &Value) -> Value {
    json!({ "choices": [{ "message": { "role": "assistant", "content": content.to_string() } }] })
}

#[test]
fn a_model_fills_in_what_no_heading_says() {
    let folder = Folder::new().with("issue.md", ISSUE);
    let item =
        |text: &str| json!({ "text": text, "state": "unknown", "evidence": [], "pinned": false });
    let answer = json!({ "goal": "Another goal", "from_agent": "", "constraints": [item("Keep the format")], "notes": [], "confidence": null, "next_request": "Write it" });
    let (url, request) = model("200 OK", &message(&answer));
    let mut command = folder.command(&[
        "draft", "issue.md", "--from", "lead", "--to", "ben", "--model", "small", "--json",
    ]);
    let output =
        command.env("TASUKI_MODEL_URL", &url).env("TASUKI_MODEL_KEY", "k-1").output().unwrap();
    let shown: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    assert_eq!(
        shown["packet"]["goal"], "Port the CSV exporter (EXP-7)",
        "the text goes before the model"
    );
    assert_eq!(shown["packet"]["constraints"], json!(["Keep the format"]));
    assert_eq!(shown["from_model"], json!(["constraints", "next_request"]));
    assert_eq!((&shown["valid"], output.status.code()), (&json!(true), Some(0)));
    let request = request.join().unwrap();
    assert!(request.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{request}");
    assert!(request.to_lowercase().contains("authorization: bearer k-1"), "{request}");
    let body: Value = serde_json::from_str(request.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    assert_eq!((&body["model"], &body["messages"][1]["content"]), (&json!("small"), &json!(ISSUE)));
    let schema = &body["response_format"]["json_schema"];
    assert_eq!(
        (&schema["strict"], &schema["schema"]["additionalProperties"]),
        (&json!(true), &json!(false))
    );
}

#[test]
fn a_secret_never_reaches_a_model() {
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let folder = Folder::new().with("issue.md", format!("{ISSUE}\nThe token is {secret}.\n"));
    let shown =
        folder.run(&["draft", "issue.md", "--model", "m", "--model-url", "http://127.0.0.1:9/v1"]);
    assert!(
        shown.starts_with("exit 3")
            && shown.contains("issue.md contains a secret")
            && !shown.contains(secret),
        "{shown}"
    );
    let (url, request) = model("200 OK", &message(&json!({})));
    let shown = folder.run(&[
        "draft",
        "issue.md",
        "--from",
        "a",
        "--to",
        "b",
        "--redact",
        "--model",
        "m",
        "--model-url",
        &url,
    ]);
    assert!(shown.starts_with("exit 0"), "{shown}");
    let request = request.join().unwrap();
    assert!(!request.contains(secret) && request.contains("[redacted"), "{request}");
}

#[test]
fn a_model_that_does_not_answer_is_an_error_with_its_reason() {
    let folder = Folder::new().with("issue.md", ISSUE);
    let check = |status: &str, answer: &Value, expected: &str| {
        let (url, request) = model(status, answer);
        let shown = folder.run(&["draft", "issue.md", "--model", "m", "--model-url", &url]);
        request.join().unwrap();
        assert!(shown.starts_with("exit 7") && shown.contains(expected), "{shown}");
    };
    check("503 Service Unavailable", &json!({ "error": "loading" }), "status 503");
    check("200 OK", &json!({ "choices": [] }), "the answer has no message");
    check(
        "200 OK",
        &json!({ "choices": [{ "message": { "content": "Sure!" } }] }),
        "the message is not JSON",
    );
    let plain = folder.run(&[
        "draft",
        "issue.md",
        "--model",
        "m",
        "--model-url",
        "http://models.example.org/v1",
    ]);
    assert!(plain.starts_with("exit 2") && plain.contains("over plain http"), "{plain}");
}
