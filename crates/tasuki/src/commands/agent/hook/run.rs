//! The command: reads the host's JSON, runs the event within its time, and prints the answer.
//!
//! A hook never blocks or breaks its host. If it fails or takes too long, it prints nothing and
//! exits with 0; the failure is recorded for `tasuki doctor`.

use std::io::Read as _;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use clap::ValueEnum;
use serde_json::Value;
use tasuki_packet::duration::Duration as PacketDuration;

use super::failures::Failures;
use super::input::HookInput;
use super::session::HookSession;
use super::{checkpoint, end, output, permission, start};
use crate::commands::agent::host::Host;
use crate::config::Flags;
use crate::exit::{Exit, Failure, reason};
use crate::output::printer::Printer;

/// LIMIT: bytes of a host's input.
const INPUT_BYTES_MAX: u64 = 8 * 1_024 * 1_024;

/// Answer a hook of a coding agent.
#[derive(Debug, Clone, clap::Args)]
#[command(
    after_help = "Example:\n  tasuki hook claude-code start\n\nThe host of an agent runs this command; `tasuki connect` configures it. It reads the host's JSON on stdin and prints the answer that the host documents. `start` shows the agent a task that waits for it in this work tree. `stop` and `compact` save a checkpoint. `end` and `failure` leave a crash record, from which the next session continues. `permission` asks a person to approve the action that the host needs a permission for. A hook that fails prints nothing and exits with 0; `tasuki doctor` shows the failure."
)]
pub(crate) struct Arguments {
    /// The host.
    #[arg(value_name = "HOST")]
    pub(super) host: Host,
    /// The event.
    #[arg(value_name = "EVENT")]
    pub(super) event: Event,
    /// The time that a person has to decide about a permission; then the host asks its own user.
    #[arg(long, value_name = "DURATION", default_value = "10m")]
    timeout: PacketDuration,
    #[command(flatten)]
    pub(super) flags: Flags,
}

impl Arguments {
    fn wait(&self) -> Duration {
        Duration::from_millis(self.timeout.milliseconds())
    }
}

/// An event in the life of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Event {
    /// A session starts, resumes, or goes on after a compaction.
    Start,
    /// The host is about to compact the context.
    Compact,
    /// The agent has finished a turn.
    Stop,
    /// The session ends.
    End,
    /// An error of the model ended the turn.
    Failure,
    /// The host needs a permission.
    Permission,
}

impl Event {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Compact => "compact",
            Self::Stop => "stop",
            Self::End => "end",
            Self::Failure => "failure",
            Self::Permission => "permission",
        }
    }

    /// LIMIT: the time of an event. Hosts kill the hooks of a session's end after 1 to 3 seconds.
    fn timeout(self, wait: Duration) -> Duration {
        match self {
            Self::Permission => wait + Duration::from_secs(5),
            Self::End | Self::Failure => Duration::from_secs(1),
            Self::Start | Self::Compact | Self::Stop => Duration::from_secs(5),
        }
    }
}

#[expect(clippy::unnecessary_wraps, reason = "every command has this signature")]
pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    match within(arguments.event.timeout(arguments.wait()), arguments.clone()) {
        Ok(Some(answer)) => printer.data(&format!("{answer}\n")),
        Ok(None) => {}
        Err(failure) => {
            Failures::of_user().record(arguments.host.name(), arguments.event.name(), &failure);
        }
    }
    Ok(Exit::Success)
}

/// Runs the event in a thread of its own, which ends with the process.
fn within(timeout: Duration, arguments: Arguments) -> Result<Option<Value>, Failure> {
    let (sender, receiver) = sync_channel(1);
    std::thread::spawn(move || {
        let answer = answer(&arguments);
        let _gone = sender.send(answer).is_err();
    });
    receiver.recv_timeout(timeout).unwrap_or_else(|error| {
        Err(Failure::usage(match error {
            RecvTimeoutError::Timeout => format!("timed out after {} s", timeout.as_secs()),
            RecvTimeoutError::Disconnected => "the hook panicked, which is a bug".to_owned(),
        }))
    })
}

fn answer(arguments: &Arguments) -> Result<Option<Value>, Failure> {
    let input = HookInput::parse(&read_input()?)?;
    let Some(session) = HookSession::open(arguments, input)? else { return Ok(None) };
    match arguments.event {
        Event::Start => {
            let text = start::run(&session)?;
            Ok(text.map(|text| output::context(session.host, &text)))
        }
        Event::Compact => checkpoint::run(&session).map(|_| None),
        Event::Stop => {
            let request = checkpoint::run(&session)?;
            Ok(request.map(|text| output::another_turn(session.host, &text)))
        }
        Event::Permission => {
            let decided = permission::run(&session, arguments.wait())?;
            Ok(output::permission(&decided))
        }
        Event::End | Event::Failure => {
            end::run(&session, arguments.event == Event::Failure).map(|()| None)
        }
    }
}

fn read_input() -> Result<String, Failure> {
    let mut text = String::new();
    std::io::stdin().take(INPUT_BYTES_MAX).read_to_string(&mut text).map_err(|error| {
        Failure::usage(format!("cannot read the host's input: {}", reason(&error)))
    })?;
    Ok(text)
}
