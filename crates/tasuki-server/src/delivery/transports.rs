//! The transports of a server and the delivery records.
//!
//! Every subscription has a cursor over the log. The cursor moves when the receiver has confirmed
//! an event, so no event is lost or delivered out of order.

use std::sync::Arc;

use tasuki_engine::ports::Deliveries;

use crate::delivery::email::{MailSettings, Mailer};
use crate::delivery::webhook::{Origin, Resolve, Sender};

/// The transports and the delivery records.
#[derive(Clone)]
pub(crate) struct Transports {
    /// The cursors and attempts of subscriptions.
    pub(crate) deliveries: Arc<dyn Deliveries>,
    /// The webhook sender.
    pub(crate) webhooks: Sender,
    /// The mailer, if a mail server is configured.
    pub(crate) mailer: Option<Mailer>,
}

impl Transports {
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
