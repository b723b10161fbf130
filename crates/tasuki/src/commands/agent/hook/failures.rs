//! The record of failed hooks, which their host does not see.
//!
//! One line of JSON for each, in the user's state directory: a hook may fail before it knows its
//! exchange. `tasuki doctor` shows them.

use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::backend::remote::state_home;
use crate::config::Environment;
use crate::data_dir::create_private_dirs;
use crate::exit::Failure;

/// LIMIT: bytes of the file, which then starts again.
const BYTES_MAX: u64 = 256 * 1_024;

/// The age of failures that are still shown.
const SHOWN_HOURS: i64 = 7 * 24;

/// The file of failed hooks.
#[derive(Debug)]
pub(crate) struct Failures(Option<PathBuf>);

/// A failed hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FailedHook {
    pub(crate) at: Timestamp,
    pub(crate) host: String,
    pub(crate) event: String,
    pub(crate) message: String,
}

impl Failures {
    /// Returns the file of the user. Without a state directory nothing is recorded.
    pub(crate) fn of_user() -> Self {
        let folder = state_home(&Environment::of_process()).ok();
        Self(folder.map(|folder| folder.join("tasuki").join("failed-hooks.jsonl")))
    }

    /// Records a failure. If that fails too, there is no one to tell.
    pub(super) fn record(&self, host: &str, event: &str, failure: &Failure) {
        let failed = FailedHook {
            at: Timestamp::now(),
            host: host.to_owned(),
            event: event.to_owned(),
            message: failure.message.clone(),
        };
        let _lost = self.append(&failed).is_err();
    }

    fn append(&self, failed: &FailedHook) -> std::io::Result<()> {
        let Some(path) = &self.0 else { return Ok(()) };
        path.parent().map(create_private_dirs).transpose()?;
        if path.metadata().is_ok_and(|found| found.len() > BYTES_MAX) {
            std::fs::remove_file(path)?;
        }
        let line = serde_json::to_string(failed)? + "\n";
        File::options().create(true).append(true).open(path)?.write_all(line.as_bytes())
    }

    /// Returns the failures of the last days, oldest first.
    pub(crate) fn recent(&self) -> Vec<FailedHook> {
        let text = self.0.as_ref().and_then(|path| std::fs::read_to_string(path).ok());
        let text = text.unwrap_or_default();
        let since = Timestamp::now() - SignedDuration::from_hours(SHOWN_HOURS);
        let failed = text.lines().filter_map(|line| serde_json::from_str(line).ok());
        failed.filter(|one: &FailedHook| one.at >= since).collect()
    }
}
