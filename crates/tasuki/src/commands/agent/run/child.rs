//! The wrapped process: its streams are ours, and so are its signals and its exit code.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};

use tokio::signal::unix::{SignalKind, signal};

use crate::config::SessionName;
use crate::exit::{Failure, reason};

/// The variable that makes the commands of the agent use the claim.
const SESSION_VARIABLE: &str = "TASUKI_SESSION";

/// An event in the life of the process.
#[derive(Debug)]
pub(super) enum Happened {
    Ended(ExitStatus),
    /// A signal arrived for it, by its name.
    Signal(&'static str),
}

/// Starts a command with our own streams.
pub(super) fn start(line: &[OsString], session: &SessionName) -> Result<Child, Failure> {
    let (program, arguments) =
        line.split_first().ok_or_else(|| Failure::usage("no command given"))?;
    let mut command = Command::new(program);
    command.args(arguments).env(SESSION_VARIABLE, session.as_str());
    command.spawn().map_err(|error| {
        let program = program.to_string_lossy();
        Failure::usage(format!("cannot run `{program}`: {}", reason(&error)))
    })
}

/// Reports the end of a process and the signals that arrive for it. A terminal sends its signals
/// (Ctrl-C) to the process itself, so these are not passed on.
pub(super) fn watch(mut child: Child, has_terminal: bool) -> Result<Receiver<Happened>, Failure> {
    let (sender, receiver) = channel();
    let failed = |error: std::io::Error| {
        Failure::usage(format!("cannot listen for signals: {}", reason(&error)))
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(failed)?;
    let all = [
        (SignalKind::terminate(), "TERM"),
        (SignalKind::hangup(), "HUP"),
        (SignalKind::interrupt(), "INT"),
        (SignalKind::quit(), "QUIT"),
    ];
    for (kind, name) in all {
        let mut arrived = {
            let _entered = runtime.enter();
            signal(kind).map_err(failed)?
        };
        let is_passed_on = !has_terminal || matches!(name, "TERM" | "HUP");
        let sender: Sender<Happened> = sender.clone();
        runtime.spawn(async move {
            while arrived.recv().await.is_some() {
                if is_passed_on && sender.send(Happened::Signal(name)).is_err() {
                    return;
                }
            }
        });
    }
    std::thread::spawn(move || runtime.block_on(std::future::pending::<()>()));
    std::thread::spawn(move || {
        let status = child.wait().unwrap_or_else(|_| ExitStatus::from_raw(1 << 8));
        let _gone = sender.send(Happened::Ended(status)).is_err();
    });
    Ok(receiver)
}

/// Sends a signal to a process.
pub(super) fn pass_on(name: &str, id: u32) {
    let mut kill = Command::new("/bin/sh");
    kill.args(["-c", "kill -s \"$0\" \"$1\"", name]).arg(id.to_string());
    kill.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // A process that has just ended needs no signal.
    let _gone = kill.status().is_err();
}

/// Returns the exit code as a shell reports it.
pub(super) fn code(status: ExitStatus) -> i32 {
    status.code().or_else(|| Some(128 + status.signal()?)).unwrap_or(1)
}

/// Says how a process ended.
pub(super) fn described(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exited with {code}"),
        (None, Some(signal)) => format!("was killed by signal {signal}"),
        (None, None) => "ended".to_owned(),
    }
}
