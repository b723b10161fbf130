//! A buffered connection to a server.
//!
//! All clients are written by hand on top of it, without a library in between, so that the load
//! costs as little as possible and about the same for all contenders.

use std::net::SocketAddr;

use anyhow::ensure;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A connection.
#[derive(Debug)]
pub struct Link {
    stream: TcpStream,
    buffer: Vec<u8>,
    /// The number of consumed bytes.
    taken: usize,
}

/// LIMIT: bytes of one response.
const UNREAD_BYTES_MAX: usize = 16 * 1024 * 1024;

impl Link {
    /// Connects to an address.
    pub async fn connect(address: SocketAddr) -> anyhow::Result<Self> {
        Self::over(TcpStream::connect(address).await?)
    }

    /// Wraps an open connection.
    pub fn over(stream: TcpStream) -> anyhow::Result<Self> {
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::with_capacity(16 * 1024), taken: 0 })
    }

    /// Sends bytes.
    pub async fn send(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        Ok(self.stream.write_all(bytes).await?)
    }

    /// Returns the received bytes that were not consumed.
    pub fn unread(&self) -> &[u8] {
        &self.buffer[self.taken..]
    }

    /// Waits for more bytes.
    pub async fn more(&mut self) -> anyhow::Result<()> {
        if self.taken == self.buffer.len() {
            self.buffer.clear();
            self.taken = 0;
        }
        ensure!(self.unread().len() < UNREAD_BYTES_MAX, "the response is too long");
        let read = self.stream.read_buf(&mut self.buffer).await?;
        ensure!(read > 0, "the server closed the connection");
        Ok(())
    }

    /// Consumes this many bytes.
    pub fn take(&mut self, bytes: usize) -> &[u8] {
        let from = self.taken;
        self.taken += bytes;
        &self.buffer[from..self.taken]
    }

    /// Waits until this many bytes were received.
    pub async fn at_least(&mut self, bytes: usize) -> anyhow::Result<()> {
        while self.unread().len() < bytes {
            self.more().await?;
        }
        Ok(())
    }

    /// Waits for an ending. Returns the length of what precedes it.
    pub async fn until(&mut self, ending: &[u8]) -> anyhow::Result<usize> {
        let mut seen = 0;
        loop {
            if let Some(at) = find(&self.unread()[seen..], ending) {
                return Ok(seen + at);
            }
            seen = self.unread().len().saturating_sub(ending.len() - 1);
            self.more().await?;
        }
    }

    /// Returns one line, without its end.
    pub async fn line(&mut self) -> anyhow::Result<String> {
        let length = self.until(b"\r\n").await?;
        let line = String::from_utf8_lossy(self.take(length)).into_owned();
        self.take(2);
        Ok(line)
    }
}

/// Returns the position of some bytes in others.
pub fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    let first = *wanted.first()?;
    let mut from = 0;
    while let Some(at) = bytes[from..].iter().position(|&byte| byte == first) {
        if bytes[from + at..].starts_with(wanted) {
            return Some(from + at);
        }
        from += at + 1;
    }
    None
}

/// Returns the value after a name, up to a quote or the end of a number.
pub fn value_after<'b>(bytes: &'b [u8], name: &[u8]) -> Option<&'b str> {
    let behind = &bytes[find(bytes, name)? + name.len()..];
    let length = behind.iter().position(|byte| b"\",}".contains(byte))?;
    std::str::from_utf8(&behind[..length]).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_found_in_others() {
        assert_eq!(find(b"a\r\r\n", b"\r\n"), Some(2));
        assert_eq!(find(b"abc", b"xyz"), None);
        assert_eq!(find(b"", b"x"), None);
    }

    #[test]
    fn a_value_ends_where_json_says() {
        let text = br#"{"id":"hof_1","token":12,"n":3}"#;
        assert_eq!(value_after(text, b"\"id\":\""), Some("hof_1"));
        assert_eq!(value_after(text, b"\"token\":"), Some("12"));
        assert_eq!(value_after(text, b"\"n\":"), Some("3"));
        assert_eq!(value_after(text, b"\"x\":"), None);
    }
}
