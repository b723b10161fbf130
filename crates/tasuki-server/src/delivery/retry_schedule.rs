//! The retry schedule of deliveries: soon at first, then with growing delays over about 75 hours,
//! as Standard Webhooks recommends. A delivery is given up after 120 hours.

use std::time::Duration;

use jiff::Timestamp;
use tasuki_engine::ports::Cursor;

/// The delay after each failed attempt.
const DELAYS: [Duration; 9] = [
    Duration::from_secs(5),
    Duration::from_mins(5),
    Duration::from_mins(30),
    Duration::from_hours(2),
    Duration::from_hours(5),
    Duration::from_hours(10),
    Duration::from_hours(14),
    Duration::from_hours(20),
    Duration::from_hours(24),
];

/// The time without a success after which a delivery is given up.
const GIVEN_UP_AFTER: Duration = Duration::from_hours(120);

/// LIMIT: the longest delay that a receiver can request.
const RETRY_AFTER_MAX: Duration = Duration::from_hours(24);

/// Returns the cursor after a failure, or `None` if the delivery is given up.
///
/// `chance` spreads attempts by a tenth in both directions, so that receivers that failed together
/// are not retried together.
pub(crate) fn after_failure(
    cursor: Cursor,
    now: Timestamp,
    retry_after: Option<Duration>,
    chance: u8,
) -> Option<Cursor> {
    let failing_since = cursor.failing_since.unwrap_or(now);
    let end = later(failing_since, GIVEN_UP_AFTER);
    if now >= end {
        return None;
    }
    let wait = spread(delay(cursor.attempts), chance);
    let wait = wait.max(retry_after.unwrap_or_default().min(RETRY_AFTER_MAX));
    Some(Cursor {
        failing_since: Some(failing_since),
        // The last attempt is made at the end of the period, not after it.
        next_try_at: Some(later(now, wait).min(end)),
        attempts: cursor.attempts.saturating_add(1),
        ..cursor
    })
}

/// Returns the delay after this many failed attempts.
fn delay(attempts: u32) -> Duration {
    let index = usize::try_from(attempts).unwrap_or(usize::MAX).min(DELAYS.len() - 1);
    DELAYS[index]
}

fn spread(delay: Duration, chance: u8) -> Duration {
    delay.mul_f64(0.9 + 0.2 * f64::from(chance) / f64::from(u8::MAX))
}

fn later(instant: Timestamp, by: Duration) -> Timestamp {
    instant.checked_add(by).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use tasuki_packet::id::SubscriptionId;

    use super::*;

    /// Returns the hours after the first failure at which a receiver that never responds is
    /// retried.
    fn tries(chance: u8) -> Vec<f64> {
        let start: Timestamp = "2026-11-15T10:00:00Z".parse().unwrap();
        let (mut now, mut tried) = (start, Vec::new());
        let mut cursor = Cursor::at(SubscriptionId::new(1, [1; 10]), 7);
        while let Some(next) = after_failure(cursor, now, None, chance) {
            (cursor, now) = (next, next.next_try_at.unwrap());
            assert_eq!((cursor.n, cursor.failing_since), (7, Some(start)));
            tried.push(now.duration_since(start).as_secs_f64() / 3_600.0);
        }
        tried
    }

    #[test]
    fn ten_attempts_in_about_75_hours_and_the_last_after_120() {
        let tried = tries(127);
        assert_eq!(tried.len(), 11);
        assert!((75.0..76.0).contains(&tried[8]), "{tried:?}");
        assert!((120.0 - tried[10]).abs() < 1e-6, "{tried:?}");
        assert!(tried[0] * 3_600.0 < 5.1);
    }

    #[test]
    fn chance_moves_an_attempt_by_a_tenth() {
        assert!(tries(0)[1] < tries(127)[1] && tries(127)[1] < tries(255)[1]);
        let five = Duration::from_secs(5);
        assert_eq!(spread(five, 0), Duration::from_millis(4_500));
        assert_eq!(spread(five, 255), Duration::from_millis(5_500));
    }

    #[test]
    fn a_receiver_may_ask_for_more_time_but_not_for_ever() {
        let now: Timestamp = "2026-11-15T10:00:00Z".parse().unwrap();
        let wait = |seconds: u64| {
            let cursor = Cursor::at(SubscriptionId::new(1, [1; 10]), 7);
            let after =
                after_failure(cursor, now, Some(Duration::from_secs(seconds)), 127).unwrap();
            after.next_try_at.unwrap().duration_since(now).as_secs()
        };
        assert_eq!([wait(0), wait(60), wait(1 << 40)], [4, 60, 86_400]);
    }
}
