//! An exchange in a temporary folder with a few handoffs, used by one caller.
//!
//! Ids, hashes, times and lengths of time are other ones in every run and are replaced by their names.

use std::process::Command;
use std::sync::Arc;

use tasuki_engine::command::Command as EngineCommand;
use tasuki_engine::engine::{Call, Engine};
use tasuki_engine::model::Principal;
use tasuki_engine::ports::System;
use tasuki_packet::id::HandoffId;
use tasuki_packet::leaf::ActorKind;
use tasuki_store::{Options, SqliteStore};

use crate::support::clock::{is_clock, without_dates};
use crate::support::folder::{Folder, words};
use crate::support::reference::{is_version, with_references};

/// An exchange in a folder of its own.
pub(crate) struct Fixture {
    pub(crate) folder: Folder,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let fixture = Self { folder: Folder::outside_repository() };
        fixture.run("init");
        fixture
    }

    /// An exchange on which everything has happened that most tests need: `build` went all the way,
    /// `review` waits for a person, `draft` is offered.
    pub(crate) fn with_work() -> Self {
        let fixture = Self::new();
        for line in [
            "party add ana --human --no-password",
            "submit --as planner --to coder --task build --goal 'Ship the part'",
            "claim build --as coder --no-drift",
            "checkpoint build --as coder --completed 'Wrote it' --remaining 'Test it'",
            "submit --as planner --to ana --task review --goal 'Look at the plan' --hold",
            "submit --as planner --to coder --task draft --goal 'Draft the note'",
        ] {
            fixture.run(line);
        }
        fixture.write("return.json", RETURN);
        fixture.run("return build -f return.json --as coder");
        fixture
    }

    pub(crate) fn write(&self, name: &str, content: &str) {
        std::fs::write(self.folder.path(name), content).unwrap();
    }

    /// Runs a line that must succeed.
    pub(crate) fn run(&self, line: &str) {
        let said = self.says(line);
        assert!(!said.contains("[exit "), "{said}");
    }

    /// The tool with the words of a line, not yet started. All lines are of one session.
    pub(crate) fn command(&self, line: &str) -> Command {
        let line = with_references(line, |show| self.command(show));
        let words = words(&line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut command = self.folder.command(&words);
        command.env("TASUKI_SESSION", "desk");
        command
    }

    /// Runs lines and says what each printed, and its exit code unless it is 0.
    pub(crate) fn play(&self, lines: &[&str]) -> String {
        lines.iter().map(|line| self.says(line)).collect::<Vec<_>>().join("\n")
    }

    pub(crate) fn says(&self, line: &str) -> String {
        let output = self.command(line).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let exit = match output.status.code() {
            Some(0) => String::new(),
            code => format!("[exit {}]\n", code.unwrap_or(-1)),
        };
        let folder = self.folder.path("").display().to_string();
        let printed = format!("{}{}{exit}", text(&output.stdout), text(&output.stderr));
        let folder = folder.trim_end_matches('/');
        let printed = printed.replace(folder, "[DIR]");
        // The store names the folder without what is above it.
        let printed = printed.replace(folder.rsplit('/').next().unwrap(), "[DIR]");
        format!("$ {line}\n{}", filtered(&without_projects(&printed)))
    }

    /// Returns the stdout of a line, unfiltered.
    pub(crate) fn stdout(&self, line: &str) -> String {
        let output = self.command(line).output().unwrap();
        assert!(output.status.success(), "{}", self.folder.shown(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The objects that a line prints, one per line of its output.
    pub(crate) fn objects(&self, line: &str) -> Vec<serde_json::Value> {
        let text = self.stdout(&format!("{line} --json"));
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Lets `ana`, who is a person, do something with a task's handoff.
    pub(crate) fn decide(&self, task: &str, command: impl FnOnce(HandoffId) -> EngineCommand) {
        let id = self.objects(&format!("list --task {task}"))[0]["id"].as_str().unwrap().to_owned();
        let store = SqliteStore::open(&self.folder.path(".tasuki"), Options::default()).unwrap();
        let engine = Engine::start(Arc::new(store), Arc::new(System), Arc::new(System));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let project = engine.project("default").await.unwrap();
            let ana = engine.directory(project).await.unwrap().find("ana").unwrap().id;
            let principal = Principal::local(ana, ActorKind::Human);
            let command = command(id.parse().unwrap());
            engine.run(Call { project, principal, command, key: None }).await.unwrap();
        });
    }

    /// Runs a statement on the database of the one project, past the store. `false` where this
    /// machine has no way to.
    pub(crate) fn is_damaged_by(&self, statement: &str) -> bool {
        let projects = std::fs::read_dir(self.folder.path(".tasuki/projects")).unwrap();
        let project = projects.map(|entry| entry.unwrap().path()).next().unwrap();
        let script = "import sqlite3, sys\n\
                      with sqlite3.connect(sys.argv[1]) as database: database.execute(sys.argv[2])";
        let mut python = Command::new("python3");
        python.args(["-c", script]).arg(project.join("project.db")).arg(statement);
        python.output().is_ok_and(|output| output.status.success())
    }

    pub(crate) fn exit(&self, line: &str) -> i32 {
        self.command(line).output().unwrap().status.code().unwrap()
    }
}

const RETURN: &str = r#"{"handoff_version":"1.0","packet_type":"return","task_id":"build",
    "from_agent":"coder","to_agent":"planner","status":"completed","summary":"It is shipped"}"#;

/// The text with everything that is another in every run replaced by its name.
fn filtered(text: &str) -> String {
    let mut words = Vec::new();
    for word in text.split_inclusive([' ', '\n']) {
        let bare = word.trim_end_matches([' ', '\n', ',', ':', ')', '.', ';']);
        let start = bare.trim_start_matches(['(', '`']);
        let named = name_of(start).map(|name| bare.replace(start, name));
        words.push(named.map_or_else(|| word.to_owned(), |named| named + &word[bare.len()..]));
    }
    without_dates(&without_lengths(&words))
}

/// The folder of a project is named by its id.
fn without_projects(text: &str) -> String {
    let mut parts = text.split("prj_");
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |told, part| format!("{told}[project]{}", &part[32..]))
}

fn name_of(word: &str) -> Option<&'static str> {
    let is_hex = |text: &str, lengths: &[usize]| {
        lengths.contains(&text.len())
            && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    };
    let is_instant = |text: &str| text.len() >= 20 && text.ends_with('Z') && &text[10..11] == "T";
    match word.split_once('_') {
        Some(("hof", digits)) if is_hex(digits, &[6, 32]) => return Some("[handoff]"),
        Some(("tok", digits)) if is_hex(digits, &[8, 32]) => return Some("[token]"),
        Some((_, digits)) if is_hex(digits, &[32]) => return Some("[id]"),
        _ => {}
    }
    let version = word.split_once('@').map(|(_, version)| version);
    if version.is_some_and(|version| is_version(version) || version.starts_with("ret_")) {
        return Some("[reference]");
    }
    if is_clock(word) {
        return Some("[clock]");
    }
    match word.len() {
        44 if word.ends_with('=') => Some("[hash]"),
        _ if is_hex(word, &[6]) => Some("[short]"),
        _ if word.is_ascii() && is_instant(word) => Some("[time]"),
        _ if word.starts_with("sha256:") => Some("[digest]"),
        _ => None,
    }
}

/// `3 s ago` is `4 s ago` on a busy machine, and columns move with what is in them.
fn without_lengths(words: &[String]) -> String {
    let unit =
        |at: usize| words.get(at).map(|word| word.trim_end_matches([' ', '\n', ')', '.', ',']));
    let is_length = |at: usize| {
        let number = words[at].trim().trim_start_matches('(');
        number.parse::<f64>().is_ok() && matches!(unit(at + 1), Some("s" | "min" | "MB" | "KB"))
    };
    let mut text = String::new();
    for (at, word) in words.iter().enumerate() {
        let is_gap = word == " ";
        match () {
            () if is_length(at) => {
                text.push_str(if word.starts_with('(') { "([n] " } else { "[n] " });
            }
            () if is_gap && text.ends_with("  ") => {}
            () => text.push_str(word),
        }
    }
    text
}
