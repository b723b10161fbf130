//! What can be asked about who is told of which events.

use tasuki_client::Replayed;
use tasuki_engine::enrol::AddSubscription;
use tasuki_packet::api;
use tasuki_packet::id::SubscriptionId;

use super::Answer;

/// The subscriptions of an exchange.
pub(crate) trait Subscriptions {
    /// All of them, without their secrets.
    fn subscriptions(&self) -> Answer<Vec<api::Subscription>>;
    /// Lets somebody be told. A channel that leads nowhere is refused.
    fn subscribe(&self, request: AddSubscription) -> Answer<api::Answer>;
    /// Lets one wait.
    fn disable(&self, subscription: SubscriptionId) -> Answer<api::Answer>;
    /// Lets one go on where it stood.
    fn enable(&self, subscription: SubscriptionId) -> Answer<api::Answer>;
    /// Gives a webhook a new secret.
    fn rotate(&self, subscription: SubscriptionId) -> Answer<api::Answer>;
    /// Removes one, and what is known of its deliveries.
    fn unsubscribe(&self, subscription: SubscriptionId) -> Answer<api::Answer>;
    /// A page of its last attempts, newest first, and where the next one begins.
    fn deliveries(
        &self,
        subscription: SubscriptionId,
        limit: u32,
        cursor: Option<&str>,
    ) -> Answer<(Vec<api::Delivery>, Option<String>)>;
    /// Sends a message that says nothing.
    fn test(&self, subscription: SubscriptionId) -> Answer<api::Delivery>;
    /// Delivers a range of events again, both ends included.
    fn replay(&self, subscription: SubscriptionId, from: u64, to: u64) -> Answer<Replayed>;
}
