//! One client of the server: a sender and a receiver that share a connection.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Context;
use bench_store::callers::Caller;
use bench_store::work::{self, Step};

use super::exchange::{Serving, Tokens};
use super::http;
use crate::link::{Link, value_after};

/// One client.
#[derive(Debug)]
pub struct Client {
    link: Link,
    tokens: Arc<Tokens>,
    numbers: Arc<AtomicU64>,
    number: u64,
    submit: Vec<u8>,
    return_packet: Vec<u8>,
    handoff: String,
    fence: String,
}

impl Client {
    /// Connects a client of a server.
    pub async fn connect(serving: &Serving) -> anyhow::Result<Self> {
        Self::connect_to(serving.address, &serving.tokens, &serving.numbers).await
    }

    /// Connects a client that takes its handoffs from these numbers.
    pub async fn connect_to(
        address: SocketAddr,
        tokens: &Arc<Tokens>,
        numbers: &Arc<AtomicU64>,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            link: Link::connect(address).await?,
            tokens: Arc::clone(tokens),
            numbers: Arc::clone(numbers),
            number: 0,
            submit: Vec::new(),
            return_packet: Vec::new(),
            handoff: String::new(),
            fence: String::new(),
        })
    }

    async fn submit(&mut self) -> anyhow::Result<()> {
        let body = http::ask(&mut self.link, &self.submit).await?;
        let id =
            value_after(body, b"\"handoff\":{\"id\":\"").context("no handoff in the response")?;
        id.clone_into(&mut self.handoff);
        Ok(())
    }

    async fn claim(&mut self) -> anyhow::Result<()> {
        let path = format!("/v1/handoffs/{}/claims", self.handoff);
        let request = http::post(&path, self.tokens.receiver(self.number), b"{}");
        let body = http::ask(&mut self.link, &request).await?;
        let fence = value_after(body, b"\"fence\":").context("no fence in the response")?;
        fence.clone_into(&mut self.fence);
        Ok(())
    }

    async fn give_back(&mut self) -> anyhow::Result<()> {
        let path = format!("/v1/handoffs/{}/returns?fence={}", self.handoff, self.fence);
        let token = self.tokens.receiver(self.number);
        let request = http::post(&path, token, &self.return_packet);
        http::ask(&mut self.link, &request).await?;
        Ok(())
    }
}

impl Caller for Client {
    fn prepare(&mut self) {
        self.number = self.numbers.fetch_add(1, Ordering::Relaxed);
        self.submit = http::post("/v1/handoffs", &self.tokens.sender, &work::packet(self.number));
        self.return_packet = work::return_packet(self.number);
    }

    async fn step(&mut self, step: Step) -> anyhow::Result<()> {
        match step {
            Step::Submit => self.submit().await,
            Step::Claim => self.claim().await,
            Step::Return => self.give_back().await,
        }
    }
}
