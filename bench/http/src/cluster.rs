//! A PostgreSQL server on a new cluster, without authentication and with full durability.

use std::fs;
use std::net::SocketAddr;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{bail, ensure};

use crate::peers::missing;
use crate::process::{Process, free_address, program};

/// The user of the database, who needs no password.
pub const USER: &str = "bench";

/// LIMIT: how often the server is asked whether it accepts connections, every 50 ms.
const ATTEMPTS_MAX: u32 = 200;

const SETTINGS: [&str; 5] = [
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "max_connections=300",
    "fsync=on",
    "synchronous_commit=on",
];

/// The installed programs of PostgreSQL.
#[derive(Clone, Debug)]
pub struct Cluster {
    programs: PathBuf,
    /// The user to run as; PostgreSQL refuses to run as root.
    user: Option<(u32, u32)>,
}

/// A running database server.
#[derive(Debug)]
pub struct Database {
    pub process: Process,
    pub address: SocketAddr,
}

impl Cluster {
    /// Finds the installed programs, or returns the reason why they cannot be used.
    pub fn find() -> Result<Self, String> {
        let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
        let mut besides: Vec<_> = versions.flatten().map(|one| one.path().join("bin")).collect();
        besides.sort();
        // Debian keeps the server and its tools outside the path.
        let initdb = program("initdb", &besides);
        let initdb = initdb.ok_or_else(|| missing("initdb", "the package postgresql"))?;
        // A link to it may be alone, without the other programs.
        let initdb = initdb.canonicalize().unwrap_or(initdb);
        let programs = initdb.parent().unwrap_or(Path::new("/")).to_owned();
        let is_root = fs::metadata("/proc/self").is_ok_and(|own| owner(&own) == 0);
        let user = is_root.then(|| account("postgres")).flatten();
        if is_root && user.is_none() {
            return Err(
                "it does not run as root, and the user `postgres` does not exist".to_owned()
            );
        }
        Ok(Self { programs, user })
    }

    /// Creates a cluster below a directory, and starts its server.
    pub fn start(&self, files: &Path) -> anyhow::Result<Database> {
        if let Some((user, group)) = self.user {
            std::os::unix::fs::chown(files, Some(user), Some(group))?;
        }
        let data = files.join("data");
        let mut initdb = self.command("initdb", files);
        initdb.args(["--auth=trust", "--no-sync", "--encoding=UTF8", "-U", USER, "-D"]).arg(&data);
        let made = initdb.stdout(Stdio::null()).output()?;
        ensure!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        let address = free_address()?;
        let mut server = self.command("postgres", files);
        server.arg("-D").arg(&data).args(["-c", &format!("port={}", address.port())]);
        for setting in SETTINGS {
            server.args(["-c", setting]);
        }
        let mut process = Process::start(server, &files.join("log"))?;
        process.wait_for(address)?;
        self.wait_until_ready(files, address)?;
        Ok(Database { process, address })
    }

    /// Waits until the server accepts connections. It listens for a while before it does.
    fn wait_until_ready(&self, files: &Path, address: SocketAddr) -> anyhow::Result<()> {
        for _ in 0..ATTEMPTS_MAX {
            let mut ask = self.command("pg_isready", files);
            let port = address.port().to_string();
            ask.args(["-q", "-d", "postgres", "-U", USER, "-h", "127.0.0.1", "-p", &port]);
            if ask.status()?.success() {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(50));
        }
        bail!("PostgreSQL at {address} does not accept connections")
    }

    fn command(&self, name: &str, directory: &Path) -> Command {
        let mut command = Command::new(self.programs.join(name));
        command.current_dir(directory);
        if let Some((user, group)) = self.user {
            command.uid(user).gid(group);
        }
        command
    }
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
