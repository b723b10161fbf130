//! Subscriptions of a server.

use tasuki_api as api;
use tasuki_client::{Channel, Replayed, Signing, Subscribe};
use tasuki_engine::model::Signing as Signed;
use tasuki_engine::steps::{AddSubscription, NewChannel};
use tasuki_packet::id::SubscriptionId;

use super::events::to_client_filter;
use super::server::RemoteBackend;
use crate::backend::Subscriptions;
use crate::backend::problem::client_failure;
use crate::exit::Failure;

impl Subscriptions for RemoteBackend {
    fn subscriptions(&self) -> Result<Vec<api::Subscription>, Failure> {
        self.client.subscriptions().map_err(client_failure)
    }

    fn subscribe(&self, request: AddSubscription) -> Result<api::Answer, Failure> {
        let channel = match request.channel {
            NewChannel::Webhook { url, signing } => {
                let signing = match signing {
                    Signed::Shared => Signing::Shared,
                    Signed::KeyPair => Signing::KeyPair,
                };
                Channel::Webhook { url, signing }
            }
            NewChannel::Email { address } => Channel::Email { address },
        };
        let filter = to_client_filter(&request.filter);
        let asked = Subscribe { party: Some(request.party), channel, filter };
        self.client.subscribe(&asked).map_err(client_failure)
    }

    fn disable(&self, subscription: SubscriptionId) -> Result<api::Answer, Failure> {
        self.client.disable_subscription(&subscription.to_string()).map_err(client_failure)
    }

    fn enable(&self, subscription: SubscriptionId) -> Result<api::Answer, Failure> {
        self.client.enable_subscription(&subscription.to_string()).map_err(client_failure)
    }

    fn rotate(&self, subscription: SubscriptionId) -> Result<api::Answer, Failure> {
        self.client.rotate_secret(&subscription.to_string()).map_err(client_failure)
    }

    fn unsubscribe(&self, subscription: SubscriptionId) -> Result<api::Answer, Failure> {
        self.client.remove_subscription(&subscription.to_string()).map_err(client_failure)
    }

    fn deliveries(
        &self,
        subscription: SubscriptionId,
        limit: u32,
        cursor: Option<&str>,
    ) -> Result<(Vec<api::Delivery>, Option<String>), Failure> {
        let id = subscription.to_string();
        let page = self.client.deliveries(&id, Some(limit), cursor).map_err(client_failure)?;
        Ok((page.items, page.next))
    }

    fn test(&self, subscription: SubscriptionId) -> Result<api::Delivery, Failure> {
        self.client.test_subscription(&subscription.to_string()).map_err(client_failure)
    }

    fn replay(
        &self,
        subscription: SubscriptionId,
        from: u64,
        to: u64,
    ) -> Result<Replayed, Failure> {
        self.client.replay(&subscription.to_string(), from, to).map_err(client_failure)
    }
}
