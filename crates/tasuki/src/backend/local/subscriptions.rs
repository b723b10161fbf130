//! Subscriptions of the local store. Only a server delivers, so tests and replays fail here.

use tasuki_api as api;
use tasuki_api::ReplayResponse;
use tasuki_engine::command::Command;
use tasuki_engine::model::DisableReason;
use tasuki_engine::ports::deliveries::{self, begin_anew};
use tasuki_engine::steps::{
    AddSubscription, DisableSubscription, EnableSubscription, RemoveSubscription, RotateSecret,
};
use tasuki_engine::view;
use tasuki_packet::id::SubscriptionId;
use tasuki_server::check_channel;

use super::backend::LocalBackend;
use crate::backend::problem::problem_failure;
use crate::backend::{Backend as _, Subscriptions};
use crate::exit::Failure;

impl Subscriptions for LocalBackend {
    fn subscriptions(&self) -> Result<Vec<api::Subscription>, Failure> {
        let directory = self.exchange.directory()?;
        let all = directory.subscriptions();
        Ok(all.into_iter().map(|record| view::subscription(&directory, record)).collect())
    }

    fn subscribe(&self, request: AddSubscription) -> Result<api::CommandResponse, Failure> {
        let settings = &self.exchange.settings.server()?.server;
        let led = self.exchange.block_on(check_channel(settings, &request.channel));
        led.map_err(|problem| problem_failure(problem.document()))?;
        self.run(Command::AddSubscription(request), None)
    }

    fn disable(&self, subscription: SubscriptionId) -> Result<api::CommandResponse, Failure> {
        let request = DisableSubscription { subscription, because: DisableReason::Asked };
        self.run(Command::DisableSubscription(request), None)
    }

    fn enable(&self, subscription: SubscriptionId) -> Result<api::CommandResponse, Failure> {
        let (store, project) = (&*self.exchange.store, self.exchange.project);
        self.exchange.read(Box::pin(begin_anew(store, project, subscription)))?;
        self.run(Command::EnableSubscription(EnableSubscription { subscription }), None)
    }

    fn rotate(&self, subscription: SubscriptionId) -> Result<api::CommandResponse, Failure> {
        self.run(Command::RotateSecret(RotateSecret { subscription }), None)
    }

    fn unsubscribe(&self, subscription: SubscriptionId) -> Result<api::CommandResponse, Failure> {
        let request = RemoveSubscription { subscription };
        let answer = self.run(Command::RemoveSubscription(request), None)?;
        let forget = self.exchange.store.forget_deliveries(self.exchange.project, subscription);
        self.exchange.read(forget)?;
        Ok(answer)
    }

    fn deliveries(
        &self,
        subscription: SubscriptionId,
        limit: u32,
        cursor: Option<&str>,
    ) -> Result<(Vec<api::Delivery>, Option<String>), Failure> {
        let behind = cursor.and_then(|cursor| cursor.parse().ok());
        let (store, project) = (&*self.exchange.store, self.exchange.project);
        let read = deliveries::page(store, project, subscription, behind, limit);
        let (attempts, next) = self.exchange.read(Box::pin(read))?;
        let shown = attempts.iter().map(view::delivery).collect();
        Ok((shown, next.map(|last| last.to_string())))
    }

    fn test(&self, _: SubscriptionId) -> Result<api::Delivery, Failure> {
        Err(needs_a_server("testing a subscription"))
    }

    fn replay(&self, _: SubscriptionId, _: u64, _: u64) -> Result<ReplayResponse, Failure> {
        Err(needs_a_server("replaying events"))
    }
}

fn needs_a_server(what: &str) -> Failure {
    Failure::usage(format!("{what} needs a server"))
        .hint("run `tasuki serve`, then use `--server URL` and set `TASUKI_TOKEN`")
}
