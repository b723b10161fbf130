//! The source forms as text: JSON, YAML, Markdown and the wire form for models.
//!
//! Every writer keeps the order of members, ends with a line break and cannot fail. Reading any of
//! the four gives the same packet again.

#[cfg(test)]
pub(crate) mod arbitrary;
mod json;
mod markdown;
mod scalar;
mod wire;
mod yaml;

pub use json::json;
pub use markdown::markdown;
pub use wire::wire;
pub use yaml::yaml;
