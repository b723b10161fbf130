//! A fresh folder for one test, and the tool run in it.
//!
//! The environment is empty and no stream is a terminal, so that every machine gives the same text.
//! The output of a run is one text: exit code, stdout, stderr.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A folder that is removed at the end of the test.
#[derive(Debug)]
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self::within(Path::new(env!("CARGO_TARGET_TMPDIR")))
    }

    /// A folder outside of the repository, because what is found upward from here must not be ours.
    pub(crate) fn outside_repository() -> Self {
        Self::within(&std::env::temp_dir().canonicalize().unwrap())
    }

    fn within(parent: &Path) -> Self {
        Self(tempfile::Builder::new().prefix("tasuki-it-").tempdir_in(parent).unwrap())
    }

    /// The folder with one more file; folders on the way to it are made.
    pub(crate) fn with(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    /// The folder with the files of a folder of the repository.
    pub(crate) fn with_copy_of(self, folder: &str) -> Self {
        let files = repository_files(folder);
        files.into_iter().fold(self, |made, name| {
            let content = std::fs::read(repository(folder).join(&name)).unwrap();
            made.with(&name, content)
        })
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// The tool, not yet started.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tasuki"));
        command.args(arguments).current_dir(self.0.path()).env_clear().stdin(Stdio::null());
        command
    }

    /// Runs the tool and says how it ended and what it printed.
    pub(crate) fn run(&self, arguments: &[&str]) -> String {
        self.shown(&self.command(arguments).output().unwrap())
    }

    /// Runs a line as people type it, without the name of the tool. Both streams come as a terminal
    /// shows them.
    pub(crate) fn play(&self, line: &str) -> String {
        let words = words(line);
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        let (mut reader, writer) = std::io::pipe().unwrap();
        let mut command = self.command(&words);
        command.stdout(writer.try_clone().unwrap()).stderr(writer);
        let mut child = command.spawn().unwrap();
        // The command holds two ends of the pipe, and a reader waits for all of them.
        drop(command);
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        child.wait().unwrap();
        text
    }

    /// As [`Folder::run`], with something on stdin.
    pub(crate) fn run_with(&self, arguments: &[&str], stdin: &str) -> String {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A command that does not read stdin may have ended already.
        let _unread = child.stdin.take().unwrap().write_all(stdin.as_bytes()).is_err();
        self.shown(&child.wait_with_output().unwrap())
    }

    /// Only what is on stdout, of a run that must succeed.
    pub(crate) fn stdout(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().unwrap();
        assert!(output.status.success(), "{}", self.shown(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Only the exit code.
    pub(crate) fn exit(&self, arguments: &[&str]) -> i32 {
        self.command(arguments).output().unwrap().status.code().unwrap()
    }

    pub(crate) fn shown(&self, output: &Output) -> String {
        let code = output.status.code().map_or("by a signal".to_owned(), |code| code.to_string());
        let stream = |name: &str, bytes: &[u8]| {
            let text = String::from_utf8(bytes.to_vec()).expect("the tool prints UTF-8");
            let text = text.replace(&self.0.path().display().to_string(), "[DIR]");
            match text.as_str() {
                "" => String::new(),
                whole if whole.ends_with('\n') => format!("--- {name}\n{whole}"),
                cut => format!("--- {name}\n{cut}[no line end]\n"),
            }
        };
        let stdout = stream("stdout", &output.stdout);
        format!("exit {code}\n{stdout}{}", stream("stderr", &output.stderr))
    }
}

/// The words of a line; single quotes keep blanks together.
pub(crate) fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in line.split('\'').enumerate() {
        if index % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// A path of the repository.
pub(crate) fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// The files of a folder of the repository, sorted; folders below it come with their path.
pub(crate) fn repository_files(folder: &str) -> Vec<String> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(repository(folder)).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            let below = repository_files(&format!("{folder}/{name}"));
            names.extend(below.into_iter().map(|file| format!("{name}/{file}")));
        } else {
            names.push(name);
        }
    }
    names.sort();
    names
}
