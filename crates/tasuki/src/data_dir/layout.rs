//! The layout of `.tasuki/`.
//!
//! It only has names and does not touch the disk. The names are public, because people back up the
//! folder and other programs read it. Finding the folder is in `find`, creating it in `create`.

use std::path::{Path, PathBuf};

use tasuki_packet::id::ProjectId;

/// The name of the folder.
pub(super) const FOLDER: &str = ".tasuki";
/// Keeps everything here out of version control.
pub(super) const GITIGNORE: &str = ".gitignore";
pub(super) const PROJECTS: &str = "projects";
pub(super) const SESSIONS: &str = "sessions";
pub(super) const SPOOL: &str = "spool";

/// A `.tasuki/` directory, with the store of an exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DataDir {
    folder: PathBuf,
}

impl DataDir {
    /// Returns the data directory of this folder, whether it exists or not.
    pub(super) fn in_folder(folder: &Path) -> Self {
        Self { folder: folder.join(FOLDER) }
    }

    /// Returns the data directory with this path.
    pub(crate) fn at(path: &Path) -> Self {
        Self { folder: path.to_owned() }
    }

    /// Returns the path of `.tasuki/`.
    pub(crate) fn path(&self) -> &Path {
        &self.folder
    }

    /// Returns the file with the time of the last backup.
    pub(crate) fn last_backup(&self) -> PathBuf {
        self.folder.join("last-backup.json")
    }

    /// Returns the folder of a project.
    pub(crate) fn project(&self, project: ProjectId) -> PathBuf {
        self.folder.join(PROJECTS).join(project.to_string())
    }

    /// Returns the database of a project.
    pub(crate) fn project_database(&self, project: ProjectId) -> PathBuf {
        self.project(project).join("project.db")
    }

    /// Returns the folder of the session files; see `sessions`.
    pub(crate) fn sessions(&self) -> PathBuf {
        self.folder.join(SESSIONS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_documented_ones() {
        let data_dir = DataDir::in_folder(Path::new("/w"));
        let project = ProjectId::from_bytes([0x0a; 16]);
        let prj = "prj_0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a";
        let check = |found: PathBuf, expected: &str| assert_eq!(found, Path::new(expected));
        check(data_dir.project_database(project), &format!("/w/.tasuki/projects/{prj}/project.db"));
        check(data_dir.sessions(), "/w/.tasuki/sessions");
    }
}
