//! Finds secrets by the name before them: `password=…`, `{"api_key": "…"}`.
//!
//! A name counts by its ending, so `token_url`, `secret_ref` and `password_length` do not name
//! secrets. A value after a password's name is accepted as a secret more readily than one after
//! `token`, a word that prose also uses for harmless values.

use super::entropy::is_random;
use super::false_positives::{is_placeholder, is_reference, is_words};
use super::hit::Hit;

/// The strength of a name as an indicator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weight {
    /// Nearly any value is a secret.
    Password,
    /// The secret may consist of several words.
    Passphrase,
    /// The value must look like a key.
    Key,
}

/// Endings of names, without separators, in lower case. The first match counts.
const ENDINGS: &[(&str, Weight, &str)] = &[
    ("password", Weight::Password, "password"),
    ("passwords", Weight::Password, "password"),
    ("passwd", Weight::Password, "password"),
    ("passcode", Weight::Password, "password"),
    ("pwd", Weight::Password, "password"),
    ("passphrase", Weight::Passphrase, "passphrase"),
    ("seedphrase", Weight::Passphrase, "passphrase"),
    ("mnemonic", Weight::Passphrase, "passphrase"),
    ("awssecretaccesskey", Weight::Key, "AWS secret access key"),
    ("apikey", Weight::Key, "API key"),
    ("apikeys", Weight::Key, "API key"),
    ("accesskey", Weight::Key, "access key"),
    ("accountkey", Weight::Key, "access key"),
    ("secretkey", Weight::Key, "secret key"),
    ("privatekey", Weight::Key, "private key"),
    ("clientkeydata", Weight::Key, "private key"),
    ("signingkey", Weight::Key, "signing key"),
    ("encryptionkey", Weight::Key, "encryption key"),
    ("masterkey", Weight::Key, "secret key"),
    ("authkey", Weight::Key, "secret key"),
    ("secret", Weight::Key, "secret"),
    ("secrets", Weight::Key, "secret"),
    ("token", Weight::Key, "token"),
    ("tokens", Weight::Key, "token"),
    ("credential", Weight::Key, "credential"),
    ("credentials", Weight::Key, "credential"),
    ("authorization", Weight::Key, "credential"),
    ("signature", Weight::Key, SIGNATURE),
    ("sig", Weight::Key, SIGNATURE),
];

/// The last letters of all endings, and of `pass` and `auth`.
static LAST_LETTERS: LastLetters = {
    let mut letters = LastLetters { last: [0; 26], before: [0; 26], first: [0; 26] };
    let mut index = 0;
    while index < ENDINGS.len() {
        letters.add(ENDINGS[index].0.as_bytes());
        index += 1;
    }
    letters.add(b"pass");
    letters.add(b"auth");
    letters
};

/// Pairs of letters that end words: for each second letter, a bit for each first one.
struct LastLetters {
    last: [u32; 26],
    /// The second to last letter and the one before it.
    before: [u32; 26],
    /// The third to last letter and the one before it. A word of three letters may have any.
    first: [u32; 26],
}

impl LastLetters {
    const fn add(&mut self, word: &[u8]) {
        let [.., third, second, last] = word else { panic!("an ending has three letters") };
        self.last[(*last - b'a') as usize] |= 1 << (*second - b'a');
        self.before[(*second - b'a') as usize] |= 1 << (*third - b'a');
        self.first[(*third - b'a') as usize] |= match word {
            [.., fourth, _, _, _] => 1 << (*fourth - b'a'),
            _ => u32::MAX,
        };
    }

    /// Returns `true` if a word may end in these letters. Most words do not.
    fn can_end(&self, [third, second, last]: [u8; 3]) -> bool {
        has_pair(&self.last, second, last) && has_pair(&self.before, third, second)
    }

    /// Returns `true` if a name may name a secret, judged by its trailing lower-case letters. This
    /// excludes nearly all names cheaply.
    fn can_end_name(&self, name: &[u8]) -> bool {
        let mut letters =
            name.iter().rev().map_while(|byte| byte.is_ascii_lowercase().then_some(*byte));
        let Some(mut behind) = letters.next() else { return true };
        // Only as far as there are letters: separators before them may be ignored.
        [&self.last, &self.before, &self.first].into_iter().zip(letters).all(|(pairs, letter)| {
            let is_pair = has_pair(pairs, letter, behind);
            behind = letter;
            is_pair
        })
    }
}

fn has_pair(pairs: &[u32; 26], first: u8, second: u8) -> bool {
    let firsts = pairs.get(usize::from(second.wrapping_sub(b'a')));
    first.is_ascii_lowercase() && firsts.is_some_and(|firsts| firsts >> (first - b'a') & 1 == 1)
}

/// A signature that grants access to a URL. Elsewhere, signatures are public.
const SIGNATURE: &str = "signature in an address";

/// Prefixes of tokens that grant no access: they mark a position in a list or a lease.
const HARMLESS: &[&str] = &["page", "next", "continuation", "cursor", "fencing", "public", "sync"];

/// LIMIT: no name of a secret is longer. It bounds the search back from every `=` and `:`.
const NAME_BYTES_MAX: usize = 48;

/// LIMIT: the part of a value that is examined, for the same reason.
const VALUE_BYTES_READ: usize = 256;

pub(super) fn find(text: &str) -> Vec<Hit> {
    let has_options = text.as_bytes().array_windows().any(|pair| pair == b"--");
    let mut hits: Vec<Hit> = Vec::new();
    for (at, byte) in text.bytes().enumerate() {
        let is_option = match byte {
            b'=' | b':' => false,
            b' ' if has_options => true,
            _ => continue,
        };
        // The inside of a secret assigns nothing.
        if hits.last().is_some_and(|hit| at < hit.end) {
            continue;
        }
        hits.extend(if is_option { option(text, at) } else { assigned(text, at) });
    }
    hits
}

/// The member name of a text, and its classification, which is the same for all items of a list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Name<'n> {
    pub(super) text: &'n str,
    secret: Option<(Weight, &'static str)>,
}

impl<'n> Name<'n> {
    pub(super) fn of(text: &'n str) -> Self {
        Self { text, secret: classify(text.as_bytes()) }
    }

    /// Returns the whole text as a secret, if the member name makes it one.
    #[inline]
    pub(super) fn value_under(self, text: &str) -> Option<Hit> {
        self.secret.and_then(|(weight, kind)| value_named(text, weight, kind))
    }

    /// Returns `true` if any text under this name can be a secret.
    pub(super) fn is_for_secrets(self) -> bool {
        self.secret.is_some()
    }

    /// Returns `true` if a number under this name can be a secret. A number under `token` is a
    /// count.
    pub(super) fn is_for_secret_numbers(self) -> bool {
        matches!(self.secret, Some((Weight::Password, _)))
    }

    /// Returns a number under the name of a password as a secret.
    pub(super) fn number_under(self, printed: &str) -> Option<Hit> {
        let (_, kind) = self.secret.filter(|_| self.is_for_secret_numbers())?;
        let is_secret = printed.len() >= 4;
        is_secret.then_some(Hit { kind, start: 0, end: printed.len() })
    }
}

/// Returns the whole text as a secret, under a name with this weight.
fn value_named(text: &str, weight: Weight, kind: &'static str) -> Option<Hit> {
    let value = text.trim();
    let is_secret = match weight {
        Weight::Passphrase if value.contains(' ') => is_phrase(value),
        _ if value.contains(char::is_whitespace) => false,
        Weight::Password | Weight::Passphrase => value.len() >= 3 && !is_harmless(value),
        Weight::Key if kind == SIGNATURE => false,
        Weight::Key => value.len() >= 8 && is_key(value),
    };
    let start = text.len() - text.trim_start().len();
    is_secret.then(|| Hit { kind, start, end: start + value.len() })
}

/// Classifies the name at the end of a range of bytes, if it names a secret.
fn classify(name: &[u8]) -> Option<(Weight, &'static str)> {
    // Most names do not end in these letters; avoid copying them.
    if !LAST_LETTERS.can_end_name(name) {
        return None;
    }
    let tail = &name[name.len().saturating_sub(NAME_BYTES_MAX)..];
    let mut letters = tail.iter().rev().filter(|byte| byte.is_ascii_alphanumeric());
    let mut next = || letters.next().map(u8::to_ascii_lowercase);
    let (last, second, third) = (next()?, next()?, next()?);
    if !LAST_LETTERS.can_end([third, second, last]) {
        return None;
    }
    let mut joined = [0; NAME_BYTES_MAX];
    let mut length = 0;
    for byte in tail.iter().filter(|byte| byte.is_ascii_alphanumeric()) {
        joined[length] = byte.to_ascii_lowercase();
        length += 1;
    }
    let joined = &joined[..length];
    let is_ending = |ending: &[u8]| ending.last() == Some(&last) && joined.ends_with(ending);
    let known = ENDINGS.iter().find(|(ending, ..)| is_ending(ending.as_bytes()));
    let Some((_, weight, kind)) = known else {
        // `DB_PASS` and npm's `_auth`, but not `tests pass` and `oauth`.
        let is_short = tail.last_chunk().is_some_and(|end: &[u8; 5]| {
            end.eq_ignore_ascii_case(b"_pass") || end.eq_ignore_ascii_case(b"_auth")
        });
        return is_short.then_some((Weight::Password, "password"));
    };
    let holds = |word: &&str| joined.windows(word.len()).any(|part| part == word.as_bytes());
    let is_harmless = HARMLESS.iter().any(holds);
    (!is_harmless || *weight != Weight::Key).then_some((*weight, kind))
}

/// Matches `name = value` around the separator at `at`.
fn assigned(text: &str, at: usize) -> Option<Hit> {
    let bytes = text.as_bytes();
    let next = bytes.get(at + 1).copied()?;
    // `==` compares, `::` is a path in a program, `://` starts a URL.
    if bytes[at] == next || bytes[at] == b':' && next == b'/' && bytes.get(at + 2) == Some(&b'/') {
        return None;
    }
    let (start, name) = name_before(bytes, at)?;
    let (weight, kind) = classify(name)?;
    let is_query = start > 0 && matches!(bytes[start - 1], b'?' | b'&');
    if kind == SIGNATURE && !is_query {
        return None;
    }
    let is_loose = next == b' ' || bytes[at.saturating_sub(1)] == b' ';
    let value = Value::after(text, at + 1)?;
    let length_min = if is_loose && value.quote.is_none() { 8 } else { 6 };
    value.secret(text, weight, length_min).map(|(start, end)| Hit { kind, start, end })
}

/// Matches `--password value` around the space at `at`.
fn option(text: &str, at: usize) -> Option<Hit> {
    let before = &text.as_bytes()[..at];
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let length = before.iter().rev().take(NAME_BYTES_MAX).take_while(|byte| is_part(byte)).count();
    let name = &before[at - length..];
    if !name.starts_with(b"--") || text[at + 1..].starts_with('-') {
        return None;
    }
    let (weight, kind) = classify(name)?;
    let value = Value::after(text, at + 1)?;
    value.secret(text, weight, 6).map(|(start, end)| Hit { kind, start, end })
}

/// Returns the name that ends at `at` and its start, without surrounding quotes and brackets.
fn name_before(bytes: &[u8], at: usize) -> Option<(usize, &[u8])> {
    let is_around = |byte: &u8| matches!(byte, b' ' | b'"' | b'\'' | b'`' | b'\\' | b']' | b'*');
    let around = bytes[..at].iter().rev().take(4).take_while(|byte| is_around(byte)).count();
    let end = at - around;
    // In nearly all cases the last byte decides, before anything is counted.
    if !bytes[..end].last()?.is_ascii_alphanumeric() {
        return None;
    }
    let is_part =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b' ');
    let length =
        bytes[..end].iter().rev().take(NAME_BYTES_MAX).take_while(|byte| is_part(byte)).count();
    Some((end - length, &bytes[end - length..end]))
}

struct Value {
    start: usize,
    end: usize,
    quote: Option<char>,
}

impl Value {
    /// Returns the value that starts at or shortly after `from`, up to the examined length.
    fn after(text: &str, from: usize) -> Option<Self> {
        let bytes = text.as_bytes();
        let arrow = usize::from(matches!(bytes.get(from), Some(b'=' | b'>')));
        let mut start = from + arrow;
        // Markdown closes bold text after the colon.
        let is_between = |byte: &u8| matches!(byte, b' ' | b'*');
        start += bytes[start..].iter().take(4).take_while(|byte| is_between(byte)).count();
        start += usize::from(bytes.get(start) == Some(&b'\\'));
        let quote = bytes.get(start).filter(|byte| matches!(byte, b'"' | b'\'' | b'`'));
        let quote = quote.map(|byte| char::from(*byte));
        start += usize::from(quote.is_some());
        let mut limit = text.len().min(start + VALUE_BYTES_READ);
        while !text.is_char_boundary(limit) {
            limit -= 1;
        }
        let value = &text.get(start..limit)?;
        let value = &value[..value_length(value, quote)];
        // A full stop after a value ends the sentence.
        let value = if quote.is_none() { value.trim_end_matches(['.', ':']) } else { value };
        (!value.is_empty()).then(|| Self { start, end: start + value.len(), quote })
    }

    /// Returns the range of the whole value, if it is a secret.
    fn secret(&self, text: &str, weight: Weight, length_min: usize) -> Option<(usize, usize)> {
        let value = &text[self.start..self.end];
        let is_secret = match weight {
            Weight::Password | Weight::Passphrase => is_typed_password(value),
            Weight::Key => value.len() >= length_min && is_key(value),
        };
        if !is_secret {
            return None;
        }
        // A value longer than the examined part is a secret up to its end.
        let is_cut = value.len() + 4 > VALUE_BYTES_READ;
        let rest = &text[self.start..];
        Some((
            self.start,
            if is_cut { self.start + value_length(rest, self.quote) } else { self.end },
        ))
    }
}

fn value_length(text: &str, quote: Option<char>) -> usize {
    let end = match quote {
        Some(quote) => text.find([quote, '\n', '\\']),
        None => text.find(|c: char| c.is_whitespace() || ",;&\"'`)}]|\\".contains(c)),
    };
    end.unwrap_or(text.len())
}

/// Returns `true` if a value in running text is a password. It must not be a word, because prose
/// also contains `password: required`.
pub(super) fn is_typed_password(value: &str) -> bool {
    let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
    let has_letter = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    let has_inner_capital = value.bytes().skip(1).any(|byte| byte.is_ascii_uppercase())
        && value.bytes().any(|byte| byte.is_ascii_lowercase());
    let has_sign = value.bytes().any(|byte| b"!@#$%^&+=~?".contains(&byte));
    let is_number = !has_letter && value.bytes().all(|byte| byte.is_ascii_digit());
    let is_made_up = has_letter && (has_digit || has_inner_capital || has_sign)
        || is_number && value.len() >= 4
        || value.len() > 15 && !is_words(value);
    value.len() >= 4 && !value.contains(' ') && is_made_up && !is_harmless(value)
}

/// Returns `true` for mixed letters and digits or random text, and not for words, numbers or
/// versions.
fn is_key(value: &str) -> bool {
    let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
    let has_letter = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    let is_mixed = has_digit && has_letter && !is_words(value) && !value.contains(' ');
    (is_mixed || is_random(value)) && !is_harmless(value)
}

fn is_harmless(value: &str) -> bool {
    is_placeholder(value) || is_reference(value) && !is_random(value)
}

fn is_phrase(value: &str) -> bool {
    value.split(' ').count() >= 4
        && value.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, secret: &str) {
        let found = find(text);
        let found: Vec<&str> = found.iter().map(|hit| &text[hit.start..hit.end]).collect();
        assert_eq!(found, [secret], "{text}");
    }

    #[test]
    fn an_assignment_in_a_text_is_found() {
        check("password=hunter2", "hunter2");
        check("run with DB_PASS=s3cr3t! please", "s3cr3t!");
        check("the API key: 9f3kd82hs71k.", "9f3kd82hs71k");
        check("secret = \"Zx81!kkQ\"", "Zx81!kkQ");
        check("{\\\"password\\\":\\\"hunter2\\\"}", "hunter2");
        check("config['client_secret'] = 'a81JJd02kdL'", "a81JJd02kdL");
        check("GET /x?page=2&access_token=82hd9s1kk3&z=1", "82hd9s1kk3");
        check("mysql --user root --password hunter2 app", "hunter2");
        check("**Password:** Tr0ub4dor", "Tr0ub4dor");
        check("const token := \"k29dk20dk2\"", "k29dk20dk2");
        check("PASSWORD: 48151623", "48151623");
    }

    #[test]
    fn prose_and_code_about_secrets_are_not_reported() {
        for text in [
            "password: required",
            "Password: must have 12 characters",
            "the token: expired yesterday",
            "token=$GITHUB_TOKEN",
            "api_key: ${API_KEY}",
            "secret: <secret>",
            "token = getToken()",
            "if password == other { return }",
            "token_url: https://id.example/oauth2/token",
            "password_length: 16abc",
            "private_key: /etc/ssl/server.key",
            "token: v1.2.3",
            "secret: db-credentials",
            "next_page_token=CAUQ81kd02",
            "tests pass: 12 of 12",
            "tokens: 41200",
            "Secret::new(x)",
            "api_key: secret_ref:vault/app",
            "--token-file token.txt",
        ] {
            assert_eq!(find(text), [], "{text}");
        }
    }

    #[test]
    fn every_ending_is_found_after_any_prefix() {
        let short = [("_pass", "password"), ("_auth", "password")];
        let endings = ENDINGS.iter().map(|(ending, _, kind)| (*ending, *kind)).chain(short);
        for (ending, kind) in endings {
            for before in ["", "a", "z", "x9", "my_", "DB-", "é", "/"] {
                for behind in ["", "_", "-"] {
                    let name = format!("{before}{ending}{behind}");
                    let is_cut = ending.starts_with('_') && !behind.is_empty();
                    let found = classify(name.as_bytes()).map(|(_, kind)| kind);
                    assert!(is_cut || found.is_some(), "{name}");
                    assert!(before.len() + behind.len() > 0 || found == Some(kind), "{name}");
                }
            }
        }
    }

    #[test]
    fn a_member_name_makes_its_value_a_secret() {
        for (name, value, is_secret) in [
            ("password", "correcthorse", true),
            ("dbPassword", "abc", true),
            ("password", "", false),
            ("password", "ask the person on call", false),
            ("passphrase", "correct horse battery staple", true),
            ("api_key", "123e4567-e89b-12d3-a456-426614174000", true),
            ("token", "9f2c1e0aa81b2c3d4e5f60718293a4b5c6d7e8f9", true),
            ("token", "valid", false),
            ("token", "step-2-of-3", false),
            ("secret_ref", "k29dk20dk2", false),
            ("token_digest", "9f2c1e0aa81b2c3d", false),
            ("signature", "k29dk20dk2", false),
            ("page_token", "k29dk20dk2", false),
        ] {
            assert_eq!(Name::of(name).value_under(value).is_some(), is_secret, "{name}: {value}");
        }
    }
}
