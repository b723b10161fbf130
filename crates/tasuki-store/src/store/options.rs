//! How a store is opened.

use crate::sqlite::connection::Access;

/// How a store is opened.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Whether a server has opened it: the WAL is then moved into the database beside the writer,
    /// not by it.
    pub serve: bool,
    /// When a commit is answered: once it is on the disk, unless a test asks for less.
    pub synchronous: Synchronous,
    /// Whether handoffs are read by facts and progress alone, whatever the columns say that they are
    /// found by: for whoever looks what is wrong.
    pub bare: bool,
}

/// When a commit is answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Synchronous {
    /// When the disk has it.
    #[default]
    Full,
    /// Before the disk has it: **unsafe, for tests only**. A power cut takes what was acknowledged.
    ///
    /// It is the control of `make powercut`, which must lose something with it; otherwise its cuts
    /// would prove nothing. No command and no setting of the tool leads here.
    UnsafeForTests,
}

impl Options {
    pub(super) fn access(self) -> Access {
        match self.synchronous {
            Synchronous::UnsafeForTests => Access::WriteUnsafe,
            Synchronous::Full if self.serve => Access::WriteOnly,
            Synchronous::Full => Access::Write,
        }
    }
}
