//! Subscriptions, their deliveries, and replays.

use std::time::Duration;

use tasuki_api::{
    CommandResponse, Delivery, Page, ReplayRequest, ReplayResponse, Subscription,
    SubscriptionRequest,
};
use ureq::http::Method;

use crate::address::path;
use crate::client::Client;
use crate::error::Error;

/// The additional time for operations that wait for the receiver of a webhook.
const RECEIVER_TIMEOUT: Duration = Duration::from_secs(30);

impl Client {
    /// Lists the subscriptions of the project, without their secrets.
    pub fn subscriptions(&self) -> Result<Vec<Subscription>, Error> {
        let page: Page<Subscription> = self.get("/v1/subscriptions").document()?;
        Ok(page.items)
    }

    /// Returns a subscription, by its id or an ending of it.
    pub fn subscription(&self, id: &str) -> Result<Subscription, Error> {
        self.get(path("/v1/subscriptions/{}", id)).document()
    }

    /// Adds a subscription. Only this response has the secret of a webhook.
    pub fn subscribe(&self, request: &SubscriptionRequest) -> Result<CommandResponse, Error> {
        self.post("/v1/subscriptions").extend_timeout(RECEIVER_TIMEOUT).json(request).document()
    }

    /// Disables a subscription until it is enabled again.
    pub fn disable_subscription(&self, id: &str) -> Result<CommandResponse, Error> {
        self.post(path("/v1/subscriptions/{}/disable", id)).document()
    }

    /// Enables a subscription, which continues where it stopped.
    pub fn enable_subscription(&self, id: &str) -> Result<CommandResponse, Error> {
        self.post(path("/v1/subscriptions/{}/enable", id)).document()
    }

    /// Rotates the secret of a webhook. The old one is used in addition for a day. Only this response
    /// has the new one.
    pub fn rotate_secret(&self, id: &str) -> Result<CommandResponse, Error> {
        self.post(path("/v1/subscriptions/{}/rotate", id)).document()
    }

    /// Removes a subscription and its deliveries.
    pub fn remove_subscription(&self, id: &str) -> Result<CommandResponse, Error> {
        self.request(Method::DELETE, path("/v1/subscriptions/{}", id)).document()
    }

    /// Lists the last delivery attempts, newest first.
    pub fn deliveries(
        &self,
        id: &str,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<Page<Delivery>, Error> {
        let request = self.get(path("/v1/subscriptions/{}/deliveries", id));
        request.with("limit", limit).with("cursor", cursor).document()
    }

    /// Sends a test message, and returns the attempt.
    pub fn test_subscription(&self, id: &str) -> Result<Delivery, Error> {
        self.post(path("/v1/subscriptions/{}/test", id))
            .without_retry()
            .extend_timeout(RECEIVER_TIMEOUT)
            .document()
    }

    /// Delivers a range of events again.
    pub fn replay(&self, id: &str, range: &ReplayRequest) -> Result<ReplayResponse, Error> {
        self.post(path("/v1/subscriptions/{}/replay", id))
            .without_retry()
            .extend_timeout(RECEIVER_TIMEOUT)
            .json(range)
            .document()
    }
}
