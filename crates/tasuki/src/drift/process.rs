//! Another program, bounded in time and in what it may print.
//!
//! It runs in a process group of its own, below a guard: a shell that holds the end of a pipe, and
//! kills the group when the other end is gone. We hold that other end, so nothing outlives a time
//! limit, the end of the program, or the end of this process, whatever it dies of. And the group is
//! never named by a number, which could belong to somebody else by then.

use std::ffi::OsStr;
use std::io::{PipeReader, PipeWriter, Read as _};
#[cfg(unix)]
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// `read` is part of the shell: the guard must work whatever can be found on PATH.
const GUARD: &str = r#"
exec 3<&0 </dev/null
{ read -r nothing <&3; kill -s KILL 0; } >/dev/null 2>&1 &
exec 3<&-
"$@"
"#;

/// How long a look at a program's end takes.
const STEP: Duration = Duration::from_millis(10);

/// How long its output may still come after its end, from a process that left its group.
const GRACE: Duration = Duration::from_secs(1);

/// What a program may use.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// How long it may run.
    pub(super) timeout: Duration,
    /// What is kept of its output.
    pub(super) keep: Keep,
    /// Whether stderr belongs to its output.
    pub(super) with_errors: bool,
}

/// Which part of the output is kept, in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Keep {
    /// The beginning.
    First(usize),
    /// The end.
    Last(usize),
}

/// How a program ended.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) end: End,
    pub(super) output: Vec<u8>,
    /// Whether there was more than was kept.
    pub(super) is_cut: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// By itself, with this code.
    Code(i32),
    /// By a signal.
    Signal,
    /// It had to be stopped.
    Timeout,
}

/// A program below the guard. Arguments, directory and environment are the caller's.
pub(super) fn guarded(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", GUARD, "guard"]).arg(program);
    command
}

/// Runs a guarded program to its end or to its limit.
pub(super) fn run(mut command: Command, bounds: Bounds) -> std::io::Result<Ended> {
    let (guard, held) = std::io::pipe()?;
    let (reader, writer) = std::io::pipe()?;
    let errors = if bounds.with_errors { Stdio::from(writer.try_clone()?) } else { Stdio::null() };
    command.stdin(guard).stdout(writer).stderr(errors);
    #[cfg(unix)]
    command.process_group(0);
    let child = command.spawn()?;
    // The command has ends of both pipes, and they must close when the program ends.
    drop(command);
    let (sender, receiver) = sync_channel(4);
    thread::spawn(move || forward(reader, &sender));
    watch(child, held, &receiver, bounds)
}

/// Passes on what is printed; a program that prints faster than we look has to wait.
fn forward(mut reader: PipeReader, sender: &SyncSender<Vec<u8>>) {
    let mut buffer = [0; 8_192];
    while let Ok(count @ 1..) = reader.read(&mut buffer) {
        if sender.send(buffer[..count].to_vec()).is_err() {
            return;
        }
    }
}

fn watch(
    mut child: Child,
    held: PipeWriter,
    receiver: &Receiver<Vec<u8>>,
    bounds: Bounds,
) -> std::io::Result<Ended> {
    let started = Instant::now();
    let mut buffer = OutputBuffer { bytes: Vec::new(), keep: bounds.keep, is_cut: false };
    let end = loop {
        buffer.receive(receiver);
        if let Some(status) = child.try_wait()? {
            break end_of(status);
        }
        if started.elapsed() >= bounds.timeout {
            break End::Timeout;
        }
    };
    // The guard now kills whatever is left of the group.
    drop(held);
    if end == End::Timeout {
        child.kill()?;
        child.wait()?;
    }
    let ended = Instant::now();
    while ended.elapsed() < GRACE && buffer.receive(receiver) {}
    Ok(Ended { end, output: buffer.bytes, is_cut: buffer.is_cut })
}

fn end_of(status: ExitStatus) -> End {
    status.code().map_or(End::Signal, End::Code)
}

/// What has been printed, as much as is kept of it.
struct OutputBuffer {
    bytes: Vec<u8>,
    keep: Keep,
    is_cut: bool,
}

impl OutputBuffer {
    /// Waits one step for output; says whether more can come.
    fn receive(&mut self, receiver: &Receiver<Vec<u8>>) -> bool {
        match receiver.recv_timeout(STEP) {
            Ok(bytes) => self.push(&bytes),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                thread::sleep(STEP);
                return false;
            }
        }
        true
    }

    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
        match self.keep {
            Keep::First(limit) if self.bytes.len() > limit => {
                self.bytes.truncate(limit);
                self.is_cut = true;
            }
            Keep::Last(limit) if self.bytes.len() > limit => {
                self.bytes.drain(..self.bytes.len() - limit);
                self.is_cut = true;
            }
            Keep::First(_) | Keep::Last(_) => {}
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn shell(script: &str, timeout_ms: u64, keep: Keep) -> Ended {
        let mut command = guarded("/bin/sh");
        command.args(["-c", script]);
        let timeout = Duration::from_millis(timeout_ms);
        run(command, Bounds { timeout, keep, with_errors: true }).unwrap()
    }

    fn check(script: &str, end: End, output: &str) {
        let ended = shell(script, 10_000, Keep::First(100));
        assert_eq!((ended.end, String::from_utf8(ended.output).unwrap().as_str()), (end, output));
    }

    #[test]
    fn a_program_ends_with_its_code_and_its_words() {
        check("echo out; echo err >&2", End::Code(0), "out\nerr\n");
        check("exit 7", End::Code(7), "");
        check("read -r line && echo never", End::Code(1), "");
    }

    #[test]
    fn a_signal_is_no_success() {
        let ended = shell("kill -s KILL $$", 10_000, Keep::First(100));
        assert_eq!(ended.end, End::Code(137));
    }

    #[test]
    fn of_much_output_only_a_part_is_kept() {
        let first = shell("printf 'abcdef'", 10_000, Keep::First(2));
        assert_eq!((first.output.as_slice(), first.is_cut), (b"ab".as_slice(), true));
        let last = shell("printf 'abcdef'", 10_000, Keep::Last(2));
        assert_eq!((last.output.as_slice(), last.is_cut), (b"ef".as_slice(), true));
        let endless = shell("while :; do echo y; done", 300, Keep::Last(10));
        assert_eq!((endless.end, endless.output.len()), (End::Timeout, 10));
    }

    #[test]
    fn a_time_limit_ends_the_whole_group() {
        let started = Instant::now();
        let ended = shell("sleep 60 & sleep 60 & echo $!; wait", 300, Keep::First(100));
        assert_eq!(ended.end, End::Timeout);
        assert!(started.elapsed() < Duration::from_secs(20));
        gone(&ended.output);
    }

    #[test]
    fn what_a_program_leaves_behind_ends_with_it() {
        let started = Instant::now();
        let ended = shell("sleep 60 & echo $!", 30_000, Keep::First(100));
        assert_eq!(ended.end, End::Code(0));
        assert!(started.elapsed() < Duration::from_secs(20));
        gone(&ended.output);
    }

    /// The process with this number ends soon; a dead one that nobody has buried counts as ended.
    fn gone(number: &[u8]) {
        let number = str::from_utf8(number).unwrap().trim().to_owned();
        let is_alive = || {
            let output = Command::new("ps").args(["-o", "stat=", "-p", &number]).output().unwrap();
            let state = String::from_utf8(output.stdout).unwrap();
            !state.trim().is_empty() && !state.trim().starts_with('Z')
        };
        let asked = Instant::now();
        while is_alive() {
            assert!(asked.elapsed() < Duration::from_secs(10), "{number} is still there");
            thread::sleep(STEP);
        }
    }
}
