//! Small value types: ids, instants, durations, credentials, and enums that are written as strings.

pub mod credential;
pub mod duration;
pub mod id;
pub mod instant;
pub mod string_enum;
