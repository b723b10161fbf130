//! The formats of texts: each a hand-written check, and the same rule as a pattern for JSON Schema.
//! A test compares the two.

use super::task_id;
use crate::document::limits::TASK_ID_BYTES_MAX;
use crate::violation::Code;

/// A format of a text.
///
/// ```
/// use tasuki_packet::schema::field::Format;
///
/// assert!(Format::Timestamp.holds("2026-11-16T18:00:00Z"));
/// assert!(!Format::Timestamp.holds("16 November 2026"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `1.0`, the version of the packet format. Minor versions only add.
    Version,
    /// `build-42`: letters and digits of any script and `._:/#-`.
    TaskId,
    /// `hof_` and 32 hex digits.
    HandoffId,
    /// `sha256:` and 64 hex digits.
    Digest,
    /// RFC 3339 with a time zone.
    Timestamp,
    /// `300s`, `15m`, `2h`.
    Duration,
    /// `0.45`, a decimal number without exponent.
    Amount,
    /// `USD`.
    Currency,
    /// `commit:9f2c1e0`, a kind, a colon and an id.
    EvidenceRef,
    /// `write:src/*`. A trailing `*` is the only wildcard.
    Authority,
    /// `name@1.2`.
    ContractRef,
    /// `escalate_to_oncall_if_not_progressed_within_300s`.
    OneLineFallback,
    /// `P5Y`, an ISO 8601 period of years, months, weeks or days.
    Period,
    /// An ISO 8601 period of five years or more.
    PeriodOfFiveYears,
    /// A W3C trace context.
    Traceparent,
    /// A tier of the UK government's classification, with an optional marking.
    GovernmentTier,
    /// `changed_paths`, the name of a field; a known one may be written in words.
    FieldName,
}

impl Format {
    /// Every format.
    pub const ALL: &'static [Self] = &[
        Self::Version,
        Self::TaskId,
        Self::HandoffId,
        Self::Digest,
        Self::Timestamp,
        Self::Duration,
        Self::Amount,
        Self::Currency,
        Self::EvidenceRef,
        Self::Authority,
        Self::ContractRef,
        Self::OneLineFallback,
        Self::Period,
        Self::PeriodOfFiveYears,
        Self::Traceparent,
        Self::GovernmentTier,
        Self::FieldName,
    ];

    /// Returns the rule as a regular expression for JSON Schema.
    pub const fn pattern(self) -> &'static str {
        match self {
            Self::Version => r"^1\.(0|[1-9][0-9]{0,3})$",
            // The length, NFC and invisible characters are left to `format`.
            Self::TaskId => r"^[\p{L}\p{Nd}][\p{L}\p{M}\p{Nd}._:/#-]*$",
            Self::HandoffId => "^hof_[0-9a-f]{32}$",
            Self::Digest => "^sha256:[0-9a-f]{64}$",
            Self::Timestamp => {
                r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$"
            }
            Self::Duration => "^(0|[1-9][0-9]{0,11})(ms|s|m|h|d)$",
            Self::Amount => r"^(0|[1-9][0-9]{0,17})(\.[0-9]{1,9})?$",
            Self::Currency => "^[A-Z]{3}$",
            Self::EvidenceRef => "^[a-z][a-z0-9_-]{0,31}:[^ \t\r\n]",
            Self::Authority => "^[^* \t\r\n]+[*]?$|^[*]$",
            Self::ContractRef => {
                r"^[a-z0-9][a-z0-9._-]{0,62}@(0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})$"
            }
            Self::OneLineFallback => {
                "^escalate_to_[a-z0-9][a-z0-9._-]{0,62}_if_not_progressed_within_[1-9][0-9]{0,8}s$"
            }
            Self::Period => {
                "^P([1-9][0-9]{0,3}Y([1-9][0-9]{0,3}M)?([1-9][0-9]{0,3}D)?|[1-9][0-9]{0,3}M([1-9][0-9]{0,3}D)?|[1-9][0-9]{0,3}W|[1-9][0-9]{0,3}D)$"
            }
            Self::PeriodOfFiveYears => {
                "^P([5-9]|[1-9][0-9]{1,3})Y([1-9][0-9]{0,3}M)?([1-9][0-9]{0,3}D)?$"
            }
            Self::Traceparent => "^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$",
            // No dot: engines differ in what ends a line.
            Self::GovernmentTier => {
                "^(OFFICIAL|OFFICIAL-SENSITIVE|SECRET|TOP SECRET)( [^\n\r\u{2028}\u{2029}]{1,100})?$"
            }
            Self::FieldName => {
                "^[A-Za-z_][A-Za-z0-9_.-]{0,63}$|^([Cc]hanged (paths|files)|[Ff]iles changed|[Ee]vidence refs|[Hh]andoff summary)$"
            }
        }
    }

    /// Returns the JSON Schema format, where the pattern alone is too weak.
    pub(crate) const fn schema_format(self) -> Option<&'static str> {
        match self {
            Self::Timestamp => Some("date-time"),
            Self::TaskId => Some("tasuki-task-id"),
            _ => None,
        }
    }

    /// Returns the maximum number of characters, where the pattern sets none.
    pub(crate) const fn chars_max(self) -> Option<usize> {
        match self {
            // A character has at least one byte.
            Self::TaskId => Some(TASK_ID_BYTES_MAX),
            _ => None,
        }
    }

    /// Returns a description of the format for messages and documents.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Version => "a version 1.x of this format, such as `\"1.0\"`",
            Self::TaskId => {
                "letters and digits of any script (NFC) and `._:/#-`, beginning with a letter or \
                 digit, at most 128 bytes"
            }
            Self::HandoffId => "`hof_` and 32 hex digits",
            Self::Digest => "`sha256:` and 64 hex digits",
            Self::Timestamp => "an RFC 3339 time with a zone, such as `2026-11-16T18:00:00Z`",
            Self::Duration => "a duration such as `300s`, `15m` or `2h`",
            Self::Amount => "a decimal amount in quotes, such as `\"0.45\"`",
            Self::Currency => "a currency code of three capitals, such as `USD`",
            Self::EvidenceRef => "a reference `kind:id`, such as `commit:9f2c1e0`",
            Self::Authority => "a permission without spaces, such as `write:src/*`",
            Self::ContractRef => "a contract reference `name@major.minor`",
            Self::OneLineFallback => {
                "a fallback such as `escalate_to_oncall_if_not_progressed_within_300s`"
            }
            Self::Period => "an ISO 8601 period such as `P5Y`",
            Self::PeriodOfFiveYears => "an ISO 8601 period of at least five years, such as `P5Y`",
            Self::Traceparent => "a W3C traceparent",
            Self::GovernmentTier => {
                "`OFFICIAL`, `OFFICIAL-SENSITIVE`, `SECRET` or `TOP SECRET`, with an optional marking"
            }
            Self::FieldName => "the name of a field, such as `changed_paths`",
        }
    }

    /// Returns the code of the violation for a text that does not match.
    pub(crate) const fn code(self) -> Code {
        match self {
            Self::Version => Code::VersionUnsupported,
            _ => Code::FieldFormat,
        }
    }

    /// Returns a hint for a text that does not match.
    pub(crate) fn hint(self, text: &str) -> Option<String> {
        match self {
            Self::TaskId => task_id::derive(text).map(|id| format!("use an id such as `{id}`")),
            Self::FieldName => {
                Some("state requirements in words as criteria in `acceptance`".to_owned())
            }
            _ => None,
        }
    }

    /// Returns `true` if `text` matches the format.
    pub fn holds(self, text: &str) -> bool {
        match self {
            Self::Version => text.strip_prefix("1.").is_some_and(is_small_integer),
            Self::TaskId => task_id::holds(text),
            Self::HandoffId => is_hex_after(text, "hof_", 32),
            Self::Digest => is_hex_after(text, "sha256:", 64),
            Self::Timestamp => is_timestamp(text),
            Self::Duration => is_duration(text),
            Self::Amount => is_amount(text),
            Self::Currency => text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase()),
            Self::EvidenceRef => is_evidence_ref(text),
            Self::Authority => is_authority(text),
            Self::ContractRef => is_contract_ref(text),
            Self::OneLineFallback => one_line_fallback(text).is_some(),
            Self::Period => is_period(text),
            Self::PeriodOfFiveYears => is_period_of_five_years(text),
            Self::Traceparent => is_traceparent(text),
            Self::GovernmentTier => is_government_tier(text),
            Self::FieldName => is_field_name(text),
        }
    }
}

/// Returns the receiver and the seconds of a one-line fallback.
pub(crate) fn one_line_fallback(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("escalate_to_")?.strip_suffix('s')?;
    let (receiver, seconds) = rest.rsplit_once("_if_not_progressed_within_")?;
    let seconds_ok = is_positive(seconds, 9);
    (is_party_name(receiver) && seconds_ok).then_some((receiver, seconds))
}

fn is_hex_after(text: &str, prefix: &str, digits: usize) -> bool {
    text.strip_prefix(prefix).is_some_and(|hex| is_hex(hex, digits))
}

fn is_hex(text: &str, digits: usize) -> bool {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    // Checks all bytes without a branch, so that the compiler vectorizes the loop.
    text.len() == digits && text.bytes().fold(true, |all, byte| all & is_digit(byte))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns `true` for an integer without leading zeros and with at most `digits` digits.
fn is_integer(text: &str, digits: usize) -> bool {
    is_digits(text) && text.len() <= digits && (text == "0" || !text.starts_with('0'))
}

fn is_positive(text: &str, digits: usize) -> bool {
    is_integer(text, digits) && text != "0"
}

/// Returns `true` for another major version of the format: `2.0`, but not a typo such as `v1.0`.
pub(crate) fn is_other_major(version: &str) -> bool {
    let major = version.split_once('.').map_or(version, |(major, _)| major);
    is_small_integer(major) && major != "1"
}

fn is_small_integer(text: &str) -> bool {
    is_integer(text, 4)
}

fn is_party_name(text: &str) -> bool {
    let first_ok = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let rest_ok = |byte: u8| first_ok(byte) || matches!(byte, b'.' | b'_' | b'-');
    let bytes = text.as_bytes();
    (1..=63).contains(&bytes.len()) && first_ok(bytes[0]) && bytes.iter().all(|&b| rest_ok(b))
}

fn is_timestamp(text: &str) -> bool {
    let Some((clock, rest)) = text.split_at_checked(19) else { return false };
    // The spelling is checked here, because jiff accepts more. jiff checks the calendar: its date,
    // not its timestamp, which ends a day before the year 9999 does. People write that year for
    // "never".
    has_digits_as(clock, "0000-00-00T00:00:00")
        && clock[11..13] <= *"23"
        && clock[14..16] <= *"59"
        && clock[17..] <= *"59"
        && has_zone_and_fraction(rest)
        && clock[..10].parse::<jiff::civil::Date>().is_ok()
}

/// Returns `true` if `text` has a digit where `form` has one, and equals it everywhere else.
fn has_digits_as(text: &str, form: &str) -> bool {
    let is_like = |(found, wanted): (u8, u8)| match wanted {
        b'0' => found.is_ascii_digit(),
        other => found == other,
    };
    text.len() == form.len() && text.bytes().zip(form.bytes()).all(is_like)
}

fn has_zone_and_fraction(text: &str) -> bool {
    let zone = match text.strip_prefix('.') {
        Some(rest) => {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            if !(1..=9).contains(&digits) {
                return false;
            }
            &rest[digits..]
        }
        None => text,
    };
    let bytes = zone.as_bytes();
    match bytes {
        b"Z" => true,
        [b'+' | b'-', a, b, b':', c, d] => {
            [a, b, c, d].iter().all(|byte| byte.is_ascii_digit())
                && (*a < b'2' || (*a == b'2' && *b <= b'3'))
                && *c <= b'5'
        }
        _ => false,
    }
}

fn is_duration(text: &str) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    is_integer(number, 12) && matches!(unit, "ms" | "s" | "m" | "h" | "d")
}

fn is_amount(text: &str) -> bool {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    is_integer(whole, 18) && is_digits(fraction) && fraction.len() <= 9
}

fn is_evidence_ref(text: &str) -> bool {
    let Some((kind, id)) = text.split_once(':') else { return false };
    let kind_ok = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-')
    };
    (1..=32).contains(&kind.len())
        && kind.as_bytes()[0].is_ascii_lowercase()
        && kind.bytes().all(kind_ok)
        && id.chars().next().is_some_and(|first| !is_space(first))
}

fn is_authority(text: &str) -> bool {
    let body = text.strip_suffix('*').unwrap_or(text);
    !text.is_empty() && !body.chars().any(|character| character == '*' || is_space(character))
}

/// Names of fields that people and AHP write in words.
const FIELDS_IN_WORDS: [&str; 5] =
    ["changed paths", "changed files", "files changed", "evidence refs", "handoff summary"];

fn is_field_name(text: &str) -> bool {
    let is_start = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    let is_rest = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    let bytes = text.as_bytes();
    let is_name = (1..=64).contains(&bytes.len())
        && is_start(bytes[0])
        && bytes.iter().all(|&byte| is_rest(byte));
    let in_words = |words: &&str| {
        text.len() == words.len()
            && text[..1].eq_ignore_ascii_case(&words[..1])
            && text[1..] == words[1..]
    };
    // A text of the length of known words may begin with a character of several bytes.
    is_name || text.is_ascii() && FIELDS_IN_WORDS.iter().any(in_words)
}

fn is_contract_ref(text: &str) -> bool {
    let Some((name, version)) = text.split_once('@') else { return false };
    let Some((major, minor)) = version.split_once('.') else { return false };
    is_party_name(name) && is_small_integer(major) && is_small_integer(minor)
}

fn is_period(text: &str) -> bool {
    period_parts(text).is_some_and(|parts| {
        matches!(
            parts.as_slice(),
            [(_, 'Y' | 'M' | 'W' | 'D')]
                | [(_, 'Y'), (_, 'M' | 'D')]
                | [(_, 'M'), (_, 'D')]
                | [(_, 'Y'), (_, 'M'), (_, 'D')]
        )
    })
}

fn is_period_of_five_years(text: &str) -> bool {
    let years = period_parts(text).and_then(|parts| parts.first().copied());
    is_period(text) && years.is_some_and(|(count, unit)| unit == 'Y' && count >= 5)
}

fn period_parts(text: &str) -> Option<Vec<(u32, char)>> {
    let mut rest = text.strip_prefix('P')?;
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, unit) = rest.split_at(digits);
        let unit = unit.chars().next()?;
        if !is_positive(number, 4) {
            return None;
        }
        parts.push((number.parse().ok()?, unit));
        rest = &rest[digits + unit.len_utf8()..];
    }
    Some(parts)
}

fn is_traceparent(text: &str) -> bool {
    let parts: Vec<_> = text.split('-').collect();
    matches!(parts.as_slice(), [version, trace, span, flags]
        if is_hex(version, 2) && is_hex(trace, 32) && is_hex(span, 16) && is_hex(flags, 2))
}

fn is_government_tier(text: &str) -> bool {
    ["OFFICIAL-SENSITIVE", "OFFICIAL", "TOP SECRET", "SECRET"].iter().any(|tier| {
        match text.strip_prefix(tier) {
            Some("") => true,
            Some(rest) => rest.strip_prefix(' ').is_some_and(is_marking),
            None => false,
        }
    })
}

fn is_marking(text: &str) -> bool {
    let has_line_end = text.contains(['\n', '\r', '\u{2028}', '\u{2029}']);
    (1..=100).contains(&text.chars().count()) && !has_line_end
}

/// Returns `true` for white space as JSON defines it.
pub(crate) fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\r' | '\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts close to the edge of every format, each also with one character changed.
    fn near() -> Vec<String> {
        let seeds = [
            "1.0",
            "1.12",
            "2.0",
            "1.01",
            "hof_0123456789abcdef0123456789abcdef",
            "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
            "2026-11-16T18:00:00Z",
            "2026-02-28T23:59:59.123456+05:30",
            "2026-11-16T18:00:60Z",
            "2026-11-16t18:00:00z",
            "2026-11-16T180000.0Z",
            "9999-12-31T23:59:59-23:59",
            "0300s",
            "300s",
            "15m",
            "2h",
            "7d",
            "9ms",
            "0.45",
            "12",
            "0012",
            "1.1234567890",
            "USD",
            "usd",
            "commit:9f2c1e0",
            "trace:abc...",
            "x: y",
            "write:src/*",
            "*",
            "a*b",
            "a b",
            "name@1.2",
            "name@1",
            "P5Y",
            "P12Y6M1D",
            "P1W",
            "P6M",
            "P4Y",
            "P",
            "PT5S",
            "P1M1Y",
            "OFFICIAL",
            "TOP SECRET UK EYES",
            "SECRET",
            "escalate_to_oncall_if_not_progressed_within_300s",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "changed_paths",
            "Changed paths",
            "evidence refs",
            "All tests pass",
        ];
        let mut texts = Vec::new();
        for seed in seeds {
            texts.push(seed.to_owned());
            for at in 0..=seed.len() {
                for inserted in ["", "0", "a", " ", "\n", "\r", "\u{2028}", "A", ":", "*"] {
                    let next = (at + 1).min(seed.len());
                    texts.push(format!("{}{inserted}{}", &seed[..at], &seed[at..]));
                    texts.push(format!("{}{inserted}{}", &seed[..at], &seed[next..]));
                }
            }
        }
        texts
    }

    #[test]
    fn checks_and_patterns_agree() {
        let texts = near();
        for format in Format::ALL {
            let pattern = regex::Regex::new(format.pattern()).unwrap();
            for text in &texts {
                // Only the check knows the calendar; the schema leaves it to `format`.
                let is_calendar = *format == Format::Timestamp && !format.holds(text);
                assert!(
                    format.holds(text) == pattern.is_match(text) || is_calendar,
                    "{format:?} {text:?}"
                );
            }
            assert!(texts.iter().any(|text| format.holds(text)), "{format:?} never holds");
        }
    }

    #[test]
    fn another_major_version_is_not_a_typo() {
        for version in ["2.0", "2", "0.9", "10.1", "2.0-draft"] {
            assert!(is_other_major(version) && !Format::Version.holds(version), "{version}");
        }
        for version in ["1.0", "1.12", "1", "1.0.0", "01.0", "v2.0", " 2.0", "", ".", "-2.0"] {
            assert!(!is_other_major(version), "{version}");
        }
    }
}
