//! Starts snapshots of work trees, where they are enabled.

use std::path::Path;

use super::Backend;
use crate::config::{Origin, Settings};
use crate::git::head::Repository;
use crate::git::snapshot::{self, Cause};

impl dyn Backend + '_ {
    /// Starts a process that takes a snapshot of the work tree around a directory, for a task.
    pub(crate) fn start_snapshot(&self, directory: &Path, task: &str, party: &str, cause: Cause) {
        start_snapshot(self.settings(), directory, task, party, cause);
    }
}

/// Starts a process that takes a snapshot of the work tree around a directory, for a task.
pub(crate) fn start_snapshot(
    settings: &Settings,
    directory: &Path,
    task: &str,
    party: &str,
    cause: Cause,
) {
    let is_enabled = settings.snapshots().is_ok_and(|snapshots| snapshots.is_enabled);
    let repository = directory.canonicalize().ok().and_then(|path| Repository::around(&path));
    if is_enabled && repository.is_some() {
        snapshot::spawn(directory, task, party, cause, &flags(settings));
    }
}

/// Returns the flags that select the same exchange. Variables and files are found again.
fn flags(settings: &Settings) -> Vec<String> {
    let mut flags = Vec::new();
    let mut add = |flag: &str, value: &str, origin: &Origin| {
        if matches!(origin, Origin::Flag(_)) {
            flags.extend([flag.to_owned(), value.to_owned()]);
        }
    };
    add("--project", settings.project.value.as_str(), &settings.project.origin);
    if let Some(url) = &settings.url {
        add("--server", url.value.as_str(), &url.origin);
    }
    if let Some(party) = &settings.party {
        add("--as", party.value.as_str(), &party.origin);
    }
    flags
}
