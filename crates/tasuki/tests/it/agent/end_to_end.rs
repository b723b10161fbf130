//! Agent A is killed in mid-task; agent B, in another host and another work tree, continues.
//!
//! A is a process of its own that runs the hooks of Claude Code, claims, edits files and is killed
//! with `kill -9`. B has the hooks of Codex. The exchange is local, or a server between two clones.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::server_process::ServerProcess;
use crate::support::work_tree::{WorkTree, answer, run};

const CLAUDE: &str = "0f3c9a12-7b1e-4c55-9f0a-2b7d6c1e8a44";
const CODEX: &str = "0199a213-81c0-7800-8aa1-bbab2a035a53";

/// The host of agent A: its start hook, a claim, an edit, its stop hook. Then it waits to be killed.
const AGENT: &str = r#"
import os, subprocess, sys, time
tool, start, stop = sys.argv[1:4]
flags = sys.argv[4:]
env = dict(os.environ, CLAUDE_CODE_SESSION_ID="0f3c9a12-7b1e-4c55-9f0a-2b7d6c1e8a44")
def hook(event, text):
    line = ["/bin/sh", "-c", '"$0" "$@"', tool, "hook", "claude-code", event]
    subprocess.run(line, input=text.encode(), stdout=subprocess.DEVNULL, env=env, check=True)
hook("start", start)
subprocess.run([tool, "claim", "port", "--no-drift", "--lease", "1s"] + flags, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env, check=True)
open("src/lexer.rs", "a").write("// ported\n")
open("src/parser.rs", "w").write("// half a parser\n")
subprocess.run([tool, "checkpoint", "--completed", "Lexer ported", "--remaining", "Port the parser"] + flags, stdout=subprocess.DEVNULL, env=env, check=True)
hook("stop", stop)
print("ready", flush=True)
time.sleep(60)
"#;

/// The side of one agent: its work tree, and the variables of its host.
struct Side {
    folder: PathBuf,
    variables: Vec<(&'static str, String)>,
    /// The flag that names its party; none with a token.
    flag: &'static str,
}

impl Side {
    fn command(&self, tree: &WorkTree, line: &str) -> Command {
        let mut command = tree.command_in(&self.folder, &format!("{line} {}", self.flag));
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    fn input(&self, tree: &WorkTree, host: &str, event: &str) -> String {
        let mut input: Value = serde_json::from_str(&tree.input(host, event)).unwrap();
        input["cwd"] = json!(self.folder);
        input.to_string()
    }
}

/// Starts agent A, waits until it has done half of its work, and kills it.
fn killed_agent(tree: &WorkTree, side: &Side) {
    let mut command = Command::new("python3");
    let inputs = ["start", "stop"].map(|event| side.input(tree, "claude-code", event));
    command.args(["-c", AGENT, env!("CARGO_BIN_EXE_tasuki")]).args(inputs);
    command.args(side.flag.split_whitespace()).current_dir(&side.folder).stdout(Stdio::piped());
    tree.with_environment(&mut command);
    command.envs(side.variables.iter().map(|(name, value)| (name, value)));
    let mut agent: Child = command.spawn().unwrap();
    let mut ready = [0; 6];
    agent.stdout.as_mut().unwrap().read_exact(&mut ready).unwrap();
    agent.kill().unwrap();
    agent.wait().unwrap();
}

/// Runs B's start hook until it shows the task.
fn shown(tree: &WorkTree, side: &Side) -> String {
    let began = Instant::now();
    loop {
        let command = side.command(tree, "hook codex start");
        let started = answer(run(command, &side.input(tree, "codex", "start"))).json();
        let text = started["hookSpecificOutput"]["additionalContext"].as_str();
        match text.filter(|text| text.contains("was left in this work tree")) {
            Some(text) => return text.to_owned(),
            None => assert!(began.elapsed() < Duration::from_secs(20), "{started}"),
        }
    }
}

/// Brings the tree of A to B. A process of its own takes the snapshot, so it may not be there yet.
fn is_restored(tree: &WorkTree, a: &Side, b: &Side) {
    let began = Instant::now();
    loop {
        let restored = b.command(tree, "resume port --restore").output().unwrap();
        if restored.status.success() {
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(20), "{restored:?}");
    }
    for file in ["src/lexer.rs", "src/parser.rs"] {
        let [theirs, ours] =
            [a, b].map(|one| std::fs::read_to_string(one.folder.join(file)).unwrap());
        assert_eq!(theirs, ours, "{file}");
    }
    let [theirs, ours] = [a, b].map(|one| tree.git_in(&one.folder, "status --porcelain"));
    assert_eq!(theirs, ours);
}

/// Kills A and lets B continue, with the work tree that it restores.
fn continues(tree: &WorkTree, a: &Side, b: &Side) {
    killed_agent(tree, a);
    let text = shown(tree, b);
    for part in ["port", "Port the exporter", "Lexer ported", "Port the parser", "src/parser.rs"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let claim =
        b.command(tree, "claim port --json").env("CODEX_THREAD_ID", CODEX).output().unwrap();
    assert!(claim.status.success(), "{claim:?}");
    let claim: Value = serde_json::from_slice(&claim.stdout).unwrap();
    assert_eq!((&claim["claim"]["holder"], &claim["claim"]["fence"]), (&json!("codex"), &json!(2)));
    assert_eq!(claim["not_here"], json!(["src/lexer.rs", "src/parser.rs"]));
    is_restored(tree, a, b);
    let mut late = a.command(tree, "checkpoint port --fence 1 --completed 'Too late'");
    let late = late.env("CLAUDE_CODE_SESSION_ID", CLAUDE).output().unwrap();
    assert_eq!(late.status.code(), Some(6), "{late:?}");
    let mut done = b.command(tree, "return --summary 'Ported'");
    let done = done.env("CODEX_THREAD_ID", CODEX).output().unwrap();
    assert!(done.status.success(), "{done:?}");
}

#[test]
fn an_agent_in_another_worktree_continues_where_a_killed_one_stopped() {
    let tree = WorkTree::new();
    tree.git("worktree add -q --detach ../side");
    tree.ok("party add role:coder --member claude-code --member codex");
    tree.ok("submit --as planner --to role:coder --task port --goal 'Port the exporter'");
    let side =
        |folder: &str, flag| Side { folder: tree.folder.path(folder), variables: Vec::new(), flag };
    let (a, b) = (side("work", "--as claude-code"), side("side", "--as codex"));
    continues(&tree, &a, &b);
}

#[test]
fn an_agent_in_another_clone_continues_through_a_server() {
    let tree = WorkTree::new();
    tree.ok("party add role:coder --member claude-code --member codex");
    tree.ok("submit --as planner --to role:coder --task port --goal 'Port the exporter'");
    let mut server = tree.command("serve --json --listen 127.0.0.1:0");
    // The name of an agent, so that the server adds no person for its sign-in link.
    server.env("USER", "op").stderr(Stdio::null());
    let server = ServerProcess::spawn(server);
    let side = |name: &str, party: &str| {
        tree.git_in(&tree.folder.path(""), &format!("clone -q work {name}"));
        let token = tree.ok(&format!("token create --as {party}"));
        let home = tree.folder.path(&format!("home-{name}"));
        std::fs::create_dir(&home).unwrap();
        let variables = vec![
            ("TASUKI_URL", server.address.clone()),
            ("TASUKI_TOKEN", token.trim().to_owned()),
            ("HOME", home.display().to_string()),
        ];
        Side { folder: tree.folder.path(name), variables, flag: "" }
    };
    let (a, b) = (side("clone-a", "claude-code"), side("clone-b", "codex"));
    assert!(!Path::new(&a.folder).join(".tasuki").exists());
    continues(&tree, &a, &b);
}
