//! Why a command failed: a refusal that the caller can act on, or a fault that the operator can.

use crate::refusal::Refusal;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The caller can act.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The operator can act, or it is a bug.
    #[error(transparent)]
    Failed(#[from] Fault),
}

/// What only an operator can do something about.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Fault {
    /// What sort of fault.
    pub kind: FaultKind,
    /// What was being done, with what, and what went wrong.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}

/// What sort of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The store cannot be reached or opened; nothing happened.
    StoreUnavailable,
    /// The store is busy with somebody else's work for too long; nothing happened.
    StoreBusy,
    /// No space is left; nothing happened.
    DiskFull,
    /// Reading or writing failed.
    Io,
    /// A commit failed in a way that leaves open whether it happened: ask again with the same key.
    OutcomeUnknown,
    /// The store holds something that cannot be.
    Corrupt,
    /// The store was written by a newer version.
    NewerStore,
    /// A bug.
    Bug,
}

impl Fault {
    /// A fault of this kind.
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None }
    }

    /// Says what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The stable code.
    pub const fn code(&self) -> &'static str {
        self.kind.code()
    }
}

impl FaultKind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::StoreUnavailable,
        Self::StoreBusy,
        Self::DiskFull,
        Self::Io,
        Self::OutcomeUnknown,
        Self::Corrupt,
        Self::NewerStore,
        Self::Bug,
    ];

    /// The stable code, with a page like a refusal's.
    pub const fn code(self) -> &'static str {
        match self {
            Self::StoreUnavailable => "TK-STORE-UNAVAILABLE",
            Self::StoreBusy => "TK-STORE-BUSY",
            Self::DiskFull => "TK-STORE-FULL",
            Self::Io => "TK-STORE-IO",
            Self::OutcomeUnknown => "TK-OUTCOME-UNKNOWN",
            Self::Corrupt => "TK-STORE-CORRUPT",
            Self::NewerStore => "TK-STORE-NEWER",
            Self::Bug => "TK-INTERNAL-BUG",
        }
    }
}
