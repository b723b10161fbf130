//! Who is told of what: for every subscription a cursor over the log, moved when the receiver has said
//! that it has the event.
//!
//! `courier.rs` takes events to one receiver; `rounds.rs` runs one courier for each subscription, side by
//! side, each strictly in the order of the log. What could not be delivered stays where it is, so nothing is
//! lost and nothing overtakes. `people.rs` walks along the log for people, and `messenger.rs` tells them.

use std::sync::Arc;

use tasuki_engine::delivery::Deliveries;

use crate::delivery::email::{MailSettings, Mailer};
use crate::delivery::webhook::{Origin, Resolve, Sender};

/// What it takes to deliver.
#[derive(Clone)]
pub(crate) struct Means {
    /// Where each subscription stands.
    pub(crate) deliveries: Arc<dyn Deliveries>,
    /// How webhooks are sent.
    pub(crate) webhooks: Sender,
    /// How messages are sent, if an operator has said so.
    pub(crate) mailer: Option<Mailer>,
}

impl Means {
    pub(crate) fn new(
        deliveries: Arc<dyn Deliveries>,
        resolver: Arc<dyn Resolve>,
        webhook_origins: Vec<Origin>,
        mail: Option<MailSettings>,
    ) -> Self {
        let webhooks = Sender::new(resolver, webhook_origins);
        Self { deliveries, webhooks, mailer: mail.map(Mailer::new) }
    }
}
