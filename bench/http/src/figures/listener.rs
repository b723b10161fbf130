//! Somebody who listens to a stream of events.

use std::net::SocketAddr;

use anyhow::{Context, ensure};
use jiff::Timestamp;

use crate::link::{Link, value_after};
use crate::tasuki::http;

/// One stream.
#[derive(Debug)]
pub struct Listener {
    link: Link,
}

impl Listener {
    /// Asks for everything from now on.
    pub async fn connect(address: SocketAddr, token: &str) -> anyhow::Result<Self> {
        let mut link = Link::connect(address).await?;
        link.send(&http::stream("/v1/events", token)).await?;
        let head = http::head(&mut link).await?;
        ensure!(head.status == 200, "the answer is {}", head.status);
        // What comes first says how soon to come back, and where the cursor stands.
        let length = link.until(b"\n\n").await? + 2;
        let first = link.take(length);
        let is_opening = first.windows(7).any(|part| part == b"retry: ");
        ensure!(is_opening, "a stream does not begin with `retry`");
        Ok(Self { link })
    }

    /// When the next event happened.
    pub async fn next(&mut self) -> anyhow::Result<Timestamp> {
        loop {
            // Chunks may begin anywhere, but never inside of a short line of ours.
            let length = self.link.until(b"\n\n").await? + 2;
            let said = self.link.take(length);
            if let Some(at) = value_after(said, b"\"at\":\"") {
                return at.parse().context("an event says no time");
            }
        }
    }
}
