//! What became of one attempt to deliver, by whatever transport.

use std::time::Duration;

/// What became of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// What the receiver answered; nothing if it did not.
    pub(crate) status: Option<u16>,
    /// For how long it wants to be left alone.
    pub(crate) retry_after: Option<Duration>,
    /// How long it took.
    pub(crate) millis: u32,
    /// The beginning of what it said, or why it could not be asked.
    pub(crate) response: String,
    /// Whether the receiver does not want it at all, so that trying again is of no use.
    pub(crate) is_refused: bool,
}

impl Outcome {
    /// Nobody could be asked.
    pub(crate) fn failed(why: impl Into<String>) -> Self {
        let (response, is_refused) = (why.into(), false);
        Self { status: None, retry_after: None, millis: 0, response, is_refused }
    }

    pub(crate) fn is_success(&self) -> bool {
        self.status.is_some_and(|status| (200..300).contains(&status))
    }
}
