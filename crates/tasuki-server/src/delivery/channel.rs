//! Whether a channel leads anywhere: asked when it is chosen, not when it is needed.

use tasuki_engine::enrol::NewChannel;
use tasuki_packet::problem::DoorCode;

use crate::delivery::email::Mailer;
use crate::delivery::webhook::{Sender, Unreached};
use crate::respond::problem::Problem;

/// Refuses a channel over which nobody could be told.
pub(crate) async fn must_be_open(
    webhooks: &Sender,
    mailer: Option<&Mailer>,
    channel: &NewChannel,
) -> Result<(), Problem> {
    match channel {
        NewChannel::Webhook { url, .. } => webhooks.reach(url).await.map_err(|why| match why {
            Unreached::Forbidden(why) => Problem::door(DoorCode::ChannelRefused, why)
                .hint("an operator allows an origin with `server.webhook_origins`"),
            Unreached::Silent(why) => {
                let detail = format!("the receiver cannot be reached: {why}");
                Problem::door(DoorCode::ChannelUnreachable, detail)
                    .hint("start the receiver, then add the subscription")
            }
        }),
        NewChannel::Email { .. } => must_send_mail(mailer).await,
    }
}

/// Refuses to write to anybody where there is no mail server, or none that answers.
pub(crate) async fn must_send_mail(mailer: Option<&Mailer>) -> Result<(), Problem> {
    let Some(mailer) = mailer else {
        return Err(Problem::door(DoorCode::ChannelUnset, "no mail server is set")
            .hint("an operator sets `[server.mail]` in tasuki.toml"));
    };
    mailer.reach().await.map_err(|why| {
        let detail = format!("the mail server cannot be used: {why}");
        Problem::door(DoorCode::ChannelUnreachable, detail)
            .hint("look at `[server.mail]` in tasuki.toml")
    })
}
