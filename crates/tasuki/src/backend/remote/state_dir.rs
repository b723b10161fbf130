//! The directory for claims and drafts of a server: `$XDG_STATE_HOME/tasuki/<server>/`, by default
//! `~/.local/state/tasuki/<server>/`.
//!
//! The nearest `.tasuki/` belongs to another exchange, if there is one.

use std::path::PathBuf;

use crate::config::Environment;
use crate::data_dir::create_private_dirs;
use crate::exit::{Failure, reason};

/// Returns the directory of a server, created on first use.
pub(crate) fn folder(environment: &Environment, address: &str) -> Result<PathBuf, Failure> {
    let folder = state_home(environment)?.join("tasuki").join(folder_name(address));
    create_private_dirs(&folder).map_err(|error| {
        Failure::usage(format!("cannot create {}: {}", folder.display(), reason(&error)))
    })?;
    Ok(folder)
}

/// Returns the state home. A relative `XDG_STATE_HOME` is ignored, as its specification says.
pub(crate) fn state_home(environment: &Environment) -> Result<PathBuf, Failure> {
    let given = environment.path("XDG_STATE_HOME").filter(|path| path.is_absolute());
    if let Some(folder) = given {
        return Ok(folder.to_owned());
    }
    let home = environment.path("HOME").ok_or_else(|| {
        Failure::usage("no directory for claims: `HOME` is not set")
            .hint("set `XDG_STATE_HOME`, or use `--fence`")
    })?;
    Ok(home.join(".local").join("state"))
}

/// Returns the directory name of a server: its address without path separators.
fn folder_name(address: &str) -> String {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    let name: String = rest.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    // The prefix prevents names such as `..`.
    format!("server-{name}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temp_dir::TempDir;

    #[test]
    fn every_server_has_its_own_folder() {
        let temp_dir = TempDir::new();
        let environment =
            |name: &str| Environment::of([(name.to_owned(), temp_dir.path("").into_os_string())]);
        let made = folder(&environment("XDG_STATE_HOME"), "http://127.0.0.1:7420").unwrap();
        assert_eq!(made, temp_dir.path("tasuki/server-127.0.0.1_7420"));
        assert!(made.is_dir());
        let made = folder(&environment("HOME"), "https://a.example/../b").unwrap();
        assert_eq!(made, temp_dir.path(".local/state/tasuki/server-a.example_.._b"));
        assert!(folder(&Environment::default(), "http://a").is_err());
    }
}
