//! The indexed columns of handoffs, derived from facts and progress.

use jiff::Timestamp;
use tasuki_engine::model::state::review_order;
use tasuki_engine::model::{Handoff, State, StateWord, failure, urgency};
use tasuki_packet::id::PartyId;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HandoffColumns {
    pub(crate) state: StateWord,
    pub(crate) holder: Option<PartyId>,
    pub(crate) claim_epoch: Option<u64>,
    pub(crate) priority: u8,
    pub(crate) since: i64,
    pub(crate) not_before: Option<i64>,
    pub(crate) is_open: bool,
    pub(crate) is_live: bool,
    pub(crate) last_n: u64,
    pub(crate) awaits_sender: bool,
    pub(crate) judge: Option<PartyId>,
    pub(crate) reviewed_at: Option<i64>,
    pub(crate) failed_n: Option<u64>,
}

impl HandoffColumns {
    pub(crate) fn of(handoff: &Handoff) -> Self {
        let claim = handoff.claim();
        Self {
            state: handoff.progress.state.word(),
            holder: claim.map(|claim| claim.holder),
            claim_epoch: claim.map(|claim| claim.epoch),
            priority: handoff.risk().priority(),
            since: urgency::since(handoff).as_microsecond(),
            not_before: not_before(handoff).map(due_microseconds),
            is_open: handoff.is_open(),
            // A parent that waits for its child counts as one with it; the child is the live one.
            is_live: handoff.is_open() && handoff.progress.child.is_none(),
            last_n: handoff.progress.last_n,
            awaits_sender: handoff.awaits_sender(),
            judge: handoff.judge(),
            reviewed_at: review_order(handoff).map(|(at, _)| at.as_microsecond()),
            failed_n: failure::of(handoff).map(|failure| failure.n),
        }
    }

    /// Returns `true` if the columns that most steps leave alone are the same.
    pub(crate) fn has_same_life(self, before: Self) -> bool {
        let of_life = |one: Self| (one.is_open, one.is_live, one.reviewed_at, one.failed_n);
        of_life(self) == of_life(before) && self.priority == before.priority
    }
}

fn not_before(handoff: &Handoff) -> Option<Timestamp> {
    match &handoff.progress.state {
        State::Offered(offer) => offer.not_before,
        _ => None,
    }
}

/// Returns a due time in microseconds, rounded up, so that nothing is due early.
pub(crate) fn due_microseconds(due_at: Timestamp) -> i64 {
    let floor = due_at.as_microsecond();
    if due_at.subsec_nanosecond() % 1_000 > 0 { floor.saturating_add(1) } else { floor }
}
