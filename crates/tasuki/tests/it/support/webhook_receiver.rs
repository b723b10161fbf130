//! A receiver of webhooks on this machine.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use crate::support::folder::Folder;

/// A webhook receiver that answers each request with the next status, and then always with the last one.
pub(crate) struct WebhookReceiver {
    pub(crate) address: String,
    pub(crate) ids: Receiver<String>,
}

impl WebhookReceiver {
    pub(crate) fn start(statuses: &'static [u16]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (sender, ids) = channel();
        std::thread::spawn(move || {
            let mut statuses_left = statuses.iter().chain(statuses.last().into_iter().cycle());
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                // Adding a subscription only connects.
                let Some((id, length)) = head(&stream) else { continue };
                drop(stream.try_clone().unwrap().take(length).read_to_end(&mut Vec::new()));
                let status = statuses_left.next().unwrap();
                let answer = format!(
                    "HTTP/1.1 {status} So\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello"
                );
                drop(stream.write_all(answer.as_bytes()));
                drop(sender.send(id));
            }
        });
        Self { address, ids }
    }

    /// The number of the next event that comes; what is sent as a test has none.
    pub(crate) fn next(&self) -> String {
        let id = self.ids.recv_timeout(Duration::from_secs(20)).unwrap();
        id.rsplit(':').next().unwrap().to_owned()
    }
}

/// The id of a request and the length of its body, if there is a request.
fn head(stream: &std::net::TcpStream) -> Option<(String, u64)> {
    let mut reader = BufReader::with_capacity(1, stream);
    let (mut id, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return None;
        }
        let line = line.trim_end().to_lowercase();
        if line.is_empty() {
            return Some((id, length));
        }
        if let Some(value) = line.strip_prefix("webhook-id: ") {
            value.clone_into(&mut id);
        }
        if let Some(value) = line.strip_prefix("content-length: ") {
            length = value.parse().unwrap();
        }
    }
}

/// Lets the server of a folder send webhooks to an address on this machine.
pub(crate) fn allow(folder: &Folder, origin: &str) {
    let settings = format!("[server]\nwebhook_origins = \"{origin}\"\n");
    std::fs::write(folder.path("tasuki.toml"), settings).unwrap();
}
