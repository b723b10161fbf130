//! Checks that no handoff was lost and that derived values are correct.
//!
//! The number of handoffs begun and submitted must equal the number of those that are open, dead or
//! closed. Both are taken from the store's counters and counted again from every handoff.

use jiff::Timestamp;
use tasuki_packet::id::ProjectId;

use crate::error::Fault;
use crate::limits::PAGE_MAX;
use crate::model::{Directory, Handoff, Rung, StateWord};
use crate::ports::{Counts, Order, Query, Store};
use crate::rules::deadlines;

/// The number of attempts, because concurrent writes can disturb a count.
const ATTEMPTS: usize = 3;

/// The stored and the recomputed values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Audit {
    /// The counters of the store.
    pub kept: Counts,
    /// The recomputed counts.
    pub counted: Counts,
    /// The next due time in the store.
    pub kept_due: Option<Timestamp>,
    /// The recomputed next due time.
    pub counted_due: Option<Timestamp>,
    /// Rungs without an eligible receiver, in the ladders of the project and of open handoffs.
    pub dead_ends: Vec<String>,
}

impl Audit {
    /// Returns `true` if no handoff was lost, by both counts.
    pub fn is_conserved(&self) -> bool {
        let balances = |counts: &Counts| {
            let all: u64 = counts.states.iter().map(|(_, count)| count).sum();
            counts.begun + counts.submitted == all
        };
        self.kept == self.counted && balances(&self.kept)
    }

    /// Returns `true` if the next due time in the store is correct.
    pub fn is_due_right(&self) -> bool {
        let microseconds = |due: Option<Timestamp>| due.map(Timestamp::as_microsecond);
        let (kept, counted) = (microseconds(self.kept_due), microseconds(self.counted_due));
        // A store rounds up to whole microseconds, and updates a due time that a halt has postponed
        // only when it comes up. It may therefore be too early, but never too late.
        kept.is_some() == counted.is_some() && kept <= counted.map(|due| due + 1)
    }
}

/// Audits a project.
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
    audit.add_dead_ends(directory, &directory.settings.ladder);
    let mut query = Query { order: Order::Oldest, limit: PAGE_MAX, ..Query::default() };
    loop {
        let page = store.handoffs(project, query.clone()).await?;
        let Some(last) = page.last() else { return Ok(audit) };
        query.after = Some(last.id);
        for handoff in &page {
            audit.add(directory, handoff);
        }
    }
}

impl Audit {
    fn add(&mut self, directory: &Directory, handoff: &Handoff) {
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
            self.add_dead_ends(directory, crate::rules::fallback::ladder(handoff));
        }
    }

    fn add_dead_ends(&mut self, directory: &Directory, ladder: &[Rung]) {
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
