//! Names in policy documents: parties, versions, and `name@version`.
//!
//! Each is a type of its own, so a document that has been read contains only valid names. Packets
//! may name parties freely; the exchange resolves those names.

use std::fmt;
use std::str::FromStr;

/// The name of a party in a contract: `correlator`, or a role such as `role:investigator`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartyName {
    text: String,
}

/// The version of a contract, `major.minor`. Minor versions only add.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// Increases when older packets are no longer accepted unchanged.
    pub major: u32,
    /// Increases when something is added.
    pub minor: u32,
}

/// One version of one contract, `name@major.minor`, as written in a packet's `contract`.
///
/// ```
/// use tasuki_packet::policy::contract::Identity;
///
/// let identity: Identity = "review@1.2".parse()?;
/// assert_eq!((identity.name.as_str(), identity.version.minor), ("review", 2));
/// assert!("review".parse::<Identity>().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity {
    /// The name of the contract.
    pub name: String,
    /// Its version.
    pub version: Version,
}

/// The error for a text that is not a valid name. It displays the required format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{form}")]
pub struct ParseNameError {
    form: &'static str,
}

/// Names that no party can have.
const RESERVED: [&str; 3] = ["dead_letter", "clock", "system"];

const PARTY_FORM: &str = "1 to 63 characters from `a-z`, `0-9`, `.`, `_`, `-`, with the prefix `role:` for a role; \
     `dead_letter`, `clock` and `system` are reserved";
const VERSION_FORM: &str = "two integers of up to four digits, as in `1.2`";
const IDENTITY_FORM: &str = "`name@major.minor`, as in `review@1.2`";

impl PartyName {
    /// Returns the name as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns `true` if the name is a role.
    pub fn is_role(&self) -> bool {
        self.text.starts_with("role:")
    }

    /// Returns `true` if this name refers to `party`, by name or by role membership.
    ///
    /// `is_member` is called with a party and a role, including the `role:` prefix.
    pub fn is_met_by(&self, party: &str, is_member: &dyn Fn(&str, &str) -> bool) -> bool {
        let is_plain = !party.starts_with("role:");
        party == self.text || (self.is_role() && is_plain && is_member(party, &self.text))
    }
}

impl FromStr for PartyName {
    type Err = ParseNameError;

    fn from_str(text: &str) -> Result<Self, ParseNameError> {
        let plain = text.strip_prefix("role:").unwrap_or(text);
        if is_name(plain) && !RESERVED.contains(&plain) {
            return Ok(Self { text: text.to_owned() });
        }
        Err(ParseNameError { form: PARTY_FORM })
    }
}

impl fmt::Display for PartyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl FromStr for Version {
    type Err = ParseNameError;

    fn from_str(text: &str) -> Result<Self, ParseNameError> {
        text.split_once('.')
            .and_then(|(major, minor)| Some((integer(major)?, integer(minor)?)))
            .map(|(major, minor)| Self { major, minor })
            .ok_or(ParseNameError { form: VERSION_FORM })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl FromStr for Identity {
    type Err = ParseNameError;

    fn from_str(text: &str) -> Result<Self, ParseNameError> {
        text.split_once('@')
            .filter(|(name, _)| is_name(name))
            .and_then(|(name, version)| Some((name, version.parse().ok()?)))
            .map(|(name, version)| Self { name: name.to_owned(), version })
            .ok_or(ParseNameError { form: IDENTITY_FORM })
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.name, self.version)
    }
}

/// Returns `true` if the text is a valid name of a contract, gate, profile or party.
pub(crate) fn is_name(text: &str) -> bool {
    let starts_well =
        text.starts_with(|first: char| first.is_ascii_lowercase() || first.is_ascii_digit());
    starts_well && text.len() <= 63 && text.bytes().all(is_name_byte)
}

fn is_name_byte(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-')
}

/// Parses an integer in its canonical form, so that `1.02` and `1.2` are not two names of one
/// version.
fn integer(text: &str) -> Option<u32> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let is_canonical = text == "0" || !text.starts_with('0');
    // LIMIT: four digits, as in the packet's `contract`.
    let is_short = text.len() <= 4;
    (is_plain && is_canonical && is_short).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parties_and_roles_have_one_form() {
        for text in ["a", "hermes-worker-3", "role:reviewer", "0.x_y", &"a".repeat(63)] {
            assert_eq!(text.parse::<PartyName>().unwrap().as_str(), text);
        }
        for text in ["", "Ana", "-a", "role:", "role:role:a", "dead_letter", "role:system", "a b"] {
            assert!(text.parse::<PartyName>().is_err(), "{text}");
        }
        assert!("a".repeat(64).parse::<PartyName>().is_err());
    }

    #[test]
    fn versions_have_one_form() {
        for text in ["1.0", "0.12", "9999.9999"] {
            assert_eq!(text.parse::<Version>().unwrap().to_string(), text);
        }
        for text in ["1", "1.", ".1", "1.02", "1.2.3", "+1.0", "v1.0", "10000.0"] {
            assert!(text.parse::<Version>().is_err(), "{text}");
        }
        assert!("1.10".parse::<Version>().unwrap() > "1.9".parse().unwrap());
    }

    #[test]
    fn an_identity_is_a_name_and_a_version() {
        assert_eq!("review@1.2".parse::<Identity>().unwrap().to_string(), "review@1.2");
        for text in ["review", "review@1", "@1.0", "Review@1.0", "review@1.0@2.0"] {
            assert!(text.parse::<Identity>().is_err(), "{text}");
        }
    }
}
