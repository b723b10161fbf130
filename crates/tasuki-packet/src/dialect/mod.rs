//! The dialects of other systems, read into packets and written from them.
//!
//! Each dialect is a table: which of its members is which field of a packet, and in what form
//! (`table`, `codec`). One importer and one exporter walk every table. What a packet has no place for
//! is kept under `extensions.<dialect>`, nested as in the source; what a dialect has no place for is
//! carried by the document where it is open (fields under their own names, or under
//! `extensions.tasuki`), and named as lost where it is closed.
//!
//! Not here: reading and writing bytes (JSON, YAML, Markdown), except for AHP's own line format in
//! [`flat_yaml`], and judging whether an imported packet is valid.

mod ahp;
mod card;
mod codec;
mod convert;
mod detect;
mod exporter;
mod fastio;
pub mod flat_yaml;
mod handoff_protocol;
mod importer;
mod incident;
mod name;
mod order;
mod path;
#[cfg(test)]
mod round_trip;
mod table;
mod works_with_agents;

pub(crate) use convert::source_pointer;
pub use convert::{Export, Import, Lost, Note, export, import};
pub use detect::detect;
pub use name::Dialect;
