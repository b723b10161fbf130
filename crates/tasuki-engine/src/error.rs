//! The error of a command: a refusal that the caller can act on, or a fault for the operator.

use crate::refusal::Refusal;

/// The reason why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An expected failure that the caller can act on.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// A failure that the operator must repair, or a bug.
    #[error(transparent)]
    Failed(#[from] Fault),
}

/// A failure that only the operator can repair.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Fault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// The operation that failed, on what, and why.
    pub message: String,
    /// How to repair it.
    pub hint: Option<String>,
}

/// The kinds of faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The store cannot be reached or opened. Nothing was written.
    StoreUnavailable,
    /// The store stayed locked for too long. Nothing was written.
    StoreBusy,
    /// The disk is full. Nothing was written.
    DiskFull,
    /// Reading or writing failed.
    Io,
    /// A commit failed and may or may not have taken effect. The caller retries with the same key.
    OutcomeUnknown,
    /// The store contains invalid data.
    Corrupt,
    /// The store was written by a newer version.
    NewerStore,
    /// The clock of this process is wrong. Nothing was written.
    ClockOff,
    /// A bug.
    Bug,
}

impl Fault {
    /// Creates a fault of this kind.
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None }
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Returns the stable code.
    pub const fn code(&self) -> &'static str {
        self.kind.code()
    }
}

impl FaultKind {
    /// Every kind.
    pub const ALL: [Self; 9] = [
        Self::StoreUnavailable,
        Self::StoreBusy,
        Self::DiskFull,
        Self::Io,
        Self::OutcomeUnknown,
        Self::Corrupt,
        Self::NewerStore,
        Self::ClockOff,
        Self::Bug,
    ];

    /// Returns the stable code, which has a page in `docs/errors/`.
    pub const fn code(self) -> &'static str {
        match self {
            Self::StoreUnavailable => "TK-STORE-UNAVAILABLE",
            Self::StoreBusy => "TK-STORE-BUSY",
            Self::DiskFull => "TK-STORE-FULL",
            Self::Io => "TK-STORE-IO",
            Self::OutcomeUnknown => "TK-OUTCOME-UNKNOWN",
            Self::Corrupt => "TK-STORE-CORRUPT",
            Self::NewerStore => "TK-STORE-NEWER",
            Self::ClockOff => "TK-CLOCK-OFF",
            Self::Bug => "TK-INTERNAL-BUG",
        }
    }
}
