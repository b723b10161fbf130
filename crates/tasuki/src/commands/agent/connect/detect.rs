//! Finds the hosts that are installed, by their program or their folder.

use std::path::Path;

use clap::ValueEnum as _;

use crate::commands::agent::host::Host;

/// Returns the hosts that this user has.
pub(super) fn installed(home: &Path) -> Vec<Host> {
    let folders: Vec<_> = std::env::var_os("PATH").iter().flat_map(std::env::split_paths).collect();
    let has_program = |name: &str| folders.iter().any(|folder| folder.join(name).is_file());
    let is_installed = |host: &Host| {
        let (program, folder) = match host {
            Host::ClaudeCode => ("claude", ".claude"),
            Host::Codex => ("codex", ".codex"),
            Host::Gemini => ("gemini", ".gemini"),
            Host::Vscode => ("code", ".config/Code/User"),
            Host::Cursor => ("cursor", ".cursor"),
        };
        has_program(program) || home.join(folder).is_dir()
    };
    Host::value_variants().iter().copied().filter(is_installed).collect()
}
