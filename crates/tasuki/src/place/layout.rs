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

    /// The database of what belongs to no project: projects, people, heartbeats.
    pub(crate) fn exchange(&self) -> PathBuf {
        self.folder.join("exchange.db")
    }

    /// When a backup was made last.
    pub(crate) fn last_backup(&self) -> PathBuf {
        self.folder.join("last-backup.json")
    }

    /// The folder of one project.
    pub(crate) fn project(&self, project: ProjectId) -> PathBuf {
        self.folder.join(PROJECTS).join(project.to_string())
    }

    /// The database of one project.
    pub(crate) fn project_database(&self, project: ProjectId) -> PathBuf {
        self.project(project).join("project.db")
    }

    /// The file of one blob, by its digest (`sha256:` and 64 lower-case hex digits). Nothing else
    /// has a file: a digest comes from a packet, and must not lead anywhere.
    pub(crate) fn blob(&self, project: ProjectId, digest: &str) -> Option<PathBuf> {
        let digits = digest.strip_prefix("sha256:")?;
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if digits.len() != 64 || !digits.bytes().all(is_digit) {
            return None;
        }
        let (first, rest) = digits.split_at(2);
        Some(self.project(project).join("blobs").join("sha256").join(first).join(rest))
    }

    /// One file for each session; see `sessions`.
    pub(crate) fn sessions(&self) -> PathBuf {
        self.folder.join(SESSIONS)
    }

    /// What waits to be taken in: hooks that found no exchange leave their words here.
    pub(crate) fn spool(&self) -> PathBuf {
        self.folder.join(SPOOL)
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
        check(place.exchange(), "/w/.tasuki/exchange.db");
        check(place.project_database(project), &format!("/w/.tasuki/projects/{prj}/project.db"));
        check(place.sessions(), "/w/.tasuki/sessions");
        check(place.spool(), "/w/.tasuki/spool");
        let digest = format!("sha256:ab{}", "0".repeat(62));
        let blob = format!("/w/.tasuki/projects/{prj}/blobs/sha256/ab/{}", "0".repeat(62));
        check(place.blob(project, &digest).unwrap(), &blob);
    }

    #[test]
    fn what_is_no_digest_has_no_file() {
        let place = Place::in_folder(Path::new("/w"));
        let project = ProjectId::from_bytes([0; 16]);
        for digest in [
            String::new(),
            "a".repeat(64),
            format!("sha256:{}", "A".repeat(64)),
            format!("sha256:{}", "a".repeat(63)),
            format!("sha256:../{}", "a".repeat(61)),
            format!("sha256:é{}", "a".repeat(62)),
        ] {
            assert_eq!(place.blob(project, &digest), None, "{digest}");
        }
    }
}
