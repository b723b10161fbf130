//! The origin of a value.

use std::fmt;
use std::path::PathBuf;

use serde_json::{Map, Value, json};

/// The origin of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The default.
    Default,
    /// A flag of the command line.
    Flag(&'static str),
    /// A variable of the environment.
    Variable(&'static str),
    /// A line of a file. A project's file comes with its repository, and others may have written it.
    File { path: PathBuf, line: usize, is_project: bool },
}

impl Origin {
    /// Returns the members that describe it in JSON.
    pub(crate) fn to_json(&self) -> Map<String, Value> {
        let members = match self {
            Self::Default => json!({ "origin": "default" }),
            Self::Flag(flag) => json!({ "origin": "flag", "flag": flag }),
            Self::Variable(name) => json!({ "origin": "environment", "variable": name }),
            Self::File { path, line, .. } => {
                json!({ "origin": "file", "file": path.display().to_string(), "line": line })
            }
        };
        members.as_object().cloned().unwrap_or_default()
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Flag(flag) => f.write_str(flag),
            Self::Variable(name) => f.write_str(name),
            Self::File { path, line, .. } => write!(f, "{}:{line}", path.display()),
        }
    }
}

/// A value and its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sourced<T> {
    pub(crate) value: T,
    pub(crate) origin: Origin,
}
