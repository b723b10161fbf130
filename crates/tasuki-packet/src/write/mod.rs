//! The source forms as text: JSON, YAML, Markdown and the wire form for models.
//!
//! Every writer keeps the order of members and cannot fail, and all but [`compact`] end with a line
//! break. Reading any of the forms gives the same packet again.

#[cfg(test)]
pub(crate) mod arbitrary;
mod compact;
pub mod convert;
mod json;
mod markdown;
mod scalar;
mod stored_forms;
mod wire;
mod yaml;

pub use compact::compact;
pub use json::json;
pub use markdown::markdown;
pub use stored_forms::StoredForms;
pub use wire::wire;
pub use yaml::yaml;
