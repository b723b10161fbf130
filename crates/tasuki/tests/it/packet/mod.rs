//! Commands that work on packet files, without an exchange.

mod contract;
mod convert;
mod count_tokens;
mod diff;
mod draft;
mod drift;
mod init;
mod lifecycle;
mod lint;
mod patch;
mod render;
mod schema;
mod seams;
mod secrets;
mod validate;
mod validate_reports;
