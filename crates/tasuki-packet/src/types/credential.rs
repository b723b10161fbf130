//! The text of a token: what it is for, which project and which token it is, and its secret.
//!
//! `tasuki_<kind>_<project>_<token>_<secret><checksum>`: the last 8 digits of the two ids, 43
//! characters of secret and 6 of CRC-32 over all that stands before, both in base 62. A scanner
//! tells a real one without asking anybody, and a mistyped one is refused without reading a store.
//!
//! Not here: where a secret comes from, and whether a token is good. Both are the exchange's.

use std::fmt;
use std::str::FromStr;

use super::id::{ProjectId, TokenId};

/// What every token begins with.
const PREFIX: &str = "tasuki_";

/// How many digits of an id a token shows.
const ENDING: usize = 8;

/// 256 bits in base 62.
const SECRET: usize = 43;

/// 32 bits in base 62.
const CHECKSUM: usize = 6;

const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A token as its owner shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct Credential {
    /// What it is for.
    pub kind: CredentialKind,
    /// The last 8 digits of its project's id.
    pub project_ending: String,
    /// The last 8 digits of its own id.
    pub token_ending: String,
    secret: String,
}

/// What a token is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CredentialKind {
    /// A program.
    Agent,
    /// What a person runs in their own name.
    Human,
}

/// Why a text is no token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ParseCredentialError {
    /// It is not written like one.
    #[error("a token is written `tasuki_<kind>_<project>_<token>_<secret>`")]
    Form,
    /// It was mistyped, or cut and glued.
    #[error("the checksum of the token is wrong: it was not copied whole")]
    Checksum,
}

impl Credential {
    /// The token with these ids and this secret.
    pub fn new(kind: CredentialKind, project: ProjectId, token: TokenId, secret: [u8; 32]) -> Self {
        Self {
            kind,
            project_ending: ending(project.as_bytes()),
            token_ending: ending(token.as_bytes()),
            secret: base62(&secret, SECRET),
        }
    }

    /// The secret alone, 43 characters.
    pub fn secret(&self) -> &str {
        &self.secret
    }

    /// The whole text, which is to be shown once. There is no `Display`, so that no message prints it.
    pub fn text(&self) -> String {
        let Self { kind, project_ending, token_ending, secret } = self;
        let kind = kind.as_str();
        let mut text = format!("{PREFIX}{kind}_{project_ending}_{token_ending}_{secret}");
        text.extend(checksum(&text).map(char::from));
        text
    }

    /// Whether it says that it is a token of this project.
    pub fn is_of(&self, project: ProjectId) -> bool {
        u32::from_str_radix(&self.project_ending, 16) == Ok(last_digits(project.as_bytes()))
    }

    /// How long the token is that a text begins with, if it begins with one.
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

    /// The word as it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Human => "human",
        }
    }
}

/// The last 8 digits of an id, by which a token is found.
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

/// Kind, project, token and secret as they stand in a text; none of them has an underscore in it.
fn parts(text: &str) -> Option<(&str, &str, &str, &str)> {
    let (kind, rest) = text.strip_prefix(PREFIX)?.split_once('_')?;
    let (project, rest) = rest.split_once('_')?;
    let (token, secret) = rest.split_once('_')?;
    Some((kind, project, token, secret))
}

/// A token is a secret: it is not printed.
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

/// CRC-32 as zip and PNG have it. Every request shows a token, so it goes by bytes and not by bits.
fn crc32(bytes: &[u8]) -> u32 {
    let add = |crc: u32, byte: &u8| crc >> 8 ^ OF_BYTE[usize::from(crc.to_le_bytes()[0] ^ byte)];
    !bytes.iter().fold(u32::MAX, add)
}

/// What each byte adds to a CRC-32.
static OF_BYTE: [u32; 256] = {
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

/// A number, most significant byte first, in base 62 with leading zeros.
fn base62(number: &[u8], digits: usize) -> String {
    let mut number = number.to_vec();
    let mut text = vec![b'0'; digits];
    for digit in text.iter_mut().rev() {
        *digit = DIGITS[divide_by_62(&mut number)];
    }
    text.into_iter().map(char::from).collect()
}

/// Divides in place and gives the rest.
fn divide_by_62(number: &mut [u8]) -> usize {
    let mut rest = 0;
    for byte in number {
        let value = rest << 8 | usize::from(*byte);
        *byte = u8::try_from(value / 62).expect("the rest before is below 62");
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
    fn the_checksum_is_the_common_one() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(checksum(""), *b"000000");
        assert_eq!(base62(&u32::MAX.to_be_bytes(), CHECKSUM), "4gfFC3");
        assert_eq!(base62(&[0xff; 32], SECRET).len(), SECRET);
    }

    #[test]
    fn no_single_wrong_character_goes_unnoticed() {
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
    fn it_names_its_project_and_is_not_printed() {
        let token = token([7; 32]);
        assert!(token.is_of(ProjectId::new(2, [1; 10])));
        assert!(!token.is_of(ProjectId::new(2, [2; 10])));
        assert!(!format!("{token:?}").contains(token.secret()));
    }
}
