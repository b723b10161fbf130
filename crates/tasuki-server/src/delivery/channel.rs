//! Checks that a channel can be delivered to: when it is chosen, not when it is needed.

use tasuki_api::problem::HttpErrorCode;
use tasuki_engine::steps::NewChannel;

use crate::delivery::email::Mailer;
use crate::delivery::webhook::{Sender, Unreachable};
use crate::respond::problem::Problem;

/// Refuses a channel that cannot be reached.
pub(crate) async fn check(
    webhooks: &Sender,
    mailer: Option<&Mailer>,
    channel: &NewChannel,
) -> Result<(), Problem> {
    match channel {
        NewChannel::Webhook { url, .. } => webhooks.check(url).await.map_err(|why| match why {
            Unreachable::Forbidden(why) => Problem::with_code(HttpErrorCode::ChannelRefused, why)
                .hint("an operator allows an origin with `server.webhook_origins`"),
            Unreachable::NotListening(why) => {
                let detail = format!("the receiver cannot be reached: {why}");
                Problem::with_code(HttpErrorCode::ChannelUnreachable, detail)
                    .hint("start the receiver, then add the subscription")
            }
        }),
        NewChannel::Email { .. } => check_email(mailer).await,
    }
}

/// Refuses email without a mail server, or with one that does not answer.
pub(crate) async fn check_email(mailer: Option<&Mailer>) -> Result<(), Problem> {
    let Some(mailer) = mailer else {
        return Err(Problem::with_code(HttpErrorCode::ChannelUnset, "no mail server is set")
            .hint("an operator sets `[server.mail]` in tasuki.toml"));
    };
    mailer.check().await.map_err(|why| {
        let detail = format!("the mail server cannot be used: {why}");
        Problem::with_code(HttpErrorCode::ChannelUnreachable, detail)
            .hint("look at `[server.mail]` in tasuki.toml")
    })
}
