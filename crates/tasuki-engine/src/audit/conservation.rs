//! Is every handoff that came in still somewhere? And is what is derived the same as told anew?
//!
//! Handoffs begun and submitted are as many as those that ended in any way, are dead or are open:
//! counted as the store keeps count, and again by looking at every single one.

use jiff::Timestamp;
use tasuki_packet::id::ProjectId;

use crate::error::Fault;
use crate::limits::PAGE_MAX;
use crate::model::{Directory, Handoff, Rung, StateWord};
use crate::ports::{Counts, Order, Query, Store};
use crate::rules::deadlines;

/// How often the count is begun again because somebody wrote meanwhile.
const ATTEMPTS: usize = 3;

/// What was counted and what was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Audit {
    /// As the store keeps count.
    pub kept: Counts,
    /// As they are, one by one.
    pub counted: Counts,
    /// When the clock moves something next, as the store knows.
    pub kept_due: Option<Timestamp>,
    /// When it does, told from every handoff.
    pub counted_due: Option<Timestamp>,
    /// Rungs that lead to nobody, in ladders of the project and of open handoffs.
    pub dead_ends: Vec<String>,
}

impl Audit {
    /// Whether all that came in is accounted for, by both counts.
    pub fn is_conserved(&self) -> bool {
        let balances = |counts: &Counts| {
            let all: u64 = counts.states.iter().map(|(_, count)| count).sum();
            counts.begun + counts.submitted == all
        };
        self.kept == self.counted && balances(&self.kept)
    }

    /// Whether the clock will move what it should, when it should.
    pub fn is_due_right(&self) -> bool {
        let microseconds = |due: Option<Timestamp>| due.map(Timestamp::as_microsecond);
        let (kept, counted) = (microseconds(self.kept_due), microseconds(self.counted_due));
        // A store keeps whole microseconds, rounded up, and notes what a halt has put off when it
        // comes up, so that it may look too early and never too late.
        kept.is_some() == counted.is_some() && kept <= counted.map(|due| due + 1)
    }
}

/// Counts again.
pub async fn audit(
    store: &dyn Store,
    directory: &Directory,
    project: ProjectId,
) -> Result<Audit, Fault> {
    let mut audit = count(store, directory, project).await?;
    for _ in 1..ATTEMPTS {
        if audit.is_conserved() && audit.is_due_right() {
            break;
        }
        audit = count(store, directory, project).await?;
    }
    Ok(audit)
}

async fn count(
    store: &dyn Store,
    directory: &Directory,
    project: ProjectId,
) -> Result<Audit, Fault> {
    let mut audit = Audit {
        kept: store.counts(project).await?,
        counted: Counts {
            states: StateWord::ALL.map(|state| (state, 0)).to_vec(),
            ..Counts::default()
        },
        kept_due: store.next_due(project).await?,
        counted_due: None,
        dead_ends: Vec::new(),
    };
    audit.look_at_ladder(directory, &directory.settings.ladder);
    let mut query = Query { order: Order::Oldest, limit: PAGE_MAX, ..Query::default() };
    loop {
        let page = store.handoffs(project, query.clone()).await?;
        let Some(last) = page.last() else { return Ok(audit) };
        query.after = Some(last.id);
        for handoff in &page {
            audit.look_at(directory, handoff);
        }
    }
}

impl Audit {
    fn look_at(&mut self, directory: &Directory, handoff: &Handoff) {
        if handoff.facts.is_begun {
            self.counted.begun += 1;
        } else {
            self.counted.submitted += 1;
        }
        let word = handoff.progress.state.word();
        for (state, count) in &mut self.counted.states {
            *count += u64::from(*state == word);
        }
        let due = deadlines::due_at(directory, handoff);
        self.counted_due = [self.counted_due, due].into_iter().flatten().min();
        if handoff.is_open() {
            self.look_at_ladder(directory, crate::rules::fallback::ladder(handoff));
        }
    }

    fn look_at_ladder(&mut self, directory: &Directory, ladder: &[Rung]) {
        for step in ladder {
            let leads_nowhere = match directory.rung(&step.to) {
                Some(party) => !directory.has_eligible_receiver(party.id),
                None => step.to != "dead_letter",
            };
            if leads_nowhere && !self.dead_ends.contains(&step.to) {
                self.dead_ends.push(step.to.clone());
            }
        }
    }
}
