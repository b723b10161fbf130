//! The transports of a server, and the records of what was delivered over them.
//!
//! Every subscription has a cursor over the log, which moves when the receiver has confirmed an event. What
//! could not be delivered stays where it is, so nothing is lost and nothing overtakes.

use std::sync::Arc;

use tasuki_engine::ports::Deliveries;

use crate::delivery::email::{MailSettings, Mailer};
use crate::delivery::webhook::{Origin, Resolve, Sender};

/// The transports, and the records of deliveries.
#[derive(Clone)]
pub(crate) struct Transports {
    /// The cursors and attempts of subscriptions.
    pub(crate) deliveries: Arc<dyn Deliveries>,
    /// Sends webhooks.
    pub(crate) webhooks: Sender,
    /// Sends email, if a mail server is set.
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
