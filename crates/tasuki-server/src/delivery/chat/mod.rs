//! Messages to Slack and ntfy: a notice as a request of the service.
//!
//! The requests go through the same guard, time limit and connection pool as webhooks. A service
//! confirms a message with its own answer; a status alone may come from a proxy in between.

mod ntfy;
mod slack;

use jiff::Timestamp;
use tasuki_engine::model::Channel;

use crate::delivery::notice::Notice;
use crate::delivery::outcome::Outcome;
use crate::delivery::webhook::Sender;

/// Sends a notice over the channel of a subscription.
pub(crate) async fn send(
    sender: &Sender,
    channel: &Channel,
    notice: &Notice,
    now: Timestamp,
) -> Outcome {
    match channel {
        Channel::Slack { url } => {
            let outcome = sender.send(&url.0, &slack::message(notice), now).await;
            confirmed(outcome, "Slack", slack::confirms)
        }
        Channel::Ntfy { url, token } => {
            let (server, topic) = ntfy::server_and_topic(&url.0);
            let message = ntfy::message(notice, topic, token.as_ref());
            let outcome = sender.send(server, &message, now).await;
            confirmed(outcome, "ntfy", ntfy::confirms)
        }
        Channel::Webhook { .. } | Channel::Email { .. } | Channel::None {} => {
            Outcome::failed("not a chat")
        }
    }
}

/// Turns a success that the service did not confirm into a failure.
fn confirmed(outcome: Outcome, service: &str, confirms: fn(&str) -> bool) -> Outcome {
    if !outcome.is_success() || confirms(&outcome.response) {
        return outcome;
    }
    let response = format!("the answer is not one of {service}: {}", outcome.response);
    let response = tasuki_engine::ports::deliveries::shortened(&response);
    Outcome { status: None, response, ..outcome }
}
