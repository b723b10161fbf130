//! Who I am, which project, which exchange: from flags, environment and files, each with its origin.

mod environment;
mod file;
mod flags;
mod gather;
mod key;
mod names;
mod origin;

pub(crate) use environment::Environment;
pub(crate) use flags::Flags;
pub(crate) use gather::{Row, Settings};
pub(crate) use names::{Wrong, shown};
pub(crate) use origin::Origin;
