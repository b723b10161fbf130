//! A server as a process, and how tests ask it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::folder::Folder;

/// A server that runs, and ends with the test.
pub(crate) struct Serving<'f> {
    folder: &'f Folder,
    pub(crate) child: Child,
    pub(crate) address: String,
    pub(crate) link: Option<String>,
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl<'f> Serving<'f> {
    pub(crate) fn start(folder: &'f Folder, arguments: &[&str]) -> Self {
        Self::logging(folder, arguments, "info")
    }

    /// The same, with another log: nobody reads it before the end, and it must not fill its pipe.
    pub(crate) fn logging(folder: &'f Folder, arguments: &[&str], log: &str) -> Self {
        let words = [&["serve", "--json", "--listen", "127.0.0.1:0"], arguments].concat();
        let mut command = folder.command(&words);
        command.env("USER", "ana").env("TASUKI_LOG", log);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
        let address = said["address"].as_str().unwrap().strip_prefix("http://").unwrap();
        let link = said["link"].as_str().map(str::to_owned);
        Self { folder, address: address.to_owned(), link, child }
    }

    pub(crate) fn token(&self, name: &str) -> String {
        self.token_with(name, &[])
    }

    pub(crate) fn token_with(&self, name: &str, more: &[&str]) -> String {
        let words = [&["token", "create", "--as", name, "-q"], more].concat();
        let output = self.folder.command(&words).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    pub(crate) fn ask(&self, request: &str, headers: &[(&str, &str)], body: &str) -> Answer {
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
        Answer { status, head: head.to_owned(), body: body.to_owned() }
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    }

    /// Waits for the end; says how it ended and what it logged.
    pub(crate) fn ended(mut self) -> (Option<i32>, String) {
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                let mut log = String::new();
                self.child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
                return (status.code(), log);
            }
            assert!(Instant::now() < deadline, "the server does not stop");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Serving<'_> {
    fn drop(&mut self) {
        // It has ended already, unless the test failed.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Waits until something is so, half a minute at most; says how long it took.
#[track_caller]
pub(crate) fn soon(what: &str, mut is_so: impl FnMut() -> bool) -> Duration {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < Duration::from_secs(30), "{what} did not come about");
        std::thread::sleep(Duration::from_millis(50));
    }
    begin.elapsed()
}
