//! Projects with a directory in the store that `exchange.db` does not list, because it was lost or
//! restored from an older backup. Each project stores its own id and name, so that it can be listed
//! again.

use std::path::Path;

use tasuki_engine::error::Fault;
use tasuki_packet::id::ProjectId;

use crate::sqlite::fault::file_fault;

/// LIMIT: characters of a project's name.
const NAME_MAX: usize = 39;

/// A project that has a directory but is not listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrphanedProject {
    /// The id, which is the name of its directory.
    pub id: ProjectId,
    /// The name it was created with, or the fault of reading it.
    pub name: Result<String, Fault>,
}

/// Lists the ids of projects that have a directory.
pub(crate) fn projects_on_disk(projects: &Path) -> Result<Vec<ProjectId>, Fault> {
    let failed = |error: std::io::Error| file_fault(&error, "listing the directory", "projects");
    let entries = match std::fs::read_dir(projects) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut ids = Vec::new();
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let id: Option<ProjectId> = entry.file_name().to_str().and_then(|name| name.parse().ok());
        ids.extend(id.filter(|_| entry.path().join("project.db").is_file()));
    }
    ids.sort_unstable();
    Ok(ids)
}

/// Returns the name to list a project under: its own, or its own with the first free number.
pub(crate) fn free_name(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|number: u32| {
        let ending = format!("-{number}");
        let length = name.len().min(NAME_MAX - ending.len());
        format!("{}{ending}", name.get(..length).unwrap_or("project"))
    });
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| !is_taken(name)).unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taken_name_gets_a_number_and_stays_valid() {
        let check = |name: &str, taken: &[&str], expected: &str| {
            assert_eq!(free_name(name, |name| taken.contains(&name)), expected);
        };
        check("default", &[], "default");
        check("default", &["default"], "default-2");
        check("default", &["default", "default-2"], "default-3");
        let long = "a".repeat(NAME_MAX);
        check(&long, &[&long], &format!("{}-2", "a".repeat(NAME_MAX - 2)));
    }
}
