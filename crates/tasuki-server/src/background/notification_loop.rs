//! What waits for a person is told to them by the exchange itself, without any subscription: an offer, a
//! hold, a question, an escalation. Here is the walk along the log; `messenger.rs` tells one of them.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use tasuki_engine::delivery::{Cursor, PEOPLE};
use tasuki_engine::error::{Error, Fault};
use tasuki_engine::events;
use tasuki_engine::store::LeafRow;
use tasuki_engine::tell;
use tasuki_packet::api;
use tasuki_packet::id::ProjectId;
use tokio::time::Instant;

use crate::background::person_notifier::{Errand, Messenger, Ran};
use crate::delivery::transports::Means;
use crate::state::{App, Shared};

/// Events that are looked at at once.
const PAGE: u32 = 256;

/// How long it is until news are looked at again: where much happens one look is for many events, and no
/// person notices the difference.
const PACE: Duration = Duration::from_millis(50);

/// LIMIT: errands of one project that are under way. Beyond that the log waits.
const ERRANDS_MAX: usize = 4_096;

/// How often it is looked whether an errand is due.
const RETRY: Duration = Duration::from_secs(1);

/// How often it is looked whether the project is still in use.
const IDLE: Duration = Duration::from_mins(1);

/// After so many events that were for nobody it is kept that they were looked at. A server that starts
/// again looks at them again, for which it takes a tenth of a second; to keep it is a commit, for which
/// those who write have to wait.
const PASSED_OVER_MAX: u64 = 16_384;

/// How far people were told, and of what they still have to be.
struct Round<'a> {
    messenger: Messenger<'a>,
    /// The first event that was not looked at.
    next: u64,
    /// The first event that is looked at again if this process ends now.
    kept: u64,
    /// By the numbers of their events.
    errands: BTreeMap<u64, Errand>,
}

/// Tells people as long as anybody in the project is reached by it, uses it, or is to be told of something.
/// How far it came is kept like a subscription's cursor, so that nobody is left out because a server was
/// started again.
///
/// Nobody is told of what was before the first server, which `began` at this instant.
pub(crate) async fn run(app: Shared, means: Means, project: ProjectId, began: Timestamp) {
    let mut news = app.watch.listen_patiently(project);
    let mut round = loop {
        match Round::begin(&app, &means, project, began).await {
            Ok(round) => break round,
            Err(error) => failed(project, &error).await,
        }
    };
    loop {
        let looked_at = Instant::now();
        news.mark_unchanged();
        let pause = match round.turn().await {
            Ok(true) => continue,
            Ok(false) if !round.errands.is_empty() => RETRY,
            Ok(false) if round.is_needed().await => IDLE,
            Ok(false) => break,
            Err(error) => {
                failed(project, &error).await;
                continue;
            }
        };
        drop(tokio::time::timeout(pause, news.changed()).await);
        tokio::time::sleep_until(looked_at + PACE).await;
    }
    if let Err(error) = round.keep().await {
        failed(project, &error).await;
    }
}

async fn failed(project: ProjectId, error: &Error) {
    tracing::warn!(%project, %error, "people could not be told");
    tokio::time::sleep(RETRY).await;
}

impl<'a> Round<'a> {
    /// Goes on where it was left.
    async fn begin(
        app: &'a App,
        means: &'a Means,
        project: ProjectId,
        began: Timestamp,
    ) -> Result<Self, Error> {
        let messenger = Messenger { app, means, project };
        let kept = if let Some(cursor) = means.deliveries.cursor(project, PEOPLE).await? {
            cursor.n
        } else {
            let n = first_since(app, project, began).await?;
            means.deliveries.put_cursor(project, Cursor::at(PEOPLE, n)).await?;
            n
        };
        Ok(Self { messenger, next: kept, kept, errands: BTreeMap::new() })
    }

    /// Looks at some events and does what is due; whether there may be more to look at.
    async fn turn(&mut self) -> Result<bool, Error> {
        let Messenger { app, project, .. } = self.messenger;
        let mut is_more = false;
        if self.errands.len() < ERRANDS_MAX {
            let (rows, next) = app.engine.leaves_to_tell(project, self.next, PAGE).await?;
            is_more = rows.len() == PAGE as usize;
            self.pick(&rows).await?;
            self.next = next;
        }
        let was_told = self.attend(app.engine.now()).await?;
        if was_told || self.floor() >= self.kept + PASSED_OVER_MAX {
            self.keep().await?;
        }
        Ok(is_more)
    }

    /// Makes an errand of whatever may wait for a person.
    async fn pick(&mut self, rows: &[LeafRow]) -> Result<(), Error> {
        if rows.is_empty() {
            return Ok(());
        }
        let Messenger { app, project, .. } = self.messenger;
        let directory = app.engine.directory(project).await?;
        let may_wait = |row: &&LeafRow| tell::may_leave_waiting(&directory, row);
        let picked = rows.iter().filter(may_wait).map(events::event);
        let picked: Vec<api::Event> = picked.collect::<Result<_, Fault>>()?;
        for (wait, event) in tell::waits(&picked) {
            self.errands.insert(event.n, Errand::new(wait, event.clone()));
        }
        Ok(())
    }

    /// Does what is due; whether anybody was told, so that it has to be kept.
    async fn attend(&mut self, now: Timestamp) -> Result<bool, Error> {
        let due = self.errands.iter().filter(|(_, errand)| errand.look_at <= now);
        let due: Vec<u64> = due.map(|(n, _)| *n).collect();
        let mut was_told = false;
        for n in due {
            let Some(errand) = self.errands.get_mut(&n) else { continue };
            let ran = self.messenger.run(errand, now).await?;
            was_told |= ran == Ran::Told;
            if ran != Ran::Open {
                self.errands.remove(&n);
            }
        }
        Ok(was_told)
    }

    /// Everything before it was told to somebody, or is told to nobody.
    fn floor(&self) -> u64 {
        let open = self.errands.iter().find(|(_, errand)| errand.reached.is_empty());
        open.map_or(self.next, |(n, _)| *n)
    }

    async fn keep(&mut self) -> Result<(), Error> {
        let Messenger { means, project, .. } = self.messenger;
        let floor = self.floor();
        if floor != self.kept {
            means.deliveries.put_cursor(project, Cursor::at(PEOPLE, floor)).await?;
            self.kept = floor;
        }
        Ok(())
    }

    /// Whether it is worth listening: somebody has a channel, or the project is in use.
    async fn is_needed(&self) -> bool {
        let Messenger { app, means, project } = self.messenger;
        let directory = app.engine.directory(project).await;
        let by_mail = means.mailer.is_some();
        let has_channel = directory.is_ok_and(|known| tell::is_anybody_told(&known, by_mail));
        has_channel || app.active.lately().contains(&project)
    }
}

/// The number of the first event that did not happen before this instant.
async fn first_since(app: &App, project: ProjectId, began: Timestamp) -> Result<u64, Error> {
    let mut n = app.engine.head(project).await?.leaves;
    loop {
        let from = n.saturating_sub(u64::from(PAGE));
        let count = u32::try_from(n - from).unwrap_or(u32::MAX);
        let rows = app.engine.store().leaves(project, from, count).await?;
        let rows = rows.iter().rev().take_while(|row| row.at >= began);
        let new = rows.count() as u64;
        n -= new;
        if n > from || n == 0 {
            return Ok(n);
        }
    }
}
