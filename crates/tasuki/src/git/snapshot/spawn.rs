//! Takes a snapshot in a process of its own, so that no command and no host waits for it.

#[cfg(unix)]
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use super::meta::Cause;

/// Starts a process that takes a snapshot of the work tree around a directory. `flags` select the exchange
/// and the party. A failure is not reported here: `tasuki doctor` shows it.
pub(crate) fn spawn(directory: &Path, task: &str, party: &str, cause: Cause, flags: &[String]) {
    let Ok(program) = std::env::current_exe() else { return };
    let mut command = Command::new(program);
    command.args(["snapshot", "--task", task, "--owner", party, "--cause", cause.as_str()]);
    command.args(flags);
    command.current_dir(directory);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // A signal to the group of the caller, such as Ctrl-C, does not end it.
    #[cfg(unix)]
    command.process_group(0);
    // Nothing is lost but this snapshot.
    let _unstarted = command.spawn().is_err();
}
