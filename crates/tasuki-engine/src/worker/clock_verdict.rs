//! Judges the clock of a process against the newest reading of a process that had the right time.
//!
//! Within one start of the machine, the time that has passed is known from a clock that no one sets.
//! A process whose wall clock differs from it is wrong, not the others. After a restart only the
//! direction is known: time that goes back is refused, and a step forward is taken and recorded.

use jiff::{SignedDuration, Timestamp};

use crate::limits::CLOCK_TOLERANCE;
use crate::ports::clock::ClockReading;

/// The verdict on the clock of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClockVerdict {
    /// The time is right, as far as can be told.
    Right,
    /// The clock moved forward while the machine was off, by an unknown part of this.
    Forward {
        /// The last known time.
        from: Timestamp,
        /// The time now.
        until: Timestamp,
    },
    /// The clock is wrong by this much; negative if it is behind.
    Off(SignedDuration),
}

/// Judges a reading against the newest one.
pub(crate) fn judge(reference: &ClockReading, own: &ClockReading) -> ClockVerdict {
    let by = own.wall.duration_since(expected(reference, own).unwrap_or(reference.wall));
    let is_same_boot = expected(reference, own).is_some();
    match by {
        by if by < -CLOCK_TOLERANCE => ClockVerdict::Off(by),
        by if by <= CLOCK_TOLERANCE => ClockVerdict::Right,
        by if is_same_boot => ClockVerdict::Off(by),
        // Without a clock of the machine, time that passed cannot be told from a step.
        _ if reference.boot.is_none() || own.boot.is_none() => ClockVerdict::Right,
        _ => ClockVerdict::Forward { from: reference.wall, until: own.wall },
    }
}

/// Returns the wall clock that a reading should have, if the machine has not been restarted since.
fn expected(reference: &ClockReading, own: &ClockReading) -> Option<Timestamp> {
    let (then, now) = (reference.boot.as_ref()?, own.boot.as_ref()?);
    if then.id != now.id {
        return None;
    }
    let elapsed = |time| SignedDuration::try_from(time).unwrap_or(SignedDuration::MAX);
    let passed = elapsed(now.elapsed).saturating_sub(elapsed(then.elapsed));
    reference.wall.checked_add(passed).ok()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::ports::clock::BootTime;

    const HOUR: u64 = 3_600;

    /// Returns a reading: seconds of the wall clock, the start of the machine, and seconds since.
    fn reading(wall: u64, boot: &str, elapsed: u64) -> ClockReading {
        let boot = BootTime { id: boot.to_owned(), elapsed: Duration::from_secs(elapsed) };
        ClockReading { boot: Some(boot), ..without_boot(wall) }
    }

    fn without_boot(wall: u64) -> ClockReading {
        let wall = Timestamp::from_second(i64::try_from(wall).unwrap()).unwrap();
        ClockReading { wall, boot: None }
    }

    fn off(seconds: i64) -> ClockVerdict {
        ClockVerdict::Off(SignedDuration::from_secs(seconds))
    }

    #[test]
    fn within_one_start_of_the_machine_a_process_is_wrong_in_both_directions() {
        let reference = reading(10 * HOUR, "a", HOUR);
        let check = |wall: u64, expected: ClockVerdict| {
            assert_eq!(judge(&reference, &reading(wall, "a", 3 * HOUR)), expected, "{wall}");
        };
        check(12 * HOUR, ClockVerdict::Right);
        check(12 * HOUR + 600, ClockVerdict::Right);
        check(12 * HOUR - 600, ClockVerdict::Right);
        check(12 * HOUR + 601, off(601));
        check(12 * HOUR - 601, off(-601));
        check(12 * HOUR + 40 * 24 * HOUR, off(40 * 24 * 3_600));
    }

    #[test]
    fn after_a_restart_time_goes_forward_and_never_back() {
        let reference = reading(10 * HOUR, "a", HOUR);
        let check = |wall: u64, expected: ClockVerdict| {
            assert_eq!(judge(&reference, &reading(wall, "b", 5)), expected, "{wall}");
        };
        check(10 * HOUR + 600, ClockVerdict::Right);
        check(10 * HOUR - 600, ClockVerdict::Right);
        check(10 * HOUR - 601, off(-601));
        let (from, until) = (reference.wall, reading(12 * HOUR, "b", 5).wall);
        check(12 * HOUR, ClockVerdict::Forward { from, until });
    }

    #[test]
    fn without_a_clock_of_the_machine_only_time_that_goes_back_is_refused() {
        let reference = without_boot(10 * HOUR);
        assert_eq!(judge(&reference, &without_boot(99 * HOUR)), ClockVerdict::Right);
        assert_eq!(judge(&reference, &reading(99 * HOUR, "a", 5)), ClockVerdict::Right);
        assert_eq!(judge(&reference, &without_boot(9 * HOUR)), off(-3_600));
    }
}
