//! Subscriptions of a server.

use tasuki_api as api;
use tasuki_api::{ReplayRequest, ReplayResponse, SubscriptionRequest};
use tasuki_engine::steps::{AddSubscription, NewChannel};
use tasuki_packet::id::SubscriptionId;

use super::server::RemoteBackend;
use crate::backend::Subscriptions;
use crate::backend::problem::client_failure;
use crate::exit::Failure;

impl Subscriptions for RemoteBackend {
    fn subscriptions(&self) -> Result<Vec<api::Subscription>, Failure> {
        self.client.subscriptions().map_err(client_failure)
    }

    fn subscribe(&self, request: AddSubscription) -> Result<api::CommandResponse, Failure> {
        let mut asked = SubscriptionRequest {
            party: Some(request.party),
            filter: request.filter,
            ..SubscriptionRequest::default()
        };
        match request.channel {
            NewChannel::Webhook { url, signing } => {
                asked.url = Some(url);
                asked.signing = signing;
            }
            NewChannel::Email { address } => asked.address = Some(address),
            NewChannel::Slack { url } => asked.slack = Some(url),
            NewChannel::Ntfy { url, token } => {
                asked.ntfy = Some(url);
                asked.ntfy_token = token;
            }
        }
        self.client.subscribe(&asked).map_err(client_failure)
    }

    fn disable(&self, subscription: SubscriptionId) -> Result<api::CommandResponse, Failure> {
        self.client.disable_subscription(&subscription.to_string()).map_err(client_failure)
    }

    fn enable(&self, subscription: SubscriptionId) -> Result<api::CommandResponse, Failure> {
        self.client.enable_subscription(&subscription.to_string()).map_err(client_failure)
    }

    fn rotate(&self, subscription: SubscriptionId) -> Result<api::CommandResponse, Failure> {
        self.client.rotate_secret(&subscription.to_string()).map_err(client_failure)
    }

    fn unsubscribe(&self, subscription: SubscriptionId) -> Result<api::CommandResponse, Failure> {
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
    ) -> Result<ReplayResponse, Failure> {
        self.client
            .replay(&subscription.to_string(), &ReplayRequest { from, to })
            .map_err(client_failure)
    }
}
