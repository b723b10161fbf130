//! Numbers that every reader reads alike: exact in RFC 8785, or rejected.

use serde_json::Value;

use super::limits::INTEGER_MAX;
use crate::violation::Code;

/// A number of a packet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Number {
    Integer(i64),
    Float(f64),
}

impl Number {
    /// Parses a JSON number, and rejects one that its canonical form would change.
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
        if !Decimal::of(text).is_some_and(|decimal| decimal.is_kept_by(float)) {
            return Err(Code::NumberPrecision);
        }
        Ok(Self::of_float(float))
    }

    /// Parses a YAML scalar as a number, if RFC 8785 would print exactly this text.
    pub(crate) fn from_plain(text: &str) -> Option<Self> {
        // LIMIT: the longest numbers that RFC 8785 prints: a sign, `0.00000`, 17 digits.
        const CHARS_MAX: usize = 25;
        let first = text.bytes().next()?;
        if text.len() > CHARS_MAX || !(first.is_ascii_digit() || first == b'-') {
            return None;
        }
        let number = match text.parse::<i64>() {
            Ok(integer) if integer.unsigned_abs() > INTEGER_MAX => return None,
            Ok(integer) => Self::Integer(integer),
            Err(_) => Self::of_float(text.parse().ok().filter(|float: &f64| float.is_finite())?),
        };
        (number.canonical() == text).then_some(number)
    }

    /// Returns the number as RFC 8785 prints it.
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

    fn of_float(float: f64) -> Self {
        Self::whole(float).map_or(Self::Float(float), Self::Integer)
    }

    /// Returns the integer that a float equals: `1.0`, `1e2` and `-0` are integers in JSON Schema
    /// and RFC 8785.
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
            None => Self::of_float(float),
        }
    }
}

/// A decimal number in its source digits, so that two spellings can be compared exactly.
#[derive(Debug, Clone, Copy)]
struct Decimal<'t> {
    is_negative: bool,
    /// The digits before and after the point, without leading and trailing zeros.
    digits: [&'t str; 2],
    digit_count: usize,
    /// The power of ten of the first digit.
    exponent: i64,
}

impl<'t> Decimal<'t> {
    fn of(text: &'t str) -> Option<Self> {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let is_negative = mantissa.starts_with('-');
        let mantissa = mantissa.trim_start_matches('-');
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let length = |text: &str| i64::try_from(text.len()).ok();
        let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
        // Zero, whatever its exponent.
        if whole.is_empty() && fraction.is_empty() {
            return Some(Self::new(false, ["", ""], 0));
        }
        let exponent: i64 = exponent.parse().ok()?;
        if whole.is_empty() {
            let digits = fraction.trim_start_matches('0');
            let zeros = length(fraction)? - length(digits)?;
            return Some(Self::new(is_negative, ["", digits], exponent.checked_sub(zeros + 1)?));
        }
        let exponent = exponent.checked_add(length(whole)? - 1)?;
        let kept = if fraction.is_empty() { whole.trim_end_matches('0') } else { whole };
        Some(Self::new(is_negative, [kept, fraction], exponent))
    }

    fn new(is_negative: bool, digits: [&'t str; 2], exponent: i64) -> Self {
        let digit_count = digits[0].len() + digits[1].len();
        Self { is_negative, digits, digit_count, exponent }
    }

    /// Returns `true` if `float`, which was parsed from this number, prints as the same number.
    fn is_kept_by(&self, float: f64) -> bool {
        // This many digits always survive a round trip through a float.
        const DIGITS_KEPT: usize = f64::DIGITS as usize;
        if self.digit_count == 0 || (self.digit_count <= DIGITS_KEPT && float.is_normal()) {
            return true;
        }
        // No float needs more than 17 digits.
        if self.digit_count > 17 {
            return false;
        }
        // JSON prints the shortest digits that read back to the same float, as RFC 8785 does.
        let printed = Value::from(float).to_string();
        Decimal::of(&printed).is_some_and(|printed| self.equals(&printed))
    }

    fn equals(&self, other: &Decimal<'_>) -> bool {
        let [whole, fraction] = self.digits;
        let [other_whole, other_fraction] = other.digits;
        self.exponent == other.exponent
            && self.is_negative == other.is_negative
            && whole
                .bytes()
                .chain(fraction.bytes())
                .eq(other_whole.bytes().chain(other_fraction.bytes()))
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
        check("570000000000000.2", "570000000000000.2");
        check("570000000000000.3", "TK-NUMBER-PRECISION");
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
        check("4.9e-324", "TK-NUMBER-PRECISION");
        check("1.7976931348623157e308", "1.7976931348623157e+308");
        check("0.30000000000000004", "0.30000000000000004");
        check("0.30000000000000003", "TK-NUMBER-PRECISION");
        check("0.0000000074000e3", "0.0000074");
        check("10500.250", "10500.25");
        check("-12.5e1", "-125");
        check("1e-9223372036854775808", "TK-NUMBER-PRECISION");
    }

    proptest::proptest! {
        #[test]
        fn a_number_is_kept_if_it_prints_as_the_same_number(
            digits in "[1-9][0-9]{0,19}", point in 0_usize..20, exponent in -330_i32..330,
        ) {
            let (whole, fraction) = digits.split_at(point.clamp(1, digits.len()));
            let text = format!("{whole}.{fraction}0e{exponent}");
            let float: f64 = text.parse().unwrap();
            if float.is_finite() {
                let decimal = Decimal::of(&text).unwrap();
                // Not Rust's own printer: it breaks ties between two shortest spellings
                // differently.
                let printed = Number::Float(float).canonical();
                let is_same = decimal.equals(&Decimal::of(&printed).unwrap());
                proptest::prop_assert_eq!(decimal.is_kept_by(float), is_same, "{} {}", text, printed);
            }
        }
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
