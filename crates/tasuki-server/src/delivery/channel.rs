//! Checks that a channel can be delivered to, at the time it is chosen.

use tasuki_api::problem::HttpErrorCode;
use tasuki_engine::steps::NewChannel;

use crate::delivery::email::Mailer;
use crate::delivery::webhook::{Sender, Unreachable};
use crate::respond::problem::Problem;

/// Refuses an unreachable channel, and one with links while they would lead nowhere.
pub(crate) async fn check(
    webhooks: &Sender,
    mailer: Option<&Mailer>,
    public_url: Option<&str>,
    channel: &NewChannel,
) -> Result<(), Problem> {
    match channel {
        NewChannel::Webhook { url, .. } => check_receiver(webhooks, url).await,
        NewChannel::Email { .. } => {
            check_email(mailer).await?;
            check_links(public_url)
        }
        NewChannel::Slack { url } | NewChannel::Ntfy { url, .. } => {
            check_links(public_url)?;
            check_receiver(webhooks, &url.0).await
        }
    }
}

/// Refuses a channel whose messages have links, unless the server knows its public address.
pub(crate) fn check_links(public_url: Option<&str>) -> Result<(), Problem> {
    if public_url.is_some() {
        return Ok(());
    }
    let detail = "`server.public_url` is not set, so links in messages would lead nowhere";
    Err(Problem::with_code(HttpErrorCode::ChannelUnset, detail)
        .hint("an operator sets it in tasuki.toml: `[server]`, `public_url = \"https://…\"`"))
}

async fn check_receiver(webhooks: &Sender, url: &str) -> Result<(), Problem> {
    webhooks.check(url).await.map_err(|why| match why {
        Unreachable::Forbidden(why) => Problem::with_code(HttpErrorCode::ChannelRefused, why)
            .hint("an operator can allow an origin with `server.webhook_origins`"),
        Unreachable::NotListening(why) => {
            let detail = format!("receiver is unreachable: {why}");
            Problem::with_code(HttpErrorCode::ChannelUnreachable, detail)
                .hint("start the receiver, then add the subscription again")
        }
    })
}

/// Refuses email without a configured mail server, or with one that does not respond.
pub(crate) async fn check_email(mailer: Option<&Mailer>) -> Result<(), Problem> {
    let Some(mailer) = mailer else {
        return Err(Problem::with_code(
            HttpErrorCode::ChannelUnset,
            "no mail server is configured",
        )
        .hint("an operator configures it as `[server.mail]` in tasuki.toml"));
    };
    mailer.check().await.map_err(|why| {
        let detail = format!("mail server is unusable: {why}");
        Problem::with_code(HttpErrorCode::ChannelUnreachable, detail)
            .hint("check `[server.mail]` in tasuki.toml")
    })
}
