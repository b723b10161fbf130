//! Options of a store.

/// Options of a store.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// `true` for a server, which checkpoints the WAL on a separate thread.
    pub serve: bool,
    /// The durability of a commit before it is acknowledged.
    pub synchronous: Synchronous,
    /// `true` if handoffs are read from facts and progress alone, without a check of their columns.
    /// For diagnosis.
    pub bare: bool,
}

/// The durability of a commit before it is acknowledged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Synchronous {
    /// Durable on disk.
    #[default]
    Full,
    /// Possibly not durable: **unsafe, for tests only**. A power cut loses acknowledged commits.
    ///
    /// It is the negative control of `make powercut`, which must detect a loss with it. No command
    /// and no setting uses it.
    UnsafeForTests,
}
