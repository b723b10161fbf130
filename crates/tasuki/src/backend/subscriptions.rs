//! The operations on subscriptions.

use tasuki_api as api;
use tasuki_api::ReplayResponse;
use tasuki_engine::steps::AddSubscription;
use tasuki_packet::id::SubscriptionId;

use super::BackendResult;

/// The subscriptions of an exchange.
pub(crate) trait Subscriptions {
    /// Returns all subscriptions, without their secrets.
    fn subscriptions(&self) -> BackendResult<Vec<api::Subscription>>;
    /// Adds a subscription. Fails if its channel cannot be reached.
    fn subscribe(&self, request: AddSubscription) -> BackendResult<api::CommandResponse>;
    /// Pauses a subscription.
    fn disable(&self, subscription: SubscriptionId) -> BackendResult<api::CommandResponse>;
    /// Resumes a subscription where it stopped.
    fn enable(&self, subscription: SubscriptionId) -> BackendResult<api::CommandResponse>;
    /// Gives a webhook a new secret.
    fn rotate(&self, subscription: SubscriptionId) -> BackendResult<api::CommandResponse>;
    /// Removes a subscription and its delivery attempts.
    fn unsubscribe(&self, subscription: SubscriptionId) -> BackendResult<api::CommandResponse>;
    /// Returns a page of delivery attempts, newest first, and the cursor of the next page.
    fn deliveries(
        &self,
        subscription: SubscriptionId,
        limit: u32,
        cursor: Option<&str>,
    ) -> BackendResult<(Vec<api::Delivery>, Option<String>)>;
    /// Sends a test message.
    fn test(&self, subscription: SubscriptionId) -> BackendResult<api::Delivery>;
    /// Delivers a range of events again, both ends included.
    fn replay(
        &self,
        subscription: SubscriptionId,
        from: u64,
        to: u64,
    ) -> BackendResult<ReplayResponse>;
}
