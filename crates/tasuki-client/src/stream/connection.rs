//! One connection of a stream: a request whose answer goes on and on.
//!
//! A thread reads it, so that whoever waits for it can stop waiting and go on later. Ending the
//! connection ends the thread.

use std::io::Read;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use ureq::Agent;

use crate::client::Client;
use crate::error::{Error, of_connection};
use crate::request::{Request, refused};

/// The media type of a stream.
const MEDIA: &str = "text/event-stream";

/// LIMIT: a server says something every 15 seconds; one that is silent for three times as long is away.
const SILENT_MAX: Duration = Duration::from_secs(45);

/// LIMIT: what is read of an answer that is no stream.
const REFUSAL_BYTES_MAX: u64 = 1024 * 1024;

/// LIMIT: pieces that wait for a reader who is slow. The server waits with the others.
const PIECES_MAX: usize = 4;

/// LIMIT: bytes that are read at once.
const PIECE_BYTES: usize = 16 * 1024;

pub(super) struct Connection {
    pieces: Receiver<Vec<u8>>,
    agent: Option<Agent>,
}

/// Why there is no connection.
pub(super) enum Unopened {
    /// It may be there in a moment.
    Yet(Error),
    /// Nobody will ever get one.
    Ever(Error),
}

/// What came within the time.
pub(super) enum Came {
    Bytes(Vec<u8>),
    Nothing,
    /// The connection is over, however it came to that.
    End,
}

impl Connection {
    /// Sends the request and reads the head of the answer.
    pub(super) fn open(client: &Client, request: Request<'_>) -> Result<Self, Unopened> {
        // An agent of its own can be shut down without ending anything else.
        let agent = Agent::new_with_config(client.agent.config().clone());
        let opened = request.opened(&agent, MEDIA, SILENT_MAX);
        let response = opened.map_err(|error| match error {
            Error::Unreachable { .. } | Error::TimedOut { .. } => Unopened::Yet(error),
            other => Unopened::Ever(other),
        })?;
        let status = response.status().as_u16();
        let media = response.headers().get("content-type").and_then(|media| media.to_str().ok());
        let is_stream = media.is_some_and(|media| media.split(';').next() == Some(MEDIA));
        let (_, body) = response.into_parts();
        if !(200..300).contains(&status) {
            return Err(unopened(&client.address, status, body));
        }
        if !is_stream {
            return Err(Unopened::Ever(Error::Foreign {
                address: client.address.clone(),
                reason: "what it sends is no stream of events".to_owned(),
            }));
        }
        let (sender, pieces) = sync_channel(PIECES_MAX);
        let mut body = body.into_reader();
        std::thread::spawn(move || read(&mut body, &sender));
        Ok(Self { pieces, agent: Some(agent) })
    }

    /// The next piece, as soon as there is one.
    pub(super) fn next(&self, wait: Duration) -> Came {
        match self.pieces.recv_timeout(wait) {
            Ok(bytes) => Came::Bytes(bytes),
            Err(RecvTimeoutError::Timeout) => Came::Nothing,
            Err(RecvTimeoutError::Disconnected) => Came::End,
        }
    }
}

impl Drop for Connection {
    /// Whoever reads is woken, and sees that nobody listens.
    fn drop(&mut self) {
        if let Some(agent) = self.agent.take() {
            agent.shutdown();
        }
    }
}

fn read(body: &mut impl Read, pieces: &SyncSender<Vec<u8>>) {
    let mut buffer = vec![0; PIECE_BYTES];
    loop {
        // Why it ended does not matter: what comes next is asked for again.
        let Ok(length @ 1..) = body.read(&mut buffer) else { return };
        if pieces.send(buffer[..length].to_vec()).is_err() {
            return;
        }
    }
}

/// A server that is busy, that starts, or that a proxy cannot reach, may answer in a moment.
fn unopened(address: &str, status: u16, body: ureq::Body) -> Unopened {
    let mut bytes = Vec::new();
    let read = body.into_reader().take(REFUSAL_BYTES_MAX).read_to_end(&mut bytes);
    let error = match read {
        Ok(_) => refused(address, status, &bytes),
        Err(error) => of_connection(address, &error.into()),
    };
    if status == 429 || status >= 500 { Unopened::Yet(error) } else { Unopened::Ever(error) }
}
