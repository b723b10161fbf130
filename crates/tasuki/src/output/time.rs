//! Instants as people read them: how long ago, how long still.

use jiff::Timestamp;

/// An instant beside the one at which it is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    pub(crate) now: Timestamp,
    is_human: bool,
}

impl Moment {
    /// An instant beside which others are printed: relative to it, or in full.
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
            format!("in {}", nearly(seconds))
        } else {
            format!("{} ago", length(seconds))
        }
    }

    /// `in 4 min`, or `from` the instant itself, for what begins then.
    pub(crate) fn beginning(&self, instant: Timestamp) -> String {
        let from = if self.is_human { "" } else { "from " };
        format!("{from}{}", self.relative(instant))
    }

    /// `2 h ago` for what has happened, or the instant itself.
    pub(crate) fn past(&self, instant: Timestamp) -> String {
        if self.is_human {
            format!("{} ago", ago(instant, self.now))
        } else {
            format!("{instant:.6}")
        }
    }
}

/// How long ago something was.
pub(crate) fn ago(instant: Timestamp, now: Timestamp) -> String {
    length(now.duration_since(instant).as_secs().unsigned_abs())
}

/// How many seconds passed between two instants.
pub(crate) fn ago_seconds(instant: Timestamp, now: Timestamp) -> u64 {
    u64::try_from(now.duration_since(instant).as_secs()).unwrap_or_default()
}

/// A length of time in its largest unit.
pub(crate) fn length(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}

/// The same to the nearest unit: a lease of half an hour that has just begun has 30 minutes.
fn nearly(seconds: u64) -> String {
    match seconds {
        0..120 => length(seconds),
        120..7_200 => length(seconds + 30),
        7_200..172_800 => length(seconds + 1_800),
        _ => length(seconds + 43_200),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_told_to_the_nearest_unit() {
        let told: Vec<String> = [119, 149, 150, 1_799, 5_399, 28_799, 604_799].map(nearly).into();
        assert_eq!(told, ["119 s", "2 min", "3 min", "30 min", "90 min", "8 h", "7 d"]);
    }

    #[test]
    fn a_length_is_told_in_one_unit() {
        let told: Vec<String> = [0, 119, 120, 7_199, 7_200, 172_799, 172_800].map(length).into();
        assert_eq!(told, ["0 s", "119 s", "2 min", "119 min", "2 h", "47 h", "2 d"]);
    }
}
