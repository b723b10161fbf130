//! Numbers that mean the same to every reader: exact in RFC 8785, or refused.

use serde_json::Value;

use crate::limits::INTEGER_MAX;
use crate::violation::Code;

/// A number of a packet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Number {
    Integer(i64),
    Float(f64),
}

impl Number {
    /// Reads the text of a JSON number and refuses what its canonical form would change.
    pub(crate) fn parse(text: &str) -> Result<Self, Code> {
        match text.parse::<i64>() {
            Ok(integer) if integer.unsigned_abs() <= INTEGER_MAX => Ok(Self::Integer(integer)),
            Ok(_) => Err(Code::NumberRange),
            Err(_) if text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') => {
                Err(Code::NumberRange)
            }
            Err(_) => Self::parse_float(text),
        }
    }

    fn parse_float(text: &str) -> Result<Self, Code> {
        let float = text.parse::<f64>().unwrap_or(f64::NAN);
        if !float.is_finite() {
            return Err(Code::NumberRange);
        }
        // `{:e}` prints the shortest digits that read back to the same float, as RFC 8785 does.
        if Decimal::of(text) != Decimal::of(&format!("{float:e}")) {
            return Err(Code::NumberPrecision);
        }
        Ok(Self::whole(float).map_or(Self::Float(float), Self::Integer))
    }

    /// The number that a YAML scalar spells, if RFC 8785 would print exactly this text.
    pub(crate) fn from_plain(text: &str) -> Option<Self> {
        let first = text.bytes().next()?;
        if !(first.is_ascii_digit() || first == b'-') {
            return None;
        }
        let number = Self::parse(text).ok()?;
        (number.canonical() == text).then_some(number)
    }

    /// The text that RFC 8785 prints.
    pub(crate) fn canonical(self) -> String {
        match self {
            Self::Integer(integer) => integer.to_string(),
            Self::Float(_) => {
                serde_json_canonicalizer::to_string(&self.as_value()).unwrap_or_default()
            }
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "integers are bounded by 2^53 - 1")]
    pub(crate) fn as_f64(self) -> f64 {
        match self {
            Self::Integer(integer) => integer as f64,
            Self::Float(float) => float,
        }
    }

    pub(crate) fn as_value(self) -> Value {
        match self {
            Self::Integer(integer) => Value::from(integer),
            Self::Float(float) => Value::from(float),
        }
    }

    /// `1.0`, `1e2` and `-0` are integers to JSON Schema and to RFC 8785, so they are to us.
    #[expect(clippy::cast_precision_loss, reason = "the bound is a power of two less one")]
    #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and in bounds")]
    fn whole(float: f64) -> Option<i64> {
        (float.fract() == 0.0 && float.abs() <= INTEGER_MAX as f64).then_some(float as i64)
    }
}

impl From<&serde_json::Number> for Number {
    fn from(number: &serde_json::Number) -> Self {
        let float = number.as_f64().unwrap_or_default();
        match number.as_i64() {
            Some(integer) => Self::Integer(integer),
            None => Self::whole(float).map_or(Self::Float(float), Self::Integer),
        }
    }
}

/// A decimal number as digits and exponent, so that two spellings can be compared exactly.
#[derive(Debug, PartialEq, Eq)]
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    fn of(text: &str) -> Option<Self> {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let negative = mantissa.starts_with('-');
        let mantissa = mantissa.trim_start_matches('-');
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}");
        let significant = digits.trim_start_matches('0');
        let trimmed = significant.trim_end_matches('0');
        if trimmed.is_empty() {
            return Some(Self { negative: false, digits: String::new(), exponent: 0 });
        }
        let exponent: i64 = exponent.parse().ok()?;
        let zeros = i64::try_from(significant.len() - trimmed.len()).ok()?;
        let places = i64::try_from(fraction.len()).ok()?;
        Some(Self { negative, digits: trimmed.to_owned(), exponent: exponent + zeros - places })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let shown = match Number::parse(text) {
            Ok(number) => number.canonical(),
            Err(code) => code.as_str().to_owned(),
        };
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn a_number_keeps_its_decimal_value_or_is_refused() {
        check("0.74", "0.74");
        check("1.0", "1");
        check("1e2", "100");
        check("-0", "0");
        check("-0.0", "0");
        check("1e21", "1e+21");
        check("9007199254740991", "9007199254740991");
        check("9007199254740992", "TK-NUMBER-RANGE");
        check("-9007199254740992", "TK-NUMBER-RANGE");
        check("99999999999999999999999", "TK-NUMBER-RANGE");
        check("1e400", "TK-NUMBER-RANGE");
        check("0.1000000000000000055", "TK-NUMBER-PRECISION");
        check("1e-400", "TK-NUMBER-PRECISION");
        check("123456789.123456789123", "TK-NUMBER-PRECISION");
        check("5e-324", "5e-324");
        check("0e99999999999999999999", "0");
        check("1e99999999999999999999", "TK-NUMBER-RANGE");
    }

    #[test]
    fn a_plain_scalar_is_a_number_only_in_its_canonical_spelling() {
        for text in ["22", "0.74", "-3", "1e+21"] {
            assert!(Number::from_plain(text).is_some(), "{text}");
        }
        for text in ["1.10", "012", "1e3", "+1", ".5", "1_000", "0x10", "-0", "1.0", "", "-"] {
            assert!(Number::from_plain(text).is_none(), "{text}");
        }
    }
}
