//! Who I am, which project, which exchange: from flags, environment and files, each with its origin.

mod environment;
mod file;
mod flags;
mod gather;
mod key;
mod names;
mod origin;
mod server;

/// A file of settings with everything that can be set, and why.
pub(crate) const DEFAULT_FILE: &str = include_str!("default.toml");

pub(crate) use environment::Environment;
pub(crate) use flags::Flags;
pub(crate) use gather::{Row, Settings};
pub(crate) use names::{Party, Wrong, shown};
pub(crate) use origin::Origin;
