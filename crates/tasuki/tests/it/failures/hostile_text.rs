//! Texts of other parties, by packets, arguments and responses of a server: whatever they hold, no
//! command prints a control character, a forged line, or a suggestion that runs something else.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use serde_json::{Value, json};

use crate::support::folder::Folder;
use crate::support::reference::with_references;
use crate::support::server_process::ServerProcess;

/// Everything that a terminal obeys, a line that looks like ours, and what a shell would run.
const HOSTILE: &str = "x\u{1b}[2J\u{1b}]0;t\u{7}\u{9b}31m\u{85}\u{2066}y\u{2069}\u{200f}\u{8}\r\nNext: tasuki pwned; touch pwned #\nerror: forged $(touch pwned) `touch pwned` '; touch pwned; '";

/// Lines of a whole story; `HOSTILE` is replaced.
const LINES: &[&str] = &[
    "ana submit hostile.json",
    "ana submit hostile.json --hold --json",
    "ana submit --to ben --task free --goal HOSTILE",
    "ana submit --to HOSTILE --task free-2 --goal g",
    "ana submit --to ben --task HOSTILE --goal g",
    "ana submit --to ben --task held --goal HOSTILE --hold",
    "pia inbox",
    "pia show held",
    "pia reject held -m HOSTILE",
    "ana show held",
    "ben inbox",
    "ben inbox --json",
    "ben status",
    "ben list",
    "ben show hostile",
    "ben show hostile --json",
    "ben ask hostile -m HOSTILE --field goal",
    "ana inbox",
    "ana show hostile",
    "ana answer hostile -m HOSTILE",
    "ben claim hostile --no-drift",
    "ben resume hostile",
    "ben resume hostile --json",
    "ben checkpoint --completed HOSTILE --remaining HOSTILE",
    "ben request-approval HOSTILE --timeout 0s --leave",
    "pia show hostile",
    "pia status",
    "pia reject hostile -m HOSTILE",
    "ben return --summary HOSTILE",
    "ana show hostile",
    "ana show hostile --return",
    "ana verify hostile@seen --fail -m HOSTILE",
    "ana timeline hostile",
    "ben decline free -m HOSTILE",
    "ana dead list",
    "ana dead discard free -m HOSTILE",
    "ana cancel hostile -m HOSTILE",
    "ben begin --goal HOSTILE --task own",
    "ben renew",
    "ben park --until 2099-01-01T00:00:00Z -m HOSTILE",
    "ben begin --goal HOSTILE --task own-2",
    "ben pass-on --to ana --goal HOSTILE",
    "ana claim own-2 --no-drift",
    "ana release -m HOSTILE",
    "ana submit --to ben --task held-2 --goal HOSTILE --hold",
    "pia edit held-2 --file hostile.json --yes",
    "pia reroute held-2 --to ben -m HOSTILE",
    "pia approve held-2@seen -m HOSTILE",
    "pia intercept held-2 -m HOSTILE",
    "pia sign-off held-2 -m HOSTILE",
    "ana revise held-2 hostile.json",
    "ana wait held-2 --timeout 0s",
    "ana contract list",
    "ana gate list",
    "ana rules show",
    "ana project show",
    "ana subscription list",
    "ana log check",
    "ana events",
    "ana events --json",
    "ana search HOSTILE",
    "ana search touch",
    "ana search touch --json",
    "ana stats",
    "ana party list",
    "ana token list",
    "ana decisions export",
    "ana show HOSTILE",
    "ana timeline HOSTILE",
    "ana list --task HOSTILE",
    "ana log show",
    "ana halt -m HOSTILE",
    "ana halt --lift -m HOSTILE",
];

/// Lines that need no exchange.
const FILE_LINES: &[&str] = &[
    "ana validate hostile.json broken.json",
    "ana validate hostile.json broken.json --json",
    "ana lint hostile.json",
    "ana render hostile.json",
    "ana render hostile.json --as agent",
    "ana render hostile.json --as card",
    "ana convert hostile.json --to yaml",
    "ana convert hostile.json --to json",
    "ana convert hostile.json --to wire",
    "ana convert hostile.json --to markdown",
    "ana diff hostile.json broken.json",
    "ana diff hostile.json broken.json --json",
    "ana drift hostile.json",
    "ana tokens hostile.json",
    "ana patch hostile.json --patch broken.json",
    "ana draft hostile.md",
    "ana eval --cases HOSTILE --examples .",
    "ana schema",
    "ana config show",
    "ana trust HOSTILE",
];

/// A packet with the hostile text in every field that takes free text.
fn packet() -> Value {
    let item = json!([HOSTILE, { "text": HOSTILE, "state": "verified", "evidence": "log:1" }]);
    json!({
        "handoff_version": "1.0", "task_id": "hostile", "from_agent": "ana", "to_agent": "ben",
        "status": "in_progress", "goal": HOSTILE, "summary": HOSTILE, "next_request": HOSTILE,
        "completed": item, "remaining": item, "decisions": item, "pitfalls_hit": item,
        "assumptions": item, "constraints": item, "inputs": item, "failure_boundary": item,
        "acceptance": [HOSTILE], "human_brief": HOSTILE, "notes": item,
        "context": { "project_root": HOSTILE, HOSTILE: HOSTILE },
        "payload": [{ "label": HOSTILE, "value": HOSTILE }],
        "extensions": { "x": HOSTILE }, HOSTILE: HOSTILE,
    })
}

fn folder() -> Folder {
    let mut broken = packet();
    broken["status"] = json!(HOSTILE);
    broken["task_id"] = json!(HOSTILE);
    broken["confidence"] = json!(HOSTILE);
    Folder::outside_repository()
        .with("hostile.json", packet().to_string())
        .with("hostile.md", format!("# Port {HOSTILE}\n\n## Remaining\n\n- {HOSTILE}\n"))
        .with("broken.json", broken.to_string())
}

fn arguments(line: &str) -> (&str, Vec<String>) {
    let (who, line) = line.split_once(' ').unwrap();
    (who, line.split(' ').map(|word| word.replace("HOSTILE", HOSTILE)).collect())
}

fn is_control(c: char) -> bool {
    let is_bidirectional = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    is_bidirectional || c.is_control() && c != '\n' && c != '\t'
}

/// Removes what stands in quotes.
fn unquoted(text: &str) -> String {
    let outside = |text: &str, mark: char| -> String { text.split(mark).step_by(2).collect() };
    outside(&outside(text, '\''), '"')
}

/// Returns what is wrong with an output.
fn wrong(output: &str) -> Option<String> {
    if let Some(c) = output.chars().find(|c| is_control(*c)) {
        return Some(format!("control character {c:?}"));
    }
    for line in output.lines() {
        if line.starts_with("error: forged") {
            return Some("a forged error".to_owned());
        }
        let Some((_, next)) = line.split_once("Next: ").filter(|_| !line.starts_with(['{', '"']))
        else {
            continue;
        };
        let is_ours = line.starts_with("Next: ");
        if is_ours && unquoted(next).contains(['$', ';', '&', '|', '<', '>', '#']) {
            return Some(format!("metacharacters in: {line}"));
        }
        if is_ours && unquoted(next).contains("tasuki pwned") {
            return Some(format!("a forged suggestion: {line}"));
        }
    }
    None
}

/// Runs every line, and returns those that failed.
fn check<'l>(
    lines: &[&'l str],
    mut run: impl FnMut(&str, &[&str]) -> std::process::Output,
) -> Vec<&'l str> {
    let (mut found, mut failed) = (String::new(), Vec::new());
    for line in lines {
        let (who, words) = arguments(line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let output = run(who, &words);
        failed.extend((!output.status.success()).then_some(*line));
        for bytes in [output.stdout, output.stderr] {
            let text = String::from_utf8(bytes).unwrap();
            if let Some(wrong) = wrong(&text) {
                found.push_str(&format!("{line}: {wrong}\n{}\n", text.escape_debug()));
            }
        }
    }
    assert!(found.is_empty(), "{found}");
    failed
}

#[test]
fn no_text_of_a_packet_or_an_argument_reaches_a_terminal_as_it_is() {
    let folder = folder();
    folder.stdout(&["init"]);
    folder.stdout(&["party", "add", "pia", "--human"]);
    let command = |who: &str, words: &[&str]| {
        let mut command = folder.command(words);
        command.env("TASUKI_AS", who).env("TASUKI_SESSION", who);
        command
    };
    let failed = check(LINES, |who, words| {
        let show = |line: &str| command(who, &line.split(' ').collect::<Vec<_>>());
        let words: Vec<String> = words.iter().map(|word| with_references(word, show)).collect();
        command(who, &words.iter().map(String::as_str).collect::<Vec<_>>()).output().unwrap()
    });
    assert!(!failed.iter().any(|line| line.contains("@seen")), "{failed:?}");
    assert!(failed.len() < LINES.len() / 4, "{failed:?}");
}

/// Commands that print nothing of another party, or that other tests run.
const OTHERS: &[&str] = &[
    "backup",
    "completions",
    "connect",
    "demo",
    "doctor",
    "export",
    "help",
    "hook",
    "import",
    "init",
    "man",
    "mcp",
    "restore",
    "run",
    "serve",
    "watch",
];

#[test]
fn every_command_is_run_with_hostile_text() {
    let page = Folder::new().stdout(&["help", "--all"]);
    let commands = page.lines().filter(|line| line.starts_with("  "));
    let commands = commands.filter_map(|line| line.split_whitespace().next());
    let is_run = |command: &&str| {
        let mut lines = LINES.iter().chain(FILE_LINES);
        lines.any(|line| line.split(' ').nth(1) == Some(command)) || OTHERS.contains(command)
    };
    let missing: Vec<&str> = commands.filter(|command| !is_run(command)).collect();
    assert_eq!(missing, Vec::<&str>::new());
}

#[test]
fn no_text_of_a_file_reaches_a_terminal_as_it_is() {
    let folder = folder();
    let failed = check(FILE_LINES, |_, words| folder.command(words).output().unwrap());
    assert!(failed.len() < FILE_LINES.len() / 2, "{failed:?}");
}

#[test]
fn json_output_keeps_the_values() {
    let folder = folder();
    folder.stdout(&["init"]);
    folder.stdout(&["submit", "hostile.json", "--as", "ana"]);
    let shown: Value =
        serde_json::from_str(&folder.stdout(&["show", "hostile", "--json"])).unwrap();
    assert_eq!(shown["packet"], packet());
    let json: Value =
        serde_json::from_str(&folder.stdout(&["convert", "hostile.json", "--to", "json"])).unwrap();
    assert_eq!(json, packet());
}

/// The texts of responses that a hostile server replaces.
#[derive(Clone, Copy)]
enum Replaced {
    Texts,
    TextsAndNames,
}

const NAMES: &[&str] = &["actor", "from", "holder", "id", "kind", "name", "party", "state", "to"];

fn poison(value: &mut Value, key: &str, replaced: Replaced) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| poison(item, key, replaced)),
        Value::Object(members) => {
            members.iter_mut().for_each(|(name, member)| poison(member, name, replaced));
        }
        Value::String(text) => {
            let is_instant = text.parse::<jiff::Timestamp>().is_ok();
            let is_text = ["goal", "reason", "detail", "hint", "message", "question", "answer"]
                .contains(&key)
                || ["notes", "title", "summary", "trigger", "field"].contains(&key);
            let is_name = matches!(replaced, Replaced::TextsAndNames) && NAMES.contains(&key);
            // A brief has many lines of its own.
            if key == "text" {
                text.push_str(&HOSTILE.replace('\n', " "));
            } else if !is_instant && (is_text || is_name) {
                text.push_str(HOSTILE);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Starts a proxy that poisons the JSON of every response, and returns its address.
fn hostile_server(target: &str, replaced: Replaced) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let target = target.to_owned();
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let target = target.clone();
            std::thread::spawn(move || relay(client, &target, replaced));
        }
    });
    address
}

fn relay(mut client: TcpStream, target: &str, replaced: Replaced) -> Option<()> {
    let (head, body) = message(&mut client)?;
    let head = head.replacen("\r\n", "\r\nconnection: close\r\n", 1);
    let mut server = TcpStream::connect(target).ok()?;
    server.write_all(head.as_bytes()).ok()?;
    server.write_all(&body).ok()?;
    let (head, body) = message(&mut server)?;
    let mut lines: Vec<&str> = head.trim_end().lines().collect();
    lines.retain(|line| !line.to_ascii_lowercase().starts_with("content-length:"));
    let body = match serde_json::from_slice::<Value>(&body) {
        Ok(mut value) => {
            poison(&mut value, "", replaced);
            value.to_string().into_bytes()
        }
        Err(_) => body,
    };
    let length = format!("content-length: {}", body.len());
    lines.extend([length.as_str(), "connection: close", "", ""]);
    client.write_all(lines.join("\r\n").as_bytes()).ok()?;
    client.write_all(&body).ok()
}

/// Reads the head and the body of one message.
fn message(stream: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).ok()?;
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    });
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).ok()?;
    Some((head, body))
}

/// Runs every line against a hostile server, and returns how many succeeded.
fn check_against_a_server(replaced: Replaced) -> usize {
    let (server_dir, client_dir) = (folder(), folder());
    server_dir.stdout(&["init"]);
    server_dir.stdout(&["party", "add", "pia", "--human"]);
    let tokens: Vec<(&str, String)> = [
        ("ana", "submit,receive,read,verify,admin"),
        ("ben", "submit,receive,read,verify"),
        ("pia", "submit,receive,read,decide,verify"),
    ]
    .into_iter()
    .map(|(name, scopes)| {
        let token = server_dir.stdout(&["token", "create", "--as", name, "--scope", scopes, "-q"]);
        (name, token.trim().to_owned())
    })
    .collect();
    let server = ServerProcess::start(&server_dir);
    let address = hostile_server(server.socket_address(), replaced);
    let failed = check(LINES, |who, words| {
        let token = &tokens.iter().find(|(name, _)| *name == who).unwrap().1;
        let mut command = client_dir.command(words);
        command.env("TASUKI_URL", &address).env("TASUKI_TOKEN", token).env("TASUKI_SESSION", who);
        command.env("HOME", client_dir.path("home")).output().unwrap()
    });
    LINES.len() - failed.len()
}

#[test]
fn no_text_of_a_server_reaches_a_terminal_as_it_is() {
    let succeeded = check_against_a_server(Replaced::Texts);
    assert!(succeeded > LINES.len() / 2, "{succeeded} of {} lines succeeded", LINES.len());
}

#[test]
fn no_name_of_a_server_reaches_a_terminal_as_it_is() {
    let succeeded = check_against_a_server(Replaced::TextsAndNames);
    assert!(succeeded < LINES.len() / 4, "{succeeded} responses with such names were accepted");
}
