//! The allow list of the scanner: literal texts and `*` globs.

/// A list of literal texts and `*` globs that suppress findings.
///
/// A pattern is compared with the whole secret. A pattern that starts with `/` is also compared
/// with the pointer of its text. `*` matches any sequence of characters, including none. No other
/// character is special.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::check::secrets::{Allow, scan, scan_with};
///
/// let packet = json!({"context": {"password": "fixture-hunter2"}});
/// assert_eq!(scan(&packet).len(), 1);
/// assert!(scan_with(&packet, &Allow::new(["fixture-*"])).is_empty());
/// assert!(scan_with(&packet, &Allow::new(["/context/*"])).is_empty());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allow {
    patterns: Vec<String>,
}

impl Allow {
    /// Creates a list that suppresses secrets matching these patterns. Blank patterns are ignored.
    pub fn new<P: Into<String>>(patterns: impl IntoIterator<Item = P>) -> Self {
        let patterns = patterns.into_iter().map(Into::into);
        Self { patterns: patterns.filter(|pattern: &String| !pattern.trim().is_empty()).collect() }
    }

    /// Creates an empty list, which suppresses nothing.
    pub const fn nothing() -> Self {
        Self { patterns: Vec::new() }
    }

    /// Returns `true` if a secret at `pointer` is allowed.
    pub(super) fn permits(&self, pointer: &str, secret: &str) -> bool {
        self.patterns.iter().any(|pattern| {
            matches_glob(pattern, secret)
                || pattern.starts_with('/') && matches_glob(pattern, pointer)
        })
    }
}

fn matches_glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_matches_any_characters() {
        for (pattern, text, matches) in [
            ("hunter2", "hunter2", true),
            ("hunter2", "hunter22", false),
            ("hunter*", "hunter", true),
            ("*ter*", "hunter2", true),
            ("h*t*2", "hunter2", true),
            ("h*t*3", "hunter2", false),
            ("ab*ba", "aba", false),
            ("*", "anything", true),
            ("a.c", "abc", false),
        ] {
            assert_eq!(matches_glob(pattern, text), matches, "{pattern} on {text}");
        }
    }

    #[test]
    fn a_blank_pattern_suppresses_nothing() {
        assert_eq!(Allow::new(["", " "]), Allow::nothing());
    }
}
