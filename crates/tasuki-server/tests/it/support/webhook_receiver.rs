//! A webhook receiver that responds as scripted and keeps what it received.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::support::test_server::TestServer;

#[derive(Debug, Clone)]
pub(crate) struct ReceivedWebhook {
    pub(crate) path: String,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: String,
}

impl ReceivedWebhook {
    pub(crate) fn id(&self) -> &str {
        &self.headers["webhook-id"]
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// Returns the number of its event.
    pub(crate) fn n(&self) -> u64 {
        self.json()["data"]["n"].as_u64().unwrap()
    }
}

#[derive(Clone)]
pub(crate) struct WebhookReceiver {
    pub(crate) address: SocketAddr,
    received: Arc<Mutex<Vec<ReceivedWebhook>>>,
}

/// Returns the response to the request of this number, from 0.
type Script = Arc<dyn Fn(usize) -> String + Send + Sync>;

/// Returns a response with this status and body.
pub(crate) fn response(code: u16, body: &str) -> String {
    format!("HTTP/1.1 {code} x\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

/// Returns a response with only a status.
pub(crate) fn status(code: u16) -> String {
    format!("HTTP/1.1 {code} x\r\ncontent-length: 2\r\n\r\nok")
}

impl WebhookReceiver {
    pub(crate) fn new(
        server: &TestServer,
        script: impl Fn(usize) -> String + Send + Sync + 'static,
    ) -> Self {
        let listener = server.runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        Self::on(server, listener, Arc::new(script))
    }

    pub(crate) fn on(server: &TestServer, listener: TcpListener, script: Script) -> Self {
        let receiver = Self { address: listener.local_addr().unwrap(), received: Arc::default() };
        let received = Arc::clone(&receiver.received);
        server.runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, Arc::clone(&received), Arc::clone(&script)));
            }
        });
        receiver
    }

    pub(crate) fn all(&self) -> Vec<ReceivedWebhook> {
        self.received.lock().unwrap().clone()
    }

    /// Waits until this many requests arrived.
    pub(crate) fn wait_for(&self, count: usize) -> Vec<ReceivedWebhook> {
        let until = Instant::now() + Duration::from_secs(20);
        while self.all().len() < count {
            assert!(Instant::now() < until, "{} of {count} came", self.all().len());
            std::thread::sleep(Duration::from_millis(10));
        }
        self.all()
    }
}

async fn answer(mut stream: TcpStream, received: Arc<Mutex<Vec<ReceivedWebhook>>>, script: Script) {
    let mut bytes = Vec::new();
    let request = loop {
        let mut piece = [0; 4_096];
        let Ok(read @ 1..) = stream.read(&mut piece).await else { return };
        bytes.extend_from_slice(&piece[..read]);
        if let Some(request) = whole(&String::from_utf8_lossy(&bytes)) {
            break request;
        }
    };
    let number = {
        let mut received = received.lock().unwrap();
        received.push(request);
        received.len() - 1
    };
    let answer = script(number);
    drop(stream.write_all(answer.as_bytes()).await);
}

fn whole(text: &str) -> Option<ReceivedWebhook> {
    let (head, body) = text.split_once("\r\n\r\n")?;
    let line = |line: &str| {
        line.split_once(": ").map(|(name, value)| (name.to_lowercase(), value.to_owned()))
    };
    let headers: HashMap<String, String> = head.lines().filter_map(line).collect();
    let length: usize = headers.get("content-length")?.parse().ok()?;
    let path = head.split(' ').nth(1)?.to_owned();
    (body.len() >= length).then(|| ReceivedWebhook { path, headers, body: body.to_owned() })
}
