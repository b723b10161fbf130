//! Options of a store.

use crate::sqlite::connection::Access;

/// Options of a store.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// `true` for a server: the WAL is then checkpointed beside the writer, not by it.
    pub serve: bool,
    /// The durability of a commit before it is answered: on the disk, unless a test asks for less.
    pub synchronous: Synchronous,
    /// `true` if handoffs are read by facts and progress alone, without a check of their columns. For diagnosis.
    pub bare: bool,
}

/// The durability of a commit before it is answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Synchronous {
    /// On the disk.
    #[default]
    Full,
    /// Perhaps not on the disk: **unsafe, for tests only**. A power cut takes what was acknowledged.
    ///
    /// It is the control of `make powercut`, which must lose something with it; otherwise its cuts
    /// would prove nothing. No command and no setting of the tool leads here.
    UnsafeForTests,
}

impl Options {
    pub(super) fn access(self) -> Access {
        match self.synchronous {
            Synchronous::UnsafeForTests => Access::WriteUnsafe,
            Synchronous::Full if self.serve => Access::WriteWithoutCheckpoint,
            Synchronous::Full => Access::Write,
        }
    }
}
