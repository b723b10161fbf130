//! The readers: bytes of any form into a document, safe against hostile input.
//!
//! Every reader keeps the limits while it reads and refuses what two readers could understand in
//! two ways: duplicate names, numbers without an exact value, YAML that repeats or runs.

mod code_block;
mod cursor;
mod json;
pub mod markdown;
mod names;
mod source;
pub(crate) mod text;
pub mod wire;
mod yaml;

pub(crate) use code_block::longest_run;
pub use source::{Form, Source, too_large};
