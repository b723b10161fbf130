//! Requests of any operation, for callers that build their own.

use serde_json::Value;

use crate::client::Client;
use crate::error::Error;

impl Client {
    /// Sends a `GET` request, and returns the document.
    ///
    /// The target is a path such as `/v1/inbox`, with a query that is percent-encoded.
    ///
    /// # Errors
    ///
    /// The errors of every request; see [`Error`].
    pub fn get_json(&self, target: &str) -> Result<Value, Error> {
        self.get(target).document()
    }

    /// Sends a `POST` request with a JSON body of this media type, and returns the document. It is
    /// retried with an idempotency key.
    ///
    /// # Errors
    ///
    /// The errors of every request; see [`Error`].
    pub fn post_json(
        &self,
        target: &str,
        media: &'static str,
        body: Option<&Value>,
    ) -> Result<Value, Error> {
        let request = self.post(target);
        match body {
            Some(body) => request.body(media, body.to_string().into_bytes()).document(),
            None => request.document(),
        }
    }
}
