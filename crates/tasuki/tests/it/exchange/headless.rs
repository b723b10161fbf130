//! Agents that start every command in a session of its own, as a host without a terminal does.
//!
//! `setsid` makes the sessions, so these are real processes: a command is the leader of its session
//! and ends with it, unless a shell keeps the session open.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::support::folder::{Folder, words};
use crate::support::server_process::ServerProcess;

/// An exchange of `planner` and `coder`, used directly or through a server.
struct Headless {
    folder: Folder,
    client_dir: Folder,
    server: Option<(ServerProcess, String)>,
}

impl Headless {
    fn local() -> Self {
        let headless = Self {
            folder: Folder::outside_repository(),
            client_dir: Folder::outside_repository(),
            server: None,
        };
        headless.succeeds("init");
        headless.succeeds("submit --as planner --to coder --task export-7 --goal 'Port it'");
        headless
    }

    fn remote() -> Self {
        let mut headless = Self::local();
        let token = headless.succeeds("token create --as coder").trim().to_owned();
        headless.server = Some((ServerProcess::start(&headless.folder), token));
        headless
    }

    /// The tool as `coder`, with the words of a line, in a folder below that of the agent.
    fn coder(&self, below: &str, line: &str) -> Command {
        let mut command = match &self.server {
            None => {
                let words = words(line);
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                let mut command = self.folder.command(&words);
                command.env("TASUKI_AS", "coder");
                command
            }
            Some((server, token)) => server.client_command(&self.client_dir, token, line),
        };
        std::fs::create_dir_all(self.place(below)).unwrap();
        command.current_dir(self.place(below));
        command
    }

    /// A path in the folder of the agent.
    fn place(&self, below: &str) -> PathBuf {
        let folder = if self.server.is_some() { &self.client_dir } else { &self.folder };
        folder.path(below)
    }

    /// Runs a line as `coder` in a new session, with further variables.
    fn alone_in(&self, below: &str, line: &str, variables: &[(&str, &str)]) -> String {
        let mut command = in_new_session(&self.coder(below, line), &[]);
        said(command.envs(variables.iter().copied()))
    }

    fn alone(&self, line: &str) -> String {
        self.alone_in("", line, &[])
    }

    /// Runs a line of any party on the store itself.
    fn succeeds(&self, line: &str) -> String {
        let words = words(line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let output = self.folder.command(&words).env("TASUKI_SESSION", "desk").output().unwrap();
        assert!(output.status.success(), "{line}: {}", self.folder.shown(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The types and fences of the events of the task.
    fn history(&self) -> Vec<String> {
        let text = self.succeeds("events --json");
        let events = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let shown = events.filter_map(|event| {
            let kind = event["type"].as_str()?.strip_prefix("handoff.")?.to_owned();
            let fence = event["attributes"].get("fence").map(|fence| format!(" {fence}"));
            Some(kind + &fence.unwrap_or_default())
        });
        shown.filter(|one| one != "delivered").collect()
    }
}

/// Starts the command in a new session, which it leads, after these words.
fn in_new_session(command: &Command, before: &[&str]) -> Command {
    let mut alone = Command::new("setsid");
    alone.arg("--wait").args(before).arg(command.get_program()).args(command.get_args());
    alone.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).stdin(Stdio::null());
    let set = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
    alone.envs(set).current_dir(command.get_current_dir().unwrap());
    alone
}

fn said(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let exit = match output.status.code() {
        Some(0) => String::new(),
        code => format!("[exit {}]\n", code.unwrap_or(-1)),
    };
    format!("{}{}{exit}", text(&output.stdout), text(&output.stderr))
}

/// A shell in a session of its own that stays after its command, until it is told to end.
struct OpenSession(Child);

impl OpenSession {
    /// Runs a command in the shell, which may set a variable for it.
    fn after(command: &Command, variable: &str) -> Self {
        let script = format!("{variable} \"$0\" \"$@\" >/dev/null 2>&1 && echo ready && read line");
        let mut shell = in_new_session(command, &["sh", "-c", &script]);
        let mut child = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        Self(child)
    }

    fn end(mut self) {
        drop(self.0.stdin.take());
        self.0.wait().unwrap();
    }
}

/// Runs a test on a store and against a server.
fn everywhere(check: impl Fn(&Headless)) {
    for headless in [Headless::local(), Headless::remote()] {
        check(&headless);
    }
}

#[test]
fn every_command_of_an_agent_may_be_a_session_of_its_own() {
    everywhere(|headless| {
        for line in [
            "claim export-7 --no-drift",
            "checkpoint --completed 'Wrote the writer' --remaining 'Add tests'",
            "renew",
            "checkpoint export-7 --completed 'Added tests'",
            "return --summary 'All tests pass'",
        ] {
            let said = headless.alone(line);
            assert!(said.starts_with('✓'), "{line}: {said}");
        }
        let expected = [
            "submitted",
            "claimed 1",
            "adopted 2",
            "checkpointed 2",
            "started",
            "adopted 3",
            "adopted 4",
            "checkpointed 4",
            "adopted 5",
            "returned 5",
            "done",
        ];
        assert_eq!(headless.history(), expected);
        let attempt = headless.succeeds("list --all --json");
        assert!(attempt.contains("\"attempt\":1"), "{attempt}");
    });
}

#[test]
fn a_session_that_still_runs_keeps_its_claim_and_the_error_says_how_to_use_it() {
    everywhere(|headless| {
        let session = OpenSession::after(&headless.coder("", "claim export-7 --no-drift"), "");
        for line in ["checkpoint --completed x", "checkpoint export-7 --completed x"] {
            let said = headless.alone(line);
            let what = if line.contains("export") { "claim on export-7" } else { "task" };
            assert_eq!(
                said,
                format!(
                    "error: coder holds no {what} in this session [TK-CLAIM-NONE]\n  \
                     export-7 is held by coder in another session that is still running (fence 1).\n  \
                     hint: run it there, or pass `--fence 1`; headless agents set TASUKI_SESSION\n\
                     [exit 6]\n"
                )
            );
        }
        assert!(headless.alone("checkpoint --completed x --fence 1").starts_with('✓'));
        session.end();
        assert!(headless.alone("checkpoint --completed y").starts_with('✓'));
        let last = headless.history().split_off(2);
        assert_eq!(last, ["checkpointed 1", "started", "adopted 2", "checkpointed 2"]);
    });
}

#[test]
fn a_session_that_its_caller_named_is_never_taken_for_ended() {
    everywhere(|headless| {
        let named = [("TASUKI_SESSION", "nightly")];
        assert!(headless.alone_in("", "claim export-7 --no-drift", &named).starts_with('✓'));
        let said = headless.alone("checkpoint --completed x");
        assert!(
            said.contains("export-7 is held by coder in session `nightly` (fence 1)")
                && said.contains("`--fence 1`; headless agents set TASUKI_SESSION=nightly"),
            "{said}"
        );
        assert!(headless.alone_in("", "checkpoint --completed x", &named).starts_with('✓'));
        assert!(!headless.history().iter().any(|event| event.starts_with("adopted")));
    });
}

#[test]
fn a_claim_is_adopted_in_the_directory_that_it_was_made_in() {
    everywhere(|headless| {
        for tree in ["one", "two"] {
            std::fs::create_dir_all(headless.place(tree).join(".git")).unwrap();
            std::fs::write(headless.place(tree).join(".git/HEAD"), "ref: refs/heads/main").unwrap();
        }
        assert!(headless.alone_in("one/src", "claim export-7 --no-drift", &[]).starts_with('✓'));
        let said = headless.alone_in("two", "checkpoint --completed x", &[]);
        let one = headless.place("one").display().to_string();
        assert!(
            said.contains(&format!("was claimed in {one} by a session that has ended (fence 1)")),
            "{said}"
        );
        assert!(said.contains("run it in that directory, or pass `--fence 1`"), "{said}");
        assert!(headless.alone_in("one/lib", "checkpoint --completed x", &[]).starts_with('✓'));
    });
}

#[test]
fn of_several_claims_of_ended_sessions_one_must_be_named() {
    let headless = Headless::local();
    headless.succeeds("submit --as planner --to coder --task import-9 --goal 'Port it too'");
    for line in ["claim export-7 --no-drift", "claim import-9 --no-drift"] {
        assert!(headless.alone(line).starts_with('✓'));
    }
    assert_eq!(
        headless.alone("checkpoint --completed x"),
        "error: sessions of coder that have ended hold several tasks: export-7, import-9\n  \
         hint: name one of them\n[exit 2]\n"
    );
    assert_eq!(
        headless.alone("checkpoint --completed x --fence 1"),
        "error: fence 1 is that of several tasks: export-7, import-9\n  \
         hint: name one of them\n[exit 2]\n"
    );
    assert!(headless.alone("checkpoint import-9 --completed x").starts_with('✓'));
    assert!(headless.alone("checkpoint --completed x --fence 2").starts_with('✓'));
}

#[test]
fn every_command_of_a_host_is_of_the_session_that_the_host_states() {
    everywhere(|headless| {
        for line in ["claim export-7 --no-drift", "checkpoint --completed 'A step'"] {
            let said = headless.alone_in("", line, &[("CLAUDE_CODE_SESSION_ID", "0f3c")]);
            assert!(said.starts_with('✓'), "{said}");
        }
        assert_eq!(headless.history().last().unwrap(), "started");
        assert!(!headless.history().iter().any(|event| event.starts_with("adopted")));
    });
}

#[test]
fn the_session_of_a_host_ends_with_the_host() {
    everywhere(|headless| {
        let claim = headless.coder("", "claim export-7 --no-drift");
        let host = OpenSession::after(&claim, "GEMINI_SESSION_ID=first");
        let checkpoint = || {
            let variables = [("GEMINI_SESSION_ID", "second")];
            headless.alone_in("", "checkpoint --completed 'A step'", &variables)
        };
        let said = checkpoint();
        assert!(said.contains("in another session that is still running (fence 1)"), "{said}");
        host.end();
        let said = checkpoint();
        assert!(said.starts_with('✓'), "{said}");
        let last = headless.history().split_off(2);
        assert_eq!(last, ["adopted 2", "checkpointed 2", "started"]);
    });
}

#[test]
fn a_halt_takes_the_last_checkpoint_of_a_session_that_has_ended() {
    everywhere(|headless| {
        assert!(headless.alone("claim export-7 --no-drift").starts_with('✓'));
        headless.succeeds("halt -m 'Stop it' --as coder");
        assert!(headless.alone("checkpoint --completed 'Half of it'").starts_with('✓'));
        assert!(headless.alone("renew").contains("[TK-PROJECT-HALTED]"));
    });
}
