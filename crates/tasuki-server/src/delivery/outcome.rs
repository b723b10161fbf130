//! The outcome of one delivery attempt, for all transports.

use std::time::Duration;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// The status of the response, if there was one.
    pub(crate) status: Option<u16>,
    /// The delay that the receiver requested.
    pub(crate) retry_after: Option<Duration>,
    /// The duration of the attempt in milliseconds.
    pub(crate) millis: u32,
    /// The beginning of the response, or the error.
    pub(crate) response: String,
    /// `true` if the receiver refused permanently, so that a retry is pointless.
    pub(crate) is_refused: bool,
}

impl Outcome {
    /// Returns the outcome of an attempt without a response.
    pub(crate) fn failed(why: impl Into<String>) -> Self {
        let (response, is_refused) = (why.into(), false);
        Self { status: None, retry_after: None, millis: 0, response, is_refused }
    }

    pub(crate) fn is_success(&self) -> bool {
        self.status.is_some_and(|status| (200..300).contains(&status))
    }
}
