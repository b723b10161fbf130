//! The transaction of a batch.

mod batch;
pub(super) mod caches;
mod lists;
pub(super) mod transaction;

pub(super) use lists::HandoffLists;
