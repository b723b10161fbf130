//! Finds out from an error whether a quota is exhausted, and when it resets.
//!
//! Hosts report this in words: `usage limit reached|1763424000`, `try again in 2h 5m`, `resets at
//! 2026-11-17T22:00:00Z`, `resets 3pm`. A time without a date is the next such time here.

use jiff::{SignedDuration, Timestamp, Zoned, civil::Time};

/// Words that name a quota in an error.
const QUOTA: &[&str] = &["rate_limit", "rate limit", "usage limit", "usage_limit", "quota", "429"];

/// LIMIT: the longest time until a reset that is believed.
const RESET_MAX: SignedDuration = SignedDuration::from_hours(8 * 24);

/// Returns `true` if an error says that a quota is exhausted.
pub(super) fn is_quota(error: &str) -> bool {
    let error = error.to_lowercase();
    QUOTA.iter().any(|word| error.contains(word))
}

/// Returns when a quota resets, if the text says so and the time is plausible.
pub(super) fn reset_at(text: &str, now: &Zoned) -> Option<Timestamp> {
    let text = text.to_lowercase();
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || matches!(c, '|' | '"' | ',' | '(' | ')'))
        .map(|word| word.trim_end_matches('.'))
        .filter(|word| !word.is_empty())
        .collect();
    let found = stated(&words).or_else(|| relative(&words, now)).or_else(|| clock(&words, now));
    let now = now.timestamp();
    found.filter(|at| *at > now && at.duration_since(now) <= RESET_MAX)
}

/// Returns an instant that is stated in full, or as seconds since 1970.
fn stated(words: &[&str]) -> Option<Timestamp> {
    words.iter().find_map(|word| {
        let is_seconds = word.len() == 10 && word.bytes().all(|byte| byte.is_ascii_digit());
        let seconds = is_seconds.then(|| word.parse().ok()).flatten();
        seconds
            .and_then(|seconds| Timestamp::from_second(seconds).ok())
            .or_else(|| word.to_uppercase().parse().ok())
    })
}

/// Returns the instant after a duration: `in 2h 5m`, `after 90 seconds`.
fn relative(words: &[&str], now: &Zoned) -> Option<Timestamp> {
    let start = words.iter().position(|word| matches!(*word, "in" | "after"))?;
    let mut seconds = 0;
    let mut rest = words.get(start + 1..)?.iter().peekable();
    while let Some(word) = rest.next() {
        let digits = word.find(|c: char| !c.is_ascii_digit()).unwrap_or(word.len());
        let Ok(number) = word[..digits].parse::<i64>() else { break };
        let unit = if digits < word.len() {
            &word[digits..]
        } else {
            rest.next().copied().unwrap_or_default()
        };
        let length = match unit.bytes().next() {
            Some(b'd') => 86_400,
            Some(b'h') => 3_600,
            Some(b'm') => 60,
            Some(b's') => 1,
            _ => break,
        };
        seconds = number.checked_mul(length).and_then(|more| more.checked_add(seconds))?;
    }
    let length = SignedDuration::from_secs(seconds);
    (seconds > 0).then(|| now.timestamp().checked_add(length).ok()).flatten()
}

/// Returns the next time of day: `resets 3pm`, `resets at 15:30`.
fn clock(words: &[&str], now: &Zoned) -> Option<Timestamp> {
    let start = words.iter().position(|word| word.starts_with("reset"))?;
    let time = words.iter().skip(start + 1).take(2).find_map(|word| time_of_day(word))?;
    let today = now.with().time(time).build().ok()?;
    let next = if today > *now { today } else { today.tomorrow().ok()? };
    Some(next.timestamp())
}

fn time_of_day(word: &str) -> Option<Time> {
    let (word, after_noon) = match (word.strip_suffix("pm"), word.strip_suffix("am")) {
        (Some(word), _) => (word, Some(true)),
        (None, Some(word)) => (word, Some(false)),
        (None, None) => (word, None),
    };
    let (hour, minute) = word.split_once(':').unwrap_or((word, "0"));
    let (hour, minute): (i8, i8) = (hour.parse().ok()?, minute.parse().ok()?);
    let hour = match after_noon {
        Some(true) => hour % 12 + 12,
        Some(false) => hour % 12,
        None if word.contains(':') => hour,
        None => return None,
    };
    Time::new(hour, minute, 0, 0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reset_is_read_in_the_words_of_the_hosts() {
        let now: Zoned = "2026-11-17T14:00:00+00:00[UTC]".parse().unwrap();
        let check = |text: &str, expected: &str| {
            let found = reset_at(text, &now).map(|at| at.to_string());
            assert_eq!(found.unwrap_or_default(), expected, "{text}");
        };
        check("Claude AI usage limit reached|1794931200", "2026-11-17T16:00:00Z");
        check("You've hit your usage limit. Try again in 2h 5m.", "2026-11-17T16:05:00Z");
        check("rate limited, retry after 90 seconds", "2026-11-17T14:01:30Z");
        check("quota exhausted, resets at 2026-11-17T22:00:00Z", "2026-11-17T22:00:00Z");
        check("You've hit your limit · resets 3pm (UTC)", "2026-11-17T15:00:00Z");
        check("limit reached ∙ resets 9:30am", "2026-11-18T09:30:00Z");
        check("resets at 13:00", "2026-11-18T13:00:00Z");
        check("rate_limit", "");
        check("usage limit reached|1163424000", "");
        check("usage limit reached, try again in 400 days", "");
    }

    #[test]
    fn only_a_quota_is_a_quota() {
        for error in ["rate_limit", "You exceeded your current quota", "HTTP 429"] {
            assert!(is_quota(error), "{error}");
        }
        for error in ["server_error", "authentication_failed", ""] {
            assert!(!is_quota(error), "{error}");
        }
    }
}
