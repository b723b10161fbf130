//! `tasuki eval` and `tasuki eval pairs`.

mod documents;
mod pairs;
mod report;
