//! The environment, read once.
//!
//! This is the one door: everything else gets an `Environment` as an argument, so that a test can say
//! what is in it. An empty variable counts as not set, as in a shell's `${NAME:-}`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use crate::exit::Failure;

/// The variables that mean something here.
#[derive(Debug, Default)]
pub(crate) struct Environment(BTreeMap<String, OsString>);

impl Environment {
    /// The environment of this process.
    pub(crate) fn of_process() -> Self {
        Self::of(
            std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value))),
        )
    }

    /// An environment of these variables.
    pub(crate) fn of(variables: impl IntoIterator<Item = (String, OsString)>) -> Self {
        let means = |name: &str| {
            name.starts_with("TASUKI_")
                || matches!(
                    name,
                    "HOME" | "USER" | "XDG_CONFIG_HOME" | "XDG_STATE_HOME" | "VISUAL" | "EDITOR"
                )
        };
        Self(
            variables
                .into_iter()
                .filter(|(name, value)| means(name) && !value.is_empty())
                .collect(),
        )
    }

    /// A variable that is a text.
    pub(crate) fn text(&self, name: &str) -> Result<Option<&str>, Failure> {
        let Some(value) = self.0.get(name) else { return Ok(None) };
        let text = value.to_str();
        text.map(Some).ok_or_else(|| Failure::usage(format!("`{name}` is not UTF-8")))
    }

    /// A variable that is a path.
    pub(crate) fn path(&self, name: &str) -> Option<&Path> {
        self.0.get(name).map(Path::new)
    }
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
}
