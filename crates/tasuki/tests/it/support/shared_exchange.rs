//! An exchange in a temporary folder, and the parties that use it from their own sessions.
//!
//! Their output is one text: the line, what it printed, and its exit code unless it is 0. Ids, times,
//! digests and durations differ between runs and are replaced by names.

use std::process::Command;
use std::sync::Arc;

use tasuki_engine::command::Command as EngineCommand;
use tasuki_engine::engine::{Call, Engine};
use tasuki_engine::model::{GateRecord, Principal};
use tasuki_engine::ports::System;
use tasuki_engine::steps::PublishGate;
use tasuki_store::{Options, SqliteStore};

use crate::support::clock::{is_clock, without_dates};
use crate::support::folder::Folder;
use crate::support::reference::{is_version, with_references};

/// An exchange with the people `pia` and `quin`.
pub(crate) struct SharedExchange {
    pub folder: Folder,
}

impl SharedExchange {
    pub(crate) fn new() -> Self {
        let exchange = Self { folder: Folder::outside_repository() };
        for line in ["init", "party add pia --human", "party add quin --human"] {
            exchange.run("", line);
        }
        exchange
    }

    /// Runs a line as a party; `main/2` is its second session. It must succeed.
    pub(crate) fn run(&self, who: &str, line: &str) {
        let said = self.says(who, line);
        assert!(!said.contains("[exit "), "{said}");
    }

    /// Runs lines as parties, `who: line`, and says what each of them saw.
    pub(crate) fn play(&self, lines: &[&str]) -> String {
        let said = lines.iter().map(|line| {
            let (who, line) = line.split_once(": ").unwrap();
            self.says(who, line)
        });
        said.collect::<Vec<_>>().join("\n")
    }

    /// Runs a line and says what it printed.
    pub(crate) fn says(&self, who: &str, line: &str) -> String {
        let output = self.command(who, line).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let exit = match output.status.code() {
            Some(0) => String::new(),
            code => format!("[exit {}]\n", code.unwrap_or(-1)),
        };
        let printed = format!("{}{}{exit}", text(&output.stdout), text(&output.stderr));
        format!("{who}$ {line}\n{}", self.filtered(&printed))
    }

    /// Asks for an approval without waiting for the decision.
    pub(crate) fn ask(&self, who: &str, what: &str) {
        let said = self.says(who, &asking(what));
        assert!(said.contains("[exit 20]"), "{said}");
    }

    /// Returns the JSON that a line prints.
    pub(crate) fn json(&self, who: &str, line: &str) -> serde_json::Value {
        let output = self.command(who, &format!("{line} --json")).output().unwrap();
        let said = self.folder.shown(&output);
        assert!(output.status.success(), "{said}");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{said}"))
    }

    /// Returns the command of a line; `build-42@seen` names the current version.
    pub(crate) fn command(&self, who: &str, line: &str) -> Command {
        let line = with_references(line, |show| self.command(who, show));
        let words = crate::support::folder::words(&line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut command = self.folder.command(&words);
        let (party, session) = who.split_once('/').unwrap_or((who, "1"));
        command.env("TASUKI_AS", party).env("TASUKI_SESSION", format!("s{party}-{session}"));
        command
    }

    /// Returns the reference that `tasuki show` prints.
    pub(crate) fn reference(&self, who: &str, task: &str) -> String {
        self.json(who, &format!("show {task}"))["reference"].as_str().unwrap().to_owned()
    }

    /// Publishes a gate, for which there is no command.
    pub(crate) fn gate(&self, document: serde_json::Value) {
        let store = SqliteStore::open(&self.folder.path(".tasuki"), Options::default()).unwrap();
        let engine = Engine::start(Arc::new(store), Arc::new(System), Arc::new(System));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let project = engine.project("default").await.unwrap();
            let command = EngineCommand::PublishGate(PublishGate(GateRecord { document }));
            let principal = Principal::system();
            engine.run(Call { project, principal, command, key: None }).await.unwrap();
        });
    }

    /// Runs a line at a terminal and types an answer to each question. Nothing where this machine
    /// has no way to make one.
    pub(crate) fn at_terminal(&self, who: &str, line: &str, typed: &[&str]) -> Option<String> {
        self.typed(&self.command(who, line), typed)
    }

    /// Runs any command at a terminal, also outside of the folder of this exchange.
    pub(crate) fn typed(&self, command: &Command, typed: &[&str]) -> Option<String> {
        let mut arguments = vec![command.get_program().to_owned()];
        arguments.extend(command.get_args().map(ToOwned::to_owned));
        let environment = command
            .get_envs()
            .filter_map(|(name, value)| Some(format!("{}={}", name.to_str()?, value?.to_str()?)));
        let output = Command::new("python3")
            .current_dir(command.get_current_dir()?)
            .args(["-c", TERMINAL])
            .arg(typed.join("\n"))
            .arg(environment.collect::<Vec<_>>().join("\n"))
            .args(arguments)
            .output()
            .ok()?;
        let said = String::from_utf8_lossy(&output.stdout).replace('\r', "");
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        Some(self.filtered(&said))
    }

    fn filtered(&self, text: &str) -> String {
        let folder = self.folder.path("").display().to_string();
        filtered(&text.replace(folder.trim_end_matches('/'), "[DIR]"))
    }
}

/// The line that asks for an approval and does not wait for the decision.
pub(crate) fn asking(what: &str) -> String {
    format!("request-approval {what} --timeout 0s --leave")
}

/// Starts the command with a terminal of its own, answers each question, and prints what it said.
const TERMINAL: &str = r#"
import os, pty, sys, time
typed = sys.argv[1].split("\n")
pid, terminal = pty.fork()
if pid == 0:
    os.execve(sys.argv[3], sys.argv[3:], dict(pair.split("=", 1) for pair in sys.argv[2].split("\n")))
said = b""
while True:
    try:
        part = os.read(terminal, 65536)
    except OSError:
        break
    if not part:
        break
    said += part
    if typed and (said.endswith(b": ") or said.endswith(b"[y/N] ")):
        time.sleep(0.3)
        os.write(terminal, typed.pop(0).encode() + b"\n")
_, status = os.waitpid(pid, 0)
code = os.waitstatus_to_exitcode(status)
sys.stdout.buffer.write(said)
if code != 0:
    print("[exit %d]" % code)
"#;

/// The text with everything that is another in every run replaced by its name.
pub(crate) fn filtered(text: &str) -> String {
    let mut filtered = String::new();
    for line in text.split_inclusive('\n') {
        let line = with_words_replaced(line);
        filtered.push_str(&with_lengths_replaced(&without_dates(&line)));
    }
    filtered
}

fn with_words_replaced(line: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '-' | '.');
    let mut text = String::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len()).max(first.len_utf8());
        let (word, after) = rest.split_at(end);
        let bare = word.trim_end_matches([':', '-', '.']);
        text.push_str(name_of(bare).unwrap_or(bare));
        text.push_str(&word[bare.len()..]);
        rest = after;
    }
    text
}

fn name_of(word: &str) -> Option<&'static str> {
    let is_hex = |text: &str, length: usize| {
        text.len() == length && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    };
    let (prefix, digits) = word.split_once('_').unwrap_or(("", word));
    match prefix {
        "hof" if is_hex(digits, 6) || is_hex(digits, 32) => return Some("[handoff]"),
        "ret" if is_hex(digits, 32) => return Some("[return]"),
        "qst" if is_hex(digits, 32) => return Some("[question]"),
        "chk" | "dec" | "clm" | "pty" | "tsk" if is_hex(digits, 32) => return Some("[id]"),
        _ => {}
    }
    if word.strip_prefix("sha256:").is_some_and(|digits| is_hex(digits, 64)) {
        return Some("[digest]");
    }
    if is_version(word) {
        return Some("[version]");
    }
    let is_time = word.len() >= 19 && word.as_bytes()[4] == b'-' && word.as_bytes()[10] == b'T';
    match () {
        () if is_clock(word) => Some("[clock]"),
        () if is_time => Some("[time]"),
        () if is_hex(word, 6) => Some("[short]"),
        () if is_hex(word, 16) => Some("[marker]"),
        () if word.starts_with("edit-") => Some("[draft]"),
        () => None,
    }
}

/// `in 29 min` is `in 30 min` on another day.
fn with_lengths_replaced(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let is_number = |at: usize| words[at].parse::<u64>().is_ok();
    let unit = |at: usize| words.get(at).map(|word| word.trim_end_matches(['\n', '.', ',', ';']));
    let is_length = |at: usize| {
        is_number(at) && matches!(unit(at + 1), Some("s" | "min" | "h" | "d" | "tokens" | "or"))
    };
    let shown = (0..words.len()).map(|at| if is_length(at) { "[n]" } else { words[at] });
    shown.collect::<Vec<_>>().join(" ")
}
