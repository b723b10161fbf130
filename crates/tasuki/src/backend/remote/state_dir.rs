//! Where a person's claims on a server are remembered: `$XDG_STATE_HOME/tasuki/<server>/`, which is
//! `~/.local/state/tasuki/<server>/` unless said otherwise.
//!
//! Not in the nearest `.tasuki/`: that is the memory of another exchange, and there may be none.

use std::path::{Path, PathBuf};

use crate::config::Environment;
use crate::data_dir::make_folder;
use crate::exit::{Failure, reason};

/// The folder of a server, made if it is not there.
pub(super) fn folder(environment: &Environment, address: &str) -> Result<PathBuf, Failure> {
    let folder = state(environment)?.join("tasuki").join(name(address));
    make_all(&folder).map_err(|error| {
        Failure::usage(format!("cannot make {}: {}", folder.display(), reason(&error)))
    })?;
    Ok(folder)
}

/// A relative `XDG_STATE_HOME` does not count, as its specification says.
fn state(environment: &Environment) -> Result<PathBuf, Failure> {
    let given = environment.path("XDG_STATE_HOME").filter(|path| path.is_absolute());
    if let Some(folder) = given {
        return Ok(folder.to_owned());
    }
    let home = environment.path("HOME").ok_or_else(|| {
        Failure::usage("cannot tell where to remember claims: `HOME` is not set")
            .hint("set `XDG_STATE_HOME`, or show the token with `--token`")
    })?;
    Ok(home.join(".local").join("state"))
}

/// The name of a server's folder: its address without what a path would obey.
fn name(address: &str) -> String {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    let name: String = rest.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    // No address is a folder above.
    format!("server-{name}")
}

fn make_all(folder: &Path) -> std::io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    if let Some(above) = folder.parent() {
        make_all(above)?;
    }
    make_folder(folder).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temp_dir::Scratch;

    #[test]
    fn every_server_has_a_folder_of_its_own() {
        let scratch = Scratch::new();
        let environment =
            |name: &str| Environment::of([(name.to_owned(), scratch.path("").into_os_string())]);
        let made = folder(&environment("XDG_STATE_HOME"), "http://127.0.0.1:7420").unwrap();
        assert_eq!(made, scratch.path("tasuki/server-127.0.0.1_7420"));
        assert!(made.is_dir());
        let made = folder(&environment("HOME"), "https://a.example/../b").unwrap();
        assert_eq!(made, scratch.path(".local/state/tasuki/server-a.example_.._b"));
        assert!(folder(&Environment::default(), "http://a").is_err());
    }
}
