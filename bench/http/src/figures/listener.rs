//! A listener of a stream of events.

use std::net::SocketAddr;

use anyhow::{Context, ensure};
use jiff::Timestamp;

use crate::link::{Link, value_after};
use crate::tasuki::http;

/// An open stream.
#[derive(Debug)]
pub struct Listener {
    link: Link,
}

impl Listener {
    /// Subscribes to all events from now on.
    pub async fn connect(address: SocketAddr, token: &str) -> anyhow::Result<Self> {
        let mut link = Link::connect(address).await?;
        link.send(&http::stream("/v1/events", token)).await?;
        let head = http::head(&mut link).await?;
        ensure!(head.status == 200, "the response is {}", head.status);
        // The first frame has the retry delay and the cursor.
        let length = link.until(b"\n\n").await? + 2;
        let first = link.take(length);
        let is_opening = first.windows(7).any(|part| part == b"retry: ");
        ensure!(is_opening, "the stream does not start with `retry`");
        Ok(Self { link })
    }

    /// Returns the time of the next event.
    pub async fn next(&mut self) -> anyhow::Result<Timestamp> {
        loop {
            // Chunks may start anywhere, but never inside a short line of ours.
            let length = self.link.until(b"\n\n").await? + 2;
            let frame = self.link.take(length);
            if let Some(at) = value_after(frame, b"\"at\":\"") {
                return at.parse().context("an event has no time");
            }
        }
    }
}
