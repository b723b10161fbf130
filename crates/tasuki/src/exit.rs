//! The public list of exit codes, and the failures that end with one.

use std::io::ErrorKind;

use tasuki_engine::error::FaultKind;

/// How a command ended. The numbers are part of the interface and documented in
/// `docs/reference/exit-codes.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    not(test),
    expect(
        dead_code,
        reason = "the list is public and whole; commands of the exchange use the rest"
    )
)]
#[repr(u8)]
pub(crate) enum Exit {
    /// It did what was asked, was accepted, or reached what was waited for.
    Success = 0,
    /// `validate`, `lint`, `diff`, `drift`, `contract check`, `log check`, `doctor` found something, or
    /// what a subscription was sent did not arrive.
    Found = 1,
    /// The command line is wrong, an input cannot be read, or an output cannot be written.
    Usage = 2,
    /// A packet or contract was refused.
    Refused = 3,
    /// Nobody proved who is asking, or they may not do this.
    Denied = 4,
    /// What was named does not exist.
    NotFound = 5,
    /// Somebody was faster: the revision changed, the claim is stale, the lock is held.
    Conflict = 6,
    /// The exchange cannot be reached, is not ready, or is limiting.
    Unavailable = 7,
    /// A person rejected the handoff, or the action that its holder asked leave for.
    Rejected = 10,
    /// A person intercepted the handoff, or a person or its sender rerouted it.
    Intercepted = 11,
    /// The handoff was cancelled.
    Cancelled = 12,
    /// The handoff went to the next rung: declined, lapsed, or a deadline passed.
    MovedOn = 13,
    /// A newer revision or handoff took its place.
    Superseded = 14,
    /// The handoff is a dead letter, or was discarded.
    Dead = 15,
    /// Waiting ended, the handoff goes on.
    TimedOut = 20,
    /// A bug.
    Unknown = 70,
    /// Somebody pressed Ctrl-C.
    Interrupted = 130,
}

/// Something the person at the keyboard can act on.
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

    /// A document that the command cannot work with.
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self { exit: Exit::Refused, message: message.into(), hint: None }
    }

    /// A file beside the store that the system refused; a full disk has the code that it has in the store.
    pub(crate) fn of_file(what: impl std::fmt::Display, error: &std::io::Error) -> Self {
        let message = format!("{what}: {}", reason(error));
        match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                let message = format!("{message} [{}]", FaultKind::DiskFull.code());
                Self { exit: Exit::Unavailable, ..Self::usage(message) }
                    .hint("make space on the disk of the store and try again")
            }
            _ => Self::usage(message),
        }
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

    #[test]
    fn a_full_disk_is_told_as_the_store_tells_it() {
        let failed = |number| {
            let failure =
                Failure::of_file("cannot make a", &std::io::Error::from_raw_os_error(number));
            (failure.exit as u8, failure.message)
        };
        let full = "cannot make a: no space left on device [TK-STORE-FULL]";
        assert_eq!(failed(28), (7, full.to_owned()));
        assert_eq!(failed(2), (2, "cannot make a: no such file or directory".to_owned()));
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
