//! A repository with an exchange, a linked worktree of it, and a clone that uses a server.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::folder::{Folder, words};
use crate::support::server_process::ServerProcess;

/// The folders of one test: `main` is a repository with an exchange and `side` a linked worktree of it.
pub(super) struct Desk {
    pub(super) folder: Folder,
    server: Option<(ServerProcess, Vec<(String, String)>)>,
}

impl Desk {
    /// A repository with two committed files.
    pub(super) fn new() -> Self {
        let folder =
            Folder::outside_repository().with("main/a.txt", "a\n").with("main/b.txt", "b\n");
        let desk = Self { folder, server: None };
        desk.git("main", "init --quiet --initial-branch=main");
        desk.git("main", "add --all");
        desk.git("main", "commit --quiet --message begin");
        desk.git("main", "worktree add --quiet ../side -b side");
        desk.run("main", "planner", "init");
        desk
    }

    /// Creates a desk whose parties use a server, with a clone as `side`.
    pub(super) fn behind_server() -> Self {
        let mut desk = Self::new();
        desk.git("main", "worktree remove --force ../side");
        desk.git("main", "clone --quiet . ../side");
        std::fs::create_dir(desk.path("server")).unwrap();
        std::fs::rename(desk.path("main/.tasuki"), desk.path("server/.tasuki")).unwrap();
        let mut tokens = Vec::new();
        for name in ["planner", "coder", "stranger"] {
            desk.run("server", "planner", &format!("party add {name}"));
            let read = if name == "stranger" { "" } else { "read," };
            let scopes = format!("{read}submit,receive,verify");
            let line = format!("token create --as {name} --scope {scopes} -q --json");
            let made: serde_json::Value =
                serde_json::from_str(&desk.run("server", "planner", &line)).unwrap();
            tokens.push((name.to_owned(), made["token"]["text"].as_str().unwrap().to_owned()));
        }
        let mut command = desk.command("server", "planner", "serve --json --listen 127.0.0.1:0");
        command.stderr(Stdio::null());
        desk.server = Some((ServerProcess::spawn(command), tokens));
        desk
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path(name)
    }

    pub(super) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    /// Runs a line that must succeed and returns what it printed.
    pub(super) fn run(&self, place: &str, who: &str, line: &str) -> String {
        let (code, said) = self.says(place, who, line);
        assert_eq!(code, 0, "{line}: {said}");
        said
    }

    /// Runs a line and returns its exit code and what it printed.
    pub(super) fn says(&self, place: &str, who: &str, line: &str) -> (i32, String) {
        let output = self.command(place, who, line).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        (output.status.code().unwrap(), text(&output.stdout) + &text(&output.stderr))
    }

    pub(super) fn command(&self, place: &str, who: &str, line: &str) -> Command {
        let words = words(line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut command = self.folder.command(&words);
        command
            .current_dir(self.path(place))
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.path("home"))
            .env("TASUKI_SESSION", who);
        match &self.server {
            Some((server, tokens)) => {
                let (_, token) = tokens.iter().find(|(name, _)| name == who).unwrap();
                command.env("TASUKI_URL", &server.address).env("TASUKI_TOKEN", token);
            }
            None => {
                command.env("TASUKI_AS", who);
            }
        }
        command
    }

    /// Sends a request without a body to the server, with the token of a party.
    pub(super) fn request(&self, who: &str, method: &str, path: &str) -> (u16, String) {
        let (server, tokens) = self.server.as_ref().unwrap();
        let (_, token) = tokens.iter().find(|(name, _)| name == who).unwrap();
        let address = server.socket_address();
        let mut stream = TcpStream::connect(address).unwrap();
        let head = format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n");
        let head = format!("{head}authorization: Bearer {token}\r\ncontent-length: 0\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    pub(super) fn git(&self, place: &str, line: &str) -> String {
        git(&self.path(place), line)
    }
}

/// Runs git with no configuration but the repository's.
pub(super) fn git(folder: &Path, line: &str) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=ana", "-c", "user.email=ana@example.com"])
        .args(["-c", "protocol.file.allow=always"])
        .args(words(line))
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "git {line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}
