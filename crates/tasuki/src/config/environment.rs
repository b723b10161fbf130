//! The environment variables, read once.
//!
//! All other code gets an `Environment` as an argument, so that tests can set variables. An empty
//! variable counts as unset, as in a shell's `${NAME:-}`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use tasuki_packet::violation::suggest;

use super::key::{CONFIG, KEYS};
use super::session::HOSTS;
use crate::exit::Failure;

const PREFIX: &str = "TASUKI_";

/// Names without the prefix that tests, scripts, and clusters with a service `tasuki` use.
const OTHER_NAMES: &[&str] =
    &["BIN", "LOAD_BIN", "SARIF_SCHEMA", "SEED", "SEEDED", "SIGNED", "UPDATE", "PORT"];
const OTHER_PREFIXES: &[&str] = &["WITHOUT_", "TEST_", "PORT_", "SERVICE_", "EVAL_"];

/// Variables that a single command reads, and that are not settings.
const OF_COMMANDS: &[&str] = &["TASUKI_MODEL", "TASUKI_MODEL_URL", "TASUKI_MODEL_KEY"];

/// The variables that the tool reads.
#[derive(Debug, Default)]
pub(crate) struct Environment(BTreeMap<String, OsString>);

impl Environment {
    /// Returns the environment of this process.
    pub(crate) fn of_process() -> Self {
        Self::of(
            std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value))),
        )
    }

    /// Returns an environment of these variables.
    pub(crate) fn of(variables: impl IntoIterator<Item = (String, OsString)>) -> Self {
        let means = |name: &str| {
            name.starts_with(PREFIX)
                || matches!(
                    name,
                    "HOME"
                        | "USER"
                        | "LOGNAME"
                        | "XDG_CONFIG_HOME"
                        | "XDG_STATE_HOME"
                        | "VISUAL"
                        | "EDITOR"
                )
                || HOSTS.iter().any(|(variable, _)| *variable == name)
        };
        Self(
            variables
                .into_iter()
                .filter(|(name, value)| means(name) && !value.is_empty())
                .collect(),
        )
    }

    /// Returns a variable as text.
    pub(crate) fn text(&self, name: &str) -> Result<Option<&str>, Failure> {
        let Some(value) = self.0.get(name) else { return Ok(None) };
        let text = value.to_str();
        text.map(Some).ok_or_else(|| Failure::usage(format!("`{name}` is not UTF-8")))
    }

    /// Fails on an unknown variable with our prefix. A typo must not be ignored silently.
    pub(crate) fn reject_unknown(&self) -> Result<(), Failure> {
        self.unknown().next().map_or(Ok(()), |(name, near)| Err(unknown_variable(name, near)))
    }

    /// Fails on an unknown variable whose name is close to that of a setting.
    pub(super) fn reject_typos(&self) -> Result<(), Failure> {
        let slip = self.unknown().find(|(_, near)| near.is_some());
        slip.map_or(Ok(()), |(name, near)| Err(unknown_variable(name, near)))
    }

    /// Returns unknown variables with our prefix, each with the closest known name.
    fn unknown(&self) -> impl Iterator<Item = (&str, Option<&'static str>)> {
        let known = || {
            let variables = KEYS.iter().filter_map(|key| key.variable).chain([CONFIG]);
            let variables = variables.chain(OF_COMMANDS.iter().copied());
            variables.filter_map(|name| name.strip_prefix(PREFIX))
        };
        let ours = self.0.keys().filter_map(|name| name.strip_prefix(PREFIX));
        let unknown = ours.filter(move |name| {
            !known().any(|one| one == *name)
                && !OTHER_NAMES.contains(name)
                && !OTHER_PREFIXES.iter().any(|begin| name.starts_with(begin))
        });
        unknown.map(move |name| (name, suggest(name, known())))
    }

    /// Returns a variable as a path.
    pub(crate) fn path(&self, name: &str) -> Option<&Path> {
        self.0.get(name).map(Path::new)
    }
}

fn unknown_variable(name: &str, near: Option<&str>) -> Failure {
    let hint = match near {
        Some(near) => format!("did you mean `{PREFIX}{near}`?"),
        None => "unset it; `tasuki help environment` lists the variables".to_owned(),
    };
    Failure::usage(format!("unknown environment variable `{PREFIX}{name}`")).hint(hint)
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt as _;

    use super::*;

    #[test]
    fn an_empty_variable_is_not_set_and_odd_bytes_are_refused() {
        let environment = Environment::of([
            ("TASUKI_AS".to_owned(), OsString::new()),
            ("TASUKI_URL".to_owned(), OsString::from_vec(vec![0xff])),
            ("TASUKI_PROJECT".to_owned(), "web".into()),
            ("HOME".to_owned(), OsString::from_vec(vec![b'/', 0xff])),
            ("PATH".to_owned(), "/bin".into()),
        ]);
        assert_eq!(environment.text("TASUKI_AS").unwrap(), None);
        assert_eq!(environment.text("TASUKI_PROJECT").unwrap(), Some("web"));
        assert_eq!(
            environment.text("TASUKI_URL").unwrap_err().message,
            "`TASUKI_URL` is not UTF-8"
        );
        assert!(environment.path("HOME").is_some());
        assert_eq!(environment.path("PATH"), None);
    }

    #[test]
    fn an_unknown_variable_is_named() {
        let of = |names: &[&str]| {
            let environment =
                Environment::of(names.iter().map(|name| ((*name).to_owned(), "1".into())));
            let said = |checked: Result<(), Failure>| checked.err().map(|no| no.hint.unwrap());
            (said(environment.reject_typos()), said(environment.reject_unknown()))
        };
        let slip = Some("did you mean `TASUKI_LISTEN`?".to_owned());
        assert_eq!(of(&["TASUKI_LISTN"]), (slip.clone(), slip));
        let lists = Some("unset it; `tasuki help environment` lists the variables".to_owned());
        assert_eq!(of(&["TASUKI_COLOUR"]), (None, lists));
        let fine = ["TASUKI_AS", "TASUKI_CONFIG", "TASUKI_UPDATE", "TASUKI_WITHOUT_STRACE"];
        assert_eq!(of(&fine), (None, None));
        assert_eq!(of(&["TASUKI_PORT", "TASUKI_SERVICE_HOST", "USER"]), (None, None));
    }
}
