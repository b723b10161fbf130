//! Tokens: the text that a caller authenticates with.
//!
//! The format is `tasuki_<kind>_<project>_<token>_<secret><checksum>`:
//!
//! - `<project>` and `<token>` are the last 8 hex digits of the two ids.
//! - `<secret>` is 43 characters of base 62.
//! - `<checksum>` is the CRC-32 of everything before it, 6 characters of base 62.
//!
//! The checksum lets a secret scanner recognize a real token offline, and lets the exchange reject
//! a mistyped one without reading the store.
//!
//! The exchange generates secrets and decides whether a token is valid.

use std::fmt;
use std::str::FromStr;

use super::id::{ProjectId, TokenId};

/// The prefix of every token.
const PREFIX: &str = "tasuki_";

/// The number of id digits in a token.
const ENDING: usize = 8;

/// 256 bits in base 62.
const SECRET: usize = 43;

/// 32 bits in base 62.
const CHECKSUM: usize = 6;

const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A token.
///
/// ```
/// use tasuki_packet::credential::{Credential, CredentialKind};
/// use tasuki_packet::id::{ProjectId, TokenId};
///
/// let (project, token) = (ProjectId::from_bytes([1; 16]), TokenId::from_bytes([2; 16]));
/// let credential = Credential::new(CredentialKind::Agent, project, token, [7; 32]);
/// assert!(credential.text().starts_with("tasuki_agent_01010101_02020202_"));
/// assert!(credential.is_of(project));
/// assert_eq!(credential.text().parse(), Ok(credential));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Credential {
    /// The kind of its owner.
    pub kind: CredentialKind,
    /// The last 8 digits of its project's id.
    pub project_ending: String,
    /// The last 8 digits of its own id.
    pub token_ending: String,
    secret: String,
}

/// The kind of party that owns a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CredentialKind {
    /// An agent.
    Agent,
    /// A person, for programs that run in their name.
    Human,
}

/// The error of parsing a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ParseCredentialError {
    /// The text does not have the format of a token.
    #[error("malformed token: expected `tasuki_<kind>_<project>_<token>_<secret>`")]
    Form,
    /// The checksum does not match: the token was mistyped or truncated.
    #[error("wrong checksum in token: copy the whole token")]
    Checksum,
}

impl Credential {
    /// Creates the token with these ids and this secret.
    pub fn new(kind: CredentialKind, project: ProjectId, token: TokenId, secret: [u8; 32]) -> Self {
        Self {
            kind,
            project_ending: ending(project.as_bytes()),
            token_ending: ending(token.as_bytes()),
            secret: base62(&secret, SECRET),
        }
    }

    /// Returns the secret, 43 characters.
    pub fn secret(&self) -> &str {
        &self.secret
    }

    /// Returns the full text, which is shown once.
    ///
    /// There is no `Display`, so that no message prints it by accident.
    pub fn text(&self) -> String {
        let Self { kind, project_ending, token_ending, secret } = self;
        let kind = kind.as_str();
        let mut text = format!("{PREFIX}{kind}_{project_ending}_{token_ending}_{secret}");
        text.extend(checksum(&text).map(char::from));
        text
    }

    /// Returns `true` if the token names this project.
    pub fn is_of(&self, project: ProjectId) -> bool {
        u32::from_str_radix(&self.project_ending, 16) == Ok(last_digits(project.as_bytes()))
    }

    /// Returns the length of the token at the start of a text, if there is one.
    pub fn length_in(text: &str) -> Option<usize> {
        let kind = text.strip_prefix(PREFIX)?.split('_').next()?;
        let length = PREFIX.len() + kind.len() + 1 + 2 * (ENDING + 1) + SECRET + CHECKSUM;
        let token = text.get(..length)?;
        token.parse::<Self>().is_ok().then_some(length)
    }
}

impl CredentialKind {
    /// Every kind.
    pub const ALL: [Self; 2] = [Self::Agent, Self::Human];

    /// Returns the string in a token.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Human => "human",
        }
    }
}

/// Returns the last 8 digits of an id, the index key of a token.
pub fn ending(id: &[u8; 16]) -> String {
    format!("{:08x}", last_digits(id))
}

fn last_digits(id: &[u8; 16]) -> u32 {
    u32::from_be_bytes([id[12], id[13], id[14], id[15]])
}

impl FromStr for Credential {
    type Err = ParseCredentialError;

    fn from_str(text: &str) -> Result<Self, ParseCredentialError> {
        let (kind, project, token, secret) = parts(text).ok_or(ParseCredentialError::Form)?;
        let kind = CredentialKind::ALL.into_iter().find(|known| known.as_str() == kind);
        let kind = kind.ok_or(ParseCredentialError::Form)?;
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let is_ending = |part: &str| part.len() == ENDING && part.bytes().all(is_digit);
        let is_secret = secret.len() == SECRET + CHECKSUM
            && secret.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !(is_ending(project) && is_ending(token) && is_secret) {
            return Err(ParseCredentialError::Form);
        }
        let (before, found) = text.split_at(text.len() - CHECKSUM);
        if checksum(before) != found.as_bytes() {
            return Err(ParseCredentialError::Checksum);
        }
        Ok(Self {
            kind,
            project_ending: project.to_owned(),
            token_ending: token.to_owned(),
            secret: secret[..SECRET].to_owned(),
        })
    }
}

/// Splits a token into kind, project, token and secret. None of them contains an underscore.
fn parts(text: &str) -> Option<(&str, &str, &str, &str)> {
    let (kind, rest) = text.strip_prefix(PREFIX)?.split_once('_')?;
    let (project, rest) = rest.split_once('_')?;
    let (token, secret) = rest.split_once('_')?;
    Some((kind, project, token, secret))
}

/// Prints no secret.
impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credential").field("token", &self.token_ending).finish_non_exhaustive()
    }
}

fn checksum(text: &str) -> [u8; CHECKSUM] {
    let (mut rest, mut digits) = (crc32(text.as_bytes()) as usize, [b'0'; CHECKSUM]);
    for digit in digits.iter_mut().rev() {
        *digit = DIGITS[rest % DIGITS.len()];
        rest /= DIGITS.len();
    }
    digits
}

/// Computes CRC-32 as in zip and PNG. A table lookup per byte, because every request checks a
/// token.
fn crc32(bytes: &[u8]) -> u32 {
    let add =
        |crc: u32, byte: &u8| crc >> 8 ^ CRC_OF_BYTE[usize::from(crc.to_le_bytes()[0] ^ byte)];
    !bytes.iter().fold(u32::MAX, add)
}

/// The CRC-32 of each byte.
static CRC_OF_BYTE: [u32; 256] = {
    let (mut table, mut byte) = ([0; 256], 0_u32);
    while byte < 256 {
        let (mut crc, mut bit) = (byte, 0);
        while bit < 8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
            bit += 1;
        }
        table[byte as usize] = crc;
        byte += 1;
    }
    table
};

/// Writes a big-endian number in base 62, with leading zeros.
fn base62(number: &[u8], digits: usize) -> String {
    let mut number = number.to_vec();
    let mut text = vec![b'0'; digits];
    for digit in text.iter_mut().rev() {
        *digit = DIGITS[divide_by_62(&mut number)];
    }
    text.into_iter().map(char::from).collect()
}

/// Divides in place and returns the remainder.
fn divide_by_62(number: &mut [u8]) -> usize {
    let mut rest = 0;
    for byte in number {
        let value = rest << 8 | usize::from(*byte);
        *byte = u8::try_from(value / 62).expect("the previous remainder is below 62");
        rest = value % 62;
    }
    rest
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn token(secret: [u8; 32]) -> Credential {
        let project = ProjectId::new(1_763_200_000_000, [1; 10]);
        let id = TokenId::new(1_763_200_000_000, [0xa5; 10]);
        Credential::new(CredentialKind::Agent, project, id, secret)
    }

    #[test]
    fn golden_texts_are_read_and_written() {
        let golden: Value =
            serde_json::from_str(include_str!("../../../../vectors/tokens.json")).unwrap();
        for vector in golden["valid"].as_array().unwrap() {
            let text = vector["text"].as_str().unwrap();
            let read: Credential = text.parse().unwrap();
            assert_eq!(read.text(), text);
            for (name, found) in [
                ("kind", read.kind.as_str()),
                ("project", &read.project_ending),
                ("token", &read.token_ending),
                ("secret", read.secret()),
            ] {
                assert_eq!(vector[name], *found, "{text}");
            }
        }
        for vector in golden["invalid"].as_array().unwrap() {
            let text = vector["text"].as_str().unwrap();
            let why = match text.parse::<Credential>().unwrap_err() {
                ParseCredentialError::Form => "form",
                ParseCredentialError::Checksum => "checksum",
            };
            assert_eq!(vector["why"], why, "{text}");
        }
    }

    #[test]
    fn the_checksum_is_standard_crc_32() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(checksum(""), *b"000000");
        assert_eq!(base62(&u32::MAX.to_be_bytes(), CHECKSUM), "4gfFC3");
        assert_eq!(base62(&[0xff; 32], SECRET).len(), SECRET);
    }

    #[test]
    fn every_single_wrong_character_is_detected() {
        let text = token([7; 32]).text();
        for at in 0..text.len() {
            let other = if &text[at..=at] == "x" { "y" } else { "x" };
            let wrong = format!("{}{other}{}", &text[..at], &text[at + 1..]);
            assert!(wrong.parse::<Credential>().is_err(), "{wrong}");
            assert!(text[..at].parse::<Credential>().is_err());
        }
        assert!(format!("{text}0").parse::<Credential>().is_err());
        assert_eq!(Credential::length_in(&format!("{text}0")), Some(text.len()));
        assert_eq!(Credential::length_in(&text[..text.len() - 1]), None);
    }

    #[test]
    fn a_token_names_its_project_and_debug_hides_its_secret() {
        let token = token([7; 32]);
        assert!(token.is_of(ProjectId::new(2, [1; 10])));
        assert!(!token.is_of(ProjectId::new(2, [2; 10])));
        assert!(!format!("{token:?}").contains(token.secret()));
    }
}
