//! A server process, which ends with the test.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::support::folder::{Folder, words};

/// A server that runs.
pub(crate) struct ServerProcess {
    pub(crate) child: Child,
    pub(crate) address: String,
    pub(crate) link: Option<String>,
}

impl ServerProcess {
    /// Starts it at a free port.
    pub(crate) fn start(folder: &Folder) -> Self {
        Self::start_at(folder, "127.0.0.1:0")
    }

    /// Starts it at this address.
    pub(crate) fn start_at(folder: &Folder, place: &str) -> Self {
        let mut command = folder.command(&["serve", "--json", "--listen", place]);
        // The name of an agent, so that the server adds no person for its sign-in link.
        command.env("USER", "op").stderr(Stdio::null());
        Self::spawn(command)
    }

    /// By a command that says in JSON where it listens.
    pub(crate) fn spawn(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
        let [address, link] =
            ["address", "link"].map(|name| said[name].as_str().map(str::to_owned));
        Self { child, address: address.unwrap(), link }
    }

    /// Host and port.
    pub(crate) fn socket_address(&self) -> &str {
        self.address.strip_prefix("http://").unwrap()
    }

    /// The words of a line, asked of this server with a token from a folder without an exchange.
    pub(crate) fn client_command(&self, client_dir: &Folder, token: &str, line: &str) -> Command {
        let words = words(line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut command = client_dir.command(&words);
        command
            .env("TASUKI_URL", &self.address)
            .env("TASUKI_TOKEN", token)
            .env("HOME", client_dir.path("home"));
        command
    }
}

impl Drop for ServerProcess {
    /// As a power cut would: it has no time to say goodbye.
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
