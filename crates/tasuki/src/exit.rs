//! The public list of exit codes, and the failures that end with one.

/// How a command ended. The numbers are part of the interface and documented in
/// `docs/reference/exit-codes.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// It did what was asked.
    Success = 0,
    /// `validate`, `lint`, `diff`, `contract check` found something.
    Found = 1,
    /// The command line is wrong, or an input cannot be read.
    Usage = 2,
    /// A packet or contract was refused.
    Refused = 3,
}

/// Something the person at the keyboard can act on.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl Failure {
    /// Wrong usage or unreadable input.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, message: message.into(), hint: None }
    }

    /// A document that the command cannot work with.
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self { exit: Exit::Refused, message: message.into(), hint: None }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
