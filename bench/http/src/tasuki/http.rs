//! A minimal HTTP/1.1 client for one server on a keep-alive connection.

use anyhow::{Context, bail, ensure};

use crate::link::{Link, find};

/// Returns a request with a JSON body.
pub fn post(path: &str, token: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let mut request = head.into_bytes();
    request.extend_from_slice(body);
    request
}

/// Returns a request for a stream of events.
pub fn stream(path: &str, token: &str) -> Vec<u8> {
    let head = format!(
        "GET {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\
         accept: text/event-stream\r\n\r\n"
    );
    head.into_bytes()
}

/// Sends a request and returns the body of its response, which must be a success.
pub async fn ask<'l>(link: &'l mut Link, request: &[u8]) -> anyhow::Result<&'l [u8]> {
    link.send(request).await?;
    let head = head(link).await?;
    link.at_least(head.length).await?;
    let body = link.take(head.length);
    ensure!((200..300).contains(&head.status), "{} {}", head.status, String::from_utf8_lossy(body));
    Ok(body)
}

/// The head of a response.
#[derive(Debug, PartialEq, Eq)]
pub struct Head {
    /// The status.
    pub status: u16,
    /// The length of the body; 0 if it has no end.
    pub length: usize,
}

/// Reads and consumes the head of a response or a request.
pub async fn head(link: &mut Link) -> anyhow::Result<Head> {
    let length = link.until(b"\r\n\r\n").await? + 4;
    read(link.take(length))
}

fn read(bytes: &[u8]) -> anyhow::Result<Head> {
    let first = bytes.split(|&byte| byte == b'\r').next().unwrap_or_default();
    let first = std::str::from_utf8(first)?;
    let status = match first.split_once(' ') {
        Some(("HTTP/1.1", rest)) => rest.get(..3).context("no status")?.parse()?,
        Some(("POST", _)) => 0,
        _ => bail!("`{first}` does not start a message"),
    };
    let names: [&[u8]; 2] = [b"\r\ncontent-length: ", b"\r\nContent-Length: "];
    let behind = names.iter().find_map(|name| Some(find(bytes, name)? + name.len()));
    let length = behind.map_or(Ok(0), |at| number(&bytes[at..]))?;
    Ok(Head { status, length })
}

fn number(bytes: &[u8]) -> anyhow::Result<usize> {
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    Ok(std::str::from_utf8(&bytes[..digits])?.parse()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_has_status_and_length() {
        let head = read(b"HTTP/1.1 201 Created\r\ncontent-length: 42\r\n\r\n").unwrap();
        assert_eq!(head, Head { status: 201, length: 42 });
        let head = read(b"POST / HTTP/1.1\r\nContent-Length: 7\r\n\r\n").unwrap();
        assert_eq!(head, Head { status: 0, length: 7 });
        assert_eq!(read(b"HTTP/1.1 200 OK\r\n\r\n").unwrap().length, 0);
        assert!(read(b"SSH-2.0\r\n\r\n").is_err());
    }
}
