//! A connection on which a test sends bytes as slowly and as wrongly as it likes.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// The time that a response may take, and after which a missing one counts as missing.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct Socket(TcpStream);

impl Socket {
    pub(crate) fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Self(stream)
    }

    /// Opens a connection and sends these bytes.
    pub(crate) fn sending(address: SocketAddr, bytes: impl AsRef<[u8]>) -> Self {
        let mut socket = Self::open(address);
        socket.send(bytes);
        socket
    }

    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.0.write_all(bytes.as_ref()).unwrap();
    }

    /// Returns the response as text, up to the end of the connection or the first pause in it.
    pub(crate) fn response(&mut self) -> String {
        let mut all = Vec::new();
        let mut part = [0; 4096];
        while let Ok(count @ 1..) = self.0.read(&mut part) {
            all.extend_from_slice(&part[..count]);
            self.0.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
        }
        self.0.set_read_timeout(Some(PATIENCE)).unwrap();
        String::from_utf8_lossy(&all).into_owned()
    }

    /// Returns the status of the response; 0 if the connection ended without one.
    pub(crate) fn status(&mut self) -> u16 {
        let response = self.response();
        response.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default()
    }

    /// Returns `true` if there is no response within this time, and the connection is open.
    pub(crate) fn is_silent_for(&mut self, time: Duration) -> bool {
        self.0.set_read_timeout(Some(time)).unwrap();
        let peeked = self.0.peek(&mut [0]);
        self.0.set_read_timeout(Some(PATIENCE)).unwrap();
        matches!(peeked, Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut))
    }
}

/// Returns the head of a request with a body of this length, and a token if there is one.
pub(crate) fn head(target: &str, media: &str, token: Option<&str>, length: usize) -> String {
    let authorization = token.map(|token| format!("authorization: Bearer {token}\r\n"));
    format!(
        "{target} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: {media}\r\n{}content-length: {length}\r\n\r\n",
        authorization.unwrap_or_default()
    )
}
