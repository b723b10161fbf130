//! A server process with an HTTP client over a plain socket.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::folder::Folder;
use crate::support::server_process::ServerProcess;

/// A server that runs, and ends with the test.
pub(crate) struct HttpServer<'f> {
    folder: &'f Folder,
    server: ServerProcess,
    pub(crate) address: String,
    pub(crate) link: Option<String>,
}

pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl<'f> HttpServer<'f> {
    pub(crate) fn start(folder: &'f Folder, arguments: &[&str]) -> Self {
        Self::start_with_log(folder, arguments, "info")
    }

    /// Starts it with another log level: the log is read at the end only and must not fill its pipe.
    pub(crate) fn start_with_log(folder: &'f Folder, arguments: &[&str], log: &str) -> Self {
        let words = [&["serve", "--json", "--listen", "127.0.0.1:0"], arguments].concat();
        let mut command = folder.command(&words);
        command.env("USER", "ana").env("TASUKI_LOG", log).stderr(Stdio::piped());
        Self::of(folder, ServerProcess::spawn(command))
    }

    /// One that runs already.
    pub(crate) fn of(folder: &'f Folder, server: ServerProcess) -> Self {
        let (address, link) = (server.socket_address().to_owned(), server.link.clone());
        Self { folder, server, address, link }
    }

    pub(crate) fn token(&self, name: &str) -> String {
        self.token_with(name, &[])
    }

    pub(crate) fn token_with(&self, name: &str, more: &[&str]) -> String {
        let words = [&["token", "create", "--as", name, "-q"], more].concat();
        let output = self.folder.command(&words).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    pub(crate) fn request(&self, request: &str, headers: &[(&str, &str)], body: &str) -> Response {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let mut text = format!(
            "{request} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-length: {}\r\n",
            self.address,
            body.len()
        );
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        stream.write_all(format!("{text}\r\n{body}").as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Response { status, head: head.to_owned(), body: body.to_owned() }
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.server.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    }

    /// Waits for the end; says how it ended and what it logged.
    pub(crate) fn ended(mut self) -> (Option<i32>, String) {
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            if let Some(status) = self.server.child.try_wait().unwrap() {
                let mut log = String::new();
                self.server.child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
                return (status.code(), log);
            }
            assert!(Instant::now() < deadline, "the server does not stop");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Waits until something is so, half a minute at most; says how long it took.
#[track_caller]
pub(crate) fn eventually(what: &str, mut condition: impl FnMut() -> bool) -> Duration {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < Duration::from_secs(30), "{what} did not come about");
        std::thread::sleep(Duration::from_millis(50));
    }
    begin.elapsed()
}
