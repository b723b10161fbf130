//! The public list of exit codes, and the failures that end with one.

use std::io::ErrorKind;

use tasuki_engine::error::FaultKind;

/// The exit codes, which are part of the interface and documented in `docs/reference/exit-codes.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Success: done, approved, or the awaited state reached.
    Success = 0,
    /// `validate`, `lint`, `diff`, `drift`, `contract check`, `log check` or `doctor` found something, or a
    /// message of a subscription was not delivered; at `approve` or `verify` the person did not confirm.
    Found = 1,
    /// The command line is wrong, an input cannot be read, or an output cannot be written.
    Usage = 2,
    /// A packet, a contract or the file of an import was refused.
    Refused = 3,
    /// The caller is not authenticated, or not authorized.
    Denied = 4,
    /// The named object does not exist.
    NotFound = 5,
    /// Conflict: the revision changed, the claim is stale, or the lock is held.
    Conflict = 6,
    /// The exchange is unreachable, not ready, or rate limited.
    Unavailable = 7,
    /// A person rejected the handoff, or the action that its holder asked to run.
    Rejected = 10,
    /// A person intercepted the handoff, or a person or its sender rerouted it.
    Intercepted = 11,
    /// The handoff was cancelled.
    Cancelled = 12,
    /// The handoff moved to the next rung: declined, lease expired, or deadline passed.
    MovedOn = 13,
    /// A newer revision or handoff superseded it.
    Superseded = 14,
    /// The handoff is a dead letter, or was discarded.
    Dead = 15,
    /// A person changed the action and approved it as changed.
    Edited = 16,
    /// The wait timed out; the handoff is still open.
    TimedOut = 20,
    /// A bug.
    Unknown = 70,
    /// Interrupted with Ctrl-C or another signal.
    Interrupted = 130,
}

/// An error that the caller can act on.
#[derive(Debug, Clone)]
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

    /// A document that was refused.
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self { exit: Exit::Refused, message: message.into(), hint: None }
    }

    /// An error of the file system. A full disk gets the code of the store.
    pub(crate) fn of_file(what: impl std::fmt::Display, error: &std::io::Error) -> Self {
        let message = format!("{what}: {}", reason(error));
        match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                let message = format!("{message} [{}]", FaultKind::DiskFull.code());
                Self { exit: Exit::Unavailable, ..Self::usage(message) }
                    .hint("free space on the disk of the store and try again")
            }
            _ => Self::usage(message),
        }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Returns the message of an I/O error, without its error number.
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

    #[test]
    fn a_full_disk_has_the_code_of_the_store() {
        let failed = |number| {
            let failure =
                Failure::of_file("cannot create a", &std::io::Error::from_raw_os_error(number));
            (failure.exit as u8, failure.message)
        };
        let full = "cannot create a: no space left on device [TK-STORE-FULL]";
        assert_eq!(failed(28), (7, full.to_owned()));
        assert_eq!(failed(2), (2, "cannot create a: no such file or directory".to_owned()));
    }

    #[test]
    fn the_reference_lists_every_code_in_order() {
        let all = [
            Exit::Success,
            Exit::Found,
            Exit::Usage,
            Exit::Refused,
            Exit::Denied,
            Exit::NotFound,
            Exit::Conflict,
            Exit::Unavailable,
            Exit::Rejected,
            Exit::Intercepted,
            Exit::Cancelled,
            Exit::MovedOn,
            Exit::Superseded,
            Exit::Dead,
            Exit::Edited,
            Exit::TimedOut,
            Exit::Unknown,
            Exit::Interrupted,
        ];
        let page = include_str!("../../../docs/reference/exit-codes.md");
        let codes: Vec<u8> = page
            .lines()
            .filter_map(|line| line.strip_prefix("| ")?.split(" |").next()?.parse().ok())
            .collect();
        assert_eq!(codes, all.map(|exit| exit as u8));
    }
}
