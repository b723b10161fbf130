//! One connection of a stream: a request with an endless response.
//!
//! A thread reads the response, so that the caller can stop waiting and continue later. Dropping the
//! connection ends the thread.

use std::io::Read;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use ureq::Agent;

use crate::client::Client;
use crate::error::{Error, connection_error};
use crate::request::{Request, refusal};

/// The media type of a stream.
const MEDIA: &str = "text/event-stream";

/// LIMIT: a server sends a ping every 15 seconds. After three missing pings the connection is lost.
const SILENT_MAX: Duration = Duration::from_secs(45);

/// LIMIT: the bytes of a response that is not a stream.
const REFUSAL_BYTES_MAX: u64 = 1024 * 1024;

/// LIMIT: the chunks that are buffered for a slow reader. Beyond it, TCP slows the server down.
const CHUNKS_MAX: usize = 4;

/// LIMIT: the bytes of one read.
const CHUNK_BYTES: usize = 16 * 1024;

pub(super) struct Connection {
    chunks: Receiver<Vec<u8>>,
    agent: Option<Agent>,
}

/// A failure to open a connection.
pub(super) enum OpenError {
    /// A retry may succeed.
    Temporary(Error),
    /// A retry cannot succeed.
    Permanent(Error),
}

/// The result of waiting for data.
pub(super) enum Chunk {
    Bytes(Vec<u8>),
    Timeout,
    /// The connection has ended.
    End,
}

impl Connection {
    /// Sends the request and reads the head of the response.
    pub(super) fn open(client: &Client, request: Request<'_>) -> Result<Self, OpenError> {
        // A separate agent can be shut down without affecting other requests.
        let agent = Agent::new_with_config(client.agent.config().clone());
        let response = request.open(&agent, MEDIA, SILENT_MAX);
        let response = response.map_err(|error| match error {
            Error::Unreachable { .. } | Error::TimedOut { .. } => OpenError::Temporary(error),
            other => OpenError::Permanent(other),
        })?;
        let status = response.status().as_u16();
        let media = response.headers().get("content-type").and_then(|media| media.to_str().ok());
        let is_stream = media.is_some_and(|media| media.split(';').next() == Some(MEDIA));
        let (_, body) = response.into_parts();
        if !(200..300).contains(&status) {
            return Err(open_error(&client.address, status, body));
        }
        if !is_stream {
            return Err(OpenError::Permanent(Error::UnexpectedResponse {
                address: client.address.clone(),
                reason: "not a stream of events".to_owned(),
            }));
        }
        let (sender, chunks) = sync_channel(CHUNKS_MAX);
        let mut body = body.into_reader();
        std::thread::spawn(move || read(&mut body, &sender));
        Ok(Self { chunks, agent: Some(agent) })
    }

    /// Waits for the next chunk.
    pub(super) fn next(&self, wait: Duration) -> Chunk {
        match self.chunks.recv_timeout(wait) {
            Ok(bytes) => Chunk::Bytes(bytes),
            Err(RecvTimeoutError::Timeout) => Chunk::Timeout,
            Err(RecvTimeoutError::Disconnected) => Chunk::End,
        }
    }
}

impl Drop for Connection {
    /// Wakes the reading thread, which ends because it has no receiver.
    fn drop(&mut self) {
        if let Some(agent) = self.agent.take() {
            agent.shutdown();
        }
    }
}

fn read(body: &mut impl Read, chunks: &SyncSender<Vec<u8>>) {
    let mut buffer = vec![0; CHUNK_BYTES];
    loop {
        // The cause does not matter: the stream reconnects and requests the rest.
        let Ok(length @ 1..) = body.read(&mut buffer) else { return };
        if chunks.send(buffer[..length].to_vec()).is_err() {
            return;
        }
    }
}

/// Converts an unsuccessful response. A busy, starting or unreachable server is temporary.
fn open_error(address: &str, status: u16, body: ureq::Body) -> OpenError {
    let mut bytes = Vec::new();
    let read = body.into_reader().take(REFUSAL_BYTES_MAX).read_to_end(&mut bytes);
    let error = match read {
        Ok(_) => refusal(address, status, &bytes),
        Err(error) => connection_error(address, &error.into()),
    };
    if status == 429 || status >= 500 {
        OpenError::Temporary(error)
    } else {
        OpenError::Permanent(error)
    }
}
