//! Crash records that wait for their exchange, one file each, in the state directory.
//!
//! A record that the exchange refuses is dropped: its claim has ended, and the work went on without
//! it. A record that could not be sent stays.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::Backend;
use super::crash_record::CrashRecord;
use super::open::open_as_recorded;
use crate::config::{Flags, SessionName};
use crate::data_dir::{create_private_dirs, create_private_file, sync_dir};
use crate::exit::{Exit, Failure};

/// LIMIT: records that one command delivers.
const RECORDS_MAX: usize = 20;

/// The folder of the crash records of an exchange.
#[derive(Debug, Clone)]
pub(crate) struct Spool(PathBuf);

impl Spool {
    /// Returns the spool in the state directory of an exchange.
    pub(crate) fn in_folder(state: &Path) -> Self {
        Self(state.join("spool"))
    }

    /// Writes a record, and returns its file.
    pub(crate) fn write(&self, record: &CrashRecord) -> Result<PathBuf, Failure> {
        let failed =
            |error| Failure::of_file(format!("cannot write to {}", self.0.display()), &error);
        let since = Timestamp::now().as_nanosecond();
        let name = format!("{since:020}-{}.json", std::process::id());
        let (path, part) = (self.0.join(&name), self.0.join(format!(".{name}")));
        let text = serde_json::to_string_pretty(record).expect("its keys are texts");
        create_private_dirs(&self.0).map_err(failed)?;
        let written = create_private_file(&part).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            std::fs::rename(&part, &path)?;
            sync_dir(&self.0)
        });
        written.map_err(failed)?;
        Ok(path)
    }

    /// Returns the files of all records, oldest first.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(&self.0).into_iter().flatten().filter_map(Result::ok);
        let is_record = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            path.extension().is_some_and(|end| end == "json") && !name.starts_with('.')
        };
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_record).collect();
        files.sort();
        files
    }

    /// Delivers the records, oldest first. Stops at the first that cannot be sent.
    pub(crate) fn deliver(&self, flags: &Flags) -> Result<(), Failure> {
        self.files().iter().take(RECORDS_MAX).try_for_each(|file| deliver_file(file, flags))
    }
}

/// Delivers a record, and removes its file.
pub(crate) fn deliver_file(file: &Path, flags: &Flags) -> Result<(), Failure> {
    let failed = |error| Failure::of_file(format!("cannot read {}", file.display()), &error);
    let text = std::fs::read_to_string(file).map_err(failed)?;
    let record: CrashRecord = serde_json::from_str(&text).map_err(|error| {
        Failure::usage(format!("{} is not a valid crash record: {error}", file.display()))
            .hint("move it away")
    })?;
    let flags = Flags {
        party: record.party.clone(),
        session: SessionName::parse(&record.session).ok(),
        ..flags.clone()
    };
    let exchange: Box<dyn Backend> = open_as_recorded(&flags)?;
    let key = file.file_stem().and_then(|name| name.to_str()).unwrap_or("record");
    match record.deliver(&*exchange, key) {
        Err(failure) if !is_over(&failure) => return Err(failure),
        Ok(()) | Err(_) => {}
    }
    std::fs::remove_file(file)
        .map_err(|error| Failure::of_file(format!("cannot remove {}", file.display()), &error))
}

/// Returns `true` if the exchange refused a record for good.
fn is_over(failure: &Failure) -> bool {
    matches!(failure.exit, Exit::Conflict | Exit::NotFound | Exit::Refused | Exit::Denied)
}
