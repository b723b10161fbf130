//! The name of a session, which is also the name of its file.

use super::values::InvalidValue;
use crate::output::escape::excerpt;

/// The name of a session, which is also its file name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SessionName(String);

impl SessionName {
    /// LIMIT: with its extension, the name must fit the 255 bytes of most file systems.
    const BYTES_MAX: usize = 128;

    /// Parses the name of a session.
    pub(crate) fn parse(text: &str) -> Result<Self, InvalidValue> {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        let is_name = text.len() <= Self::BYTES_MAX
            && text.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric())
            && text.bytes().all(is_part);
        if is_name {
            return Ok(Self(text.to_owned()));
        }
        let message = format!("`{}` is not a valid session name", excerpt(text));
        let hint =
            "use at most 128 letters, digits, `.`, `_` and `-`, starting with a letter or digit";
        Err(InvalidValue::new(message, hint))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_leave_the_folder() {
        for text in ["a", "0f3c-1", "A.b_c", &"a".repeat(128)] {
            assert_eq!(SessionName::parse(text).unwrap().as_str(), text);
        }
        for text in
            ["", ".", "..", ".lock", "-a", "a/b", "a\\b", "a b", "é", "a\0", &"a".repeat(129)]
        {
            assert!(SessionName::parse(text).is_err(), "{text}");
        }
    }
}
