//! The record of what `connect` wrote, so that it can be taken back byte for byte.
//!
//! One file per host, and per project for shared files, in the user's state directory.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::plan::Choices;
use crate::backend::remote::state_home;
use crate::config::Environment;
use crate::data_dir::create_private_dirs;
use crate::exit::Failure;
use crate::output::file;

/// The files that `connect` wrote for one host.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) files: Vec<WrittenFile>,
}

/// A file before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct WrittenFile {
    pub(super) path: PathBuf,
    /// The text before; none if there was no file.
    pub(super) before: Option<String>,
    /// The digest of the text after.
    pub(super) after: String,
    /// Folders that were made for it, the innermost first.
    #[serde(default)]
    pub(super) folders: Vec<PathBuf>,
}

impl Record {
    /// Returns the file of the record.
    fn path(choices: &Choices) -> Result<PathBuf, Failure> {
        let folder = state_home(&Environment::of_process())?.join("tasuki").join("connected");
        let name = choices.host.name();
        let project = choices.project.display().to_string();
        Ok(folder.join(if choices.is_shared {
            format!("{name}-{}.json", &digest(&project)[..16])
        } else {
            format!("{name}.json")
        }))
    }

    /// Reads the record; one that does not exist is empty.
    pub(super) fn read(choices: &Choices) -> Result<Self, Failure> {
        let path = Self::path(choices)?;
        let Ok(text) = std::fs::read_to_string(&path) else { return Ok(Self::default()) };
        serde_json::from_str(&text).map_err(|error| {
            Failure::usage(format!("{} is not a valid record: {error}", path.display()))
                .hint("move it away; `--undo` then removes only the entries of Tasuki")
        })
    }

    pub(super) fn write(&self, choices: &Choices) -> Result<(), Failure> {
        let path = Self::path(choices)?;
        let failed = |error| Failure::of_file(format!("cannot write {}", path.display()), &error);
        if let Some(folder) = path.parent() {
            create_private_dirs(folder).map_err(failed)?;
        }
        let text = serde_json::to_string_pretty(self).expect("its keys are texts") + "\n";
        if path.exists() { file::replace(&path, &text) } else { file::create(&path, &text) }
    }

    pub(super) fn remove(choices: &Choices) -> Result<(), Failure> {
        let path = Self::path(choices)?;
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Failure::of_file(format!("cannot remove {}", path.display()), &error))
            }
            _ => Ok(()),
        }
    }

    /// Returns what was written to a file.
    pub(super) fn of(&self, path: &Path) -> Option<&WrittenFile> {
        self.files.iter().find(|file| file.path == path)
    }
}

/// Returns the digest of a text.
pub(super) fn digest(text: &str) -> String {
    Sha256::digest(text).iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}
