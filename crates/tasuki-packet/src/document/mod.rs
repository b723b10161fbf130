//! The document that a packet is read into, and how places in it are named.
//!
//! A [`Document`] is an ordered tree that remembers where each value stood in its source. Places in
//! it are named by [pointers](mod@pointer). The limits that hold for every document are in [`limits`].

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
