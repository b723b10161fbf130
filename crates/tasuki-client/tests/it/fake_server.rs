//! A scripted server: one response per connection. It records the requests.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;

use tasuki_client::Client;

/// The scripted behaviour of a connection.
pub(crate) enum Script {
    /// Closes the connection after reading the request.
    Broken,
    /// Sends nothing until the client disconnects.
    Silent,
    /// Sends a status with its content type and body.
    Response(u16, &'static str, String),
    /// Sends a stream of events that ends after this text.
    Streamed(&'static str),
    /// Sends a stream of events that stays open after this text.
    Held(&'static str),
}

pub(crate) struct Fake {
    address: String,
    running: JoinHandle<Vec<String>>,
}

impl Fake {
    pub(crate) fn start(scripts: Vec<Script>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let running = std::thread::spawn(move || {
            let asked = scripts.into_iter().map(|script| {
                let (stream, _) = listener.accept().unwrap();
                serve(stream, script)
            });
            asked.collect()
        });
        Self { address, running }
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(&self.address, "tasuki_secret").unwrap()
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Returns the requests: first line, headers in lower case, body.
    pub(crate) fn requests(self) -> Vec<String> {
        self.running.join().unwrap()
    }
}

fn serve(mut stream: TcpStream, script: Script) -> String {
    let asked = read(&stream);
    match script {
        Script::Broken => {}
        Script::Silent => until_closed(&mut stream),
        Script::Streamed(text) => stream.write_all(streamed(text).as_bytes()).unwrap(),
        Script::Held(text) => {
            stream.write_all(streamed(text).as_bytes()).unwrap();
            until_closed(&mut stream);
        }
        Script::Response(status, media, body) => {
            let length = body.len();
            let head = format!(
                "HTTP/1.1 {status} As Told\r\ncontent-type: {media}\r\ncontent-length: {length}\r\nconnection: close\r\nlocation: /elsewhere\r\n\r\n"
            );
            stream.write_all(head.as_bytes()).unwrap();
            stream.write_all(body.as_bytes()).unwrap();
        }
    }
    asked
}

fn until_closed(stream: &mut TcpStream) {
    let mut rest = Vec::new();
    drop(stream.read_to_end(&mut rest));
}

fn streamed(text: &str) -> String {
    format!(
        "HTTP/1.1 200 As Told\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\nretry: 20\n\n{text}"
    )
}

fn read(stream: &TcpStream) -> String {
    let mut reader = BufReader::new(stream);
    let (mut asked, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if line.trim().is_empty() {
            break;
        }
        let line = if asked.is_empty() { line } else { line.to_lowercase() };
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        asked.push_str(line.trim_end());
        asked.push('\n');
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    asked.push_str(&String::from_utf8(body).unwrap());
    asked
}
