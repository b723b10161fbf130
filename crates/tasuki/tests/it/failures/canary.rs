//! Canaries: secrets put wherever people and agents write something. Each is refused, and afterwards
//! none of them is in any file of the exchange or in anything that was printed.

use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};

use super::exchange::Exchange;

/// Commands that carry a text of their caller, `SECRET` in its place. `open` waits, `held` is claimed.
const COMMANDS: &[&[&str]] = &[
    &["submit", "--as", "ana", "--to", "ben", "--task", "new", "--goal", "Log in with SECRET"],
    &["submit", "--as", "ana", "--to", "ben", "--goal", "Ship", "--task", "SECRET"],
    &["submit", "--as", "ana", "--goal", "Ship", "--task", "new", "--to", "SECRET"],
    &["claim", "open", "--as", "ben", "--goal-in-my-words", "I take SECRET and go"],
    &["claim", "open", "--as", "ben", "--first-step", "Log in with SECRET"],
    &["checkpoint", "held", "--as", "ben", "--completed", "Logged in with SECRET"],
    &["checkpoint", "held", "--as", "ben", "--remaining", "Log in with SECRET"],
    &["checkpoint", "held", "--as", "ben", "--decision", "Log in with SECRET"],
    &["checkpoint", "held", "--as", "ben", "--pitfall", "SECRET is out of date"],
    &["return", "held", "--as", "ben", "--summary", "Logged in with SECRET"],
    &["halt", "--as", "ana", "--reason", "SECRET leaked"],
    &["ask", "open", "--as", "ben", "-m", "Is SECRET the password?"],
    &["answer", "open", "--as", "ana", "-m", "Yes, SECRET"],
    &["decline", "open", "--as", "ben", "-m", "SECRET is out of date"],
    &["cancel", "open", "--as", "ana", "-m", "SECRET leaked"],
    &["release", "held", "--as", "ben", "-m", "SECRET is out of date"],
    &["park", "held", "--as", "ben", "--for", "1h", "-m", "SECRET is out of date"],
    &["request-approval", "--task", "held", "--as", "ben", "Log in with SECRET"],
    &["request-approval", "--as", "eli", "Log in with SECRET"],
    &["begin", "--as", "ben", "--goal", "Log in with SECRET"],
    &["pass-on", "held", "--as", "ben", "--to", "ana", "--goal", "Log in with SECRET"],
    &["verify", "open", "--as", "ana", "--fail", "-m", "SECRET does not work"],
    &["reject", "open", "--as", "eva", "-m", "SECRET does not belong here"],
    &["reroute", "open", "--as", "eva", "--to", "ana", "-m", "ask for SECRET"],
    &["intercept", "held", "--as", "eva", "-m", "SECRET leaked"],
    &["dead", "discard", "open", "--as", "eva", "-m", "SECRET leaked"],
];

#[test]
fn no_secret_reaches_the_disk_or_the_screen() {
    let exchange = Exchange::new();
    for task in ["open", "held"] {
        let goal = ["--goal", "a text that is no secret"];
        let line = ["submit", "--as", "ana", "--to", "ben", "--task", task];
        exchange.succeed(&[&line[..], &goal].concat());
    }
    exchange.succeed(&["claim", "held", "--as", "ben", "--no-drift"]);
    exchange.succeed(&["party", "add", "eva", "--human"]);

    let mut canaries = Vec::new();
    let mut printed = Vec::new();
    let mut refuse = |arguments: &[&str], canary: &Canary| {
        let output = exchange.command("main", arguments).output().unwrap();
        check_refused(&exchange, arguments, canary, &output);
        printed.extend([output.stdout, output.stderr].concat());
        canaries.push(canary.part.clone());
    };
    for (number, command) in COMMANDS.iter().enumerate() {
        let canary = Canary::new(number);
        let words: Vec<String> =
            command.iter().map(|word| word.replace("SECRET", &canary.text)).collect();
        refuse(&words.iter().map(String::as_str).collect::<Vec<_>>(), &canary);
    }
    for (number, (command, packet)) in packets().into_iter().enumerate() {
        let canary = Canary::new(100 + number);
        let text = packet.to_string().replace("SECRET", &canary.text);
        std::fs::write(exchange.folder.path("packet.json"), text).unwrap();
        refuse(command, &canary);
    }

    assert!(canaries.len() >= 36, "only {} canaries", canaries.len());
    for command in [&["events", "--json"][..], &["list", "--all", "--json"], &["log", "show"]] {
        printed.extend(exchange.succeed(command).into_bytes());
    }
    let kept = bytes_below(&exchange.folder.path(".tasuki"));
    assert!(holds(&kept, "a text that is no secret"), "this would not find what is there");
    for canary in canaries {
        assert!(!holds(&kept, &canary), "`{canary}` was stored");
        assert!(!holds(&printed, &canary), "`{canary}` was printed");
    }
    exchange.check_log();
}

/// Packets with a secret in one of their fields, and the command that brings them.
fn packets() -> Vec<(&'static [&'static str], Value)> {
    const SUBMIT: &[&str] = &["submit", "--as", "ana", "packet.json"];
    const REVISE: &[&str] = &["revise", "open", "packet.json", "--as", "ana"];
    const CHECKPOINT: &[&str] = &["checkpoint", "held", "--as", "ben", "-f", "packet.json"];
    const RETURN: &[&str] = &["return", "held", "--as", "ben", "-f", "packet.json"];
    let with = |base: Value, name: &str, value: Value| {
        let mut packet = base;
        packet[name] = value;
        packet
    };
    let handoff = json!({
        "handoff_version": "1.0", "task_id": "new", "to_agent": "ben", "status": "in_progress",
        "goal": "Ship", "completed": [], "remaining": [],
    });
    let checkpoint = json!({ "handoff_version": "1.0", "packet_type": "checkpoint" });
    let returned = json!({
        "handoff_version": "1.0", "packet_type": "return", "status": "completed", "summary": "Done",
    });
    vec![
        (SUBMIT, with(handoff.clone(), "context", json!({ "login": "SECRET" }))),
        (SUBMIT, with(handoff.clone(), "completed", json!(["Logged in with SECRET"]))),
        (SUBMIT, with(handoff.clone(), "constraints", json!(["Use SECRET only"]))),
        (SUBMIT, with(handoff.clone(), "next_request", json!("Log in with SECRET"))),
        (SUBMIT, with(handoff.clone(), "extensions", json!({ "x": { "deep": ["SECRET"] } }))),
        (REVISE, with(handoff.clone(), "goal", json!("Log in with SECRET"))),
        (SUBMIT, with(handoff, "acceptance", json!([{ "id": "a", "text": "SECRET works" }]))),
        (CHECKPOINT, with(checkpoint.clone(), "completed", json!(["Logged in with SECRET"]))),
        (CHECKPOINT, with(checkpoint, "context", json!({ "login": "SECRET" }))),
        (RETURN, with(returned.clone(), "blockers", json!(["SECRET is out of date"]))),
        (RETURN, with(returned, "extensions", json!({ "login": "SECRET" }))),
    ]
}

/// A unique secret. No file of the repository has one: they are put together here.
struct Canary {
    /// As it is written.
    text: String,
    /// The part that must not be found anywhere.
    part: String,
}

impl Canary {
    fn new(number: usize) -> Self {
        let body = format!("k3Jx9QmT7vLz2RbN8wYc4HdF6sGp1K{number:06}");
        let text = match number % 3 {
            0 => ["gh", "p_", &body].concat(),
            1 => ["password", "=", &body].concat(),
            _ => ["postgres", "://admin:", &body, "@db.corp.net/live"].concat(),
        };
        Self { text, part: body }
    }
}

fn check_refused(exchange: &Exchange, arguments: &[&str], canary: &Canary, output: &Output) {
    let shown = exchange.folder.shown(output);
    let is_refused = shown.starts_with("exit 3\n") && shown.contains("TK-SECRET-FOUND");
    assert!(is_refused, "{arguments:?} with {}: {shown}", canary.text);
}

/// The bytes of every file in a folder and below it.
fn bytes_below(folder: &Path) -> Vec<u8> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let content = |path: std::path::PathBuf| {
        if path.is_dir() { bytes_below(&path) } else { std::fs::read(path).unwrap() }
    };
    entries.flat_map(content).collect()
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

/// Keys are chosen by callers, who may put anything into them.
#[test]
fn no_idempotency_key_reaches_the_disk_in_clear() {
    let exchange = super::exchange::Exchange::new();
    for line in [
        "submit --as ana --to ben --goal Ship --task one --key zebra-crossing-1",
        "claim one --as ben --no-drift --key zebra-crossing-2",
        "begin --as ana --goal Ship --task two --key zebra-crossing-3",
    ] {
        exchange.succeed(&super::exchange::words(line));
    }
    let searched = std::process::Command::new("grep")
        .args(["-r", "-l", "zebra-crossing"])
        .arg(exchange.folder.path(".tasuki"))
        .output()
        .unwrap();
    let found = String::from_utf8(searched.stdout).unwrap();
    assert_eq!(found, "", "keys are stored hashed");
}
