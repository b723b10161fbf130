//! The outcome of one attempt to deliver, by any transport.

use std::time::Duration;

/// The outcome of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// The status that the receiver answered with, if it did.
    pub(crate) status: Option<u16>,
    /// How long it asks us to wait.
    pub(crate) retry_after: Option<Duration>,
    /// How long it took.
    pub(crate) millis: u32,
    /// The beginning of the response, or the error.
    pub(crate) response: String,
    /// Whether the receiver refused for good, so that trying again is of no use.
    pub(crate) is_refused: bool,
}

impl Outcome {
    /// The outcome of an attempt without a response.
    pub(crate) fn failed(why: impl Into<String>) -> Self {
        let (response, is_refused) = (why.into(), false);
        Self { status: None, retry_after: None, millis: 0, response, is_refused }
    }

    pub(crate) fn is_success(&self) -> bool {
        self.status.is_some_and(|status| (200..300).contains(&status))
    }
}
