//! Writers: a packet as JSON, YAML, Markdown or in the wire form for models.
//!
//! Every writer keeps the order of members and cannot fail. All but [`compact`] end with a line
//! break. Every form reads back as the same packet.

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
