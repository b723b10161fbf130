//! A server in its own process: started, measured through `/proc`, and stopped.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};

/// How long a server may take to start, and to stop.
const TIMEOUT: Duration = Duration::from_secs(20);

/// LIMIT: resolution of a hundredth of a second, which Linux uses here on every common machine.
const TICKS_PER_SECOND: u32 = 100;

/// A process that is stopped when dropped.
#[derive(Debug)]
pub struct Process {
    child: Child,
    log: PathBuf,
}

impl Process {
    /// Starts a program with its errors in a file.
    pub fn start(mut command: Command, log: &Path) -> anyhow::Result<Self> {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(File::create(log)?);
        let name = command.get_program().to_string_lossy().into_owned();
        let child = command.spawn().with_context(|| format!("cannot start `{name}`"))?;
        Ok(Self { child, log: log.to_owned() })
    }

    /// Returns the first line that the program prints.
    pub fn first_line(&mut self) -> anyhow::Result<String> {
        let output = self.child.stdout.take().context("its output was already read")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        ensure!(!line.is_empty(), "it exited at once: {}", self.complaint());
        Ok(line)
    }

    /// Waits until the server accepts connections.
    pub fn wait_for(&mut self, address: SocketAddr) -> anyhow::Result<()> {
        let start = Instant::now();
        while TcpStream::connect(address).is_err() {
            if self.child.try_wait()?.is_some() || start.elapsed() > TIMEOUT {
                bail!("no server listens at {address}: {}", self.complaint());
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// Returns the end of its error output.
    fn complaint(&self) -> String {
        let said = fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = said.lines().rev().take(5).collect();
        lines.into_iter().rev().collect::<Vec<_>>().join("\n")
    }

    /// Returns its id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns the processor time of the process and its descendants.
    pub fn cpu(&self) -> anyhow::Result<Duration> {
        let all = all_processes()?;
        let ticks: u32 = family(&all, self.id()).iter().map(|id| all[id].ticks).sum();
        Ok(Duration::from_secs(1) * ticks / TICKS_PER_SECOND)
    }

    /// Returns the memory of the process and its descendants in bytes, with shared pages counted
    /// once.
    pub fn memory(&self) -> anyhow::Result<u64> {
        let all = all_processes()?;
        let shares = family(&all, self.id()).into_iter().filter_map(|id| {
            // A process that has just exited has none.
            let text = fs::read_to_string(format!("/proc/{id}/smaps_rollup")).ok()?;
            kilobytes(&text, "Pss:")
        });
        Ok(shares.sum::<u64>() * 1024)
    }

    /// Returns the resident memory of the process, in bytes.
    pub fn resident(&self) -> anyhow::Result<u64> {
        let text = fs::read_to_string(format!("/proc/{}/status", self.id()))?;
        Ok(kilobytes(&text, "VmRSS:").context("no `VmRSS`")? * 1024)
    }

    /// Asks it to exit, and kills it if it does not.
    fn end(&mut self) -> anyhow::Result<()> {
        // SIGINT stops each of the servers at once, even with open connections.
        let id = self.id().to_string();
        Command::new("kill").args(["-INT", &id]).stderr(Stdio::null()).status()?;
        let start = Instant::now();
        while self.child.try_wait()?.is_none() {
            if start.elapsed() > TIMEOUT {
                self.child.kill()?;
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Err(fault) = self.end() {
            eprintln!("process {} may still be running: {fault}", self.id());
        }
    }
}

/// Returns a free address on this machine.
pub fn free_address() -> anyhow::Result<SocketAddr> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?)
}

/// Returns the path of a program, in the path or one of these directories.
pub fn program(name: &str, besides: &[PathBuf]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let directories = std::env::split_paths(&path).chain(besides.iter().cloned());
    directories.map(|directory| directory.join(name)).find(|path| path.is_file())
}

/// One line of `/proc/PID/stat`.
#[derive(Debug, PartialEq, Eq)]
struct Stat {
    parent: u32,
    /// User and system time of the process and of its exited children.
    ticks: u32,
}

fn all_processes() -> anyhow::Result<HashMap<u32, Stat>> {
    let entries = fs::read_dir("/proc")?.filter_map(Result::ok);
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let stat = |id: u32| {
        let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        Some((id, stat(&text)?))
    };
    Ok(ids.filter_map(stat).collect())
}

fn stat(text: &str) -> Option<Stat> {
    // The name may contain spaces and parentheses; what follows the last one does not.
    let (_, fields) = text.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<u32>().ok();
    let ticks = (11..15).map(number).sum::<Option<u32>>()?;
    Some(Stat { parent: number(1)?, ticks })
}

/// Returns a process with all its descendants.
fn family(all: &HashMap<u32, Stat>, id: u32) -> Vec<u32> {
    let mut family: Vec<u32> = all.contains_key(&id).then_some(id).into_iter().collect();
    let mut next = 0;
    while let Some(&parent) = family.get(next) {
        family.extend(all.iter().filter(|(_, stat)| stat.parent == parent).map(|(id, _)| *id));
        next += 1;
    }
    family
}

fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_does_not_move_the_fields() {
        let text = "7 (a) b (c) S 3 7 7 0 -1 4194560 1 2 3 4 10 20 30 40 20 0 1 0";
        assert_eq!(stat(text), Some(Stat { parent: 3, ticks: 100 }));
    }

    #[test]
    fn a_family_is_a_process_with_its_descendants() {
        let of = |parent| Stat { parent, ticks: 0 };
        let all = HashMap::from([(1, of(0)), (2, of(1)), (3, of(2)), (9, of(0))]);
        let mut family = family(&all, 1);
        family.sort_unstable();
        assert_eq!(family, [1, 2, 3]);
    }

    #[test]
    fn this_process_has_used_the_processor() {
        assert!(all_processes().unwrap().contains_key(&std::process::id()));
    }
}
