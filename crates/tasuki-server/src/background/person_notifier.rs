//! One thing that waits, to the people it waits for; and if nobody could be told, that is said.

use std::collections::HashSet;
use std::time::Duration;

use jiff::Timestamp;
use tasuki_engine::command::Command;
use tasuki_engine::delivery::Cursor;
use tasuki_engine::directory::Directory;
use tasuki_engine::engine::Call;
use tasuki_engine::error::Error;
use tasuki_engine::party::Party;
use tasuki_engine::principal::Principal;
use tasuki_engine::refusal::RefusalCode;
use tasuki_engine::tell::{self, Wait};
use tasuki_engine::untold::{self, Because};
use tasuki_packet::api;
use tasuki_packet::id::{PartyId, ProjectId, SubscriptionId};

use crate::delivery::email::to_person;
use crate::delivery::outcome::Outcome;
use crate::delivery::retry_schedule;
use crate::delivery::transports::Means;
use crate::state::App;

/// How long it is waited whether somebody looks by themselves, or gets a channel, where nobody has one.
const GRACE: Duration = Duration::from_mins(1);

/// How soon it is looked again whether a subscription has delivered, or a halt is lifted.
const SOON: Duration = Duration::from_secs(1);

/// Something that people have to be told.
#[derive(Debug)]
pub(super) struct Errand {
    wait: Wait,
    event: api::Event,
    /// When there is something to do.
    pub(super) look_at: Timestamp,
    /// How often mail has failed, and when it is tried again; nothing once it is given up.
    mail: Option<Cursor>,
    /// Who has been told.
    pub(super) reached: HashSet<PartyId>,
    /// Mailboxes that the mail server refused for good; who gets another one meanwhile is written to.
    refused: HashSet<String>,
    /// Whether anybody had a channel at any time.
    had_channel: bool,
}

/// Whoever goes to the people of one project.
#[derive(Clone, Copy)]
pub(super) struct Messenger<'a> {
    pub(super) app: &'a App,
    pub(super) means: &'a Means,
    pub(super) project: ProjectId,
}

/// What became of an errand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ran {
    /// Somebody was told, or it was said that nobody was.
    Told,
    /// It is for nobody, or for nobody any more.
    Needless,
    /// There is something left to do.
    Open,
}

/// What is left to do after everybody was tried.
#[derive(Debug, Default)]
struct Left {
    /// The mail server was away, or put somebody off.
    has_mail: bool,
    /// A subscription has not delivered yet.
    has_subscription: bool,
}

impl Errand {
    pub(super) fn new(wait: Wait, event: api::Event) -> Self {
        let none = SubscriptionId::from_bytes([0; 16]);
        Self {
            mail: Some(Cursor::at(none, wait.n)),
            wait,
            event,
            look_at: Timestamp::MIN,
            reached: HashSet::new(),
            refused: HashSet::new(),
            had_channel: false,
        }
    }
}

impl Messenger<'_> {
    /// Tells whoever was not told yet.
    pub(super) async fn run(&self, errand: &mut Errand, now: Timestamp) -> Result<Ran, Error> {
        let Self { app, project, .. } = *self;
        let wait = errand.wait;
        let directory = app.engine.directory(project).await?;
        if !tell::may_concern_people(&directory, wait.kind, &errand.event) {
            return Ok(Ran::Needless);
        }
        let handoff = app.engine.store().handoff(project, wait.handoff).await?;
        let Some(handoff) = handoff.filter(|handoff| tell::goes_on(handoff, &wait)) else {
            return Ok(Ran::Needless);
        };
        let mut people = tell::people(&directory, &handoff, wait.kind);
        people.retain(|person| !errand.reached.contains(&person.id));
        let left = self.tell(errand, &directory, &people, now).await?;
        if let Some(look_at) = errand.again(&left, now) {
            errand.look_at = look_at;
            return Ok(Ran::Open);
        }
        let is_up_to_people = tell::is_up_to_people(&directory, &handoff, wait.kind);
        if !errand.reached.is_empty() || !is_up_to_people {
            return Ok(Ran::Told);
        }
        let because = if errand.had_channel { Because::Failed } else { Because::NoChannel };
        let grace = later(wait.at, GRACE);
        if because == Because::NoChannel && now < grace {
            errand.look_at = grace;
            return Ok(Ran::Open);
        }
        errand.look_at = later(now, SOON);
        self.say_untold(errand, because).await
    }

    /// Tries every channel of these people once.
    async fn tell(
        &self,
        errand: &mut Errand,
        directory: &Directory,
        people: &[&Party],
        now: Timestamp,
    ) -> Result<Left, Error> {
        let mut left = Left::default();
        for person in people {
            self.send_mail(errand, person, now, &mut left).await;
            if !errand.reached.contains(&person.id) {
                self.ask_subscriptions(errand, directory, person.id, &mut left).await?;
            }
        }
        Ok(left)
    }

    /// Writes to a person who has a mailbox, unless mail is given up or not due yet.
    async fn send_mail(
        &self,
        errand: &mut Errand,
        person: &Party,
        now: Timestamp,
        left: &mut Left,
    ) {
        let mailer = self.means.mailer.as_ref();
        let Some((address, mailer)) = person.channels.email.as_ref().zip(mailer) else { return };
        errand.had_channel = true;
        let Some(cursor) = errand.mail.filter(|_| !errand.refused.contains(address)) else {
            return;
        };
        if cursor.next_try_at.is_some_and(|at| now < at) {
            left.has_mail = true;
            return;
        }
        let links = self.app.email_links(self.project).await;
        let letter = to_person(&links, &errand.event, errand.wait.kind);
        let outcome = mailer.send(address, &letter).await;
        if outcome.is_success() {
            errand.reached.insert(person.id);
            return;
        }
        let (project, n, why) = (self.project, errand.wait.n, in_log(&outcome));
        tracing::warn!(%project, n, why, "a person could not be told by mail");
        if outcome.is_refused {
            errand.refused.insert(address.clone());
        } else {
            left.has_mail = true;
        }
    }

    /// Whether a subscription of this person has delivered the event, or will.
    async fn ask_subscriptions(
        &self,
        errand: &mut Errand,
        directory: &Directory,
        person: PartyId,
        left: &mut Left,
    ) -> Result<(), Error> {
        let n = errand.wait.n;
        errand.had_channel |= tell::has_lost_subscription(directory, person, errand.wait.at);
        for record in tell::subscriptions_of(directory, person) {
            if n < record.from || !record.filter.wants(&errand.event) {
                continue;
            }
            errand.had_channel = true;
            let cursor = self.means.deliveries.cursor(self.project, record.id).await?;
            // A cursor stands behind an event that is wanted only if the receiver has it.
            if cursor.is_some_and(|cursor| n < cursor.n) {
                errand.reached.insert(person);
                return Ok(());
            }
            left.has_subscription = true;
        }
        Ok(())
    }

    /// Says that nobody could be told.
    async fn say_untold(&self, errand: &Errand, because: Because) -> Result<Ran, Error> {
        let Self { app, means, project } = *self;
        let by_mail = means.mailer.is_some();
        let request = untold::Request { wait: errand.wait, because, by_mail };
        let (principal, command) = (Principal::system(), Command::NoteUntold(request));
        match app.engine.run(Call { project, principal, command, key: None }).await {
            Ok(_) => {
                app.watch.nudge(project);
                Ok(Ran::Told)
            }
            Err(Error::Refused(no)) if no.code == RefusalCode::ProjectHalted => Ok(Ran::Open),
            Err(Error::Refused(no)) => {
                tracing::warn!(%project, n = errand.wait.n, %no, "that nobody was told is refused");
                Ok(Ran::Needless)
            }
            Err(error) => Err(error),
        }
    }
}

impl Errand {
    /// When to try again, if there is anything left that may help.
    fn again(&mut self, left: &Left, now: Timestamp) -> Option<Timestamp> {
        let mail = if left.has_mail { self.mail_again(now) } else { None };
        let subscription = left.has_subscription.then(|| later(now, SOON));
        mail.into_iter().chain(subscription).min()
    }

    /// Mail is tried again like a webhook, and given up like one.
    fn mail_again(&mut self, now: Timestamp) -> Option<Timestamp> {
        let cursor = self.mail?;
        if cursor.next_try_at.is_none_or(|at| at <= now) {
            self.mail = retry_schedule::after_failure(cursor, now, None, u8::MAX / 2);
        }
        self.mail?.next_try_at
    }
}

/// Why a letter did not go, for the log: the words of a mail server name the mailbox, its number does not.
fn in_log(outcome: &Outcome) -> String {
    match outcome.status {
        Some(status) => format!("the mail server said {status}"),
        None => outcome.response.clone(),
    }
}

fn later(instant: Timestamp, by: Duration) -> Timestamp {
    instant.checked_add(by).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_mailbox_comes_into_the_log() {
        let said = Outcome::failed("the mail server said `550 <pia@example.org> unknown`");
        let refused = Outcome { status: Some(550), ..said };
        assert_eq!(in_log(&refused), "the mail server said 550");
        assert_eq!(in_log(&Outcome::failed("connection refused")), "connection refused");
    }
}
