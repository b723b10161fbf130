//! Import from and export to the formats of other systems.
//!
//! Each dialect is a table that maps its members to packet fields, with a codec for each (`table`,
//! `codec`). One importer and one exporter serve every table.
//!
//! - A member without a packet field is kept under `extensions.<dialect>`, nested as in the source.
//! - A field without a place in an open dialect is carried by the document, under its own name or
//!   under `extensions.tasuki`.
//! - A field without a place in a closed dialect is reported as lost.
//!
//! [`import`] and [`export`] convert parsed documents, and [`detect`] recognizes the dialect of
//! one. `read` and `write` handle bytes; AHP's own line format is in [`flat_yaml`].
//! `check::validate` validates an imported packet.

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
