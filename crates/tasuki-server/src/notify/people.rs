//! What waits for a person is told to them by the exchange itself, without any subscription: an offer, a
//! hold, a question, an escalation.

use std::collections::HashSet;
use std::time::Duration;

use tasuki_engine::delivery::Cursor;
use tasuki_engine::directory::Directory;
use tasuki_engine::error::Error;
use tasuki_engine::events::{self, Filter};
use tasuki_engine::party::{Party, PartyKind};
use tasuki_packet::api;
use tasuki_packet::id::{ProjectId, SubscriptionId};

use super::Means;
use crate::app::{App, Shared};
use crate::mail::{Links, to_person};
use crate::webhook::{Outcome, schedule};

/// Events that are looked at at once.
const PAGE: usize = 256;

/// How often what failed is looked at again.
const RETRY: Duration = Duration::from_secs(1);

/// Under which id it is kept how far people were told; no subscription has it.
const CURSOR: SubscriptionId = SubscriptionId::from_bytes([0; 16]);

/// Whether anybody can be reached at all.
pub(crate) fn are_reached(directory: &Directory) -> bool {
    directory.parties().into_iter().any(|party| party.channels.email.is_some())
}

/// Tells people until the task is ended. Where it stands is kept like a subscription's, so that nobody
/// is left out because a server was started again.
pub(crate) async fn run(app: Shared, means: Means, project: ProjectId) {
    let mut news = app.watch.listen(project);
    loop {
        news.mark_unchanged();
        match turn(&app, &means, project).await {
            Ok(true) => {}
            Ok(false) => {
                // Something failed and is tried again, or there is nothing to say.
                drop(tokio::time::timeout(RETRY, news.changed()).await);
            }
            Err(error) => {
                tracing::warn!(%project, %error, "people could not be told");
                tokio::time::sleep(RETRY).await;
            }
        }
    }
}

/// Looks at some events and tells whoever they are for; whether there may be more to do at once.
async fn turn(app: &App, means: &Means, project: ProjectId) -> Result<bool, Error> {
    let Some(mut cursor) = means.deliveries.cursor(project, CURSOR).await? else {
        // Nobody is told of what was before anybody could be.
        let head = app.engine.head(project).await?;
        means.deliveries.put_cursor(project, Cursor::at(CURSOR, head.leaves)).await?;
        return Ok(true);
    };
    let now = app.engine.now();
    if cursor.next_try_at.is_some_and(|at| now < at) {
        return Ok(false);
    }
    let store = app.engine.store().as_ref();
    let page = events::since(store, project, cursor.n, &Filter::default(), PAGE).await?;
    for event in &page.events {
        if tell(app, means, project, event).await {
            cursor = Cursor::at(CURSOR, event.n + 1);
            continue;
        }
        let failed = Cursor { n: event.n, ..cursor };
        let next = schedule::after_failure(failed, now, None, u8::MAX / 2);
        cursor = next.unwrap_or(Cursor::at(CURSOR, event.n + 1));
        break;
    }
    if !page.events.is_empty() {
        means.deliveries.put_cursor(project, cursor).await?;
    }
    Ok(!page.events.is_empty() && cursor.next_try_at.is_none())
}

/// Tells whoever an event is for; whether that is done with.
async fn tell(app: &App, means: &Means, project: ProjectId, event: &api::Event) -> bool {
    let (Some(what), Some(mailer)) = (waits(event), &means.mailer) else { return true };
    let Ok(directory) = app.engine.directory(project).await else { return false };
    let people = addressed(&directory, event);
    if people.is_empty() {
        return true;
    }
    let letter = to_person(&Links::new(app, project).await, event, what);
    let mut outcomes = Vec::new();
    for address in people.iter().filter_map(|party| party.channels.email.as_ref()) {
        outcomes.push(mailer.send(address, &letter).await);
    }
    if !outcomes.iter().any(Outcome::is_success) {
        let why = outcomes.first().map_or("they have no mailbox", |one| one.response.as_str());
        tracing::error!(%project, n = event.n, why, "nobody could be told");
    }
    // A mailbox that is refused for good is not tried again; a mail server that is away is.
    let is_refused = |one: &Outcome| one.status.is_some_and(|status| status >= 500);
    outcomes.iter().all(|one| one.is_success() || is_refused(one))
}

/// What an event means for the people it is for, if it waits for them.
fn waits(event: &api::Event) -> Option<&'static str> {
    match (event.kind.as_str(), event.after.as_deref()) {
        ("handoff.asked", _) => Some("A question waits for your answer"),
        ("handoff.held", _) | (_, Some("held")) => Some("A handoff waits for your decision"),
        ("handoff.moved_on" | "handoff.intercepted", _) => Some("A handoff has come to you"),
        ("handoff.submitted" | "handoff.rerouted", Some("offered")) => {
            Some("A handoff is offered to you")
        }
        _ => None,
    }
}

/// The people an event is for: who was asked, else who it is for, else everybody who decides.
fn addressed<'d>(directory: &'d Directory, event: &api::Event) -> Vec<&'d Party> {
    let asked = (event.kind == "handoff.asked").then_some(event.from.as_ref()).flatten();
    let Some(name) = asked.or(event.to.as_ref()) else { return Vec::new() };
    let Ok(party) = directory.find(name) else { return Vec::new() };
    let mut people = match party.kind {
        PartyKind::Human => vec![party],
        PartyKind::Role => members(directory, party),
        PartyKind::Agent => Vec::new(),
    };
    if people.is_empty() && event.after.as_deref() == Some("held") {
        people = all_people(directory);
    }
    people
}

fn members<'d>(directory: &'d Directory, role: &Party) -> Vec<&'d Party> {
    let ids: HashSet<_> = role.members.iter().collect();
    all_people(directory).into_iter().filter(|party| ids.contains(&party.id)).collect()
}

fn all_people(directory: &Directory) -> Vec<&Party> {
    let is_person = |party: &&Party| party.kind == PartyKind::Human;
    directory.parties().into_iter().filter(is_person).collect()
}
