//! A transaction of a faulty store, with scheduled faults and sabotage.

use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use tasuki_engine::error::Fault;
use tasuki_engine::model::{Handoff, Head, LoadSet, Record, State};
use tasuki_engine::ports::{Loaded, Pending, Transaction, WriteSet};
use tasuki_packet::id::HandoffId;

use super::faulty_store::{Sabotage, stay_away};
use crate::memory::FaultPoint;

/// The scheduled faults. The first call that reaches a fault point triggers its fault.
#[derive(Debug, Clone, Default)]
pub(crate) struct Faults(Arc<Mutex<Vec<FaultPoint>>>);

impl Faults {
    pub(crate) fn schedule(&self, points: &[FaultPoint]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(points);
    }

    pub(crate) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Triggers a scheduled fault once.
    pub(crate) fn trigger(&self, point: FaultPoint) -> Result<(), Fault> {
        let mut points = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(place) = points.iter().position(|scheduled| *scheduled == point) else {
            return Ok(());
        };
        points.swap_remove(place);
        Err(point.fault())
    }
}

pub(crate) struct FaultyTransaction {
    pub transaction: Box<dyn Transaction>,
    pub faults: Faults,
    pub sabotage: Option<Sabotage>,
}

impl FaultyTransaction {
    fn is(&self, sabotage: Sabotage) -> bool {
        self.sabotage == Some(sabotage)
    }
}

impl Transaction for FaultyTransaction {
    fn head(&self) -> &Head {
        self.transaction.head()
    }

    fn directory(&mut self) -> Pending<'_, Vec<Record>> {
        Box::pin(async move {
            let mut records = self.transaction.directory().await?;
            if self.is(Sabotage::AbsenceOutlives) {
                records.iter_mut().for_each(stay_away);
            }
            Ok(records)
        })
    }

    fn due(&mut self, now: Timestamp, limit: usize) -> Pending<'_, Vec<HandoffId>> {
        if self.is(Sabotage::ClockNeverComes) {
            return Box::pin(std::future::ready(Ok(Vec::new())));
        }
        self.transaction.due(now, limit)
    }

    fn load<'a>(&'a mut self, touched: &'a LoadSet) -> Pending<'a, Loaded> {
        Box::pin(async move {
            self.faults.trigger(FaultPoint::Load)?;
            let mut loaded = self.transaction.load(touched).await?;
            if self.is(Sabotage::AcceptOutlives) {
                loaded.handoffs.iter_mut().for_each(|handoff| count_on(handoff, 1));
            }
            Ok(loaded)
        })
    }

    /// Writes an unrevised handoff unchanged, so that only a revision reveals the sabotage.
    fn write(&mut self, mut written: WriteSet) {
        let is_revised = |handoff: &Handoff| {
            let accepted = handoff.progress.accepted.as_ref();
            accepted.is_some_and(|accepted| accepted.revision <= handoff.facts.revision)
        };
        for row in &mut written.handoffs {
            if self.is(Sabotage::AcceptOutlives) && !is_revised(&row.handoff) {
                count_on(&mut row.handoff, -1);
            }
        }
        self.transaction.write(written);
    }

    fn commit(self: Box<Self>, head: Head) -> Pending<'static, ()> {
        Box::pin(async move {
            self.faults.trigger(FaultPoint::Commit)?;
            if !self.is(Sabotage::CommitForgotten) {
                self.transaction.commit(head).await?;
            }
            self.faults.trigger(FaultPoint::AfterCommit)
        })
    }
}

/// Shifts the accepted revision of a handoff that may still be revised.
fn count_on(handoff: &mut Arc<Handoff>, by: i32) {
    let Handoff { progress, .. } = &**handoff;
    if progress.accepted.is_some() && matches!(progress.state, State::Held(_) | State::Offered(_)) {
        let accepted = Arc::make_mut(handoff).progress.accepted.as_mut();
        let accepted = accepted.expect("checked above");
        accepted.revision = accepted.revision.saturating_add_signed(by);
    }
}
