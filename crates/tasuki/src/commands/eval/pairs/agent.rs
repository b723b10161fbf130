//! Runs one step of the agent: a shell command that gets a prompt and writes files.

use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::record::failed;
use crate::exit::{Failure, reason};
use crate::input::interrupt::Interrupt;

/// One start of the command.
#[derive(Debug)]
pub(super) struct Step<'s> {
    pub(super) command: &'s str,
    /// Where it works.
    pub(super) repository: &'s Path,
    /// Where it writes its files.
    pub(super) out: &'s Path,
    pub(super) prompt: &'s str,
    /// Variables that tell a scripted agent what it is asked for.
    pub(super) variables: Vec<(&'static str, String)>,
    pub(super) timeout: Duration,
    /// The time after which it is killed on purpose.
    pub(super) kill: Option<Duration>,
}

/// The end of a step.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum StepEnd {
    Succeeded,
    /// It ended with an error, or was ended after the timeout.
    Failed,
    /// It was killed on purpose.
    Killed,
    /// A signal arrived for us.
    Interrupted,
}

/// The time between two looks at a running process.
const PAUSE: Duration = Duration::from_millis(20);

impl Step<'_> {
    /// Runs the step, and ends its whole process group if it takes too long.
    pub(super) fn run(&self, interrupt: &Interrupt) -> Result<StepEnd, Failure> {
        let mut child = self.start()?;
        let start = Instant::now();
        let end = loop {
            if let Some(status) = child.try_wait().map_err(|error| failed(self.out, &error))? {
                break ended(self.command, status)?;
            }
            let passed = start.elapsed();
            if interrupt.is_raised() {
                break StepEnd::Interrupted;
            }
            if self.kill.is_some_and(|kill| passed >= kill) {
                break StepEnd::Killed;
            }
            if passed >= self.timeout {
                break StepEnd::Failed;
            }
            std::thread::sleep(PAUSE);
        };
        // Also after a normal end: what the command left running would write into the next step.
        end_group(&mut child);
        Ok(end)
    }

    fn start(&self) -> Result<Child, Failure> {
        let log = |name: &str| {
            let path = self.out.join(name);
            std::fs::File::create(&path).map_err(|error| failed(&path, &error))
        };
        let mut command = Command::new("/bin/sh");
        command.args(["-c", self.command]).current_dir(self.repository).process_group(0);
        command.env("TASUKI_EVAL_OUT", self.out).envs(self.variables.iter().cloned());
        command.stdin(Stdio::piped()).stdout(log("stdout.txt")?).stderr(log("stderr.txt")?);
        let mut child = command
            .spawn()
            .map_err(|error| Failure::usage(format!("cannot run the agent: {}", reason(&error))))?;
        if let Some(mut stdin) = child.stdin.take() {
            let prompt = self.prompt.to_owned();
            // In a thread of its own: an agent that reads nothing must not block us.
            std::thread::spawn(move || {
                let _unread = stdin.write_all(prompt.as_bytes()).is_err();
            });
        }
        Ok(child)
    }
}

/// Returns the end of a step. A command that does not exist fails the whole run.
fn ended(command: &str, status: ExitStatus) -> Result<StepEnd, Failure> {
    match status.code() {
        Some(0) => Ok(StepEnd::Succeeded),
        Some(code @ (126 | 127)) => Err(Failure::usage(format!(
            "the agent cannot be run: `{command}` ended with {code}"
        ))
        .hint("check the command with `sh -c`; `stderr.txt` in the trial's folder has its words")),
        _ => Ok(StepEnd::Failed),
    }
}

/// Kills a process and everything that it started.
fn end_group(child: &mut Child) {
    let mut kill = Command::new("/bin/sh");
    kill.args(["-c", "kill -s KILL -- \"-$0\""]).arg(child.id().to_string());
    kill.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // A group that has just ended needs no signal.
    let _gone = kill.status().is_err();
    let _gone = child.kill().is_err();
    let _gone = child.wait().is_err();
}
