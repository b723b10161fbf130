//! Formats instants for people: as a clock time, relative to now, or in full.
//!
//! Clock times are in the time zone of this machine.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Formats instants as seen at another one, or in full.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TimeFormatter {
    pub(crate) now: Timestamp,
    is_human: bool,
}

impl TimeFormatter {
    /// Returns a formatter of times relative to `now`, or of full timestamps unless `is_human`.
    pub(crate) fn new(now: Timestamp, is_human: bool) -> Self {
        Self { now, is_human }
    }

    /// Formats a clock time: `14:32`, with the date unless it is today.
    pub(crate) fn clock(&self, instant: Timestamp) -> String {
        self.local(instant, "%H:%M")
    }

    /// Formats a clock time with seconds: `14:32:07`.
    pub(crate) fn clock_with_seconds(&self, instant: Timestamp) -> String {
        self.local(instant, "%H:%M:%S")
    }

    /// Formats a clock time with the time that is left: `14:32 (in 30 min)`.
    pub(crate) fn deadline(&self, instant: Timestamp) -> String {
        if self.is_human {
            format!("{} ({})", self.clock(instant), self.relative(instant))
        } else {
            format!("{instant:.6}")
        }
    }

    fn local(&self, instant: Timestamp, time: &str) -> String {
        if !self.is_human {
            return format!("{instant:.6}");
        }
        let zone = TimeZone::system();
        let (then, now) = (instant.to_zoned(zone.clone()), self.now.to_zoned(zone));
        let date = match () {
            () if then.date() == now.date() => "",
            () if then.year() == now.year() => "%b %-d ",
            () => "%Y-%m-%d ",
        };
        then.strftime(&format!("{date}{time}")).to_string()
    }

    /// Formats an instant relative to now: `in 4 min`, `2 h ago`.
    pub(crate) fn relative(&self, instant: Timestamp) -> String {
        if !self.is_human {
            return format!("{instant:.6}");
        }
        let seconds = instant.duration_since(self.now).as_secs().unsigned_abs();
        if instant >= self.now {
            format!("in {}", rounded_duration(seconds))
        } else {
            format!("{} ago", duration(seconds))
        }
    }

    /// Formats the instant at which something begins: `in 4 min`, or `from` the instant itself.
    pub(crate) fn starting(&self, instant: Timestamp) -> String {
        let from = if self.is_human { "" } else { "from " };
        format!("{from}{}", self.relative(instant))
    }

    /// Formats an instant in the past: `2 h ago`.
    pub(crate) fn past(&self, instant: Timestamp) -> String {
        if self.is_human {
            format!("{} ago", elapsed(instant, self.now))
        } else {
            format!("{instant:.6}")
        }
    }
}

/// Formats the time between two instants.
pub(crate) fn elapsed(instant: Timestamp, now: Timestamp) -> String {
    duration(now.duration_since(instant).as_secs().unsigned_abs())
}

/// Returns the seconds between two instants.
pub(crate) fn elapsed_seconds(instant: Timestamp, now: Timestamp) -> u64 {
    u64::try_from(now.duration_since(instant).as_secs()).unwrap_or_default()
}

/// Formats a duration in its largest unit.
pub(crate) fn duration(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}

/// Formats a duration rounded to the nearest unit: a new lease of half an hour has 30 minutes.
fn rounded_duration(seconds: u64) -> String {
    match seconds {
        0..120 => duration(seconds),
        120..7_200 => duration(seconds + 30),
        7_200..172_800 => duration(seconds + 1_800),
        _ => duration(seconds + 43_200),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_that_is_left_is_rounded_to_the_nearest_unit() {
        let shown: Vec<String> =
            [119, 149, 150, 1_799, 5_399, 28_799, 604_799].map(rounded_duration).into();
        assert_eq!(shown, ["119 s", "2 min", "3 min", "30 min", "90 min", "8 h", "7 d"]);
    }

    #[test]
    fn a_duration_has_one_unit() {
        let shown: Vec<String> = [0, 119, 120, 7_199, 7_200, 172_799, 172_800].map(duration).into();
        assert_eq!(shown, ["0 s", "119 s", "2 min", "119 min", "2 h", "47 h", "2 d"]);
    }

    #[test]
    fn a_clock_time_has_a_date_unless_it_is_today() {
        let now: Timestamp = "2026-11-15T12:00:00Z".parse().unwrap();
        let times = TimeFormatter::new(now, true);
        assert_eq!(times.clock(now).len(), "12:00".len());
        assert_eq!(times.clock_with_seconds(now).len(), "12:00:00".len());
        let at = |text: &str| times.clock(text.parse().unwrap());
        assert!(at("2026-11-12T12:00:00Z").starts_with("Nov 1"));
        assert!(at("2027-02-12T12:00:00Z").starts_with("2027-02-1"));
        let full = TimeFormatter::new(now, false);
        assert_eq!(full.clock(now), "2026-11-15T12:00:00.000000Z");
    }
}
