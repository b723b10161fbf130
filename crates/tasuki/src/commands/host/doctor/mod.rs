//! `tasuki doctor`: checks the exchange and repairs derived data.

mod checks;
mod clock;
mod finding;
mod hooks;
mod run;

pub(crate) use run::{Arguments, run};
