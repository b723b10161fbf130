//! A git repository with an exchange, and the hooks of agents' hosts that run in it.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::support::folder::{Folder, words};

/// The recorded inputs of the hooks.
const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/hooks");

/// A repository at `work/` and a home directory at `home/`.
pub(crate) struct WorkTree {
    pub(crate) folder: Folder,
}

/// The answer of a hook.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Answer {
    /// Returns the answer as JSON, or null if there is none.
    pub(crate) fn json(&self) -> serde_json::Value {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""), "{self:?}");
        if self.stdout.is_empty() {
            return serde_json::Value::Null;
        }
        serde_json::from_str(&self.stdout).unwrap()
    }
}

impl WorkTree {
    /// A repository with one commit on branch `main`, and an exchange.
    pub(crate) fn new() -> Self {
        let made = Self::without_exchange();
        made.ok("init");
        made
    }

    pub(crate) fn without_exchange() -> Self {
        let folder = Folder::outside_repository()
            .with("home/.keep", "")
            .with("work/README.md", "A project.\n")
            .with("work/src/lexer.rs", "// the lexer\n");
        let made = Self { folder };
        for line in ["init -q -b main", "add -A", "commit -q -m 'Start'"] {
            made.git(line);
        }
        made
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.folder.path("work")
    }

    pub(crate) fn write(&self, name: &str, content: &str) {
        let path = self.work().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn git(&self, line: &str) -> String {
        self.git_in(&self.work(), line)
    }

    pub(crate) fn git_in(&self, folder: &Path, line: &str) -> String {
        let mut git = Command::new("git");
        git.args(words(line)).current_dir(folder);
        self.with_environment(&mut git);
        for (name, value) in [("AUTHOR", "Ana"), ("COMMITTER", "Ana")] {
            git.env(format!("GIT_{name}_NAME"), value);
            git.env(format!("GIT_{name}_EMAIL"), "ana@example.org");
        }
        let output = git.output().unwrap();
        assert!(output.status.success(), "{line}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Sets what a host passes on: home and search path.
    pub(crate) fn with_environment(&self, command: &mut Command) {
        command.env_clear().env("HOME", self.folder.path("home"));
        command.env("PATH", std::env::var_os("PATH").unwrap());
        command.env("GIT_CONFIG_NOSYSTEM", "1");
    }

    /// The tool with the words of a line, in the repository.
    pub(crate) fn command(&self, line: &str) -> Command {
        self.command_in(&self.work(), line)
    }

    pub(crate) fn command_in(&self, folder: &Path, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tasuki"));
        command.args(words(line)).current_dir(folder).stdin(Stdio::null());
        self.with_environment(&mut command);
        command
    }

    /// Runs a line that must succeed, and returns its stdout.
    pub(crate) fn ok(&self, line: &str) -> String {
        let output = self.command(line).output().unwrap();
        assert!(output.status.success(), "{line}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs a line, and returns everything that it prints, without what is another in every run.
    pub(crate) fn says(&self, line: &str) -> String {
        let output = self.command(line).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        self.plain(&format!("{}{}", text(&output.stdout), text(&output.stderr)))
    }

    /// Replaces the folder of the test.
    pub(crate) fn plain(&self, text: &str) -> String {
        let folder = self.folder.path("").display().to_string();
        text.replace(folder.trim_end_matches('/'), "[DIR]")
    }

    /// The recorded input of a hook, for this repository.
    pub(crate) fn input(&self, host: &str, event: &str) -> String {
        let text = std::fs::read_to_string(format!("{FIXTURES}/{host}/{event}.json")).unwrap();
        let path = |name: &str| self.folder.path(name).display().to_string();
        text.replace("[WORK]", &path("work")).replace("[HOME]", &path("home"))
    }

    /// Runs a hook with its recorded input.
    pub(crate) fn hook(&self, host: &str, event: &str) -> Answer {
        self.hook_with(host, event, &self.input(host, event))
    }

    pub(crate) fn hook_with(&self, host: &str, event: &str, input: &str) -> Answer {
        let command = self.command(&format!("hook {host} {event}"));
        answer(run(command, input))
    }
}

/// Runs a command with this input.
pub(crate) fn run(mut command: Command, input: &str) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A hook may end without reading its input.
    let _gone = child.stdin.take().unwrap().write_all(input.as_bytes()).is_err();
    child.wait_with_output().unwrap()
}

pub(crate) fn answer(output: Output) -> Answer {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Answer { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}
