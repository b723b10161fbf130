//! The system calls of a run of the tool, as `strace` records them.
//!
//! The idea: an answer is a write to stdout, and before it everything that was written to a WAL must
//! have been synced. [`Trace::answers_follow_syncs`] judges that, and its tests are traces where it
//! must not be so.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::exchange::Exchange;

const WRITES: &[&str] = &["pwrite64", "pwritev", "pwritev2", "write", "writev"];
const SYNCS: &[&str] = &["fsync", "fdatasync"];

/// The tool under `strace`, with these options for it, not yet started. `None` where the person who
/// runs the tests has said that there is no `strace`.
pub(super) fn traced(
    exchange: &Exchange,
    options: &[&str],
    arguments: &[&str],
) -> Option<(Command, PathBuf)> {
    if std::env::var_os("TASUKI_WITHOUT_STRACE").is_some() {
        return None;
    }
    let is_there = Command::new("strace").arg("-V").stdout(Stdio::null()).status().is_ok();
    assert!(
        is_there,
        "`strace` is missing: install the package strace, or set TASUKI_WITHOUT_STRACE=1 to leave out \
         the tests of what reaches the disk"
    );
    let output = exchange.folder.path("trace");
    let plain = exchange.command("main", arguments);
    let mut command = Command::new("strace");
    command.args(["-f", "-y", "-qq", "-s", "0", "-o"]).arg(&output).args(options);
    // Without a path, the tool finds no git, whose output would count as an answer.
    command.args(["-E", "PATH", "--"]);
    command.arg(plain.get_program()).args(plain.get_args());
    // The environment stays: nothing of it reaches what is tested, and the path finds `strace`.
    command.current_dir(exchange.folder.path("")).stdin(Stdio::null());
    command.env("TASUKI_SESSION", "main");
    Some((command, output))
}

/// One call into the system. Beginning and end are lines of the trace.
#[derive(Debug)]
struct Call {
    thread: String,
    name: String,
    descriptor: String,
    path: String,
    began: usize,
    /// `None` if it never came back.
    ended: Option<usize>,
    is_good: bool,
}

/// All calls of one run.
#[derive(Debug)]
pub(super) struct Trace(Vec<Call>);

impl Trace {
    /// Reads what `strace -f -y` wrote.
    pub(super) fn read(text: &str) -> Self {
        let mut calls = Vec::new();
        let mut waiting: HashMap<(String, String), usize> = HashMap::new();
        for (line, content) in text.lines().enumerate() {
            let Some((thread, rest)) = content.trim_start().split_once(' ') else { continue };
            let (thread, rest) = (thread.to_owned(), rest.trim_start());
            if let Some(resumed) = rest.strip_prefix("<... ") {
                let name = resumed.split(' ').next().unwrap_or_default().to_owned();
                if let Some(at) = waiting.remove(&(thread, name)) {
                    let call: &mut Call = &mut calls[at];
                    (call.ended, call.is_good) = (Some(line), is_good(resumed));
                }
                continue;
            }
            let Some(mut call) = start(&thread, rest, line) else { continue };
            if rest.ends_with("<unfinished ...>") {
                waiting.insert((thread, call.name.clone()), calls.len());
            } else {
                (call.ended, call.is_good) = (Some(line), is_good(rest));
            }
            calls.push(call);
        }
        Self(calls)
    }

    /// How often one thread made this call, at most: injections count for each thread.
    pub(super) fn count(&self, name: &str) -> usize {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for call in self.0.iter().filter(|call| call.name == name) {
            *counts.entry(&call.thread).or_default() += 1;
        }
        counts.into_values().max().unwrap_or_default()
    }

    /// Checks that every answer follows a sync of all earlier writes to a WAL. Returns the number of
    /// answers, or the first error.
    pub(super) fn answers_follow_syncs(&self) -> Result<usize, String> {
        let is_write = |call: &&Call| WRITES.contains(&call.name.as_str());
        let answers: Vec<&Call> =
            self.0.iter().filter(is_write).filter(|call| call.descriptor == "1").collect();
        let written: Vec<&Call> =
            self.0.iter().filter(is_write).filter(|call| call.path.ends_with("-wal")).collect();
        let Some(answer) = answers.first() else { return Err("there is no answer".to_owned()) };
        if !written.iter().any(|write| write.began < answer.began) {
            return Err("nothing was written before the answer".to_owned());
        }
        for answer in &answers {
            for write in written.iter().filter(|write| write.began < answer.began) {
                self.synced_between(write, answer)?;
            }
        }
        Ok(answers.len())
    }

    fn synced_between(&self, write: &Call, answer: &Call) -> Result<(), String> {
        let is_sync = |call: &Call| {
            SYNCS.contains(&call.name.as_str())
                && call.path == write.path
                && call.is_good
                && write.ended.is_some_and(|ended| ended < call.began)
                && call.ended.is_some_and(|ended| ended < answer.began)
        };
        if self.0.iter().any(is_sync) {
            return Ok(());
        }
        Err(format!(
            "line {} writes to {}, and no sync of it ends before the answer in line {}",
            write.began + 1,
            write.path,
            answer.began + 1
        ))
    }
}

/// `pwrite64(7</a/project.db-wal>, …`: the call, its descriptor and the file that it is.
fn start(thread: &str, rest: &str, line: usize) -> Option<Call> {
    let (name, arguments) = rest.split_once('(')?;
    let (descriptor, behind) = arguments.split_once('<')?;
    let (path, _) = behind.split_once('>')?;
    let is_descriptor = !descriptor.is_empty() && descriptor.bytes().all(|b| b.is_ascii_digit());
    is_descriptor.then(|| Call {
        thread: thread.to_owned(),
        name: name.to_owned(),
        descriptor: descriptor.to_owned(),
        path: path.to_owned(),
        began: line,
        ended: None,
        is_good: false,
    })
}

fn is_good(text: &str) -> bool {
    let result = text.rsplit_once(") = ").map(|(_, result)| result);
    result.is_some_and(|result| !result.starts_with('-') && !result.starts_with('?'))
}

mod tests {
    use super::*;

    /// From a submit, shortened. The second thread is the writer.
    const GOOD: &[&str] = &[
        r#"40 pwrite64(8</p/project.db-shm>, ""..., 1, 4095) = 1"#,
        r#"41 pwrite64(7</p/project.db-wal>, ""..., 32, 0) = 32"#,
        "41 fsync(7</p/project.db-wal>) = 0",
        "41 fsync(12</p>) = 0",
        r#"41 pwrite64(7</p/project.db-wal>, ""..., 24, 32) = 24"#,
        r#"41 pwrite64(7</p/project.db-wal>, ""..., 8192, 56) = 8192"#,
        "41 fdatasync(7</p/project.db-wal> <unfinished ...>",
        "40 futex(0x7f, FUTEX_WAIT, 1, NULL <unfinished ...>",
        "41 <... fdatasync resumed>) = 0",
        "40 <... futex resumed>) = 0",
        r#"40 write(1<pipe:[123]>, ""..., 64) = 64"#,
        "41 +++ exited with 0 +++",
    ];

    fn judged(lines: &[&str]) -> Result<usize, String> {
        Trace::read(&lines.join("\n")).answers_follow_syncs()
    }

    #[test]
    fn a_sync_between_the_last_write_and_the_answer_is_what_is_asked_for() {
        assert_eq!(judged(GOOD), Ok(1));
        assert_eq!(Trace::read(&GOOD.join("\n")).count("pwrite64"), 3);
        let without_thread_switch = [&GOOD[..6], &GOOD[6..7], &GOOD[8..9], &GOOD[10..]].concat();
        assert_eq!(judged(&without_thread_switch), Ok(1));
    }

    #[test]
    fn every_other_order_is_found() {
        let unsynced =
            "line 5 writes to /p/project.db-wal, and no sync of it ends before the answer in line";
        let check = |name: &str, lines: &[&str], said: &str| {
            let found = judged(lines).unwrap_err();
            assert!(found.contains(said), "{name}: {found}");
        };
        let moved = |from: usize, to: usize| {
            let mut lines = GOOD.to_vec();
            let line = lines.remove(from);
            lines.insert(to, line);
            lines
        };
        let replaced = |at: usize, line: &'static str| {
            let mut lines = GOOD.to_vec();
            lines[at] = line;
            lines
        };
        check("the answer comes first", &moved(10, 6), unsynced);
        check("the answer comes while the sync runs", &moved(10, 7), unsynced);
        check("the sync runs while a page is written", &moved(5, 7), "line 8 writes");
        check(
            "the sync fails",
            &replaced(8, "41 <... fdatasync resumed>) = -1 EIO (No)"),
            unsynced,
        );
        check(
            "another file is synced",
            &replaced(6, "41 fdatasync(9</p/project.db>) = 0"),
            unsynced,
        );
        check("nothing is synced", &[&GOOD[..6], &GOOD[10..]].concat(), unsynced);
        check("nothing is answered", &GOOD[..10], "there is no answer");
        check("nothing is written", &[&GOOD[..1], &GOOD[10..]].concat(), "nothing was written");
    }
}
