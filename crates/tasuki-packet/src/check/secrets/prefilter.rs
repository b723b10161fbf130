//! Excludes texts in which no recognizer can find a secret, such as most prose.
//!
//! Every text passes this filter, so it processes many bytes at once. It may report features that
//! are not there, but must never miss one. A recognizer is skipped if the features it needs are
//! absent.

use super::entropy::is_run_byte;

/// LIMIT: the shortest token after `Bearer` is the shortest relevant solid run. Runs of
/// [`entropy`](super::entropy) and all other tokens are longer.
pub(super) const SOLID_MIN: usize = 16;

/// The number of bytes per step, each examined with its successor.
const STRIDE: usize = 16;

const COLON: u8 = 1;
const EQUALS: u8 = 2;
const DASHES: u8 = 4;
const BASIC: u8 = 8;
const BEARER: u8 = 16;
const WEB_TOKEN: u8 = 32;
const DOUBLE_S: u8 = 64;
const OPTION: u8 = 128;

/// Features that matter only beside a solid run.
const OF_RUNS: u8 = BEARER | WEB_TOKEN;

#[derive(Debug, Clone, Copy)]
pub(super) struct TextFeatures {
    signs: u8,
    has_solid_run: bool,
}

impl TextFeatures {
    pub(super) fn of(text: &str) -> Self {
        Self {
            signs: signs_of(text.as_bytes()),
            has_solid_run: has_run(text, SOLID_MIN, is_solid_byte),
        }
    }

    /// Returns `true` if the text has no features, like most prose.
    pub(super) fn has_none(self) -> bool {
        self.signs & !OF_RUNS == 0 && !self.has_solid_run
    }

    pub(super) fn has_colon(self) -> bool {
        self.signs & COLON != 0
    }

    /// Returns `true` if there is an assignment operator: `:`, `=` or `--`.
    pub(super) fn can_assign(self) -> bool {
        self.signs & (COLON | EQUALS | DASHES) != 0
    }

    /// Returns `true` if the text may have the word `password`, or a short option of a command.
    pub(super) fn can_be_phrase(self) -> bool {
        self.signs & (DOUBLE_S | OPTION) != 0
    }

    pub(super) fn has_word_like_basic(self) -> bool {
        self.signs & BASIC != 0
    }

    pub(super) fn has_word_like_bearer(self) -> bool {
        self.signs & BEARER != 0
    }

    /// Returns `true` if a web token, which starts with `eyJ`, may occur.
    pub(super) fn can_have_web_token(self) -> bool {
        self.signs & WEB_TOKEN != 0
    }

    /// Returns `true` if there are [`SOLID_MIN`] consecutive bytes that can form a token.
    pub(super) fn has_solid_run(self) -> bool {
        self.has_solid_run
    }
}

/// Returns `true` if `length` consecutive bytes satisfy `is_part`.
pub(super) fn has_run(text: &str, length: usize, is_part: impl Fn(u8) -> bool) -> bool {
    let mut start = 0;
    while let Some(stretch) = text.as_bytes().get(start..start + length) {
        // Search backwards: the next run can only start after the last byte that breaks this one,
        // so most bytes are never examined.
        match stretch.iter().rposition(|byte| !is_part(*byte)) {
            Some(broken_at) => start += broken_at + 1,
            None => return true,
        }
    }
    false
}

/// Returns `true` if a byte can be part of any token: a base64 character, or a separator.
fn is_solid_byte(byte: u8) -> bool {
    is_run_byte(byte) || matches!(byte, b'.' | b'~')
}

/// Returns the signs of all bytes but the last, which has no successor.
fn signs_of(text: &[u8]) -> u8 {
    let mut signs = [0; STRIDE];
    if let Some(last) = text.last_chunk() {
        text.array_windows().step_by(STRIDE).for_each(|window| add_signs(window, &mut signs));
        add_signs(last, &mut signs);
    } else {
        let mut padded = [0; STRIDE + 1];
        padded[..text.len()].copy_from_slice(text);
        add_signs(&padded, &mut signs);
    }
    signs.into_iter().fold(0, |all, signs| all | signs)
}

/// Adds the signs in one window, without branches, so that the compiler vectorizes the comparison.
fn add_signs(window: &[u8; STRIDE + 1], signs: &mut [u8; STRIDE]) {
    let if_so = |is_so: bool, sign: u8| u8::from(is_so) * sign;
    for at in 0..STRIDE {
        let (byte, next) = (window[at], window[at + 1]);
        signs[at] |= if_so(byte == b':', COLON)
            | if_so(byte == b'=', EQUALS)
            | if_so(byte == b'-' && next == b'-', DASHES)
            | if_so(byte | 0x20 == b'c' && next == b' ', BASIC)
            | if_so(byte | 0x20 == b'r' && next == b' ', BEARER)
            | if_so(byte == b'y' && next == b'J', WEB_TOKEN)
            | if_so(byte | 0x20 == b's' && next | 0x20 == b's', DOUBLE_S)
            | if_so(byte == b' ' && next == b'-', OPTION);
    }
}

/// Generates texts from parts of secrets, so that many are near misses.
#[cfg(test)]
pub(super) fn texts_like_secrets() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;

    let prefixes: Vec<&str> = super::shapes::prefixes().collect();
    let part = prop_oneof![
        prop::sample::select(prefixes),
        prop::sample::select(vec![
            "password=",
            "Token: ",
            "--secret ",
            "https://",
            "user:",
            "@host",
            "YTpiYw",
            ".eyJ",
            "Bearer",
            "basic",
            "C ",
            "c",
            " ",
            "--",
            "-",
            ":",
            "=",
            ".",
            "~",
            "é",
            "\n",
            "123456789",
        ]),
    ];
    let body = prop_oneof![
        "[A-Za-z0-9]{1,40}",
        "[A-Za-z0-9_-]{12,24}",
        "[A-Z0-9]{14,18}",
        "[0-9a-f]{30,42}",
        "[a-z ]{0,20}",
        "[ -~]{0,30}",
    ];
    let piece = prop_oneof![part.prop_map(str::to_owned), body];
    prop::collection::vec(piece, 0..7).prop_map(|pieces| pieces.concat())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{address, entropy, names, shapes};
    use super::*;

    proptest! {
        #[test]
        fn recognizers_find_nothing_without_their_features(text in texts_like_secrets()) {
            let traits = TextFeatures::of(&text);
            prop_assert!(traits.has_colon() || address::find(&text).is_empty());
            prop_assert!(traits.can_assign() || names::find(&text).is_empty());
            prop_assert!(traits.has_solid_run() || entropy::find(&text, None, &[]).is_empty());
            prop_assert!(!traits.has_none() || shapes::search(&text).is_empty());
        }
    }

    #[test]
    fn a_run_is_found_at_every_position() {
        let has = |text: &str| has_run(text, 4, |byte| byte == b'x');
        for text in ["xxxx", "a xxxx", "xxxxa", "xx xxx xxxx", "xxx xxxxx", "xxaxxxx"] {
            assert!(has(text), "{text}");
        }
        for text in ["", "xxx", "xxx xxx", "xaxaxaxaxa", "xx xx xx"] {
            assert!(!has(text), "{text}");
        }
    }

    #[test]
    fn a_sign_is_found_at_every_position() {
        for length in 2..60 {
            for at in 0..length - 1 {
                for (pair, sign) in [
                    ("::", COLON),
                    ("=x", EQUALS),
                    ("--", DASHES),
                    ("C ", BASIC),
                    ("R ", BEARER),
                    ("yJ", WEB_TOKEN),
                ] {
                    let mut text = "x".repeat(length);
                    text.replace_range(at..at + 2, pair);
                    assert_eq!(signs_of(text.as_bytes()), sign, "{text}");
                }
            }
        }
    }
}
