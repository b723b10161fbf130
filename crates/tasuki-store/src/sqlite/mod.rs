//! The SQLite backend: connections, migrations, writes and reads.

pub(crate) mod bind;
pub(crate) mod change_stamp;
pub mod checksum;
pub(crate) mod connection;
pub(crate) mod counters;
pub(crate) mod exchange;
pub(crate) mod fault;
pub(crate) mod files;
pub(crate) mod handoff_list;
pub(crate) mod head_file;
pub mod migrate;
pub(crate) mod project;
pub(crate) mod read;
pub(crate) mod read_only;
pub(crate) mod row;
pub(crate) mod search;
pub mod statements;
pub(crate) mod wal_checkpoint;
pub(crate) mod write;
