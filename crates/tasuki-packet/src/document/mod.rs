//! The document tree that packets are read into, and the pointers into it.
//!
//! A [`Document`] is an ordered tree that keeps the source position of each value.
//! [Pointers](mod@pointer) name places in it. [`limits`] holds the limits of every document.
//!
//! ```
//! use serde_json::json;
//! use tasuki_packet::document::Document;
//!
//! let value = json!({"goal": "Ship it", "remaining": ["Add tests"]});
//! let document = Document::from_value(&value)?;
//! let remaining = document.root().child("remaining").unwrap();
//! assert_eq!(remaining.type_name(), "list");
//! assert_eq!(remaining.items().next().unwrap().as_text(), Some("Add tests"));
//! # Ok::<(), tasuki_packet::Violation>(())
//! ```

pub(crate) mod escape;
pub mod limits;
mod members;
pub(crate) mod number;
pub(crate) mod path;
pub mod pointer;
pub(crate) mod size;
pub(crate) mod source_map;
mod tree;

pub use members::Members;
pub(crate) use members::member;
pub(crate) use tree::{Builder, Content, ReadError, ReadErrorDetails, too_deep, too_many};
pub use tree::{Document, Items, MembersOf, Node};
