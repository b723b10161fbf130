//! The facts about a snapshot, in the message of its commit.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The first line of the message.
const TITLE: &str = "tasuki snapshot";

/// The facts about a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Meta {
    /// The task.
    pub(crate) task: String,
    /// The party whose work tree it is.
    pub(crate) party: String,
    /// The occasion.
    pub(crate) cause: Cause,
    /// The time.
    pub(crate) at: Timestamp,
    /// The id of the work tree.
    pub(crate) work_tree: String,
    /// The branch that was checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) branch: Option<String>,
    /// The commit that was checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) base: Option<String>,
    /// The files that are not part of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) left_out: Vec<LeftOut>,
    /// The number of files that are not part of it.
    #[serde(default)]
    pub(crate) left_out_count: usize,
}

/// A file that is not part of a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LeftOut {
    pub(crate) path: String,
    pub(crate) reason: String,
}

/// The occasion of a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Cause {
    Checkpoint,
    PassOn,
    Crash,
    /// The state before a restore.
    Undo,
}

impl Cause {
    /// Returns the value of the command line.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Checkpoint => "checkpoint",
            Self::PassOn => "pass-on",
            Self::Crash => "crash",
            Self::Undo => "undo",
        }
    }
}

impl Meta {
    /// Returns the message of the commit.
    pub(super) fn message(&self) -> String {
        let json = serde_json::to_string(self).expect("texts, numbers and lists are JSON");
        format!("{TITLE}\n\n{json}\n")
    }

    /// Reads the message of a commit.
    pub(crate) fn read(message: &str) -> Option<Self> {
        let rest = message.strip_prefix(TITLE)?;
        serde_json::from_str(rest.trim()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_read_as_it_was_written() {
        let left_out = vec![LeftOut { path: ".env\n".to_owned(), reason: "secret".to_owned() }];
        let meta = Meta {
            task: "build-42".to_owned(),
            party: "coder".to_owned(),
            cause: Cause::PassOn,
            at: Timestamp::UNIX_EPOCH,
            work_tree: "0123456789abcdef".to_owned(),
            branch: Some("main".to_owned()),
            base: None,
            left_out,
            left_out_count: 1,
        };
        assert_eq!(Meta::read(&meta.message()), Some(meta));
        assert_eq!(Meta::read("another commit"), None);
    }
}
