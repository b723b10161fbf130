//! Readers: parse a packet in any form into a document, safely for hostile input.
//!
//! Every reader enforces the limits while it reads. It rejects everything that two readers could
//! interpret differently: duplicate keys, inexact numbers, and YAML aliases, anchors, tags and
//! merge keys.
//!
//! ```
//! use tasuki_packet::read::{Form, Source};
//!
//! let source = Source::packet(b"handoff_version: \"1.0\"\ntask_id: 42\n")?;
//! assert_eq!(source.form(), Form::Yaml);
//! // The field table gives an unquoted scalar the type of its field.
//! assert_eq!(source.read_packet()?.to_value()["task_id"], "42");
//! # Ok::<(), tasuki_packet::Violation>(())
//! ```

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
