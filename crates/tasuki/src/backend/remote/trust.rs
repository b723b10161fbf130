//! The origins that may receive a token, in `trusted-origins` of the user's configuration folder.
//!
//! A `tasuki.toml` comes with a repository, so a stranger may have written its `url`. A token goes to
//! such a server only after the user has trusted its origin. An address from a flag, a variable or
//! the user's own file is the user's own word. Plain http to another machine is refused from every
//! source, unless its origin was trusted by name.

use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use crate::config::{Address, Environment, Origin, ServerOrigin, Sourced, user_folder};
use crate::data_dir::{create_private_dirs, create_private_file};
use crate::exit::{Exit, Failure, reason};

const FILE: &str = "trusted-origins";

const HEADER: &str = "# Servers that may receive a token; `tasuki trust` changes this file.\n";

/// LIMIT: bytes of the list, which people write by hand.
const BYTES_MAX: u64 = 64 * 1024;

/// The trusted origins of a user.
#[derive(Debug)]
pub(crate) struct TrustedOrigins {
    path: PathBuf,
    origins: Vec<ServerOrigin>,
}

impl TrustedOrigins {
    /// Reads the list; a file that does not exist is an empty one.
    pub(crate) fn read(environment: &Environment) -> Result<Self, Failure> {
        let folder = user_folder(environment).ok_or_else(|| {
            Failure::usage("cannot find your configuration: `HOME` is not set")
                .hint("set `XDG_CONFIG_HOME`")
        })?;
        let path = folder.join(FILE);
        let text = read_text(&path)?;
        let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim()));
        let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let parsed = lines.map(|(number, line)| {
            let origin = format!("{}:{number}", path.display());
            ServerOrigin::parse(line).map_err(|invalid| invalid.at(&origin))
        });
        let origins = parsed.collect::<Result<_, _>>()?;
        Ok(Self { path, origins })
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &ServerOrigin> {
        self.origins.iter()
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn contains(&self, origin: &ServerOrigin) -> bool {
        self.origins.contains(origin)
    }

    /// Trusts an origin. Returns `false` if it was trusted already.
    pub(crate) fn add(&mut self, origin: &ServerOrigin) -> Result<bool, Failure> {
        if self.contains(origin) {
            return Ok(false);
        }
        self.origins.push(origin.clone());
        self.origins.sort();
        self.write().map(|()| true)
    }

    /// Withdraws the trust in an origin. Returns `false` if it was not trusted.
    pub(crate) fn remove(&mut self, origin: &ServerOrigin) -> Result<bool, Failure> {
        let before = self.origins.len();
        self.origins.retain(|known| known != origin);
        if self.origins.len() == before {
            return Ok(false);
        }
        self.write().map(|()| true)
    }

    /// Replaces the file as a whole, so that a reader never sees half of it.
    fn write(&self) -> Result<(), Failure> {
        let failed = |error: std::io::Error| {
            Failure::usage(format!("cannot write {}: {}", self.path.display(), reason(&error)))
        };
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        create_private_dirs(folder).map_err(failed)?;
        let new = folder.join(format!("{FILE}.{}", std::process::id()));
        let mut file = create_private_file(&new).map_err(failed)?;
        let lines: Vec<String> = self.origins.iter().map(ToString::to_string).collect();
        let text = format!("{HEADER}{}\n", lines.join("\n"));
        file.write_all(text.as_bytes()).map_err(failed)?;
        std::fs::rename(&new, &self.path).map_err(failed)
    }
}

fn read_text(path: &Path) -> Result<String, Failure> {
    let failed = |error: std::io::Error| {
        Failure::usage(format!("cannot read {}: {}", path.display(), reason(&error)))
    };
    let file = match std::fs::File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(String::new()),
        opened => opened.map_err(failed)?,
    };
    let mut text = String::new();
    file.take(BYTES_MAX).read_to_string(&mut text).map_err(failed)?;
    Ok(text)
}

/// Fails if a token must not be sent to this address.
pub(super) fn require_trust(
    address: &Sourced<Address>,
    environment: &Environment,
) -> Result<(), Failure> {
    let origin = ServerOrigin::of(&address.value).map_err(|invalid| invalid.at(&address.origin))?;
    let is_strange = matches!(address.origin, Origin::File { is_project: true, .. });
    if !is_strange && !origin.is_exposed() {
        return Ok(());
    }
    let is_trusted = match user_folder(environment) {
        Some(_) => TrustedOrigins::read(environment)?.contains(&origin),
        None => false,
    };
    match (is_trusted, is_strange) {
        (true, _) => Ok(()),
        (false, true) => Err(untrusted(&origin, &address.origin)),
        (false, false) => Err(exposed(&origin)),
    }
}

fn untrusted(origin: &ServerOrigin, from: &Origin) -> Failure {
    let message = format!("the server {origin} is not trusted; {from} names it");
    denied(message).hint(format!(
        "if it is your server, run `tasuki trust {origin}`; it will receive your token"
    ))
}

fn exposed(origin: &ServerOrigin) -> Failure {
    let message = format!("plain http to another machine exposes the token: {origin}");
    denied(message).hint(format!("use https, or allow it by name: `tasuki trust {origin}`"))
}

fn denied(message: String) -> Failure {
    Failure { exit: Exit::Denied, ..Failure::usage(message) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temp_dir::TempDir;

    fn environment(temp_dir: &TempDir) -> Environment {
        let folder = temp_dir.path("config").into_os_string();
        Environment::of([("XDG_CONFIG_HOME".to_owned(), folder)])
    }

    fn address(text: &str, is_project: bool) -> Sourced<Address> {
        let origin = Origin::File { path: "tasuki.toml".into(), line: 3, is_project };
        Sourced { value: Address::parse(text).unwrap(), origin }
    }

    fn origin(text: &str) -> ServerOrigin {
        ServerOrigin::parse(text).unwrap()
    }

    #[test]
    fn an_address_of_a_project_needs_trust() {
        let temp_dir = TempDir::new();
        let environment = environment(&temp_dir);
        let check = |text: &str, is_project| {
            require_trust(&address(text, is_project), &environment)
                .map_err(|failure| temp_dir.shown(&failure))
        };
        insta::assert_snapshot!(check("https://evil.example/x", true).unwrap_err(), @"
        the server https://evil.example is not trusted; tasuki.toml:3 names it
        hint: if it is your server, run `tasuki trust https://evil.example`; it will receive your token
        ");
        // Another program of this machine may listen there.
        assert!(check("http://127.0.0.1:7420", true).is_err());
        assert_eq!(check("https://evil.example/x", false), Ok(()));

        TrustedOrigins::read(&environment).unwrap().add(&origin("https://evil.example")).unwrap();
        assert_eq!(check("https://evil.example/x", true), Ok(()));
        for other in ["https://evil.example:8443", "http://evil.example", "https://a.evil.example"]
        {
            assert!(check(other, true).is_err(), "{other}");
        }
    }

    #[test]
    fn plain_http_to_another_machine_needs_trust_from_every_source() {
        let temp_dir = TempDir::new();
        let environment = environment(&temp_dir);
        let check = |text: &str| require_trust(&address(text, false), &environment);
        insta::assert_snapshot!(temp_dir.shown(&check("http://10.0.0.5:7420").unwrap_err()), @"
        plain http to another machine exposes the token: http://10.0.0.5:7420
        hint: use https, or allow it by name: `tasuki trust http://10.0.0.5:7420`
        ");
        assert!(check("http://127.0.0.1:7420").is_ok());
        TrustedOrigins::read(&environment).unwrap().add(&origin("http://10.0.0.5:7420")).unwrap();
        assert!(check("http://10.0.0.5:7420").is_ok());
        assert!(check("http://10.0.0.5:7421").is_err());
        let homeless = Environment::default();
        assert!(require_trust(&address("http://10.0.0.5:7420", false), &homeless).is_err());
    }

    #[test]
    fn the_list_is_kept_in_the_folder_of_the_user() {
        let temp_dir = TempDir::new();
        let environment = environment(&temp_dir);
        let mut trusted = TrustedOrigins::read(&environment).unwrap();
        assert!(trusted.add(&origin("https://b.example")).unwrap());
        assert!(trusted.add(&origin("https://a.example")).unwrap());
        assert!(!trusted.add(&origin("https://a.example:443")).unwrap());
        let path = temp_dir.path("config/tasuki/trusted-origins");
        insta::assert_snapshot!(std::fs::read_to_string(&path).unwrap(), @"
        # Servers that may receive a token; `tasuki trust` changes this file.
        https://a.example
        https://b.example
        ");
        let mut trusted = TrustedOrigins::read(&environment).unwrap();
        assert!(trusted.remove(&origin("https://a.example")).unwrap());
        assert!(!trusted.remove(&origin("https://a.example")).unwrap());
        let left = TrustedOrigins::read(&environment).unwrap();
        assert_eq!(left.iter().map(ToString::to_string).collect::<Vec<_>>(), ["https://b.example"]);
    }

    #[test]
    fn a_damaged_list_trusts_nothing() {
        let temp_dir = TempDir::new().with("config/tasuki/trusted-origins", "# ours\n\n*\n");
        let failure = TrustedOrigins::read(&environment(&temp_dir)).unwrap_err();
        insta::assert_snapshot!(temp_dir.shown(&failure), @"
        [DIR]/config/tasuki/trusted-origins:3: `*` is not a valid server address
        hint: use the form `http://127.0.0.1:7420`
        ");
    }
}
