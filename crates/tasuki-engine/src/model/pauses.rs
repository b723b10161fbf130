//! Time that does not count: deadlines stand still while their project is halted, leases while the
//! exchange is away.
//!
//! Nothing is rewritten when a halt is lifted, however much is open: the halts are kept, and
//! whoever asks when something is due leaves them out (docs/decisions/0012). What a store has
//! noted as due is therefore never too late, but may be too early; the worker notes it anew when it
//! comes up.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use tasuki_packet::duration::Duration;

use crate::limits::PAUSES_MAX;
use crate::model::Claim;
use crate::model::context::later;

/// When the clocks of a project stood still.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pauses {
    /// The halts, oldest first; the last one may still be on.
    halts: Vec<Pause>,
    /// When no server was there, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    absences: Vec<Pause>,
}

/// A time that does not count.
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
    /// The halts, oldest first.
    pub fn halts(&self) -> &[Pause] {
        &self.halts
    }

    /// Whether a halt is on.
    pub fn is_halted(&self) -> bool {
        self.halts.last().is_some_and(|halt| halt.until.is_none())
    }

    /// The same, with a halt that begins.
    #[must_use]
    pub fn halted(&self, at: Timestamp) -> Self {
        let mut halts = self.halts.clone();
        halts.push(Pause { from: at, until: None });
        join_oldest(&mut halts);
        Self { halts, ..self.clone() }
    }

    /// The same, with the end of the halt that is on.
    #[must_use]
    pub fn lifted(&self, at: Timestamp) -> Self {
        let mut halts = self.halts.clone();
        if let Some(halt) = halts.last_mut().filter(|halt| halt.until.is_none()) {
            halt.until = Some(at);
        }
        Self { halts, ..self.clone() }
    }

    /// The same, with a time when the exchange was away.
    #[must_use]
    pub fn away(&self, from: Timestamp, until: Timestamp) -> Self {
        let mut absences = self.absences.clone();
        absences.push(Pause { from, until: Some(until) });
        join_oldest(&mut absences);
        Self { absences, ..self.clone() }
    }

    /// When a deadline passes that began to run at an instant. A halt that is still on has no end to
    /// count with; while it lasts nothing is due.
    pub fn deadline(&self, from: Timestamp, after: Duration) -> Timestamp {
        without(&self.halts, from, later(from, after))
    }

    /// The instant up to which deadlines have run: while a halt is on, they stand where it began.
    pub fn counted(&self, now: Timestamp) -> Timestamp {
        let halt = self.halts.last().filter(|halt| halt.until.is_none());
        halt.map_or(now, |halt| halt.from.min(now))
    }

    /// When a lease lapses. It began to run when it was last renewed.
    pub fn lease_end(&self, claim: &Claim) -> Timestamp {
        let milliseconds = i64::try_from(claim.lease.milliseconds()).unwrap_or(i64::MAX);
        let renewed = claim.until.checked_sub(SignedDuration::from_millis(milliseconds));
        without(&self.absences, renewed.unwrap_or(claim.since), claim.until)
    }
}

/// LIMIT: the two oldest become one, with the time between them. Whatever has run through so many
/// pauses gets more time by it, never less.
fn join_oldest(pauses: &mut Vec<Pause>) {
    while pauses.len() > PAUSES_MAX {
        let oldest = pauses.remove(0);
        pauses[0].from = oldest.from;
    }
}

/// The instant up to which as much time has passed as there is between these two, pauses left out.
fn without(pauses: &[Pause], from: Timestamp, until: Timestamp) -> Timestamp {
    let mut due = until;
    for pause in pauses {
        let Some(end) = pause.until.filter(|end| *end > from) else { continue };
        let begin = pause.from.max(from);
        // At exactly the instant it is over: what was due when the pause began stays due.
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
    fn a_halt_that_falls_into_a_running_clock_does_not_count() {
        check(&[], 0, 10, 10);
        check(&[(5, 100)], 0, 10, 105);
        check(&[(5, 100), (101, 200)], 0, 10, 204);
        // Begun during the halt, it runs from the lift on.
        check(&[(5, 100)], 60, 10, 110);
    }

    #[test]
    fn a_halt_before_or_after_it_makes_no_difference() {
        check(&[(5, 100)], 100, 10, 110);
        check(&[(5, 100)], 200, 10, 210);
        check(&[(50, 100)], 0, 10, 10);
        // Due when the halt began, it is due.
        check(&[(10, 100)], 0, 10, 10);
    }

    #[test]
    fn a_halt_that_is_on_has_no_end_to_count_with() {
        let pauses = Pauses::default().halted(at(5));
        let after = Duration::from_milliseconds(10_000).unwrap();
        assert_eq!(pauses.deadline(at(0), after), at(10));
        assert_eq!(pauses.lifted(at(7)).deadline(at(0), after), at(12));
    }

    #[test]
    fn of_too_many_halts_the_oldest_become_one_and_nothing_is_due_earlier() {
        let count = i64::try_from(PAUSES_MAX).unwrap() + 10;
        let spans: Vec<(i64, i64)> = (0..count).map(|n| (n * 10 + 1, n * 10 + 2)).collect();
        let pauses = halts(&spans);
        assert_eq!(pauses.halts().len(), PAUSES_MAX);
        assert_eq!(pauses.halts()[0], Pause { from: at(1), until: Some(at(102)) });
        let long = Duration::from_milliseconds(100_000_000).unwrap();
        assert!(pauses.deadline(at(0), long) > at(100_000 + count));
    }

    proptest! {
        /// Counted second by second: the deadline passes when as many seconds have run outside of
        /// halts as it has.
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
