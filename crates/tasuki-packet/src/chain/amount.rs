//! Exact decimal amounts of money. No floating point: `0.1 + 0.2` is `0.3`.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::schema::field::Format;

/// A non-negative decimal number, as in `cost.amount` and `budget.amount`.
///
/// ```
/// use tasuki_packet::chain::Amount;
///
/// let sum = Amount::parse("0.10")?.checked_add(Amount::parse("0.2")?)?;
/// assert_eq!(sum.to_string(), "0.30");
/// assert_eq!(sum, Amount::parse("0.3")?);
/// # Ok::<(), tasuki_packet::chain::AmountError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Amount {
    /// The value in units of 10^-9.
    units: i128,
    /// The number of printed decimal places: the maximum of all summands.
    places: usize,
}

/// The error for an invalid amount or a sum that is out of range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AmountError {
    /// The text is not a decimal number.
    #[error("not a decimal number such as `0.45` (at most 18 digits, a point and 9 digits)")]
    Format,
    /// The sum is too large to be represented exactly.
    #[error("the sum is too large to be represented exactly")]
    Overflow,
}

/// LIMIT: decimal places. Prices per token need seven; the rest is reserve.
const PLACES_MAX: usize = 9;

impl Amount {
    /// Parses `123` or `0.45`, without sign, exponent or spaces.
    pub fn parse(text: &str) -> Result<Self, AmountError> {
        if !Format::Amount.holds(text) {
            return Err(AmountError::Format);
        }
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let digits = whole.bytes().chain(part.bytes());
        let zeros = std::iter::repeat_n(b'0', PLACES_MAX - part.len());
        let units =
            digits.chain(zeros).fold(0_i128, |units, digit| units * 10 + i128::from(digit - b'0'));
        Ok(Self { units, places: part.len() })
    }

    /// Returns the exact sum.
    pub fn checked_add(self, other: Self) -> Result<Self, AmountError> {
        let units = self.units.checked_add(other.units).ok_or(AmountError::Overflow)?;
        Ok(Self { units, places: self.places.max(other.places) })
    }

    /// Returns the sum, or the largest amount if it is out of range.
    #[must_use]
    pub fn saturating_add(self, other: Self) -> Self {
        let units = self.units.saturating_add(other.units);
        Self { units, places: self.places.max(other.places) }
    }
}

impl std::fmt::Display for Amount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let digits = format!("{:0width$}", self.units, width = PLACES_MAX + 1);
        let (whole, part) = digits.split_at(digits.len() - PLACES_MAX);
        if self.places == 0 {
            return f.write_str(whole);
        }
        write!(f, "{whole}.{}", &part[..self.places])
    }
}

impl std::str::FromStr for Amount {
    type Err = AmountError;

    fn from_str(text: &str) -> Result<Self, AmountError> {
        Self::parse(text)
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

// The number of printed places is not part of the value: `0.3` equals `0.30`.
impl PartialEq for Amount {
    fn eq(&self, other: &Self) -> bool {
        self.units == other.units
    }
}

impl Eq for Amount {}

impl PartialOrd for Amount {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Amount {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.units.cmp(&other.units)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_plain_decimals_are_amounts() {
        for text in ["0", "0.45", "5.00", "0.000000001", "999999999999999999.999999999"] {
            assert_eq!(Amount::parse(text).unwrap().to_string(), text);
        }
        for text in [
            "",
            ".5",
            "5.",
            "-1",
            "+1",
            "1e3",
            "1,5",
            " 1",
            "0x1",
            "١",
            "1.2.3",
            "1000000000000000000",
            "0.0000000001",
            "007",
        ] {
            assert_eq!(Amount::parse(text), Err(AmountError::Format), "{text}");
        }
    }

    #[test]
    fn a_sum_that_does_not_fit_is_an_error() {
        let most = Amount { units: i128::MAX, places: 0 };
        assert_eq!(most.checked_add(Amount { units: 1, places: 0 }), Err(AmountError::Overflow));
    }

    proptest! {
        #[test]
        fn sums_are_exact(first in 0_u64..1 << 52, second in 0_u64..1 << 52, places in 0_usize..6) {
            let print = |number: u64| {
                let digits = format!("{number:0width$}", width = places + 1);
                let (whole, part) = digits.split_at(digits.len() - places);
                if places == 0 { whole.to_owned() } else { format!("{whole}.{part}") }
            };
            let sum = Amount::parse(&print(first)).unwrap()
                .checked_add(Amount::parse(&print(second)).unwrap()).unwrap();
            prop_assert_eq!(sum.to_string(), print(first + second));
        }
    }
}
