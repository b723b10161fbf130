//! Formats instants for people: relative to now, or in full.

use jiff::Timestamp;

/// Formats instants relative to another one, or in full.
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

    /// `in 4 min`, `2 h ago`, or the instant itself.
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

    /// `in 4 min`, or `from` the instant itself, for what begins then.
    pub(crate) fn starting(&self, instant: Timestamp) -> String {
        let from = if self.is_human { "" } else { "from " };
        format!("{from}{}", self.relative(instant))
    }

    /// `2 h ago` for what has happened, or the instant itself.
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
    fn what_is_left_is_told_to_the_nearest_unit() {
        let told: Vec<String> =
            [119, 149, 150, 1_799, 5_399, 28_799, 604_799].map(rounded_duration).into();
        assert_eq!(told, ["119 s", "2 min", "3 min", "30 min", "90 min", "8 h", "7 d"]);
    }

    #[test]
    fn a_length_is_told_in_one_unit() {
        let told: Vec<String> = [0, 119, 120, 7_199, 7_200, 172_799, 172_800].map(duration).into();
        assert_eq!(told, ["0 s", "119 s", "2 min", "119 min", "2 h", "47 h", "2 d"]);
    }
}
