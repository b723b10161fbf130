//! What is where in `.tasuki/`.
//!
//! Names only: nothing here touches the disk. The names are public, because people back the folder up
//! and other programs look into it.
//!
//! Not here: finding the folder (see `find`) and making it (see `create`).

use std::path::{Path, PathBuf};

use tasuki_packet::id::ProjectId;

/// The name of the folder.
pub(super) const FOLDER: &str = ".tasuki";
/// Keeps everything here out of version control.
pub(super) const GITIGNORE: &str = ".gitignore";
pub(super) const PROJECTS: &str = "projects";
pub(super) const SESSIONS: &str = "sessions";
pub(super) const SPOOL: &str = "spool";

/// A `.tasuki/` folder: the memory of an exchange without a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    folder: PathBuf,
}

impl Place {
    /// The place in this folder, whether it is there or not.
    pub(super) fn in_folder(folder: &Path) -> Self {
        Self { folder: folder.join(FOLDER) }
    }

    /// The folder `.tasuki/` itself.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// When a backup was made last.
    pub(crate) fn last_backup(&self) -> PathBuf {
        self.folder.join("last-backup.json")
    }

    /// The lock of the server that delivers.
    pub(crate) fn delivering(&self) -> PathBuf {
        self.folder.join("delivering.lock")
    }

    /// The folder of one project.
    pub(crate) fn project(&self, project: ProjectId) -> PathBuf {
        self.folder.join(PROJECTS).join(project.to_string())
    }

    /// The database of one project.
    pub(crate) fn project_database(&self, project: ProjectId) -> PathBuf {
        self.project(project).join("project.db")
    }

    /// One file for each session; see `sessions`.
    pub(crate) fn sessions(&self) -> PathBuf {
        self.folder.join(SESSIONS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_documented_ones() {
        let place = Place::in_folder(Path::new("/w"));
        let project = ProjectId::from_bytes([0x0a; 16]);
        let prj = "prj_0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a";
        let check = |found: PathBuf, expected: &str| assert_eq!(found, Path::new(expected));
        check(place.project_database(project), &format!("/w/.tasuki/projects/{prj}/project.db"));
        check(place.sessions(), "/w/.tasuki/sessions");
    }
}
