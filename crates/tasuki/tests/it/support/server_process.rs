//! A server as a process, which ends with the test, and what is asked of it.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::support::folder::{Folder, words};

/// A server that runs.
pub(crate) struct Served {
    pub(crate) child: Child,
    pub(crate) address: String,
    pub(crate) link: Option<String>,
}

impl Served {
    /// At a port that is free.
    pub(crate) fn start(folder: &Folder) -> Self {
        Self::start_at(folder, "127.0.0.1:0")
    }

    /// At this place.
    pub(crate) fn start_at(folder: &Folder, place: &str) -> Self {
        let mut command = folder.command(&["serve", "--json", "--listen", place]);
        // A program, where there is one of this name: the server then adds nobody for its link.
        command.env("USER", "op").stderr(Stdio::null());
        Self::by(command)
    }

    /// By a command that says in JSON where it listens.
    pub(crate) fn by(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
        let [address, link] =
            ["address", "link"].map(|name| said[name].as_str().map(str::to_owned));
        Self { child, address: address.unwrap(), link }
    }

    /// Host and port.
    pub(crate) fn place(&self) -> &str {
        self.address.strip_prefix("http://").unwrap()
    }

    /// The words of a line, asked of this server with a token from a folder without an exchange.
    pub(crate) fn asking(&self, away: &Folder, token: &str, line: &str) -> Command {
        let words = words(line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut command = away.command(&words);
        command
            .env("TASUKI_URL", &self.address)
            .env("TASUKI_TOKEN", token)
            .env("HOME", away.path("home"));
        command
    }
}

impl Drop for Served {
    /// As a power cut would: it has no time to say goodbye.
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
