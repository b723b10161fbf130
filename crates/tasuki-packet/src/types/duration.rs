//! Durations as people write them in packets, contracts, gates and configuration: `120s`.
//!
//! A duration is one integer and one unit, because `1h30m` and `PT1H30M` are misread more often
//! than `90m`. It is bounded, so that adding it to an instant never overflows. Retention periods
//! are calendar periods (`P5Y`), not durations.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A duration of at most ten years.
///
/// ```
/// use tasuki_packet::duration::Duration;
///
/// let lease: Duration = "120s".parse().unwrap();
/// assert_eq!(lease.milliseconds(), 120_000);
/// assert_eq!(lease.to_string(), "2m");
/// assert!("two minutes".parse::<Duration>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration {
    milliseconds: u64,
}

/// The error of parsing a duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseDurationError {
    /// The text is not one integer followed by one unit.
    #[error("a duration must be an integer and a unit (`ms`, `s`, `m`, `h` or `d`), as in `120s`")]
    Form,
    /// The duration exceeds the limit.
    #[error("a duration must be at most `3650d`")]
    Range,
}

/// The units, largest first, with their milliseconds.
const UNITS: [(&str, u64); 5] =
    [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

impl Duration {
    /// LIMIT: ten years. Longer periods are retention periods.
    pub const MAX: Self = Self { milliseconds: 3_650 * 86_400_000 };

    /// Creates a duration from milliseconds; `None` if it exceeds the limit.
    pub const fn from_milliseconds(milliseconds: u64) -> Option<Self> {
        if milliseconds > Self::MAX.milliseconds {
            return None;
        }
        Some(Self { milliseconds })
    }

    /// Returns the sum of both durations, at most [`Duration::MAX`].
    #[must_use]
    pub fn more(self, by: Option<Self>) -> Self {
        let sum = self.milliseconds + by.map_or(0, Self::milliseconds);
        Self { milliseconds: sum.min(Self::MAX.milliseconds) }
    }

    /// Returns the difference of both durations, at least zero.
    #[must_use]
    pub fn less(self, by: Option<Self>) -> Self {
        let by = by.map_or(0, Self::milliseconds);
        Self { milliseconds: self.milliseconds.saturating_sub(by) }
    }

    /// Returns the duration in milliseconds.
    pub const fn milliseconds(self) -> u64 {
        self.milliseconds
    }
}

impl FromStr for Duration {
    type Err = ParseDurationError;

    fn from_str(text: &str) -> Result<Self, ParseDurationError> {
        let digits_end = text.find(|character: char| !character.is_ascii_digit());
        let (digits, unit) = text.split_at(digits_end.unwrap_or(text.len()));
        let (_, unit_milliseconds) =
            UNITS.iter().find(|(name, _)| *name == unit).ok_or(ParseDurationError::Form)?;
        // One spelling per value: `007s` is a typo.
        if digits.is_empty() || (digits.len() > 1 && digits.starts_with('0')) {
            return Err(ParseDurationError::Form);
        }
        digits
            .parse::<u64>()
            .ok()
            .and_then(|count| count.checked_mul(*unit_milliseconds))
            .and_then(Self::from_milliseconds)
            .ok_or(ParseDurationError::Range)
    }
}

impl Serialize for Duration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Duration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl fmt::Display for Duration {
    /// Prints the largest unit that needs no fraction.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.milliseconds == 0 {
            return f.write_str("0s");
        }
        let (unit, unit_milliseconds) = UNITS
            .into_iter()
            .find(|(_, size)| self.milliseconds.is_multiple_of(*size))
            .unwrap_or(("ms", 1));
        write!(f, "{}{unit}", self.milliseconds / unit_milliseconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&str, ParseDurationError>) {
        let printed = text.parse::<Duration>().map(|duration| duration.to_string());
        assert_eq!(printed.as_deref().map_err(|error| *error), expected, "{text}");
    }

    #[test]
    fn a_duration_is_one_integer_and_one_unit() {
        check("120s", Ok("2m"));
        check("90s", Ok("90s"));
        check("1500ms", Ok("1500ms"));
        check("24h", Ok("1d"));
        check("3650d", Ok("3650d"));
        check("0m", Ok("0s"));
        for text in ["", "120", "s", "1.5h", "-1s", "1h30m", "007s", "1 s", "1S", "PT1S", "１s"] {
            check(text, Err(ParseDurationError::Form));
        }
    }

    #[test]
    fn a_duration_is_bounded() {
        for text in ["3651d", "99999999999999999999d", "18446744073709551615h"] {
            check(text, Err(ParseDurationError::Range));
        }
    }

    proptest::proptest! {
        #[test]
        fn a_printed_duration_parses_to_the_same_duration(milliseconds in 0..=Duration::MAX.milliseconds()) {
            let duration = Duration::from_milliseconds(milliseconds).unwrap();
            proptest::prop_assert_eq!(duration.to_string().parse(), Ok(duration));
        }
    }
}
