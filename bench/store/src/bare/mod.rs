//! A bare SQLite writer: the same rows as an exchange, without rules.
//!
//! WAL, `synchronous=FULL`, pages of 8 KB, one writer thread, one transaction for all waiting jobs.
//! `store.rs` has the rows, `writer.rs` the thread, `contender.rs` the measurements, and `check.rs`
//! the checks.

mod check;
mod contender;
mod store;
mod writer;

pub use check::{acknowledged, check, list};
pub use contender::{Bare, HandingOver};
pub use store::{Store, Synchronous};
pub use writer::{Job, Writer};
