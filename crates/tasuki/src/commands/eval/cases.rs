//! Reads the cases of a folder.

use std::path::Path;

use crate::evaluation::Case;
use crate::exit::{Failure, reason};
use crate::input::file;
use crate::output::escape::escape;

/// Reads every case below a folder, by name. Folders without `facts.yaml` are not cases.
pub(super) fn read_all(folder: &Path) -> Result<Vec<Case>, Failure> {
    let unreadable = |error: std::io::Error| {
        Failure::usage(format!("cannot read the folder {}: {}", shown(folder), reason(&error)))
            .hint("run it in a clone of the repository, or name the folder with `--cases`")
    };
    let mut cases = Vec::new();
    let entries = std::fs::read_dir(folder).map_err(unreadable)?;
    let mut paths = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>, std::io::Error>>()
        .map_err(unreadable)?;
    paths.sort();
    for path in paths.iter().filter(|path| path.join("facts.yaml").is_file()) {
        cases.push(read(path)?);
    }
    if cases.is_empty() {
        return Err(Failure::usage(format!("no cases in {}", shown(folder)))
            .hint("a case is a folder with `prose.md`, `packet.yaml` and `facts.yaml`"));
    }
    Ok(cases)
}

fn read(folder: &Path) -> Result<Case, Failure> {
    let prose = file::bytes(&folder.join("prose.md"))?;
    let prose = String::from_utf8(prose)
        .map_err(|_invalid| Failure::refused(format!("{}/prose.md is not UTF-8", shown(folder))))?;
    let packet = file::bytes(&folder.join("packet.yaml"))?;
    let facts = file::bytes(&folder.join("facts.yaml"))?;
    Case::read(&prose, &packet, &facts)
        .map_err(|error| Failure::refused(format!("{}/{error}", shown(folder))))
}

/// Returns a path for a message, on one line.
pub(super) fn shown(path: &Path) -> String {
    escape(&path.to_string_lossy())
}
