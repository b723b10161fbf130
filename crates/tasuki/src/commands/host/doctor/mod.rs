//! `tasuki doctor`: checks the exchange and repairs derived data.

mod checks;
mod finding;
mod run;

pub(crate) use run::{Arguments, run};
