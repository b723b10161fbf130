//! Runs the same script locally and against a server: every line prints the same.
//!
//! Both exchanges are set up alike. The one is used in its folder, the other by `TASUKI_URL` and a
//! token from a folder without any `.tasuki/`.

use std::process::Command;

use serde_json::Value;

use crate::support::folder::{Folder, repository, words};
use crate::support::reference::with_references;
use crate::support::server_process::ServerProcess;
use crate::support::shared_exchange::{asking, filtered};
use crate::support::silent_receiver;

const PEOPLE: &[&str] = &["pia", "quin"];
const AGENTS: &[&str] = &["main", "worker", "op"];
/// The scopes of a token. An agent never decides as a person.
const OF_PEOPLE: &str = "submit,receive,read,decide,verify,admin";
const OF_AGENTS: &str = "submit,receive,read,verify,admin";

/// Two exchanges with the same setup, one local and one behind a server.
struct Parity {
    local_dir: Folder,
    /// The directory of the server.
    _server_dir: Folder,
    /// The directory of the client.
    client_dir: Folder,
    server: ServerProcess,
    tokens: Vec<(&'static str, String)>,
}

impl Parity {
    fn new() -> Self {
        let (local_dir, server_dir) = (Folder::outside_repository(), Folder::outside_repository());
        for folder in [&local_dir, &server_dir] {
            std::fs::write(folder.path("tasuki.toml"), silent_receiver::allowed()).unwrap();
        }
        set_up(&local_dir);
        let tokens = set_up(&server_dir);
        let server = ServerProcess::start(&server_dir);
        let client_dir = Folder::outside_repository();
        for folder in [&local_dir, &client_dir] {
            for (name, content) in FILES {
                std::fs::write(folder.path(name), content).unwrap();
            }
        }
        Self { local_dir, _server_dir: server_dir, client_dir, server, tokens }
    }

    /// Runs every line in both, and compares what they print.
    fn play(&self, lines: &[&str]) {
        self.play_with("ID", "ID", lines);
    }

    /// Runs every line in both with `ID` replaced by the id that differs between them.
    fn play_with(&self, local_id: &str, remote_id: &str, lines: &[&str]) {
        let mut differences = String::new();
        for line in lines {
            let line = line.replace("ORIGIN", silent_receiver::origin());
            let (who, line) = line.split_once(": ").unwrap();
            let local = self.run_local(who, &line.replace("ID", local_id)).replace(local_id, "ID");
            let remote =
                self.run_remote(who, &line.replace("ID", remote_id)).replace(remote_id, "ID");
            if local != remote {
                differences.push_str(&format!("{who}$ {line}\nlocal:\n{local}remote:\n{remote}\n"));
            }
        }
        assert!(differences.is_empty(), "{differences}");
    }

    /// The last digits of the first id that a line prints, local and remote.
    fn first_ids(&self, line: &str) -> (String, String) {
        let digits = |command: &mut Command| {
            let printed = String::from_utf8(command.output().unwrap().stdout).unwrap();
            let first: Value = serde_json::from_str(printed.lines().next().unwrap()).unwrap();
            first["id"].as_str().unwrap()[28..].to_owned()
        };
        (
            digits(&mut command(&self.local_dir, "op", line)),
            digits(&mut self.client_command("op", line)),
        )
    }

    fn run_local(&self, who: &str, line: &str) -> String {
        printed(&self.local_dir, &mut self.local_command(who, line))
    }

    fn local_command(&self, who: &str, line: &str) -> Command {
        let line = with_references(line, |show| self.local_command(who, show));
        let mut command = command(&self.local_dir, who, &line);
        command.env("TASUKI_AS", party(who));
        command
    }

    fn run_remote(&self, who: &str, line: &str) -> String {
        printed(&self.client_dir, &mut self.client_command(who, line))
    }

    /// A token of a party on the server that has these scopes alone.
    fn token(&self, party: &str, scopes: &str) -> String {
        let line = format!("token create --as {party} --scope {scopes} -q --json");
        let made = self.client_command("op", &line).output().unwrap().stdout;
        let made: Value = serde_json::from_slice(&made).unwrap();
        made["token"]["text"].as_str().unwrap().to_owned()
    }

    fn client_command(&self, who: &str, line: &str) -> Command {
        let line = with_references(line, |show| self.client_command(who, show));
        let mut command = command(&self.client_dir, who, &line);
        let token = self.tokens.iter().find(|(name, _)| *name == party(who)).unwrap();
        command
            .env("TASUKI_URL", &self.server.address)
            .env("TASUKI_TOKEN", &token.1)
            .env("HOME", self.client_dir.path("home"));
        command
    }
}

fn party(who: &str) -> &str {
    who.split('/').next().unwrap_or(who)
}

fn command(folder: &Folder, who: &str, line: &str) -> Command {
    let words = words(line);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut command = folder.command(&words);
    command.env("TASUKI_SESSION", who.replace('/', "-"));
    command
}

fn printed(folder: &Folder, command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let exit = output.status.code().unwrap_or(-1);
    let printed = format!("{}{}[exit {exit}]\n", text(&output.stdout), text(&output.stderr));
    let path = folder.path("").display().to_string();
    let printed =
        filtered(&without_protection_note(&printed.replace(path.trim_end_matches('/'), "[DIR]")));
    with_secrets_replaced(&with_use_replaced(&with_seconds_replaced(&printed)))
}

/// Only a local exchange says that no person has a password.
fn without_protection_note(text: &str) -> String {
    let is_note = |line: &&str| line.starts_with("note: no person has a password");
    text.split_inclusive('\n').filter(|line| !is_note(line)).collect()
}

/// A server records when a token was used; locally no token is used.
fn with_use_replaced(text: &str) -> String {
    text.replace(" d [n] s ago", " d never")
}

/// Columns are as wide as their widest cell, and a second more or less is no difference.
fn with_seconds_replaced(text: &str) -> String {
    let mut replaced = String::new();
    for piece in text.split_inclusive("\"median\":").flat_map(|one| one.split_inclusive("\"p95\":"))
    {
        let digits = piece.len() - piece.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        replaced.push_str(&piece[digits..]);
    }
    while replaced.contains("  ") {
        replaced = replaced.replace("  ", " ");
    }
    replaced
}

/// Tokens, and the commitments and hashes of a log, are other ones in every exchange.
fn with_secrets_replaced(text: &str) -> String {
    let text = text.replace("tasuki.local/prj_", "tasuki.local prj_").replace("/1\"", " 1\"");
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '/' | '=');
    let mut replaced = String::new();
    for piece in text.split_inclusive(|c| !is_part(c)) {
        let word = piece.trim_end_matches(|c| !is_part(c));
        let is_hash = word.len() == 44 && word.ends_with('=');
        let is_id = word.split_once('_').is_some_and(|(prefix, digits)| {
            prefix.len() == 3 && digits.len() >= 8 && digits.bytes().all(|b| b.is_ascii_hexdigit())
        });
        let name = match word {
            _ if word.starts_with("tasuki_") => "[token]",
            _ if word.starts_with("whsec_") || word.starts_with("whpk_") => "[key]",
            _ if is_hash => "[hash]",
            _ if is_id => "[id]",
            word => word,
        };
        replaced.push_str(name);
        replaced.push_str(&piece[word.len()..]);
    }
    // YAML quotes some hashes and some not, by the characters they happen to have.
    replaced.replace("\"[hash]\"", "[hash]")
}

/// An exchange with its parties, and a token for each of them.
fn set_up(folder: &Folder) -> Vec<(&'static str, String)> {
    folder.stdout(&["init"]);
    for name in PEOPLE {
        folder.stdout(&["party", "add", name, "--human", "--no-password"]);
    }
    for name in AGENTS {
        folder.stdout(&["party", "add", name]);
    }
    let names = PEOPLE.iter().chain(AGENTS);
    let token = |name: &&'static str| {
        let scopes = if PEOPLE.contains(name) { OF_PEOPLE } else { OF_AGENTS };
        let text = folder.stdout(&["token", "create", "--as", name, "--scope", scopes, "-q"]);
        (*name, text.trim().to_owned())
    };
    names.map(token).collect()
}

const FILES: &[(&str, &str)] = &[
    (
        "handoff.yaml",
        "handoff_version: '1.0'\ntask_id: build-42\nfrom_agent: main\nto_agent: worker\n\
         status: in_progress\ngoal: Ship the web part\ncompleted: [Scaffold]\nremaining: [Tests]\n\
         payload: []\n",
    ),
    (
        "held.yaml",
        "handoff_version: '1.0'\ntask_id: held-1\nfrom_agent: main\nto_agent: worker\n\
         status: in_progress\ngoal: Deploy it\ncompleted: []\nremaining: []\n",
    ),
    (
        "held-2.yaml",
        "handoff_version: '1.0'\ntask_id: held-1\nfrom_agent: main\nto_agent: worker\n\
         status: in_progress\ngoal: Deploy it on Monday\ncompleted: []\nremaining: []\n",
    ),
    (
        "dead.yaml",
        "handoff_version: '1.0'\ntask_id: dead-1\nfrom_agent: main\nto_agent: worker\n\
         status: in_progress\ngoal: Find somebody\ncompleted: []\nremaining: []\n\
         fallback: [{ after: 1s, to: dead_letter }]\n",
    ),
    (
        "trail.json",
        r#"[{"n":0,"time":"","event":"","actor":"","hash":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=","previous_hash":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}]"#,
    ),
    ("action.json", r#"{"run":"deploy --dry"}"#),
    ("chat.txt", "Please finish the web part, thanks!\n"),
    (
        "return.yaml",
        "handoff_version: '1.0'\npacket_type: return\nstatus: completed\nsummary: All tests pass\n",
    ),
];

#[test]
fn work_goes_from_one_to_the_next() {
    Parity::new().play(&[
        "main: submit handoff.yaml",
        "main: submit handoff.yaml",
        "main: submit chat.txt --to worker",
        "main: submit --to op --goal 'Say hello' --task hello",
        "worker: inbox",
        "worker: show build-42",
        "worker: show build-42 --json",
        "worker: show build-42 --packet",
        "worker: show build-43",
        "worker: claim build-42 --no-drift",
        "worker/2: checkpoint --completed Nothing",
        "worker: resume build-42 --budget 600",
        "worker: resume build-42 --as-packet",
        "worker: checkpoint",
        "worker: checkpoint --completed 'Wrote tests' --remaining Docs",
        "worker: renew --lease 20m",
        "main: checkpoint build-42 --completed Mine --fence 1",
        "main: show build-42 --return",
        "worker: return -f return.yaml",
        "main: show build-42",
        "main: show build-42 --json",
        "main: show build-42 --return",
        "main: verify build-42@seen --fail -m 'The bundle is 400 kB'",
        "main: show build-42",
        "worker: claim build-42 --goal-in-my-words 'Make it small' --first-step 'Read the tests'",
        "main: show build-42",
        "main: show build-42 --json",
        "worker: return --summary 'Smaller now'",
        "main: verify build-42@seen --pass",
        "main: show build-42",
        "main: show build-42 --json",
        "worker: inbox",
        "main: list",
        "main: list --all --json",
        "main: list --state held",
        "main: timeline build-42",
        "main: timeline build-42 --json",
        "main: events --since 0 --task build-42",
        "main: events --limit 3",
        "main: events --limit 0",
        "main: events --since 2 --limit 1",
        "main: list --limit 0",
        "main: list --limit 4294967295",
        "main: inbox --limit 0",
        "main: search web --limit 0",
        "main: dead list --limit 0",
        "main: log show --limit 0",
        "main: events --type claimed --json",
        "main: search web part",
        "main: search nothing-like-this",
        "main: show build-42 --trail",
        "main: stats",
        "main: stats --json",
        "main: log show --limit 2",
    ]);
}

#[test]
fn a_task_id_may_have_the_punctuation_of_an_address() {
    Parity::new().play(&[
        "main: submit --to worker --goal 'Restart it' --task inc/2026:42#3",
        "main: submit --to worker --goal 'Restart it' --task 'build-42; touch pwned #'",
        "worker: show inc/2026:42#3",
        "worker: claim inc/2026:42#3 --no-drift",
        "worker: resume inc/2026:42#3",
        "worker: checkpoint inc/2026:42#3 --completed 'Looked at it'",
        "main: timeline inc/2026:42#3",
        "worker: return inc/2026:42#3 --summary 'It runs'",
        "main: ls --task inc/2026:42#3",
    ]);
}

#[test]
fn people_decide() {
    Parity::new().play(&[
        "main: status",
        "main: submit held.yaml --hold",
        "main: status",
        "main: status --json",
        "worker: claim held-1 --no-drift",
        "worker: approve held-1@seen",
        "worker: intercept held-1 -m 'Mine'",
        "pia: inbox",
        "main: inbox",
        "main: inbox ack --all",
        "main: inbox ack missing",
        "main: inbox",
        "main: revise held-1 held-2.yaml",
        "main: revise held-1@1 held.yaml",
        "pia: approve held-1@1",
        "pia: edit held-1 --file held.yaml --yes -m 'No day is better'",
        "pia: edit held-1 --file held.yaml --yes",
        "pia: reject held-1",
        "pia: reroute held-1 --to main -m 'The worker is away'",
        "pia: approve held-1@2",
        "pia: approve held-1@3",
        "pia: approve held-1",
        "pia: approve held-1@3:0123456789abcdef",
        "pia: approve held-1@main",
        "pia: approve held-1@seen -m 'Go on'",
        "worker: show held-1@1",
        "main: claim held-1 --no-drift",
        "pia: intercept held-1 -m 'A loop'",
        "main: checkpoint --completed Nothing",
        "pia: release -m 'Somebody else'",
        "main: cancel held-1 -m 'Not needed'",
        "main: submit --to worker --goal 'Refuse me' --task held-2 --hold",
        "pia: reject held-2 -m 'Too early'",
        "main: wait held-2 --timeout 1s",
        "main: wait held-1 --until done --timeout 1s",
        "op: decisions export",
    ]);
}

#[test]
fn a_reference_from_before_a_reroute_or_a_revision_is_refused() {
    let parity = Parity::new();
    parity.play(&["main: submit held.yaml --hold"]);
    let seen = |command: Command| {
        let mut command = command;
        let shown: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
        shown["reference"].as_str().unwrap().to_owned()
    };
    let show = "show held-1 --json";
    for (change, file) in [
        ("pia: reroute held-1 --to quin", "held-2.yaml"),
        ("main: revise held-1 held-2.yaml", "held.yaml"),
    ] {
        let local_seen = seen(parity.local_command("pia", show));
        let remote_seen = seen(parity.client_command("pia", show));
        parity.play(&[change]);
        let lines = [
            "pia: approve ID",
            "pia: reject ID -m 'Too early'",
            "pia: cancel ID -m 'Too late'",
            "pia: reroute ID --to quin -m 'Away'",
            "pia: intercept ID -m 'Mine'",
            &format!("pia: edit ID --file {file} --yes"),
            &format!("main: revise ID {file}"),
        ];
        parity.play_with(&local_seen, &remote_seen, &lines);
        for line in lines {
            let (who, line) = line.split_once(": ").unwrap();
            let refused = parity.run_remote(who, &line.replace("ID", &remote_seen));
            assert!(refused.contains("[TK-REVISION-CHANGED]"), "{refused}");
            assert!(refused.ends_with("[exit 6]\n"), "{refused}");
        }
    }
    parity.play(&["pia: edit held-1@seen --file held.yaml --yes"]);
}

#[test]
fn a_holder_keeps_passes_on_and_asks() {
    Parity::new().play(&[
        "main: begin --goal 'Ship it' --task build-7",
        "main: begin --goal 'Ship it twice' --task build-7",
        "main: request-approval 'Deploy 2.4.1' --timeout 0s --leave",
        "pia: show build-7",
        "pia: status",
        "pia: approve build-7@1",
        "pia: approve build-7",
        "pia: edit build-7@1 --file action.json --yes",
        "pia: edit build-7@1:main:0000000000000000 --file action.json --yes",
        "pia: reject build-7@1:main:0000000000000000 -m 'Not this one'",
        "pia: approve build-7@seen -m 'At noon'",
        "main: pass-on --to worker --goal 'Write the tests'",
        "worker: claim --no-drift",
        "worker: park --until 2099-01-01T00:00:00Z -m 'The quota resets'",
        "main: begin --goal 'Another one' --task build-8",
        "main: release build-8 -m 'My context is full'",
        "main: submit --to worker --goal 'Which one?' --task ask-1",
        "worker: ask ask-1 --field goal -m 'Which browsers?' --blocking",
        "worker: claim ask-1 --no-drift",
        "main: answer ask-1@2 -m 'All of them'",
        "main: answer ask-1@1 -m 'All of them'",
        "worker: decline ask-1 -m 'Needs Windows'",
        "worker: decline ask-1",
        "main: list --task ask-1 --all",
        "main: timeline ask-1",
        "main: status",
        "main: status --json",
    ]);
}

#[test]
fn every_sender_up_the_chain_reads_what_came_back() {
    let parity = Parity::new();
    parity.play(&[
        "main: submit handoff.yaml",
        "worker: claim build-42 --no-drift",
        "worker: pass-on --to op --goal 'Write the tests'",
        "op: claim build-42 --no-drift",
        "op: return --summary 'Tests are written'",
    ]);
    let (local_id, remote_id) = parity.first_ids("list --state passed_on --json");
    let lines = &["main: show ID", "main: show ID --json", "main: show ID --return"];
    parity.play_with(&local_id, &remote_id, lines);
    assert!(parity.run_remote("main", &format!("show {remote_id}")).contains("Tests are written"));
}

#[test]
fn what_people_decide_is_exported_and_what_agents_do_is_not() {
    Parity::new().play(&[
        "main: begin --goal 'Ship it' --task build-7",
        "main: request-approval 'Deploy 2.4.1' --timeout 0s --leave",
        "pia: approve build-7@seen -m 'At noon'",
        "main: request-approval 'Deploy 2.4.2' --timeout 0s --leave",
        "pia: reject build-7 -m 'Not today'",
        "main: submit handoff.yaml",
        "main: reroute build-42 --to op -m 'The worker is away'",
        "pia: cancel build-42 -m 'Not needed'",
        "op: decisions export",
    ]);
}

#[test]
fn what_a_gate_keeps_back_is_in_no_list() {
    const GATE: &str = "gate: release\nversion: '1.0'\n\
        factors: [{ name: people, roles: [people], approvals: 1 }]\n";
    const CONTRACT: &str = "contract: work\nversion: '1.0'\nfrom: [main]\nto: [worker]\n\
        gates: [release]\nscope: { is: work }\nfallback: [{ to: dead_letter }]\n\
        payload_schema: {}\nconfidence: { required: false }\nprovenance: { require: [] }\n";
    const REGULATED: &str = "handoff_version: '1.0'\ntask_id: ward-7\nfrom_agent: main\n\
        to_agent: worker\nstatus: in_progress\ngoal: Treat it\ncompleted: []\nremaining: []\n\
        classification: OFFICIAL\nregulation_refs: [DTAC 1]\nsign_off_gates: [release]\n\
        retention: P5Y\npayload: []\n";
    let parity = Parity::new();
    for folder in [&parity.local_dir, &parity.client_dir] {
        std::fs::write(folder.path("gate.yaml"), GATE).unwrap();
        std::fs::write(folder.path("contract.yaml"), CONTRACT).unwrap();
        std::fs::write(folder.path("regulated.yaml"), REGULATED).unwrap();
    }
    parity.play(&[
        "op: party add role:people --member pia",
        "op: gate publish gate.yaml",
        "op: contract publish contract.yaml",
        "main: submit handoff.yaml",
        "main: list",
        "worker: list",
        "worker: list --json",
        "worker: status",
        "worker: timeline build-42",
        "worker: show build-42",
        "worker: show build-42 --return",
        "worker: wait build-42 --timeout 1s",
        "worker: events --handoff build-42 --limit 1",
        "worker: cancel build-42 -m 'Not for me'",
        "worker: reroute build-42 --to op -m 'Not for me'",
        "worker: revise build-42 handoff.yaml",
        "worker: claim build-42",
        "worker: decline build-42 -m 'Not for me'",
        "worker: ask build-42 -m 'Why?'",
        "worker: verify build-42 --pass",
        "op: subscription add --url ORIGIN/ --handoff build-42 -q",
        "pia: inbox",
        "pia: show build-42",
        "main: submit regulated.yaml",
        "main: resume ward-7 --as-packet",
        "pia: resume ward-7 --as-packet --json",
        "worker: resume ward-7 --as-packet",
    ]);
    assert!(parity.run_remote("main", "resume ward-7 --as-packet").contains("audit_trail"));
    assert!(parity.run_local("main", "list").contains("Ship the web part"));
    let kept_back = parity.run_local("worker", "list") + &parity.run_local("worker", "list --json");
    assert!(!kept_back.contains("Ship") && kept_back.contains("(hidden until signed off)"));
}

#[test]
fn a_token_without_the_scope_read_must_name_a_handoff_in_full() {
    let parity = Parity::new();
    parity.run_remote("main", "submit handoff.yaml");
    let shown = parity.client_command("main", "show build-42 --json").output().unwrap().stdout;
    let shown: Value = serde_json::from_slice(&shown).unwrap();
    let id = shown["handoff"]["id"].as_str().unwrap();
    let text = parity.token("main", "verify");
    let says = |line: &str| {
        let mut command = parity.client_command("main", line);
        command.env("TASUKI_TOKEN", &text);
        printed(&parity.client_dir, &mut command)
    };
    assert_eq!(
        says("verify build-42 --pass"),
        "error: the token lacks the scope `read`, which looking up `build-42` needs \
         [TK-SCOPE-MISSING]\n hint: use the full id: `hof_` and 32 digits\n[exit 4]\n"
    );
    let named = says(&format!("verify {id} --pass"));
    assert!(named.contains("TK-STATE-CONFLICT"), "the id was enough to ask: {named}");
}

#[test]
fn only_the_local_store_takes_parties_in_by_their_name() {
    let parity = Parity::new();
    let line = "submit --to nobody-knows --goal 'Say hello' --task hello";
    assert!(parity.run_local("main", line).contains("Registered nobody-knows as an agent"));
    assert!(parity.run_remote("main", line).contains("[TK-PARTY-UNKNOWN]"));
}

#[test]
fn a_receiver_works_with_a_token_that_reads_nothing_else() {
    let parity = Parity::new();
    parity.run_remote("main", "submit handoff.yaml");
    let text = parity.token("worker", "receive");
    let says = |line: &str| {
        let mut command = parity.client_command("worker", line);
        command.env("TASUKI_TOKEN", &text);
        printed(&parity.client_dir, &mut command)
    };
    assert!(says("wait --timeout 5s").contains("Ship the web part"));
    assert!(says("show build-42").contains("lacks the scope `read`"));
    assert!(says("ask build-42 -m 'Which browsers?'").contains("✓ Asked main about"));
    let claimed = says("claim build-42");
    assert!(claimed.contains("✓ Claimed") && !claimed.contains("tasuki resume"), "{claimed}");
    assert!(says("wait --timeout 1s").ends_with("[exit 20]\n"));
    assert!(says("checkpoint build-42 --completed Tests").contains("✓"));
    assert!(says("events --follow").contains("lacks the scope `read`"));
}

#[test]
fn a_holder_hears_what_was_decided_with_a_token_that_reads_nothing_else() {
    let parity = Parity::new();
    parity.run_remote("main", "submit handoff.yaml");
    let text = parity.token("worker", "receive");
    let client_command = |line: &str| {
        let mut command = parity.client_command("worker", line);
        command.env("TASUKI_TOKEN", &text);
        command
    };
    let says = |line: &str| printed(&parity.client_dir, &mut client_command(line));
    assert!(says("claim build-42").contains("✓ Claimed"));
    let asked = |action: &str| {
        let said = says(&asking(&format!("'{action}' --task build-42")));
        assert!(said.ends_with("[exit 20]\n"), "{said}");
    };
    asked("Deploy");
    let waiting = says("wait build-42 --until decided --timeout 1s");
    assert!(waiting.ends_with("[exit 20]\n"), "{waiting}");
    parity.run_remote("pia", "reject build-42 -m 'Not on a Friday'");
    let rejected = says("wait build-42 --until decided --timeout 5s");
    assert!(rejected.contains("Not on a Friday"), "{rejected}");
    assert!(rejected.ends_with("[exit 10]\n"), "{rejected}");

    asked("Deploy on Monday");
    let mut meanwhile =
        client_command("wait build-42 --until decided --timeout 20s").spawn().unwrap();
    parity.run_remote("pia", "approve build-42@seen");
    assert_eq!(meanwhile.wait().unwrap().code(), Some(0));
    assert!(says("timeline build-42").contains("lacks the scope `read`"));
}

#[test]
fn a_sender_changes_what_it_sent_with_a_token_that_cannot_read() {
    let parity = Parity::new();
    let text = parity.token("main", "submit,verify");
    let says = |line: &str| {
        let mut command = parity.client_command("main", line);
        command.env("TASUKI_TOKEN", &text);
        printed(&parity.client_dir, &mut command)
    };
    assert!(says("submit handoff.yaml").contains("✓ Submitted"));
    let listed = parity.client_command("main", "list --json").output().unwrap().stdout;
    let listed: Value = serde_json::from_slice(&listed).unwrap();
    let id = listed["id"].as_str().unwrap();
    let revised = says(&format!("revise {id} handoff.yaml"));
    assert!(revised.contains("✓ Sent revision 2"), "{revised}");
    assert!(parity.run_remote("worker", "ask build-42 -m 'Which browsers?'").contains("✓ Asked"));
    let answered = says("answer build-42 -m All");
    assert!(answered.contains("✓ Answered"), "{answered}");
    let rerouted = says(&format!("reroute {id} --to op"));
    assert!(rerouted.contains("✓ Rerouted"), "{rerouted}");
    let cancelled = says("cancel build-42 -m 'Not needed'");
    assert!(cancelled.contains("✓ Cancelled"), "{cancelled}");
    assert!(says("cancel nothing").contains("[exit 5]"));
}

#[test]
fn operators_agree_on_things_and_stop_them() {
    let parity = Parity::new();
    for (from, to) in [
        ("examples/03-story/contract.yaml", "contract.yaml"),
        ("gates/clinical-release.yaml", "gate.yaml"),
        ("rules/default.yaml", "rules.yaml"),
    ] {
        let content = std::fs::read(repository(from)).unwrap();
        for folder in [&parity.local_dir, &parity.client_dir] {
            std::fs::write(folder.path(to), &content).unwrap();
        }
    }
    parity.play(&[
        "op: contract publish contract.yaml",
        "op: contract publish contract.yaml",
        "op: contract list",
        "op: contract list --json",
        "op: contract show nothing",
        "op: gate publish gate.yaml",
        "op: gate list",
        "op: gate list --json",
        "op: gate show clinical-release",
        "op: gate show nothing",
        "op: rules show",
        "op: rules set rules.yaml",
        "op: rules show",
        "op: party add role:reviewer --member pia --member quin",
        "op: party list",
        "op: party list --json",
        "op: party show role:reviewer",
        "op: party show nobody",
        "op: project set hops=9",
        "op: project set hop=9",
        "op: project show",
        "op: halt -m 'The key leaked'",
        "worker: claim",
        "op: halt --lift -m 'It was replaced'",
        "op: dead list",
        "op: dead redrive 0123abcd",
        "op: token list",
        "op: token revoke ffffffff",
        "op: log check --json",
    ]);
}

#[test]
fn operators_add_subscriptions_for_others() {
    let parity = Parity::new();
    parity.play(&[
        "op: subscription list",
        "op: subscription add --url ORIGIN/hooks --task nothing -q",
        "op: subscription list",
        "op: subscription list --json",
        "op: subscription add --url http://169.254.169.254/ -q",
        "op: subscription add --url ftp://example.org -q",
        "op: subscription add --url ORIGIN/ --for nobody -q",
        "op: subscription add --email ana@example.org -q",
        "op: subscription add --url ORIGIN/ --handoff 0123abcd -q",
        "op: subscription show 0123abcd",
    ]);
    let (local_id, remote_id) = parity.first_ids("subscription list --json");
    let lines = [
        "op: subscription show ID",
        "op: subscription show ID --json",
        "op: subscription deliveries ID",
        "op: subscription rotate ID",
        "op: subscription rotate ID --json",
        "op: subscription disable ID",
        "op: subscription disable ID --json",
        "op: subscription list",
        "op: subscription enable ID",
        "op: subscription enable ID",
        "op: subscription remove ID",
        "op: subscription remove ID",
        "op: subscription add --url ORIGIN/ --signing key-pair --type held --type died --sender main --for worker --json",
        "op: subscription list",
        "op: events --type subscription.added --actor op --json",
        "op: events --sender main --state held",
        "op: log check --json",
    ];
    parity.play_with(&local_id, &remote_id, &lines);
}

#[test]
fn operators_bring_back_what_is_dead_and_take_tokens_away() {
    let parity = Parity::new();
    parity.play(&[
        "main: submit dead.yaml",
        "main: wait dead-1 --until claimed --timeout 30s -q",
        "op: dead list",
        "op: dead redrive dead-1 -m 'The worker is back'",
        "main: wait dead-1 --until claimed --timeout 30s -q",
        "op: dead discard dead-1",
        "op: dead discard dead-1 -m 'Not wanted'",
        "op: dead redrive dead-1",
        "op: dead list",
        "op: log check --from 99",
        "op: log check --from 3 --json",
    ]);
    let (local_id, remote_id) = parity.first_ids("token list --json");
    parity.play_with(
        &local_id,
        &remote_id,
        &[
            "op: token revoke ID",
            "op: token revoke ID",
            "op: token revoke ID --json",
            "op: token list",
        ],
    );
    let refused = parity.run_remote("pia", "inbox");
    assert!(refused.contains("TK-TOKEN-REVOKED") && refused.ends_with("[exit 4]\n"), "{refused}");
}

#[test]
fn the_token_identifies_the_caller_of_a_server() {
    let parity = Parity::new();
    let said = |who: &str, line: &str, variables: &[(&str, &str)]| {
        let mut command = parity.client_command(who, line);
        command.envs(variables.iter().copied());
        printed(&parity.client_dir, &mut command)
    };
    let address = &parity.server.address;
    let all = [
        said("main", "inbox --as worker", &[]),
        said("main", "inbox --project other", &[]),
        said("main", "inbox", &[("TASUKI_TOKEN", "")]),
        said("main", "inbox", &[("TASUKI_TOKEN", "tasuki_wrong")]),
        said("main", "inbox", &[("TASUKI_URL", "http://127.0.0.1:1")]),
        said("main", "backup x.db", &[]),
        said("main", "doctor", &[]),
        said("main", "init", &[]),
        said("main", "serve", &[]),
        said("main", "log check --trail trail.json", &[]),
        said("main", "sign-off build-42", &[]),
        said("pia", "sign-off build-42", &[]),
    ];
    insta::assert_snapshot!(all.join("\n").replace(address, "[SERVER]"), @"
    error: the token belongs to `main`, but --as names `worker`
     hint: leave the name out; the token identifies you
    [exit 4]

    error: the token is for project `default`, but --project names `other`
     hint: use a token of that project
    [exit 4]

    error: no token for [SERVER]
     hint: set `TASUKI_TOKEN`; an operator creates one with `tasuki token create --as NAME`
    [exit 4]

    error: malformed token: expected `[token]<kind>_<project>_<token>_<secret>` [TK-TOKEN-INVALID]
     hint: an operator creates one with `tasuki token create --as NAME`
    [exit 4]

    error: cannot reach http://127.0.0.1:1: connection refused
     hint: check that the server is running; `tasuki config show --origin` shows where the address is set
    [exit 7]

    error: this command needs a local exchange, but the server [SERVER] is configured
     hint: run it on the server, in the directory of its `.tasuki/`; the server is set by TASUKI_URL
    [exit 2]

    error: this command needs a local exchange, but the server [SERVER] is configured
     hint: run it on the server, in the directory of its `.tasuki/`; the server is set by TASUKI_URL
    [exit 2]

    error: this command needs a local exchange, but the server [SERVER] is configured
     hint: run it on the server, in the directory of its `.tasuki/`; the server is set by TASUKI_URL
    [exit 2]

    error: this command needs a local exchange, but the server [SERVER] is configured
     hint: run it on the server, in the directory of its `.tasuki/`; the server is set by TASUKI_URL
    [exit 2]

    error: `--trail` does not work against a server
     hint: run it on the server, in the directory of its `.tasuki/`
    [exit 2]

    error: only a person can sign at a gate; you are an agent [TK-PERSON-NEEDED]
     hint: ask a person to sign with `tasuki sign-off` in a terminal
    [exit 4]

    error: cannot ask for a password: stdin is not a terminal
     hint: run the command in a terminal; on a server, a person decides with their own token
    [exit 4]
    ");
    assert!(said("main", "inbox --as main", &[]).contains("Nothing waits for main."));
    let token = said("op", "token create --as worker --name spare", &[]);
    assert!(token.starts_with("[token]\n"), "{token}");
}
