//! Runs another program with limits on time and output.
//!
//! The program runs in its own process group below a guard: a shell that reads from a pipe and
//! kills the group when the pipe closes. This process holds the other end, so nothing outlives a
//! time limit, the program, or this process, however it ends. The group is never killed by its
//! number, which could have been reused.

use std::ffi::OsStr;
use std::io::{PipeReader, PipeWriter, Read as _};
#[cfg(unix)]
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// The guard uses `read`, a builtin of the shell, so it does not depend on `PATH`.
const GUARD: &str = r#"
exec 3<&0 </dev/null
{ read -r nothing <&3; kill -s KILL 0; } >/dev/null 2>&1 &
exec 3<&-
"$@"
"#;

/// The interval between checks of the program.
const STEP: Duration = Duration::from_millis(10);

/// The time to wait for output after the end, from a process that left the group.
const GRACE: Duration = Duration::from_secs(1);

/// The limits of a program.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// The time limit.
    pub(super) timeout: Duration,
    /// The part of the output to keep.
    pub(super) keep: Keep,
    /// `true` to include stderr in the output.
    pub(super) with_errors: bool,
}

/// The part of the output to keep, in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Keep {
    /// The beginning.
    First(usize),
    /// The end.
    Last(usize),
}

/// The result of a program.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) end: End,
    pub(super) output: Vec<u8>,
    /// `true` if output was dropped.
    pub(super) is_cut: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// Exited with this code.
    Code(i32),
    /// Killed by a signal.
    Signal,
    /// Killed at the time limit.
    Timeout,
}

/// Returns a command for a program below the guard, to be completed by the caller.
pub(super) fn guarded(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", GUARD, "guard"]).arg(program);
    command
}

/// Runs a guarded program to its end or its time limit.
pub(super) fn run(mut command: Command, bounds: Bounds) -> std::io::Result<Ended> {
    let (guard, held) = std::io::pipe()?;
    let (reader, writer) = std::io::pipe()?;
    let errors = if bounds.with_errors { Stdio::from(writer.try_clone()?) } else { Stdio::null() };
    command.stdin(guard).stdout(writer).stderr(errors);
    #[cfg(unix)]
    command.process_group(0);
    let child = command.spawn()?;
    // The command holds ends of both pipes, which must close when the program ends.
    drop(command);
    let (sender, receiver) = sync_channel(4);
    thread::spawn(move || forward(reader, &sender));
    watch(child, held, &receiver, bounds)
}

/// Forwards the output. A program that prints too fast is blocked.
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
    // The guard now kills the rest of the group.
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

/// The part of the output that is kept.
struct OutputBuffer {
    bytes: Vec<u8>,
    keep: Keep,
    is_cut: bool,
}

impl OutputBuffer {
    /// Waits one interval for output. Returns `true` if more can follow.
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
    fn a_program_ends_with_its_code_and_its_output() {
        check("echo out; echo err >&2", End::Code(0), "out\nerr\n");
        check("exit 7", End::Code(7), "");
        check("read -r line && echo never", End::Code(1), "");
    }

    #[test]
    fn a_signal_is_not_a_success() {
        let ended = shell("kill -s KILL $$", 10_000, Keep::First(100));
        assert_eq!(ended.end, End::Code(137));
    }

    #[test]
    fn only_a_part_of_long_output_is_kept() {
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
    fn background_processes_of_a_program_end_with_it() {
        let started = Instant::now();
        let ended = shell("sleep 60 & echo $!", 30_000, Keep::First(100));
        assert_eq!(ended.end, End::Code(0));
        assert!(started.elapsed() < Duration::from_secs(20));
        gone(&ended.output);
    }

    /// Asserts that the process with this id ends soon. A zombie counts as ended.
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
