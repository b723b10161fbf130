//! `tasuki connect --check`: says what is wired, and tries it.
//!
//! The MCP server is started and gets an `initialize` request. The start hook runs for a session of
//! its own, which ends at once.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use serde_json::{Value, json};

use super::plan::{Choices, shown};
use crate::commands::agent::hook::Failures;
use crate::commands::agent::host::Host;
use crate::exit::Exit;
use crate::output::escape::excerpt;
use crate::output::printer::{BAD, GOOD, Printer};

/// The time for an answer.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Checks one host.
pub(super) fn check(choices: &Choices, printer: &Printer) -> Exit {
    let mut is_good = true;
    let mut say = |name: &str, outcome: Result<String, String>| {
        let (mark, text) = match outcome {
            Ok(text) => (format!("{GOOD}✓{GOOD:#}"), text),
            Err(text) => {
                is_good = false;
                (format!("{BAD}✗{BAD:#}"), text)
            }
        };
        printer.data(&format!("{mark} {} {name}: {text}\n", choices.host.name()));
    };
    for planned in choices.files() {
        let text = std::fs::read_to_string(&planned.path);
        let is_wired = text.is_ok_and(|text| planned.change.is_in(&text));
        let outcome = if is_wired { Ok("wired".to_owned()) } else { Err("not wired".to_owned()) };
        say(&shown(&planned.path, choices), outcome);
    }
    say("MCP server", try_server(choices));
    if !matches!(choices.host, Host::Vscode | Host::Cursor) {
        say("start hook", try_hook(choices));
    }
    if is_good { Exit::Success } else { Exit::Found }
}

fn try_server(choices: &Choices) -> Result<String, String> {
    let mut command = Command::new(&choices.program);
    command.arg("mcp").current_dir(&choices.project);
    if !choices.is_remote {
        command.args(["--as", &choices.party]);
    }
    let request = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "tasuki-connect", "version": env!("CARGO_PKG_VERSION") },
        },
    });
    let answer = first_line(command, &format!("{request}\n"))?;
    let answer: Value = serde_json::from_str(&answer)
        .map_err(|error| format!("answers `{}`: {error}", excerpt(answer.trim())))?;
    match answer.pointer("/result/serverInfo/name").and_then(Value::as_str) {
        Some(name) => Ok(format!("`{}` answers", excerpt(name))),
        None => Err(format!("answers with an error: {}", excerpt(&answer.to_string()))),
    }
}

fn try_hook(choices: &Choices) -> Result<String, String> {
    let before = Failures::of_user().recent().len();
    let id = format!("check-{}", std::process::id());
    let input = json!({ "session_id": id, "cwd": choices.project, "source": "startup" });
    for event in ["start", "end"] {
        let mut command = Command::new(&choices.program);
        command.args(["hook", choices.host.name(), event]).current_dir(&choices.project);
        if !choices.is_remote {
            command.args(["--as", &choices.party]);
        }
        let answer = first_line(command, &input.to_string())?;
        if !answer.is_empty() && serde_json::from_str::<Value>(&answer).is_err() {
            return Err(format!("prints something else than JSON: {}", excerpt(&answer)));
        }
    }
    match Failures::of_user().recent().get(before..).and_then(<[_]>::first) {
        Some(failed) => Err(excerpt(&failed.message)),
        None => Ok("answers".to_owned()),
    }
}

/// Runs a program with this input, and returns its first line. Its input stays open until then.
fn first_line(mut command: Command, input: &str) -> Result<String, String> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("does not start: {error}"))?;
    let mut stdin = child.stdin.take().expect("it is piped");
    let stdout = child.stdout.take().expect("it is piped");
    let _gone = stdin.write_all(input.as_bytes()).is_err();
    // A hook reads to the end of its input; a server answers before.
    let held = input.ends_with('\n').then_some(stdin);
    let (sender, receiver) = sync_channel(1);
    std::thread::spawn(move || {
        let mut line = String::new();
        let _lost = BufReader::new(stdout).read_line(&mut line).is_err();
        let _gone = sender.send(line).is_err();
    });
    let line = receiver.recv_timeout(TIMEOUT);
    drop(held);
    if line.is_err() {
        let _ended = child.kill().is_err();
    }
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    let line = line.map_err(|error| format!("no answer in {} s: {error}", TIMEOUT.as_secs()))?;
    if output.status.success() || !line.is_empty() {
        return Ok(line);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().next().unwrap_or_default().trim_start_matches("error: ");
    Err(format!("ends with {}: {}", output.status, excerpt(said)))
}
