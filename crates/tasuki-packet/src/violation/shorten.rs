//! Shortens quoted texts and values to what a message can show.
//!
//! A report quotes up to a thousand values. Without a limit, one long text in the wrong place would
//! make the report many times larger than the packet.

use std::fmt::Write;

use serde_json::Value;

/// LIMIT: characters of one quoted text.
const CHARACTERS_MAX: usize = 60;

/// LIMIT: entries of one quoted list. Longer lists belong in the documentation.
const ENTRIES_MAX: usize = 20;

/// Returns a text on one line, cut at the limit.
pub(crate) fn text(text: &str) -> String {
    let mut shown = String::new();
    // Writing to a `String` cannot fail, so an error means that the limit was reached.
    if (Limited { shown: &mut shown, room: CHARACTERS_MAX }).write_str(text).is_err() {
        shown.push('…');
    }
    shown
}

/// Returns a value as JSON, cut at the limit.
pub(crate) fn value(value: &Value) -> String {
    let mut shown = String::new();
    if write!(Limited { shown: &mut shown, room: CHARACTERS_MAX }, "{value}").is_err() {
        shown.push('…');
    }
    shown
}

/// Joins entries that are already short, followed by the number of entries left out.
pub(crate) fn list(entries: impl ExactSizeIterator<Item = String>) -> String {
    let more = entries.len().saturating_sub(ENTRIES_MAX);
    let mut shown: Vec<String> = entries.take(ENTRIES_MAX).collect();
    if more > 0 {
        shown.push(format!("and {more} more"));
    }
    shown.join(", ")
}

/// A writer that fails at the limit, so that the rest is never formatted.
struct Limited<'t> {
    shown: &'t mut String,
    room: usize,
}

impl Write for Limited<'_> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        for character in text.chars() {
            self.room = self.room.checked_sub(1).ok_or(std::fmt::Error)?;
            if character.is_control() {
                self.shown.extend(character.escape_default());
            } else {
                self.shown.push(character);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_long_text_is_cut_and_a_short_one_is_not() {
        let exact = "é".repeat(CHARACTERS_MAX);
        assert_eq!(text(&exact), exact);
        assert_eq!(text(&format!("{exact}x")), format!("{exact}…"));
        assert_eq!(text("a\nb\u{1b}"), "a\\nb\\u{1b}");
    }

    #[test]
    fn a_value_is_shown_as_json() {
        assert_eq!(value(&json!({"a": [1, null, "x\n"]})), r#"{"a":[1,null,"x\n"]}"#);
        let long = value(&json!(vec![0; 1_000]));
        assert_eq!(long.chars().count(), CHARACTERS_MAX + 1);
        assert!(long.starts_with("[0,0,") && long.ends_with('…'), "{long}");
    }

    #[test]
    fn a_long_list_says_how_much_it_leaves_out() {
        let numbers = |count: usize| (0..count).map(|number| number.to_string());
        assert_eq!(list(numbers(3)), "0, 1, 2");
        assert!(list(numbers(ENTRIES_MAX)).ends_with("18, 19"));
        assert!(list(numbers(1_000)).ends_with("18, 19, and 980 more"));
    }
}
