//! A bare SQLite writer: the same rows as an exchange keeps, and no rules at all.
//!
//! WAL, `synchronous=FULL`, pages of 8 KB, one writer thread, one transaction for whatever waits.
//! `store.rs` has the rows, `writer.rs` the thread, `contender.rs` what is measured of them, and
//! `check.rs` what a reader can find wrong afterwards.

mod check;
mod contender;
mod store;
mod writer;

pub use check::{acknowledged, check, list};
pub use contender::{Bare, HandingOver};
pub use store::{Store, Synchronous};
pub use writer::{Job, Writer};
