//! Validated values of settings.
//!
//! Each type holds only valid values. A parse error does not name the origin of the text; the
//! caller adds it.

use std::fmt;

use tasuki_store::{Location, StoreUrl};

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

    /// Returns the failure with the origin of the value.
    pub(crate) fn at(self, origin: &impl fmt::Display) -> Failure {
        Failure::usage(format!("{origin}: {}", self.message)).hint(self.hint)
    }
}

/// A sender or receiver: `ana`, `role:reviewer`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Party(String);

impl Party {
    /// LIMIT: a party name is used in every table and address, also after `role:`.
    const CHARS_MAX: usize = 63;
    /// The names of the exchange itself.
    const RESERVED: &[&str] = &["clock", "dead_letter", "system"];

    pub(crate) fn parse(text: &str) -> Result<Self, InvalidValue> {
        if Self::is_party(text) {
            return Ok(Self(text.to_owned()));
        }
        let name = text.strip_prefix("role:").unwrap_or(text);
        if Self::RESERVED.contains(&name) {
            let hint =
                format!("these names are used by the exchange: {}", Self::RESERVED.join(", "));
            return Err(InvalidValue::new(format!("the name `{name}` is reserved"), hint));
        }
        let slip = text.trim().to_lowercase().replace(' ', "-");
        let hint = if Self::is_party(&slip) {
            format!("did you mean `{slip}`?")
        } else {
            "use at most 63 lower-case letters, digits, `.`, `_` and `-`, starting with a letter or \
             digit; a role has the prefix `role:`"
                .to_owned()
        };
        Err(InvalidValue::new(format!("`{}` is not a valid party name", excerpt(text)), hint))
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
    /// LIMIT: a project name is part of addresses and of the log's origin.
    const CHARS_MAX: usize = 39;

    pub(super) fn parse(text: &str) -> Result<Self, InvalidValue> {
        if Self::is_name(text) {
            return Ok(Self(text.to_owned()));
        }
        let slip = text.trim().to_lowercase().replace([' ', '_', '.'], "-");
        let hint = if Self::is_name(&slip) {
            format!("did you mean `{slip}`?")
        } else {
            "use at most 39 lower-case letters, digits and `-`, starting with a letter".to_owned()
        };
        Err(InvalidValue::new(format!("`{}` is not a valid project name", excerpt(text)), hint))
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

/// The address of a server, without a trailing slash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address(String);

impl Address {
    pub(crate) fn parse(text: &str) -> Result<Self, InvalidValue> {
        const EXAMPLE: &str = "use the form `http://127.0.0.1:7420`";
        let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
        let authority = rest.unwrap_or_default().split('/').next().unwrap_or_default();
        // Addresses are printed and logged, so the text itself is not shown here.
        if authority.contains('@') {
            let hint = "put the token in `TASUKI_TOKEN`, which is never printed";
            return Err(InvalidValue::new(
                "an address must not contain a user name or password",
                hint,
            ));
        }
        let is_odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '?' | '#' | '\\');
        if authority.is_empty() || authority.starts_with(':') || text.contains(is_odd) {
            let message = format!("`{}` is not a valid server address", excerpt(text));
            return Err(InvalidValue::new(message, EXAMPLE));
        }
        let base = text.trim_end_matches('/');
        // `tasuki serve` prints the address of the API, but request paths include `/v1`.
        let base = base.strip_suffix("/v1").unwrap_or(base);
        Ok(Self(base.trim_end_matches('/').to_owned()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// The database of an exchange.
#[derive(Debug, Clone)]
pub(crate) struct Database {
    url: StoreUrl,
    /// The address without user and password.
    shown: String,
}

impl Database {
    pub(crate) fn parse(text: &str) -> Result<Self, InvalidValue> {
        const EXAMPLE: &str = "use the form `postgres://user:password@host:port/database`";
        if !StoreUrl::is_url(text) {
            return Err(InvalidValue::new("this is not the address of a database", EXAMPLE));
        }
        let url =
            StoreUrl::parse(text).map_err(|fault| InvalidValue::new(fault.message, EXAMPLE))?;
        Ok(Self { shown: url.display(), url })
    }

    pub(crate) fn location(&self) -> Location {
        Location::Postgres(Box::new(self.url.clone()))
    }

    /// Returns the address for display.
    pub(crate) fn as_str(&self) -> &str {
        &self.shown
    }
}

/// The format of printed times.
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
            let message = format!("`{}` is not a valid time format", excerpt(text));
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
            "a token must not contain blanks, line breaks or accents",
            "copy the token again, without surrounding text",
        ))
    }

    /// Returns the secret itself, to be sent.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(hidden)")
    }
}

/// Parses the filter of the log.
pub(super) fn parse_log(text: &str) -> Result<String, InvalidValue> {
    if text.chars().any(char::is_control) {
        let message = format!("`{}` contains control characters", excerpt(text));
        return Err(InvalidValue::new(message, "use a filter such as `info`"));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the message with its hint, or `ok`.
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
            "`Web Scraper` is not a valid party name (did you mean `web-scraper`?)",
        );
        check("role:Ops", "`role:Ops` is not a valid party name (did you mean `role:ops`?)");
        check(
            "clock",
            "the name `clock` is reserved (these names are used by the exchange: clock, dead_letter, system)",
        );
        for name in
            ["", "-a", ".a", "role:", "role:role:a", "a/b", "é", "a:b", &"a".repeat(64), "Clock"]
        {
            assert!(
                message_of(Party::parse(name)).contains("(use at most 63 lower-case letters, "),
                "{name}"
            );
        }
        assert_eq!(
            Party::parse("a\u{1b}[2J").unwrap_err().message,
            "`a<U+001B>[2J` is not a valid party name"
        );
    }

    #[test]
    fn projects_have_names_that_fit_an_address() {
        for name in ["a", "default", "web-2", &"a".repeat(39)] {
            assert_eq!(message_of(ProjectName::parse(name)), "ok", "{name}");
        }
        let check =
            |name: &str, expected: &str| assert_eq!(message_of(ProjectName::parse(name)), expected);
        check("Web_Shop", "`Web_Shop` is not a valid project name (did you mean `web-shop`?)");
        for name in ["", "2a", "-a", "a/b", &"a".repeat(40)] {
            assert!(
                message_of(ProjectName::parse(name)).contains("at most 39 lower-case letters"),
                "{name}"
            );
        }
    }

    #[test]
    fn an_address_is_http_and_contains_no_secret() {
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
                message_of(Address::parse(address)).contains("is not a valid server address"),
                "{address}"
            );
        }
        let message = message_of(Address::parse("https://ana:hunter2@x.example"));
        assert!(message.contains("must not contain") && !message.contains("hunter2"), "{message}");
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
