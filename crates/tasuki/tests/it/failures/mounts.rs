//! Mounts in a namespace of their own, so that none outlives its test.
//!
//! Root may mount, and so may other users in a user namespace where the system allows that. A test
//! that needs a mount fails without one, unless `TASUKI_WITHOUT_MOUNT` is set.

use std::process::Command;

use crate::support::folder::Folder;

/// A small disk at `small`.
pub(super) const SMALL_DISK: &str = "mount -t tmpfs -o size=2m small small";

const AS_ROOT: &[&str] = &["unshare", "--mount", "--propagation", "private"];

const AS_USER: &[&str] =
    &["unshare", "--user", "--map-root-user", "--mount", "--propagation", "private"];

/// The program, with its first arguments, that runs a command with mounts of its own. `None` where
/// the person who runs the tests has said that nothing can be mounted.
pub(super) fn own_mounts(folder: &Folder, mount: &str) -> Option<&'static [&'static str]> {
    if std::env::var_os("TASUKI_WITHOUT_MOUNT").is_some() {
        return None;
    }
    let can_mount = |program: &&&[&str]| {
        let mut command = Command::new(program[0]);
        command.args(&program[1..]).args(["sh", "-c", mount]).current_dir(folder.path(""));
        command.output().is_ok_and(|output| output.status.success())
    };
    let program = [AS_ROOT, AS_USER].iter().find(can_mount).copied();
    assert!(
        program.is_some(),
        "`{mount}` is not possible here: run the tests as root or allow user namespaces, or set \
         TASUKI_WITHOUT_MOUNT=1 to leave out the tests with a disk of their own"
    );
    program
}

/// A shell script in the folder, with mounts of its own. `$tool` is the tool.
pub(super) fn script(folder: &Folder, program: &[&str], text: &str) -> Command {
    let mut command = Command::new(program[0]);
    command.args(&program[1..]).args(["sh", "-c", text]).current_dir(folder.path(""));
    command.env("tool", folder.command(&[]).get_program()).env("TASUKI_SESSION", "main");
    command
}
