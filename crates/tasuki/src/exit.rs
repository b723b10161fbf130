//! The public list of exit codes, and the failures that end with one.

/// How a command ended. The numbers are part of the interface and documented in
/// `docs/reference/exit-codes.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// It did what was asked.
    Success = 0,
    /// `validate`, `lint`, `diff`, `drift`, `contract check` found something.
    Found = 1,
    /// The command line is wrong, an input cannot be read, or an output cannot be written.
    Usage = 2,
    /// A packet or contract was refused.
    Refused = 3,
    /// A bug.
    Unknown = 70,
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

/// Why the system refused something, in words: without the number that it adds for programs.
pub(crate) fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    let words = text.split(" (os error").next().unwrap_or_default();
    let mut letters = words.chars();
    letters.next().map_or(text.clone(), |first| first.to_lowercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_words_only() {
        assert_eq!(reason(&std::io::Error::from_raw_os_error(2)), "no such file or directory");
        assert_eq!(reason(&std::io::Error::other("Odd")), "odd");
    }
}
