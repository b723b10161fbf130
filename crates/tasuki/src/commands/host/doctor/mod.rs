//! `tasuki doctor`: is everything as it should be, and what can be repaired?

mod checks;
mod finding;
mod run;

pub(crate) use run::{Arguments, run};
