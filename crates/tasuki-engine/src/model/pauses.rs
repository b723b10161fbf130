//! Periods that do not count: a halt stops deadlines, an outage of the exchange stops leases.
//!
//! Lifting a halt rewrites nothing, no matter how many handoffs are open. The halts are kept, and
//! every computation of a due time skips them (docs/decisions/0012). A due time in the store may
//! therefore be too early, but never too late; the worker updates it when it comes up.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use tasuki_packet::duration::Duration;

use crate::limits::PAUSES_MAX;
use crate::model::Claim;
use crate::model::context::later;

/// The pauses of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pauses {
    /// The halts, oldest first; the last one may still be active.
    halts: Vec<Pause>,
    /// The outages, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    absences: Vec<Pause>,
}

/// A period that does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pause {
    /// When it began.
    pub from: Timestamp,
    /// When it ended, if it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

impl Pauses {
    /// Returns the halts, oldest first.
    pub fn halts(&self) -> &[Pause] {
        &self.halts
    }

    /// Returns `true` while a halt is active.
    pub fn is_halted(&self) -> bool {
        self.halts.last().is_some_and(|halt| halt.until.is_none())
    }

    /// Returns the pauses with a halt that begins now.
    #[must_use]
    pub fn halted(&self, at: Timestamp) -> Self {
        let mut halts = self.halts.clone();
        halts.push(Pause { from: at, until: None });
        merge_oldest(&mut halts);
        Self { halts, ..self.clone() }
    }

    /// Returns the pauses with the end of the active halt.
    #[must_use]
    pub fn lifted(&self, at: Timestamp) -> Self {
        let mut halts = self.halts.clone();
        if let Some(halt) = halts.last_mut().filter(|halt| halt.until.is_none()) {
            halt.until = Some(at);
        }
        Self { halts, ..self.clone() }
    }

    /// Returns the pauses with one more outage.
    #[must_use]
    pub fn away(&self, from: Timestamp, until: Timestamp) -> Self {
        let mut absences = self.absences.clone();
        absences.push(Pause { from, until: Some(until) });
        merge_oldest(&mut absences);
        Self { absences, ..self.clone() }
    }

    /// Returns when a deadline passes that began at `from`. An active halt has no end yet and is
    /// not counted; nothing is due while it lasts.
    pub fn deadline(&self, from: Timestamp, after: Duration) -> Timestamp {
        postponed(&self.halts, from, later(from, after))
    }

    /// Returns the instant up to which deadlines have run. During a halt this is its beginning.
    pub fn counted(&self, now: Timestamp) -> Timestamp {
        let halt = self.halts.last().filter(|halt| halt.until.is_none());
        halt.map_or(now, |halt| halt.from.min(now))
    }

    /// Returns when a lease expires. It runs from its last renewal.
    pub fn lease_end(&self, claim: &Claim) -> Timestamp {
        let milliseconds = i64::try_from(claim.lease.milliseconds()).unwrap_or(i64::MAX);
        let renewed = claim.until.checked_sub(SignedDuration::from_millis(milliseconds));
        postponed(&self.absences, renewed.unwrap_or(claim.since), claim.until)
    }
}

/// LIMIT: merges the two oldest pauses, including the time between them. A deadline that spans them
/// gets more time, never less.
fn merge_oldest(pauses: &mut Vec<Pause>) {
    while pauses.len() > PAUSES_MAX {
        let oldest = pauses.remove(0);
        pauses[0].from = oldest.from;
    }
}

/// Returns `until`, postponed by every pause after `from`.
fn postponed(pauses: &[Pause], from: Timestamp, until: Timestamp) -> Timestamp {
    let mut due = until;
    for pause in pauses {
        let Some(end) = pause.until.filter(|end| *end > from) else { continue };
        let begin = pause.from.max(from);
        // The comparison includes equality: what was due when the pause began stays due.
        if due <= begin {
            break;
        }
        due = due.checked_add(end.duration_since(begin)).unwrap_or(Timestamp::MAX);
    }
    due
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn halts(spans: &[(i64, i64)]) -> Pauses {
        let mut pauses = Pauses::default();
        for (from, until) in spans {
            pauses = pauses.halted(at(*from)).lifted(at(*until));
        }
        pauses
    }

    #[track_caller]
    fn check(spans: &[(i64, i64)], from: i64, seconds: u64, expected: i64) {
        let after = Duration::from_milliseconds(seconds * 1_000).unwrap();
        assert_eq!(halts(spans).deadline(at(from), after), at(expected));
    }

    #[test]
    fn a_halt_during_a_running_deadline_does_not_count() {
        check(&[], 0, 10, 10);
        check(&[(5, 100)], 0, 10, 105);
        check(&[(5, 100), (101, 200)], 0, 10, 204);
        // A deadline that starts during the halt runs from its end.
        check(&[(5, 100)], 60, 10, 110);
    }

    #[test]
    fn a_halt_before_or_after_it_makes_no_difference() {
        check(&[(5, 100)], 100, 10, 110);
        check(&[(5, 100)], 200, 10, 210);
        check(&[(50, 100)], 0, 10, 10);
        // A deadline that was due when the halt began stays due.
        check(&[(10, 100)], 0, 10, 10);
    }

    #[test]
    fn an_active_halt_is_not_counted() {
        let pauses = Pauses::default().halted(at(5));
        let after = Duration::from_milliseconds(10_000).unwrap();
        assert_eq!(pauses.deadline(at(0), after), at(10));
        assert_eq!(pauses.lifted(at(7)).deadline(at(0), after), at(12));
    }

    #[test]
    fn beyond_the_limit_the_oldest_halts_merge_and_nothing_is_due_earlier() {
        let count = i64::try_from(PAUSES_MAX).unwrap() + 10;
        let spans: Vec<(i64, i64)> = (0..count).map(|n| (n * 10 + 1, n * 10 + 2)).collect();
        let pauses = halts(&spans);
        assert_eq!(pauses.halts().len(), PAUSES_MAX);
        assert_eq!(pauses.halts()[0], Pause { from: at(1), until: Some(at(102)) });
        let long = Duration::from_milliseconds(100_000_000).unwrap();
        assert!(pauses.deadline(at(0), long) > at(100_000 + count));
    }

    proptest! {
        /// Compares with a count second by second.
        #[test]
        fn a_deadline_is_as_many_seconds_as_run_outside_of_halts(
            lengths in prop::collection::vec((0_i64..20, 0_i64..20), 0..8),
            from in 0_i64..100,
            seconds in 1_u64..60,
        ) {
            let (mut spans, mut second) = (Vec::new(), 0);
            for (running, halted) in lengths {
                spans.push((second + running, second + running + halted));
                second += running + halted;
            }
            let is_halted = |now: i64| spans.iter().any(|(a, b)| (*a..*b).contains(&now));
            let (mut now, mut ran) = (from, 0);
            while ran < seconds {
                ran += u64::from(!is_halted(now));
                now += 1;
            }
            let after = Duration::from_milliseconds(seconds * 1_000).unwrap();
            prop_assert_eq!(halts(&spans).deadline(at(from), after), at(now));
        }
    }
}
