//! Redis Streams with every command fsynced: a stream of packets, a group of receivers, and a
//! stream of results.

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
use crate::link::Link;
use crate::load;
use crate::process::{Process, free_address, program};

pub const NAME: &str = "redis";

/// A server that appends every command to its file and syncs it before it responds.
pub struct Redis {
    server: PathBuf,
    directory: PathBuf,
}

impl Redis {
    /// Finds the installed server.
    pub fn find(directory: &Path) -> Found {
        let name = "redis-server";
        let server = program(name, &[]).ok_or_else(|| missing(name, "the package redis-server"))?;
        Ok(Box::new(Self { server, directory: directory.to_owned() }))
    }
}

impl Contender for Redis {
    fn name(&self) -> &'static str {
        NAME
    }

    fn run(&self, clients: usize, time: Duration) -> anyhow::Result<Measured> {
        let files = Scratch::new(&self.directory)?;
        let address = free_address()?;
        let mut command = Command::new(&self.server);
        command.args(["--bind", "127.0.0.1", "--port", &address.port().to_string()]);
        command.args(["--appendonly", "yes", "--appendfsync", "always", "--save", ""]);
        command.args(["--logfile", "redis.log", "--dir"]).arg(files.path());
        let mut process = Process::start(command, &files.path().join("log"))?;
        process.wait_for(address)?;
        let runtime = load::runtime()?;
        let group = [&b"XGROUP"[..], b"CREATE", b"work", b"all", b"$", b"MKSTREAM"];
        runtime.block_on(async {
            let mut link = Link::connect(address).await?;
            link.send(&command_of(&group)).await?;
            reply(&mut link).await
        })?;
        let numbers = Arc::new(AtomicU64::new(0));
        let client = |_| async {
            let link = Link::connect(address).await?;
            Ok(Client { link, numbers: Arc::clone(&numbers), number: 0, id: Vec::new() })
        };
        let clients = load::connect(&runtime, clients, client)?;
        load::run(&runtime, clients, time, &[&process])
    }
}

struct Client {
    link: Link,
    numbers: Arc<AtomicU64>,
    number: u64,
    /// The id of the claimed entry.
    id: Vec<u8>,
}

impl Caller for Client {
    fn prepare(&mut self) {
        self.number = self.numbers.fetch_add(1, Ordering::Relaxed);
    }

    async fn step(&mut self, step: Step) -> anyhow::Result<()> {
        match step {
            Step::Submit => {
                let packet = work::packet(self.number);
                let add = [&b"XADD"[..], b"work", b"*", b"packet", &packet];
                self.link.send(&command_of(&add)).await?;
                reply(&mut self.link).await?;
            }
            Step::Claim => {
                let consumer = work::receiver(self.number);
                let read = [
                    &b"XREADGROUP"[..],
                    b"GROUP",
                    b"all",
                    consumer.as_bytes(),
                    b"COUNT",
                    b"1",
                    b"STREAMS",
                    b"work",
                    b">",
                ];
                self.link.send(&command_of(&read)).await?;
                let texts = reply(&mut self.link).await?;
                // The stream, then the entry and its two strings.
                self.id = texts.into_iter().nth(1).context("nothing to claim")?;
            }
            Step::Return => {
                let result = work::return_packet(self.number);
                let mut both = command_of(&[b"XACK", b"work", b"all", &self.id]);
                both.extend(command_of(&[
                    b"XADD", b"results", b"*", b"of", &self.id, b"result", &result,
                ]));
                self.link.send(&both).await?;
                reply(&mut self.link).await?;
                reply(&mut self.link).await?;
            }
        }
        Ok(())
    }
}

/// Encodes a command as an array of strings.
fn command_of(parts: &[&[u8]]) -> Vec<u8> {
    let mut bytes = format!("*{}\r\n", parts.len()).into_bytes();
    for part in parts {
        bytes.extend_from_slice(format!("${}\r\n", part.len()).as_bytes());
        bytes.extend_from_slice(part);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes
}

/// Reads all strings of one reply in order, at any depth.
async fn reply(link: &mut Link) -> anyhow::Result<Vec<Vec<u8>>> {
    let (mut texts, mut expected) = (Vec::new(), 1_i64);
    while expected > 0 {
        expected -= 1;
        let line = link.line().await?;
        let (kind, rest) = line.split_at_checked(1).context("an empty line")?;
        match kind {
            "*" => expected += rest.parse::<i64>()?.max(0),
            "$" => {
                let length = usize::try_from(rest.parse::<i64>()?).context("an invalid length")?;
                link.at_least(length + 2).await?;
                texts.push(link.take(length).to_vec());
                ensure!(link.take(2) == b"\r\n", "a string has the wrong length");
            }
            "+" | ":" => {}
            _ => bail!("Redis replied {line}"),
        }
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_an_array_of_texts() {
        assert_eq!(command_of(&[b"XACK", b"a"]), b"*2\r\n$4\r\nXACK\r\n$1\r\na\r\n");
    }
}
