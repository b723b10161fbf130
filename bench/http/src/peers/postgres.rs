//! A PostgreSQL table used as a queue: `SKIP LOCKED`, prepared statements, a partial index on
//! pending rows, `synchronous_commit=on`.

use std::fs;
use std::net::SocketAddr;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
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

pub const NAME: &str = "postgres";

/// LIMIT: connection attempts after the start.
const ATTEMPTS_MAX: u32 = 200;

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
    programs: PathBuf,
    directory: PathBuf,
    /// The user to run as; PostgreSQL refuses to run as root.
    user: Option<(u32, u32)>,
}

impl Postgres {
    /// Finds the installed server.
    pub fn find(directory: &Path) -> Found {
        let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
        let mut besides: Vec<_> = versions.flatten().map(|one| one.path().join("bin")).collect();
        besides.sort();
        // Debian keeps the server and its tools outside the path.
        let initdb = program("initdb", &besides);
        let initdb = initdb.ok_or_else(|| missing("initdb", "the package postgresql"))?;
        let programs = initdb.parent().unwrap_or(Path::new("/")).to_owned();
        let is_root = fs::metadata("/proc/self").is_ok_and(|own| owner(&own) == 0);
        let user = is_root.then(|| account("postgres")).flatten();
        if is_root && user.is_none() {
            return Err(
                "it does not run as root, and the user `postgres` does not exist".to_owned()
            );
        }
        Ok(Box::new(Self { programs, directory: directory.to_owned(), user }))
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join(name));
        if let Some((user, group)) = self.user {
            command.uid(user).gid(group);
        }
        command
    }

    fn start(&self, files: &Path, port: u16) -> anyhow::Result<Process> {
        if let Some((user, group)) = self.user {
            std::os::unix::fs::chown(files, Some(user), Some(group))?;
        }
        let data = files.join("data");
        let mut initdb = self.command("initdb");
        initdb.args(["--auth=trust", "--username=bench", "--no-sync", "-D"]).arg(&data);
        let made = initdb.current_dir(files).stdout(Stdio::null()).output()?;
        ensure!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        let mut server = self.command("postgres");
        server.current_dir(files).arg("-D").arg(&data).args(["-c", &format!("port={port}")]);
        for setting in [
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
            "max_connections=300",
            "fsync=on",
            "synchronous_commit=on",
        ] {
            server.args(["-c", setting]);
        }
        Process::start(server, &files.join("log"))
    }
}

impl Contender for Postgres {
    fn name(&self) -> &'static str {
        NAME
    }

    fn run(&self, clients: usize, time: Duration) -> anyhow::Result<Measured> {
        let files = Scratch::new(&self.directory)?;
        let place = files.path().canonicalize()?;
        let address = free_address()?;
        let mut process = self.start(&place, address.port())?;
        process.wait_for(address)?;
        let runtime = load::runtime()?;
        runtime.block_on(async {
            let mut link = awake(address).await?;
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
        let measured = load::run(&runtime, clients, time, &process);
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

/// Opens the first connection. The server listens for a while before it accepts connections.
async fn awake(address: SocketAddr) -> anyhow::Result<Link> {
    let mut attempts = 0;
    loop {
        let mut link = Link::connect(address).await?;
        match sign_in(&mut link).await {
            Ok(()) => return Ok(link),
            Err(why) if attempts == ATTEMPTS_MAX => return Err(why),
            Err(_) => attempts += 1,
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Sends the startup message; authentication is off.
async fn sign_in(link: &mut Link) -> anyhow::Result<()> {
    let version = vec![0, 3, 0, 0];
    let body = [version, text("user"), text("bench"), text("database"), text("postgres"), vec![0]];
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

fn owner(metadata: &fs::Metadata) -> u32 {
    std::os::unix::fs::MetadataExt::uid(metadata)
}

/// Returns user and group of a name.
fn account(name: &str) -> Option<(u32, u32)> {
    let accounts = fs::read_to_string("/etc/passwd").ok()?;
    let line = accounts.lines().find(|line| line.split(':').next() == Some(name))?;
    let mut fields = line.split(':').skip(2);
    Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
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
