//! A PostgreSQL table used as a queue: `SKIP LOCKED`, prepared statements, a partial index on
//! pending rows, `synchronous_commit=on`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, bail};
use bench_store::callers::Caller;
use bench_store::scratch::Scratch;
use bench_store::work::{self, Step};

use super::Found;
use crate::cluster::{Cluster, Database, USER};
use crate::contender::{Contender, Measured};
use crate::link::Link;
use crate::load;

pub const NAME: &str = "postgres";

const TABLE: &str = "\
CREATE TABLE handoff (id bigserial PRIMARY KEY, receiver text NOT NULL, state text NOT NULL DEFAULT 'pending', \
packet text NOT NULL, result text, created_at timestamptz NOT NULL DEFAULT now(), claimed_at timestamptz); \
CREATE INDEX pending ON handoff (id) WHERE state = 'pending'";

const SUBMIT: &str = "INSERT INTO handoff (receiver, packet) VALUES ($1, $2)";
const CLAIM: &str = "\
UPDATE handoff SET state = 'claimed', claimed_at = now() WHERE id = \
(SELECT id FROM handoff WHERE state = 'pending' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id, packet";
const RETURN: &str = "UPDATE handoff SET state = 'done', result = $2 WHERE id = $1::text::bigint";

/// A server on its own cluster.
pub struct Postgres {
    cluster: Cluster,
    directory: PathBuf,
}

impl Postgres {
    /// Finds the installed server.
    pub fn find(directory: &Path) -> Found {
        Ok(Box::new(Self { cluster: Cluster::find()?, directory: directory.to_owned() }))
    }
}

impl Contender for Postgres {
    fn name(&self) -> &'static str {
        NAME
    }

    fn run(&self, clients: usize, time: Duration) -> anyhow::Result<Measured> {
        let files = Scratch::new(&self.directory)?;
        let Database { process, address } = self.cluster.start(&files.path().canonicalize()?)?;
        let runtime = load::runtime()?;
        runtime.block_on(async {
            let mut link = Link::connect(address).await?;
            sign_in(&mut link).await?;
            link.send(&message(b'Q', &[text(TABLE)])).await?;
            ready(&mut link).await
        })?;
        let numbers = Arc::new(AtomicU64::new(0));
        let client = |_| async {
            let mut link = Link::connect(address).await?;
            sign_in(&mut link).await?;
            for (name, statement) in [("s", SUBMIT), ("c", CLAIM), ("r", RETURN)] {
                let parse = message(b'P', &[text(name), text(statement), vec![0, 0]]);
                link.send(&[parse, message(b'S', &[])].concat()).await?;
                ready(&mut link).await?;
            }
            Ok(Client { link, numbers: Arc::clone(&numbers), number: 0, id: Vec::new() })
        };
        let clients = load::connect(&runtime, clients, client)?;
        let measured = load::run(&runtime, clients, time, &[&process]);
        drop(process);
        measured
    }
}

struct Client {
    link: Link,
    numbers: Arc<AtomicU64>,
    number: u64,
    /// The id of the claimed row.
    id: Vec<u8>,
}

impl Caller for Client {
    fn prepare(&mut self) {
        self.number = self.numbers.fetch_add(1, Ordering::Relaxed);
    }

    async fn step(&mut self, step: Step) -> anyhow::Result<()> {
        match step {
            Step::Submit => {
                let receiver = work::receiver(self.number);
                let packet = work::packet(self.number);
                self.execute("s", &[receiver.as_bytes(), &packet]).await?;
            }
            Step::Claim => {
                // Other clients may have locked all pending rows; then retry.
                self.id = loop {
                    if let Some(id) = self.execute("c", &[]).await? {
                        break id;
                    }
                };
            }
            Step::Return => {
                let (id, result) = (std::mem::take(&mut self.id), work::return_packet(self.number));
                self.execute("r", &[&id, &result]).await?;
            }
        }
        Ok(())
    }
}

impl Client {
    /// Runs a prepared statement. Returns the first value of its row, if there is one.
    async fn execute(&mut self, name: &str, values: &[&[u8]]) -> anyhow::Result<Option<Vec<u8>>> {
        let mut bound = vec![text(""), text(name), vec![0, 0], short(values.len())?];
        for value in values {
            bound.push(long(value.len())?);
            bound.push(value.to_vec());
        }
        bound.push(vec![0, 0]);
        let execute = message(b'E', &[text(""), vec![0, 0, 0, 0]]);
        let all = [message(b'B', &bound), execute, message(b'S', &[])].concat();
        self.link.send(&all).await?;
        ready(&mut self.link).await
    }
}

/// Sends the startup message; authentication is off.
async fn sign_in(link: &mut Link) -> anyhow::Result<()> {
    let version = vec![0, 3, 0, 0];
    let body = [version, text("user"), text(USER), text("database"), text("postgres"), vec![0]];
    // The first message has no type.
    link.send(&message(0, &body)[1..]).await?;
    ready(link).await?;
    Ok(())
}

/// Reads until the server is ready. Returns the first value of the first row.
async fn ready(link: &mut Link) -> anyhow::Result<Option<Vec<u8>>> {
    let mut first = None;
    loop {
        link.at_least(5).await?;
        let head = link.take(5);
        let (kind, length) = (head[0], u32::from_be_bytes([head[1], head[2], head[3], head[4]]));
        let length = usize::try_from(length)?.checked_sub(4).context("an invalid length")?;
        link.at_least(length).await?;
        let body = link.take(length);
        match kind {
            b'E' => bail!("PostgreSQL replied {}", String::from_utf8_lossy(body)),
            b'D' if first.is_none() => first = value(body),
            b'Z' => return Ok(first),
            _ => {}
        }
    }
}

/// Returns the first value of a row.
fn value(row: &[u8]) -> Option<Vec<u8>> {
    let length = u32::from_be_bytes(row.get(2..6)?.try_into().ok()?);
    row.get(6..6 + usize::try_from(length).ok()?).map(<[u8]>::to_vec)
}

fn message(kind: u8, parts: &[Vec<u8>]) -> Vec<u8> {
    let body = parts.concat();
    let length = u32::try_from(body.len() + 4).unwrap_or(u32::MAX);
    [&[kind], &length.to_be_bytes()[..], &body].concat()
}

fn text(text: &str) -> Vec<u8> {
    [text.as_bytes(), &[0]].concat()
}

fn short(number: usize) -> anyhow::Result<Vec<u8>> {
    Ok(u16::try_from(number)?.to_be_bytes().to_vec())
}

fn long(number: usize) -> anyhow::Result<Vec<u8>> {
    Ok(u32::try_from(number)?.to_be_bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_counts_its_own_length() {
        assert_eq!(message(b'Q', &[text("x")]), [b'Q', 0, 0, 0, 6, b'x', 0]);
    }

    #[test]
    fn the_first_value_of_a_row_is_found() {
        let row = [0, 2, 0, 0, 0, 2, b'4', b'2', 0, 0, 0, 1, b'x'];
        assert_eq!(value(&row), Some(b"42".to_vec()));
        assert_eq!(value(&[0, 1]), None);
    }
}
