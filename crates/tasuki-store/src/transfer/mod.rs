//! Moves an exchange from one store to another, as a file of plain rows.
//!
//! The file is JSON Lines: a header, one row per line, and a last line with counts and a digest
//! (`format`). `tables` lists every table and column, and each store reads and writes them (`source`,
//! `target`). Row checksums of SQLite are checked by the export and computed again by the import.
//!
//! An import leaves a marker in its target, which moves on with every page of rows. While it is there,
//! the target cannot be opened, and the same file continues the import. The marker goes away once all
//! rows are stored and every log was checked.
//!
//! Derived data is not part of the file: the full-text index is built again. Neither are sessions, the
//! clock reference of a machine and the leases of servers. Heartbeats are, so that the time of the move
//! counts as an outage.

mod export;
mod format;
mod import;
mod line_reader;
mod line_writer;
mod page;
mod postgres_source;
mod postgres_target;
mod source;
mod sqlite_source;
mod sqlite_target;
mod statements;
mod tables;
mod target;

pub use export::{ExportReport, MovedProject, export};
pub use format::Origin;
pub use import::{ImportReport, Progress, check_file, import};
pub use tables::{LEFT_OUT, TABLES, Table};
