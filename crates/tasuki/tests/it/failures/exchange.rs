//! A folder with an exchange in it, and questions about what it holds.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

use crate::support::folder::Folder;

/// A new exchange with a sender, `ana`, and a receiver, `ben`.
#[derive(Debug)]
pub(super) struct Exchange {
    pub(super) folder: Folder,
}

impl Exchange {
    pub(super) fn new() -> Self {
        // A repository of its own: else the place would be made at the root of this one.
        let made = Self { folder: Folder::outside_repository().with(".git/HEAD", "") };
        for line in ["init", "party add ana", "party add ben"] {
            made.succeed(&words(line));
        }
        assert!(made.folder.path(".tasuki/exchange.db").exists(), "the place is somewhere else");
        made
    }

    /// The tool in a session of its own, not yet started.
    pub(super) fn command(&self, session: &str, arguments: &[&str]) -> Command {
        let mut command = self.folder.command(arguments);
        command.env("TASUKI_SESSION", session);
        command
    }

    /// Runs the tool in a session.
    pub(super) fn run(&self, session: &str, line: &str) -> Output {
        self.command(session, &words(line)).output().unwrap()
    }

    /// Runs the tool, which must succeed.
    pub(super) fn succeed(&self, arguments: &[&str]) -> String {
        let output = self.command("main", arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", self.folder.shown(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Every event, oldest first.
    pub(super) fn events(&self) -> Vec<Event> {
        let text = self.succeed(&["events", "--json", "--limit", "100000"]);
        text.lines().map(|line| Event(serde_json::from_str(line).unwrap())).collect()
    }

    /// Recomputes the log; it must be intact.
    pub(super) fn check_log(&self) {
        let checked: Value =
            serde_json::from_str(&self.succeed(&["log", "check", "--json"])).unwrap();
        assert_eq!(checked["intact"], true, "{checked}");
    }

    /// The database of the only project.
    pub(super) fn database(&self) -> PathBuf {
        let projects = self.folder.path(".tasuki/projects");
        let mut found = std::fs::read_dir(projects).unwrap();
        found.next().unwrap().unwrap().path().join("project.db")
    }
}

/// The words of a line.
pub(super) fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// One event, as `tasuki events --json` prints it.
#[derive(Debug)]
pub(super) struct Event(Value);

impl Event {
    pub(super) fn task(&self) -> &str {
        self.0["task"].as_str().unwrap_or_default()
    }

    /// Returns the event types, without the prefix `handoff.`.
    pub(super) fn word(&self) -> &str {
        let kind = self.0["type"].as_str().unwrap();
        kind.strip_prefix("handoff.").unwrap_or(kind)
    }

    pub(super) fn attribute(&self, name: &str) -> &Value {
        &self.0["attributes"][name]
    }
}
