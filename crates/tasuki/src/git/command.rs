//! Calls git within a time limit, with input and a temporary index where a call needs them.

use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::environment::shield;
use super::find;
use super::head::Repository;

/// LIMIT: bytes of an answer, enough for the names of some hundred thousand files.
const ANSWER_BYTES_MAX: u64 = 64 * 1_024 * 1_024;

/// LIMIT: bytes of an error message that are shown.
const ERROR_BYTES_MAX: u64 = 2_048;

/// The interval between checks of the program.
const STEP: Duration = Duration::from_millis(2);

/// Settings of every call: objects of others are checked, and new ones written quickly.
const SETTINGS: &[(&str, &str)] =
    &[("transfer.fsckObjects", "true"), ("core.looseCompression", "1")];

/// Git for one work tree. All calls share one time limit.
#[derive(Debug, Clone)]
pub(crate) struct Git {
    program: PathBuf,
    root: PathBuf,
    deadline: Instant,
    filters: Vec<String>,
}

/// One call of git.
#[derive(Debug)]
pub(crate) struct Call<'g> {
    git: &'g Git,
    command: Command,
    verb: String,
    input: Vec<u8>,
}

/// The end of a call.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: i32,
    pub(crate) output: Vec<u8>,
    error: String,
}

impl Git {
    /// Returns git for a work tree. Filters that the repository or the user configures are disabled, so
    /// that no call runs their programs and a file travels as it is on disk.
    pub(crate) fn open(repository: &Repository, limit: Duration) -> Result<Self, String> {
        let root = &repository.root;
        let program = find::program("git", std::env::var_os("PATH").as_deref(), &[root])?;
        let deadline = Instant::now() + limit;
        let bare = Self { program, root: root.clone(), deadline, filters: Vec::new() };
        let names = [r"^filter\..*\.(clean|smudge|process|required)$"];
        let found = bare.call("config").args(["-z", "--name-only", "--get-regexp"]).args(names);
        // Git exits with 1 if nothing matches.
        let listed = String::from_utf8_lossy(&found.answer()?.output).into_owned();
        let keys = listed.split('\0').filter_map(|key| Some(key.rsplit_once('.')?.0.to_owned()));
        let mut filters: Vec<String> = keys.collect();
        filters.sort();
        filters.dedup();
        Ok(Self { filters, ..bare })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns a call of a subcommand.
    pub(crate) fn call(&self, verb: &str) -> Call<'_> {
        let mut command = Command::new(&self.program);
        shield(&mut command);
        let filters = self.filters.iter().flat_map(|filter| {
            let settings = [("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")];
            settings.map(|(name, value)| (format!("{filter}.{name}"), value))
        });
        let settings = SETTINGS.iter().map(|(key, value)| ((*key).to_owned(), *value));
        let overrides: Vec<(String, &str)> = settings.chain(filters).collect();
        for (at, (key, value)) in overrides.iter().enumerate() {
            command.env(format!("GIT_CONFIG_KEY_{at}"), key);
            command.env(format!("GIT_CONFIG_VALUE_{at}"), value);
        }
        command.env("GIT_CONFIG_COUNT", overrides.len().to_string());
        command.arg("--work-tree=.").arg(verb).current_dir(&self.root);
        Call { git: self, command, verb: verb.to_owned(), input: Vec::new() }
    }

    /// Runs a subcommand and returns its output as one line of text.
    pub(crate) fn line(&self, verb: &str, arguments: &[&str]) -> Result<String, String> {
        self.call(verb).args(arguments).line()
    }
}

impl Call<'_> {
    pub(crate) fn args<A: AsRef<std::ffi::OsStr>>(
        mut self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        self.command.args(arguments);
        self
    }

    /// Works on another index than that of the work tree.
    pub(crate) fn index(self, index: &Path) -> Self {
        self.env("GIT_INDEX_FILE", index)
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn input(self, input: Vec<u8>) -> Self {
        Self { input, ..self }
    }

    /// Runs the call and returns the output as one line of text.
    pub(crate) fn line(self) -> Result<String, String> {
        Ok(String::from_utf8_lossy(&self.run()?).trim_end().to_owned())
    }

    /// Runs the call and returns its output, or the reason why it failed.
    pub(crate) fn run(self) -> Result<Vec<u8>, String> {
        let verb = self.verb.clone();
        let answer = self.answer()?;
        if answer.code == 0 {
            return Ok(answer.output);
        }
        let error = answer.error.trim();
        let error = if error.is_empty() { String::new() } else { format!(": {error}") };
        Err(format!("`git {verb}` exited with {}{error}", answer.code))
    }

    /// Runs the call and returns its answer, whatever its exit code is.
    pub(crate) fn answer(mut self) -> Result<Answer, String> {
        if Instant::now() >= self.git.deadline {
            return Err(late(&self.verb));
        }
        let failed = |error: std::io::Error| format!("cannot run git: {error}");
        let command = &mut self.command;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(failed)?;
        let write = child.stdin.take().map(|pipe| written(pipe, std::mem::take(&mut self.input)));
        let output = read(child.stdout.take(), ANSWER_BYTES_MAX);
        let error = read(child.stderr.take(), ERROR_BYTES_MAX);
        let code = self.git.wait(&mut child, &self.verb)?;
        // The pipes close with the program, so that these end as well.
        drop(write);
        let output = output.recv().unwrap_or_default();
        let error = String::from_utf8_lossy(&error.recv().unwrap_or_default()).into_owned();
        if output.len() as u64 >= ANSWER_BYTES_MAX {
            return Err(format!("`git {}` printed more than {ANSWER_BYTES_MAX} bytes", self.verb));
        }
        Ok(Answer { code, output, error })
    }
}

impl Git {
    fn wait(&self, child: &mut Child, verb: &str) -> Result<i32, String> {
        loop {
            match child.try_wait().map_err(|error| format!("cannot run git: {error}"))? {
                Some(status) => return Ok(status.code().unwrap_or(-1)),
                None if Instant::now() >= self.deadline => {
                    // A program that has just ended cannot be killed.
                    let _ended = child.kill().and_then(|()| child.wait()).is_err();
                    return Err(late(verb));
                }
                None => thread::sleep(STEP),
            }
        }
    }
}

fn late(verb: &str) -> String {
    format!("`git {verb}` did not finish in time")
}

/// Writes the input from a thread of its own, because git may print before it has read everything.
fn written(mut pipe: ChildStdin, input: Vec<u8>) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        // Git tells what it misses if it stops reading.
        let _closed = pipe.write_all(&input).is_err();
    })
}

/// Reads a pipe to its end; only the beginning is kept.
fn read(pipe: Option<impl Read + Send + 'static>, limit: u64) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut kept = Vec::new();
        if let Some(mut pipe) = pipe {
            let _cut = pipe.by_ref().take(limit).read_to_end(&mut kept).is_err();
            let _rest = std::io::copy(&mut pipe, &mut std::io::sink()).is_err();
        }
        // The call may have ended at its time limit.
        let _gone = sender.send(kept).is_err();
    });
    receiver
}
