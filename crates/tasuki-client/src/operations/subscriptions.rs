//! Subscriptions: who is told of which events, what became of it, and telling again.

use std::time::Duration;

use serde_json::json;
use tasuki_api as api;
use ureq::http::Method;

use crate::address::path;
use crate::ask::Subscribe;
use crate::client::Client;
use crate::error::Error;
use crate::gives::{Page, Replayed};

/// How much longer than anything else a receiver's own answers may take.
const RECEIVER_TAKES: Duration = Duration::from_secs(30);

impl Client {
    /// The subscriptions of the project, without their secrets.
    pub fn subscriptions(&self) -> Result<Vec<api::Subscription>, Error> {
        let page: Page<api::Subscription> = self.get("/v1/subscriptions").document()?;
        Ok(page.items)
    }

    /// One subscription, by its id or the end of it.
    pub fn subscription(&self, id: &str) -> Result<api::Subscription, Error> {
        self.get(path("/v1/subscriptions/{}", id)).document()
    }

    /// Lets somebody be told. The secret of a webhook is in this answer and nowhere else.
    pub fn subscribe(&self, asked: &Subscribe) -> Result<api::Answer, Error> {
        self.post("/v1/subscriptions").extend_timeout(RECEIVER_TAKES).json(asked).document()
    }

    /// Lets a subscription wait.
    pub fn disable_subscription(&self, id: &str) -> Result<api::Answer, Error> {
        self.post(path("/v1/subscriptions/{}/disable", id)).document()
    }

    /// Lets a subscription go on where it stood.
    pub fn enable_subscription(&self, id: &str) -> Result<api::Answer, Error> {
        self.post(path("/v1/subscriptions/{}/enable", id)).document()
    }

    /// Signs a webhook with a new secret, and for a day with the old one as well. The new one is in this
    /// answer and nowhere else.
    pub fn rotate_secret(&self, id: &str) -> Result<api::Answer, Error> {
        self.post(path("/v1/subscriptions/{}/rotate", id)).document()
    }

    /// Removes a subscription, and what was known of its deliveries.
    pub fn remove_subscription(&self, id: &str) -> Result<api::Answer, Error> {
        self.request(Method::DELETE, path("/v1/subscriptions/{}", id)).document()
    }

    /// The last attempts of a subscription, newest first.
    pub fn deliveries(
        &self,
        id: &str,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<Page<api::Delivery>, Error> {
        let asked = self.get(path("/v1/subscriptions/{}/deliveries", id));
        asked.with("limit", limit).with("cursor", cursor).document()
    }

    /// Sends a message that says nothing, and gives what the receiver said to it.
    pub fn test_subscription(&self, id: &str) -> Result<api::Delivery, Error> {
        self.post(path("/v1/subscriptions/{}/test", id))
            .without_retry()
            .extend_timeout(RECEIVER_TAKES)
            .document()
    }

    /// Delivers the events of a range again, both ends included.
    pub fn replay(&self, id: &str, from: u64, to: u64) -> Result<Replayed, Error> {
        self.post(path("/v1/subscriptions/{}/replay", id))
            .without_retry()
            .extend_timeout(RECEIVER_TAKES)
            .json(&json!({ "from": from, "to": to }))
            .document()
    }
}
