//! The configuration: settings from flags, environment and files, each with its origin.

mod environment;
mod file;
mod flags;
mod key;
mod origin;
pub(crate) mod os_user;
mod processes;
mod resolve;
mod server;
mod server_origin;
mod session;
mod session_name;
mod snapshots;
mod values;

/// A configuration file with every setting and its explanation.
pub(crate) const DEFAULT_FILE: &str = include_str!("default.toml");

pub(crate) use environment::Environment;
pub(crate) use flags::Flags;
pub(crate) use origin::{Origin, Sourced};
pub(crate) use processes::{SessionProcess, SessionStatus};
pub(crate) use resolve::{Row, Settings, user_folder};
pub(crate) use server_origin::ServerOrigin;
pub(crate) use session::{CurrentSession, host_session};
pub(crate) use session_name::SessionName;
pub(crate) use values::{Address, Party, TimeFormat};
