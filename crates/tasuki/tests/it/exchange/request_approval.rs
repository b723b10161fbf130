//! `tasuki request-approval` asks a person, waits, and says by its exit code what was decided.
//!
//! Each test runs the real program, in the folder of the exchange and through a server.

use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::folder::{Folder, repository, words};
use crate::support::reference::with_references;
use crate::support::server_process::ServerProcess;

const TOKEN: &str = "token create --scope submit,receive,read,decide -q --as";

/// An exchange with the agent `coder` and the people `ana` and `ben`.
struct Door {
    /// The folder in which the commands run.
    folder: Folder,
    server: Option<Remote>,
}

/// A server, and the tokens of its parties.
struct Remote {
    process: ServerProcess,
    _folder: Folder,
    tokens: Vec<(&'static str, String)>,
}

impl Door {
    fn local() -> Self {
        let folder = Folder::outside_repository();
        set_up(&folder);
        Self { folder, server: None }
    }

    fn remote() -> Self {
        let served = Folder::outside_repository();
        set_up(&served);
        let token = |name: &'static str| {
            let scopes = if name == "coder" { TOKEN.replace(",decide", "") } else { TOKEN.into() };
            let words = words(&format!("{scopes} {name}"));
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            (name, served.stdout(&words).trim().to_owned())
        };
        let tokens = ["coder", "ana", "ben"].map(token).to_vec();
        let process = ServerProcess::start(&served);
        let server = Remote { process, _folder: served, tokens };
        Self { folder: Folder::outside_repository(), server: Some(server) }
    }

    fn both(check: fn(&Self)) {
        check(&Self::local());
        check(&Self::remote());
    }

    fn command(&self, who: &str, line: &str) -> Command {
        let line = &with_references(line, |show| self.command(who, show));
        let mut command = match &self.server {
            None => {
                let words = words(line);
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                let mut command = self.folder.command(&words);
                command.env("TASUKI_AS", who);
                command
            }
            Some(Remote { process, tokens, .. }) => {
                let token = &tokens.iter().find(|(name, _)| *name == who).unwrap().1;
                process.client_command(&self.folder, token, line)
            }
        };
        command.env("TASUKI_SESSION", format!("s-{who}"));
        command
    }

    fn output(&self, who: &str, line: &str) -> Output {
        self.command(who, line).output().unwrap()
    }

    fn run(&self, who: &str, line: &str) {
        let output = self.output(who, line);
        assert!(output.status.success(), "{line}\n{}", self.folder.shown(&output));
    }

    fn json(&self, who: &str, line: &str) -> Value {
        let output = self.output(who, &format!("{line} --json"));
        let said = self.folder.shown(&output);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{line}\n{said}"))
    }

    /// The handoffs that wait for a person.
    fn held(&self) -> Vec<Value> {
        let output = self.output("ana", "list --state held --json");
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Starts a request, and returns when it waits for a person.
    fn ask(&self, line: &str) -> Asking<'_> {
        let mut command = self.command("coder", &format!("request-approval {line}"));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        let handoff = eventually(|| self.held().pop());
        Asking { door: self, child, id: handoff["id"].as_str().unwrap().to_owned() }
    }

    /// The state of a handoff.
    fn state(&self, id: &str) -> String {
        self.json("ana", &format!("show {id}"))["handoff"]["state"].as_str().unwrap().to_owned()
    }
}

/// A request that waits for a person.
struct Asking<'d> {
    door: &'d Door,
    child: Child,
    id: String,
}

impl Asking<'_> {
    /// Lets `ana` decide, and returns the exit code, stdout and stderr of the request.
    fn decide(self, line: &str) -> (i32, String, String) {
        self.door.run("ana", &line.replace("ID", &self.id));
        self.end()
    }

    fn end(self) -> (i32, String, String) {
        let output = self.child.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }
}

fn set_up(folder: &Folder) {
    folder.stdout(&["init"]);
    // `op` runs the server.
    for name in ["coder", "op"] {
        folder.stdout(&["party", "add", name]);
    }
    for name in ["ana", "ben"] {
        folder.stdout(&["party", "add", name, "--human", "--no-password"]);
    }
    folder.stdout(&["party", "add", "role:release", "--member", "ben"]);
    let rules = repository("rules/default.yaml");
    folder.stdout(&["rules", "set", rules.to_str().unwrap()]);
}

fn eventually<T>(mut find: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        if let Some(found) = find() {
            return found;
        }
        assert!(Instant::now() < end, "it did not happen in time");
        sleep(Duration::from_millis(20));
    }
}

#[test]
fn an_approved_request_succeeds_and_the_task_that_was_begun_for_it_is_done() {
    Door::both(|door| {
        let asking = door.ask("'Deploy 2.4.1'");
        assert_eq!(door.held()[0]["risk"], "medium");
        assert_eq!(door.held()[0]["goal"], "Get approval: Deploy 2.4.1");
        let id = asking.id.clone();
        let (exit, stdout, stderr) = asking.decide("approve ID@seen");
        assert_eq!((exit, stdout.as_str()), (0, ""), "{stderr}");
        let expected = "Waiting for a person (ana, ben) …\n✓ ana approved it at ";
        assert!(stderr.contains(expected), "{stderr}");
        assert_eq!(door.state(&id), "done");
        let decided = door.json("coder", &format!("wait {id} --until decided"));
        assert_eq!(decided["approval"]["action"], json!({ "action": "Deploy 2.4.1" }));
        assert_eq!(decided["approval"]["result"], "approved");
    });
}

#[test]
fn a_rejected_request_fails_with_the_reason() {
    Door::both(|door| {
        let asking = door.ask("'Deploy 2.4.1'");
        let id = asking.id.clone();
        let (exit, stdout, stderr) = asking.decide("reject ID -m 'Not on a Friday'");
        assert_eq!((exit, stdout.as_str()), (10, ""), "{stderr}");
        assert!(stderr.contains("✗ ana rejected it at "), "{stderr}");
        assert!(stderr.ends_with(": \"Not on a Friday\"\n"), "{stderr}");
        assert_eq!(door.state(&id), "cancelled");
        let waited = door.output("coder", &format!("wait {id} --until decided"));
        assert_eq!(waited.status.code(), Some(10));
    });
}

#[test]
fn an_edited_action_is_the_only_text_on_stdout() {
    Door::both(|door| {
        std::fs::write(door.folder.path("action.json"), r#"{"run":"deploy"}"#).unwrap();
        let edited = r#"{"action":"Deploy \"2.4.2\"\n  to staging"}"#;
        std::fs::write(door.folder.path("edited.json"), edited).unwrap();
        let asking = door.ask("--action-file action.json");
        let (exit, stdout, stderr) =
            asking.decide("edit ID@seen --file edited.json --yes -m Safer");
        let expected = "Deploy \"2.4.2\"\n  to staging\n";
        assert_eq!((exit, stdout.as_str()), (16, expected), "{stderr}");
        assert!(stderr.contains("✓ ana changed it and approved the changed action at "));
    });
}

/// Members in an unusual order, escapes, and numbers of every kind.
const EDITED: &str =
    "{\"z\":\"tab\\tquote\\\" ü \\u0001\",\"a\":[1,2.5,-0.001],\"n\":{},\"b\":null}";

#[test]
fn an_approved_action_is_returned_byte_for_byte() {
    Door::both(|door| {
        std::fs::write(door.folder.path("edited.json"), EDITED).unwrap();
        let asking = door.ask("'rm -r build' --json");
        let id = asking.id.clone();
        let (exit, stdout, stderr) = asking.decide("edit ID@seen --file edited.json --yes");
        assert_eq!(exit, 16, "{stderr}");
        let said: Value = serde_json::from_str(&stdout).unwrap();
        assert_eq!(said["outcome"], "edited");
        assert_eq!(said["handoff"]["state"], "done");
        let shown = door.json("ana", &format!("show {id}"));
        let waited = door.output("coder", &format!("wait {id} --until decided --json"));
        assert_eq!(waited.status.code(), Some(16));
        let waited: Value = serde_json::from_slice(&waited.stdout).unwrap();
        for object in [said, shown, waited] {
            assert_eq!(object["approval"]["action"].to_string(), EDITED);
        }
    });
}

#[test]
fn a_request_that_times_out_is_withdrawn() {
    Door::both(|door| {
        let output = door.output("coder", "request-approval 'Deploy 2.4.1' --timeout 0s");
        let said = door.folder.shown(&output);
        assert_eq!(output.status.code(), Some(20), "{said}");
        assert!(said.contains("No one decided in time; the request was withdrawn"), "{said}");
        assert!(door.held().is_empty());
        let all = door.output("ana", "list --all --json");
        let task: Value = serde_json::from_slice(&all.stdout).unwrap();
        assert_eq!(task["state"], "cancelled");
    });
}

#[test]
fn a_request_that_is_left_open_can_still_be_decided() {
    Door::both(|door| {
        let output = door.output("coder", "request-approval 'Deploy 2.4.1' --timeout 0s --leave");
        let said = door.folder.shown(&output);
        assert_eq!(output.status.code(), Some(20), "{said}");
        assert!(said.contains("the request stays open\nNext: tasuki wait "), "{said}");
        let id = door.held()[0]["id"].as_str().unwrap().to_owned();
        door.run("ana", &format!("approve {id}@seen"));
        door.run("coder", &format!("wait {id} --until decided"));
        assert_eq!(door.state(&id), "done");
    });
}

#[test]
fn an_interrupted_request_is_withdrawn() {
    for signal in ["-INT", "-TERM"] {
        let door = if signal == "-INT" { Door::local() } else { Door::remote() };
        let asking = door.ask("'Deploy 2.4.1'");
        let id = asking.id.clone();
        asking.signal(signal);
        let (exit, stdout, stderr) = asking.end();
        assert_eq!((exit, stdout.as_str()), (130, ""), "{stderr}");
        assert!(stderr.contains("! Interrupted; the request was withdrawn"), "{stderr}");
        assert_eq!(door.state(&id), "cancelled");
        let late = door.output("ana", &format!("approve {id}@seen"));
        assert_eq!(late.status.code(), Some(6), "{}", door.folder.shown(&late));
    }
}

#[test]
fn an_interrupted_request_stays_open_with_leave() {
    let door = Door::local();
    let asking = door.ask("'Deploy 2.4.1' --leave");
    let id = asking.id.clone();
    asking.signal("-INT");
    assert_eq!(asking.end().0, 130);
    assert_eq!(door.state(&id), "held");
}

#[test]
fn asking_again_for_the_same_action_finds_the_pending_request() {
    Door::both(|door| {
        let first = door.ask("'Deploy 2.4.1'");
        let mut again = door.command("coder", "request-approval 'Deploy 2.4.1'");
        again.env("TASUKI_SESSION", "another").stderr(Stdio::piped());
        let again = again.spawn().unwrap();
        let other = door.output("coder", "request-approval 'Deploy 2.4.2' --timeout 0s --leave");
        assert_eq!(other.status.code(), Some(20));
        assert_eq!(door.held().len(), 2);
        assert_eq!(first.decide("approve ID@seen").0, 0);
        let again = again.wait_with_output().unwrap();
        assert_eq!(again.status.code(), Some(0), "{}", door.folder.shown(&again));
        let said = String::from_utf8(again.stderr).unwrap();
        assert!(said.starts_with("This action was already requested.\n"), "{said}");
    });
}

#[test]
fn a_pending_request_of_other_people_is_not_taken_for_it() {
    let door = Door::local();
    let _asking = door.output("coder", "request-approval 'Deploy 2.4.1' --timeout 0s --leave");
    let again = "request-approval 'Deploy 2.4.1' --to role:release --timeout 0s --leave";
    let output = door.output("coder", again);
    let said = door.folder.shown(&output);
    assert_eq!(output.status.code(), Some(6), "{said}");
    assert!(said.contains("already waits for a person, but not for `role:release`"), "{said}");
}

#[test]
fn the_role_that_should_decide_is_named_and_no_one_else_may() {
    Door::both(|door| {
        let asking = door.ask("'Deploy 2.4.1' --to role:release");
        let other = door.output("ana", &format!("approve {}@seen", asking.id));
        assert_eq!(other.status.code(), Some(4), "{}", door.folder.shown(&other));
        door.run("ben", &format!("approve {}@seen", asking.id));
        let (exit, _, stderr) = asking.end();
        assert_eq!(exit, 0);
        let waiting = "Waiting for a person (role:release: ben) …\n✓ ben approved it at ";
        assert!(stderr.contains(waiting), "{stderr}");
    });
}

#[test]
fn a_shipped_rule_raises_the_risk_of_a_production_deployment() {
    Door::both(|door| {
        door.run("coder", "begin --goal 'Ship it' --task build-42");
        for (action, risk, causes) in [
            ("Deploy 2.4.1 to staging", "medium", vec!["holder"]),
            (
                "Deploy 2.4.1 to production",
                "high",
                vec!["holder", "rule:production-deployment", "rule:anything-dear"],
            ),
        ] {
            let asking = door.ask(&format!("'{action}'"));
            let shown = door.json("ana", &format!("show {}", asking.id));
            assert_eq!(shown["handoff"]["risk"], risk, "{shown}");
            let by = shown["handoff"]["causes"].as_array().unwrap().iter().map(|one| &one["by"]);
            assert_eq!(by.collect::<Vec<_>>(), causes, "{shown}");
            assert_eq!(asking.decide("reject ID -m 'Not now'").0, 10);
        }
    });
}

#[test]
fn a_holder_asks_within_its_task_and_keeps_it() {
    Door::both(|door| {
        door.run("coder", "begin --goal 'Ship it' --task build-42");
        let asking = door.ask("'Deploy 2.4.1'");
        assert_eq!(door.held()[0]["task"], "build-42");
        assert_eq!(asking.decide("approve ID@seen").0, 0);
        assert_eq!(door.state("build-42"), "claimed");
        let asking = door.ask("'Deploy 2.4.2' --task build-42");
        asking.signal("-INT");
        assert_eq!(asking.end().0, 130);
        assert_eq!(door.state("build-42"), "claimed");
        let waited = door.output("coder", "wait build-42 --until decided --timeout 0s");
        assert_eq!(waited.status.code(), Some(12), "{}", door.folder.shown(&waited));
        door.run("coder", "return --summary 'It is shipped'");
        assert_eq!(door.held().len(), 0);
    });
}

#[test]
fn a_request_that_is_refused_leaves_no_task() {
    let door = Door::local();
    std::fs::write(door.folder.path("no.json"), "deploy").unwrap();
    std::fs::write(door.folder.path("bytes"), [0xff, 0xfe]).unwrap();
    for (line, exit) in [
        ("request-approval ' '", 3),
        ("request-approval Deploy --to nobody", 5),
        ("request-approval Deploy --to coder", 3),
        ("request-approval Deploy --task unknown", 5),
        ("request-approval --action-file no.json", 3),
        ("request-approval --action-file bytes", 3),
        ("request-approval --action-file missing", 2),
        ("request-approval", 2),
    ] {
        let output = door.output("coder", line);
        assert_eq!(output.status.code(), Some(exit), "{line}\n{}", door.folder.shown(&output));
    }
    let open = door.output("ana", "list --json");
    assert!(open.stdout.is_empty(), "{}", door.folder.shown(&open));
}
