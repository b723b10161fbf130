//! Validated values of settings.
//!
//! Each type can only hold a value that was checked. What is wrong with a text is said without its
//! origin, which whoever read it adds.

use std::fmt;

use crate::exit::Failure;
use crate::output::escape::excerpt;

/// The reason why a value is invalid.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct InvalidValue {
    message: String,
    hint: String,
}

impl InvalidValue {
    pub(crate) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into() }
    }

    /// The failure for the person who set it there.
    pub(crate) fn at(self, origin: &impl fmt::Display) -> Failure {
        Failure::usage(format!("{origin}: {}", self.message)).hint(self.hint)
    }
}

/// A sender or receiver: `ana`, `role:reviewer`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Party(String);

impl Party {
    /// LIMIT: a party is a word in every table and address, behind `role:` too.
    const CHARS_MAX: usize = 63;
    /// What the exchange itself is called.
    const RESERVED: &[&str] = &["clock", "dead_letter", "system"];

    pub(crate) fn parse(text: &str) -> Result<Self, InvalidValue> {
        if Self::is_party(text) {
            return Ok(Self(text.to_owned()));
        }
        let name = text.strip_prefix("role:").unwrap_or(text);
        if Self::RESERVED.contains(&name) {
            let hint = format!("these belong to the exchange: {}", Self::RESERVED.join(", "));
            return Err(InvalidValue::new(format!("the name `{name}` is reserved"), hint));
        }
        let slip = text.trim().to_lowercase().replace(' ', "-");
        let hint = if Self::is_party(&slip) {
            format!("did you mean `{slip}`?")
        } else {
            "use lower-case letters, digits, `.`, `_` and `-`, first a letter or digit, at most 63; \
             a role has `role:` before that"
                .to_owned()
        };
        Err(InvalidValue::new(format!("`{}` is not a name of a party", excerpt(text)), hint))
    }

    fn is_party(text: &str) -> bool {
        let name = text.strip_prefix("role:").unwrap_or(text);
        Self::is_name(name) && !Self::RESERVED.contains(&name)
    }

    fn is_name(name: &str) -> bool {
        let is_start = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let is_part = |byte: u8| is_start(byte) || matches!(byte, b'.' | b'_' | b'-');
        name.len() <= Self::CHARS_MAX
            && name.bytes().next().is_some_and(is_start)
            && name.bytes().all(is_part)
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// A project: `default`, `web-shop`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProjectName(String);

impl ProjectName {
    /// LIMIT: a project is part of addresses and of the log's origin.
    const CHARS_MAX: usize = 39;

    pub(super) fn parse(text: &str) -> Result<Self, InvalidValue> {
        if Self::is_name(text) {
            return Ok(Self(text.to_owned()));
        }
        let slip = text.trim().to_lowercase().replace([' ', '_', '.'], "-");
        let hint = if Self::is_name(&slip) {
            format!("did you mean `{slip}`?")
        } else {
            "use lower-case letters, digits and `-`, first a letter, at most 39".to_owned()
        };
        Err(InvalidValue::new(format!("`{}` is not a name of a project", excerpt(text)), hint))
    }

    fn is_name(text: &str) -> bool {
        let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        text.len() <= Self::CHARS_MAX
            && text.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase())
            && text.bytes().all(is_part)
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for ProjectName {
    fn default() -> Self {
        Self("default".to_owned())
    }
}

/// The address of a server, without a slash at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address(String);

impl Address {
    pub(super) fn parse(text: &str) -> Result<Self, InvalidValue> {
        const EXAMPLE: &str = "for example `http://127.0.0.1:7420`";
        let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
        let authority = rest.unwrap_or_default().split('/').next().unwrap_or_default();
        // Addresses are printed and logged, so the text itself is not shown here.
        if authority.contains('@') {
            let hint = "put the token into `TASUKI_TOKEN`, which is never printed";
            return Err(InvalidValue::new("an address must not hold a name or a password", hint));
        }
        let is_odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '?' | '#' | '\\');
        if authority.is_empty() || authority.starts_with(':') || text.contains(is_odd) {
            let message = format!("`{}` is not the address of a server", excerpt(text));
            return Err(InvalidValue::new(message, EXAMPLE));
        }
        let base = text.trim_end_matches('/');
        // `tasuki serve` prints the address of the API; what is asked for begins behind it.
        let base = base.strip_suffix("/v1").unwrap_or(base);
        Ok(Self(base.trim_end_matches('/').to_owned()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// How times are printed for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum TimeFormat {
    /// `in 4 min`, `2 h ago`.
    #[default]
    Human,
    /// `2026-11-15T14:06:21.000000Z`.
    Iso8601,
}

impl TimeFormat {
    pub(super) fn parse(text: &str) -> Result<Self, InvalidValue> {
        let all = [Self::Human, Self::Iso8601];
        all.into_iter().find(|format| format.as_str() == text).ok_or_else(|| {
            let message = format!("`{}` is not a format of times", excerpt(text));
            InvalidValue::new(message, "use `human` or `iso8601`")
        })
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Iso8601 => "iso8601",
        }
    }
}

/// A credential. It is never printed, not even in part.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Token(String);

impl Token {
    pub(super) fn parse(text: &str) -> Result<Self, InvalidValue> {
        if text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Ok(Self(text.to_owned()));
        }
        Err(InvalidValue::new(
            "a token has no blanks, line breaks or accents",
            "copy it again, alone",
        ))
    }

    /// The secret itself, for the one who must send it.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(hidden)")
    }
}

/// What to log, for the log's own reader.
pub(super) fn parse_log(text: &str) -> Result<String, InvalidValue> {
    if text.chars().any(char::is_control) {
        let message = format!("`{}` has control characters", excerpt(text));
        return Err(InvalidValue::new(message, "for example `info`"));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first line of what is said, or `ok`.
    fn message_of<T>(parsed: Result<T, InvalidValue>) -> String {
        parsed
            .map_or_else(|wrong| format!("{} ({})", wrong.message, wrong.hint), |_| "ok".to_owned())
    }

    #[test]
    fn parties_have_short_plain_names() {
        for name in ["a", "9", "hermes-worker-3", "a.b_c-d", "role:reviewer", &"a".repeat(63)] {
            assert_eq!(message_of(Party::parse(name)), "ok", "{name}");
        }
        assert_eq!(message_of(Party::parse(&format!("role:{}", "a".repeat(63)))), "ok");
        let check =
            |name: &str, expected: &str| assert_eq!(message_of(Party::parse(name)), expected);
        check(
            "Web Scraper",
            "`Web Scraper` is not a name of a party (did you mean `web-scraper`?)",
        );
        check("role:Ops", "`role:Ops` is not a name of a party (did you mean `role:ops`?)");
        check(
            "clock",
            "the name `clock` is reserved (these belong to the exchange: clock, dead_letter, system)",
        );
        for name in
            ["", "-a", ".a", "role:", "role:role:a", "a/b", "é", "a:b", &"a".repeat(64), "Clock"]
        {
            assert!(message_of(Party::parse(name)).contains("(use lower-case letters, "), "{name}");
        }
        assert_eq!(
            Party::parse("a\u{1b}[2J").unwrap_err().message,
            "`a\\u{1b}[2J` is not a name of a party"
        );
    }

    #[test]
    fn projects_have_names_that_fit_an_address() {
        for name in ["a", "default", "web-2", &"a".repeat(39)] {
            assert_eq!(message_of(ProjectName::parse(name)), "ok", "{name}");
        }
        let check =
            |name: &str, expected: &str| assert_eq!(message_of(ProjectName::parse(name)), expected);
        check("Web_Shop", "`Web_Shop` is not a name of a project (did you mean `web-shop`?)");
        for name in ["", "2a", "-a", "a/b", &"a".repeat(40)] {
            assert!(
                message_of(ProjectName::parse(name)).contains("first a letter, at most 39"),
                "{name}"
            );
        }
    }

    #[test]
    fn an_address_is_http_and_holds_no_secret() {
        for address in ["http://127.0.0.1:7420", "https://x.example/base/", "http://[::1]:1"] {
            assert_eq!(message_of(Address::parse(address)), "ok", "{address}");
        }
        assert_eq!(Address::parse("http://a/").unwrap().as_str(), "http://a");
        assert_eq!(Address::parse("http://a/v1/").unwrap().as_str(), "http://a");
        assert_eq!(Address::parse("http://a/x/v1").unwrap().as_str(), "http://a/x");
        for address in
            ["", "a", "http://", "https:///x", "ftp://a", "http://a b", "http://a?x", "http://:1"]
        {
            assert!(
                message_of(Address::parse(address)).contains("is not the address"),
                "{address}"
            );
        }
        let message = message_of(Address::parse("https://ana:hunter2@x.example"));
        assert!(message.contains("must not hold") && !message.contains("hunter2"), "{message}");
    }

    #[test]
    fn a_token_is_never_shown() {
        let token = Token::parse("tsk-hunter2").unwrap();
        assert_eq!(format!("{token:?}"), "Token(hidden)");
        assert_eq!(token.reveal(), "tsk-hunter2");
        let message = message_of(Token::parse("hunter2\n"));
        assert!(!message.contains("hunter2"), "{message}");
    }
}
