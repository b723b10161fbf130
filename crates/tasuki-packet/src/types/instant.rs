//! The text of an instant: RFC 3339 in UTC, with six fractional digits and `Z`.
//!
//! Every leaf, response and log line contains instants, and the general printer of the library is
//! slower.
//!
//! ```
//! use tasuki_packet::instant::InstantText;
//!
//! let noon = "2026-11-16T12:00:00Z".parse().unwrap();
//! assert_eq!(InstantText::of(noon).as_str(), "2026-11-16T12:00:00.000000Z");
//! ```

use std::io::Write as _;

use jiff::Timestamp;
use jiff::tz::Offset;

/// The longest text: years before 0 have a sign and two more digits.
const BYTES_MAX: usize = "-009999-01-02T01:59:59.000000Z".len();

/// The text of an instant.
#[derive(Debug, Clone, Copy)]
pub struct InstantText {
    bytes: [u8; BYTES_MAX],
    length: usize,
}

impl InstantText {
    /// Formats an instant.
    pub fn of(instant: Timestamp) -> Self {
        let civil = Offset::UTC.to_datetime(instant);
        let Ok(year) = u32::try_from(civil.year()) else { return Self::before_year_0(instant) };
        let mut text = *b"0000-00-00T00:00:00.000000Z";
        let mut put = |at: usize, number: u32| {
            let pair = u8::try_from(number % 100).unwrap_or_default();
            text[at] += pair / 10;
            text[at + 1] += pair % 10;
        };
        put(0, year / 100);
        put(2, year);
        let parts = [civil.month(), civil.day(), civil.hour(), civil.minute(), civil.second()];
        for (at, part) in [5, 8, 11, 14, 17].into_iter().zip(parts) {
            put(at, u32::from(part.unsigned_abs()));
        }
        let microsecond = civil.subsec_nanosecond().unsigned_abs() / 1_000;
        put(20, microsecond / 10_000);
        put(22, microsecond / 100);
        put(24, microsecond);
        let mut bytes = [0; BYTES_MAX];
        bytes[..text.len()].copy_from_slice(&text);
        Self { bytes, length: text.len() }
    }

    /// Formats a year before 0, which no clock reports.
    fn before_year_0(instant: Timestamp) -> Self {
        let mut bytes = [0; BYTES_MAX];
        let mut rest = &mut bytes[..];
        write!(rest, "{instant:.6}").expect("there is room for the first year");
        let length = BYTES_MAX - rest.len();
        Self { bytes, length }
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        // Digits and punctuation are valid UTF-8.
        std::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    /// Returns the bytes of the text.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(instant: Timestamp) {
        assert_eq!(InstantText::of(instant).as_str(), format!("{instant:.6}"));
    }

    proptest! {
        #[test]
        fn an_instant_is_written_as_the_library_writes_it(
            second in Timestamp::MIN.as_second()..=Timestamp::MAX.as_second(),
            nanosecond in 0..1_000_000_000,
        ) {
            check(Timestamp::new(second, nanosecond).unwrap());
        }
    }

    #[test]
    fn the_first_and_the_last_instants_are_written_as_the_library_writes_them() {
        let year_0 = "0000-01-01T00:00:00Z".parse().unwrap();
        for instant in [Timestamp::MIN, year_0, Timestamp::UNIX_EPOCH, Timestamp::MAX] {
            check(instant);
        }
    }
}
