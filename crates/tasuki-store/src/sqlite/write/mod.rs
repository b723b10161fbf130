//! Commits: the writer's lock, its transaction, and the rows it writes.

pub(crate) mod batch;
pub(crate) mod transaction;
pub(crate) mod writer_lock;
