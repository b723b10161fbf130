//! Finds secrets by their format: a prefix, then a body of a known alphabet and length.
//!
//! One regular expression finds all prefixes, and the bodies are measured by hand. A text is
//! therefore read once, regardless of the size of the table. Checksums are not required: a token
//! with a wrong checksum was mistyped or truncated, and still reveals most of itself. A Tasuki
//! token with a valid checksum is reported at any position.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::entropy::{RUN_MIN, is_run_byte};
use super::false_positives::{decoded_basic, is_placeholder, is_words};
use super::hit::Hit;
use super::prefilter::{TextFeatures, has_run};
use crate::types::credential::Credential;

/// LIMIT: the examined part of a body. A text that consists of prefixes must not be read to its end
/// once per prefix.
const BODY_BYTES_READ: usize = 256;

/// The minimum length of a shape: basic credentials, `Basic ` and six more bytes.
pub(super) const BYTES_MIN: usize = 12;

/// Returns every shape whose prefix occurs in `text` and whose body matches.
pub(super) fn find(text: &str, traits: TextFeatures) -> Vec<Hit> {
    if can_occur(text, traits) { search(text) } else { Vec::new() }
}

pub(super) fn search(text: &str) -> Vec<Hit> {
    let mut hits = Vec::new();
    let mut done = 0;
    for prefix in PREFIXES.find_iter(text) {
        // Hits inside a key block are redundant.
        if prefix.start() < done {
            continue;
        }
        let shape = SHAPES.iter().find(|shape| shape.prefix == prefix.as_str());
        let Some(shape) = shape else { continue };
        if let Some(range) = shape.range(text, prefix.range()) {
            done = range.end;
            hits.push(Hit { kind: shape.kind, start: range.start, end: range.end });
        }
    }
    hits
}

/// Returns `true` if a text can contain a shape. Most shapes are one long run; the others have a
/// keyword.
fn can_occur(text: &str, traits: TextFeatures) -> bool {
    let says = |words: [&str; 2]| words.iter().any(|word| text.contains(word));
    let is_bearer = || traits.has_word_like_bearer() && says(["earer ", "EARER "]);
    let is_credential = || traits.can_have_web_token() || is_bearer();
    traits.has_solid_run() && (has_run(text, RUN_MIN, is_run_byte) || is_credential())
        || traits.has_word_like_basic() && says(["asic ", "ASIC "])
}

static PREFIXES: LazyLock<Regex> = LazyLock::new(|| {
    // The longest prefix first: where several match, the most specific one counts.
    let mut prefixes: Vec<&str> = SHAPES.iter().map(|shape| shape.prefix).collect();
    prefixes.sort_by_key(|prefix| std::cmp::Reverse(prefix.len()));
    let escaped: Vec<String> = prefixes.into_iter().map(regex::escape).collect();
    Regex::new(&escaped.join("|")).expect("an alternation of literals is a regular expression")
});

struct Shape {
    kind: &'static str,
    prefix: &'static str,
    body: Body,
}

enum Body {
    /// A number of characters of an alphabet, not counting the prefix.
    Run(Alphabet, Range<usize>),
    /// A function that returns the range of the secret, given the text and the range of the prefix.
    Parsed(fn(&str, Range<usize>) -> Option<Range<usize>>),
}

#[derive(Clone, Copy)]
enum Alphabet {
    Hex,
    Upper,
    Alphanumeric,
    Url,
    Base64,
    Bearer,
}

const fn run(kind: &'static str, prefix: &'static str, alphabet: Alphabet, min: usize) -> Shape {
    Shape { kind, prefix, body: Body::Run(alphabet, min..usize::MAX) }
}

const fn exact(
    kind: &'static str,
    prefix: &'static str,
    alphabet: Alphabet,
    length: usize,
) -> Shape {
    Shape { kind, prefix, body: Body::Run(alphabet, length..length + 1) }
}

const fn parsed(
    kind: &'static str,
    prefix: &'static str,
    parse: fn(&str, Range<usize>) -> Option<Range<usize>>,
) -> Shape {
    Shape { kind, prefix, body: Body::Parsed(parse) }
}

use Alphabet::{Alphanumeric, Base64, Bearer, Hex, Upper, Url};

#[cfg(test)]
pub(super) fn prefixes() -> impl Iterator<Item = &'static str> {
    SHAPES.iter().map(|shape| shape.prefix)
}

/// Returns `true` for the first word of a prefix: `ghp`, or `sk` of `sk_live_`.
pub(super) fn starts_a_token(word: &str) -> bool {
    let first = |shape: &Shape| shape.prefix.split(['_', '-', '.']).next();
    SHAPES.iter().any(|shape| first(shape) == Some(word))
}

static SHAPES: &[Shape] = &[
    parsed("private key", "-----BEGIN ", key_block),
    parsed("private key", "PuTTY-User-Key-File-", putty_key),
    run("private key", "AGE-SECRET-KEY-1", Upper, 50),
    exact("AWS access key id", "AKIA", Upper, 16),
    exact("AWS access key id", "ASIA", Upper, 16),
    exact("AWS access key id", "ABIA", Upper, 16),
    exact("AWS access key id", "ACCA", Upper, 16),
    run("GitHub token", "ghp_", Alphanumeric, 30),
    run("GitHub token", "gho_", Alphanumeric, 30),
    run("GitHub token", "ghu_", Alphanumeric, 30),
    run("GitHub token", "ghs_", Alphanumeric, 30),
    run("GitHub token", "ghr_", Alphanumeric, 30),
    run("GitHub token", "github_pat_", Url, 40),
    run("GitLab token", "glpat-", Url, 20),
    run("GitLab token", "gldt-", Url, 20),
    run("GitLab token", "glrt-", Url, 20),
    run("GitLab token", "glptt-", Url, 20),
    run("GitLab token", "glcbt-", Url, 20),
    run("GitLab token", "glsoat-", Url, 20),
    run("Slack token", "xoxb-", Url, 20),
    run("Slack token", "xoxp-", Url, 20),
    run("Slack token", "xoxa-", Url, 20),
    run("Slack token", "xoxr-", Url, 20),
    run("Slack token", "xoxs-", Url, 20),
    run("Slack token", "xoxe-", Url, 20),
    run("Slack token", "xoxc-", Url, 20),
    run("Slack token", "xoxd-", Url, 20),
    run("Slack token", "xapp-", Url, 20),
    parsed("Slack webhook", "hooks.slack.com/services/", webhook),
    parsed("Discord webhook", "discord.com/api/webhooks/", webhook),
    run("Stripe key", "sk_live_", Alphanumeric, 16),
    run("Stripe key", "rk_live_", Alphanumeric, 16),
    run("Stripe key", "sk_test_", Alphanumeric, 16),
    run("Stripe key", "rk_test_", Alphanumeric, 16),
    run("webhook signing secret", "whsec_", Base64, 24),
    exact("Google API key", "AIza", Url, 35),
    run("Google OAuth token", "ya29.", Url, 20),
    run("Google client secret", "GOCSPX-", Url, 24),
    run("OpenAI key", "sk-", Alphanumeric, 20),
    run("OpenAI key", "sk-proj-", Url, 20),
    run("OpenAI key", "sk-svcacct-", Url, 20),
    run("OpenAI key", "sk-admin-", Url, 20),
    run("Anthropic key", "sk-ant-", Url, 20),
    run("OpenRouter key", "sk-or-v1-", Hex, 32),
    run("npm token", "npm_", Alphanumeric, 30),
    run("PyPI token", "pypi-", Url, 50),
    run("RubyGems key", "rubygems_", Hex, 40),
    run("Hugging Face token", "hf_", Alphanumeric, 30),
    parsed("SendGrid key", "SG.", sendgrid_key),
    exact("Twilio key", "SK", Hex, 32),
    parsed("Azure account key", "AccountKey=", value_behind),
    parsed("Azure account key", "SharedAccessKey=", value_behind),
    parsed("JSON Web Token", "eyJ", json_web_token),
    parsed("Telegram bot token", ":AA", telegram_token),
    parsed("Tasuki token", "tasuki_", own_token),
    run("DigitalOcean token", "dop_v1_", Hex, 40),
    run("DigitalOcean token", "doo_v1_", Hex, 40),
    run("Shopify token", "shpat_", Hex, 32),
    run("Shopify token", "shpca_", Hex, 32),
    run("Shopify token", "shppa_", Hex, 32),
    run("Shopify token", "shpss_", Hex, 32),
    run("Databricks token", "dapi", Hex, 32),
    run("Vault token", "hvs.", Url, 24),
    run("Docker token", "dckr_pat_", Url, 20),
    run("Atlassian token", "ATATT3", Url, 40),
    run("Grafana token", "glsa_", Url, 32),
    run("Linear key", "lin_api_", Alphanumeric, 32),
    run("Notion token", "ntn_", Alphanumeric, 40),
    run("Supabase token", "sbp_", Hex, 40),
    run("Groq key", "gsk_", Alphanumeric, 40),
    run("xAI key", "xai-", Alphanumeric, 60),
    run("NVIDIA key", "nvapi-", Url, 40),
    run("Replicate token", "r8_", Alphanumeric, 30),
    parsed("bearer token", "Bearer ", bearer),
    parsed("bearer token", "bearer ", bearer),
    parsed("bearer token", "BEARER ", bearer),
    parsed("basic credentials", "Basic ", basic),
    parsed("basic credentials", "basic ", basic),
    parsed("basic credentials", "BASIC ", basic),
];

impl Shape {
    fn range(&self, text: &str, prefix: Range<usize>) -> Option<Range<usize>> {
        match &self.body {
            Body::Parsed(parse) => parse(text, prefix),
            Body::Run(alphabet, lengths) => {
                let rest = &text[prefix.end..];
                let length = alphabet.length_read(rest);
                let holds = starts_word(text, prefix.start)
                    && lengths.contains(&length)
                    && is_random(&rest[..length]);
                holds.then(|| prefix.start..prefix.end + alphabet.length(rest))
            }
        }
    }
}

impl Alphabet {
    fn has(self, byte: u8) -> bool {
        match self {
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Url => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'),
            Self::Base64 => byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='),
            Self::Bearer => {
                byte.is_ascii_alphanumeric()
                    || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'+' | b'/' | b'=')
            }
        }
    }

    /// Returns the number of leading characters of `text` in this alphabet.
    fn length(self, text: &str) -> usize {
        text.bytes().take_while(|byte| self.has(*byte)).count()
    }

    /// Returns the number of leading characters in this alphabet, up to the examined length.
    fn length_read(self, text: &str) -> usize {
        text.bytes().take(BODY_BYTES_READ).take_while(|byte| self.has(*byte)).count()
    }
}

/// Returns `true` if no letter or digit precedes: `sk-` inside `task-` is not a prefix.
fn starts_word(text: &str, at: usize) -> bool {
    !text.as_bytes()[..at].last().is_some_and(u8::is_ascii_alphanumeric)
}

fn is_random(body: &str) -> bool {
    let mut seen = 0_u128;
    for byte in body.bytes().filter(u8::is_ascii) {
        seen |= 1 << byte;
    }
    seen.count_ones() >= 6 && !is_words(body) && !is_placeholder(body)
}

/// Matches `-----BEGIN … PRIVATE KEY-----` up to its end marker, or up to the end of a truncated
/// text.
fn key_block(text: &str, prefix: Range<usize>) -> Option<Range<usize>> {
    let rest = &text[prefix.end..];
    let label = &rest[..rest.find("-----")?];
    let is_private = label.ends_with("PRIVATE KEY") || label.ends_with("PRIVATE KEY BLOCK");
    if !is_private || label.len() > 40 {
        return None;
    }
    let body_at = prefix.end + label.len() + 5;
    let body = &text[body_at..];
    // Base64 has no dashes: the next five are a marker, of this block or of another one.
    let inside = &body[..body.find("-----").unwrap_or(body.len())];
    let after = &body[inside.len()..];
    let end = after.strip_prefix("-----END ").and_then(|rest| rest.find("-----"));
    let marker = end.map_or(0, |label| "-----END ".len() + label + 5);
    has_key_material(inside).then(|| prefix.start..body_at + inside.len() + marker)
}

/// Returns `true` if there is one long run of base64. Prose that mentions the first line of a key
/// has none.
fn has_key_material(inside: &str) -> bool {
    // A text that contains a file may have escaped line ends.
    inside.split(|c: char| c.is_whitespace() || c == '\\' || c == '"').any(|line| {
        let line = line.strip_prefix('n').filter(|rest| rest.len() >= 32).unwrap_or(line);
        line.len() >= 32 && Base64.length(line) == line.len() && is_random(line)
    })
}

fn putty_key(text: &str, prefix: Range<usize>) -> Option<Range<usize>> {
    let rest = &text[prefix.end..];
    let rest = &rest[..rest.find("PuTTY-User-Key-File-").unwrap_or(rest.len())];
    let private = rest.find("Private-Lines:")?;
    let length = match rest.find("Private-MAC:") {
        Some(mac) => mac + rest[mac..].find(['\n', '\r']).unwrap_or(rest.len() - mac),
        None => rest.len(),
    };
    has_key_material(&rest[private..]).then(|| prefix.start..prefix.end + length)
}

/// Matches the path of a webhook URL, to which anyone may post.
fn webhook(text: &str, prefix: Range<usize>) -> Option<Range<usize>> {
    let path = &text[prefix.end..];
    let path = path.bytes().take(BODY_BYTES_READ);
    let length = path.take_while(|byte| Url.has(*byte) || *byte == b'/').count();
    let path = &text[prefix.end..];
    let secret = path[..length].rsplit('/').next()?;
    (secret.len() >= 20 && is_random(secret)).then(|| prefix.end..prefix.end + length)
}

fn sendgrid_key(text: &str, prefix: Range<usize>) -> Option<Range<usize>> {
    let rest = &text[prefix.end..];
    let id = Url.length(rest);
    let secret = Url.length(rest[id..].strip_prefix('.')?);
    let holds =
        id >= 16 && secret >= 32 && is_random(&rest[..id]) && starts_word(text, prefix.start);
    holds.then(|| prefix.start..prefix.end + id + 1 + secret)
}

fn value_behind(text: &str, prefix: Range<usize>) -> Option<Range<usize>> {
    let rest = &text[prefix.end..];
    let length = Base64.length_read(rest);
    let holds = length >= 32 && is_random(&rest[..length]);
    holds.then(|| prefix.end..prefix.end + Base64.length(rest))
}

/// Matches header, claims and signature. A token without a signature grants no access.
fn json_web_token(text: &str, prefix: Range<usize>) -> Option<Range<usize>> {
    // LIMIT: servers refuse longer headers.
    let limited = |text: &str| text.bytes().take(8192).take_while(|byte| Url.has(*byte)).count();
    if !starts_word(text, prefix.start) {
        return None;
    }
    let rest = &text[prefix.start..];
    let header = Url.length_read(rest);
    let claims = limited(rest[header..].strip_prefix(".eyJ")?) + ".eyJ".len();
    let signature = limited(rest[header + claims..].strip_prefix('.')?);
    let holds = header >= 12 && signature >= 16;
    holds.then(|| prefix.start..prefix.start + header + claims + 1 + signature)
}

/// Matches `<8 to 10 digits>:AA<33 characters>`; the prefix is the colon in the middle.
fn telegram_token(text: &str, prefix: Range<usize>) -> Option<Range<usize>> {
    let digits = text.as_bytes()[..prefix.start].iter().rev().take(12);
    let digits = digits.take_while(|byte| byte.is_ascii_digit()).count();
    let length = Url.length_read(&text[prefix.end..]);
    let holds = (8..=10).contains(&digits) && (32..=35).contains(&length);
    holds.then(|| prefix.start - digits..prefix.end + length)
}

/// Matches `tasuki_<kind>_<project>_<id>_<secret and checksum>`.
fn own_token(text: &str, prefix: Range<usize>) -> Option<Range<usize>> {
    if let Some(length) = Credential::length_in(&text[prefix.start..]) {
        return Some(prefix.start..prefix.start + length);
    }
    let rest = &text[prefix.end..];
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let length = rest.bytes().take(BODY_BYTES_READ).take_while(is_part).count();
    let (kind, _) = rest[..length].split_once('_')?;
    let (_, secret) = rest[..length].rsplit_once('_')?;
    let holds = starts_word(text, prefix.start)
        && kind.bytes().all(|byte| byte.is_ascii_lowercase())
        && secret.len() >= 40
        && is_random(secret);
    holds.then(|| prefix.start..prefix.end + length)
}

fn bearer(text: &str, prefix: Range<usize>) -> Option<Range<usize>> {
    let start = prefix.end + spaces(&text[prefix.end..]);
    let length = Bearer.length(&text[start..]);
    let token = text[start..start + length].trim_end_matches('.');
    let has_digit = token.bytes().any(|byte| byte.is_ascii_digit());
    let holds =
        token.len() >= 16 && has_digit && is_random(token) && starts_word(text, prefix.start);
    holds.then(|| start..start + token.len())
}

fn basic(text: &str, prefix: Range<usize>) -> Option<Range<usize>> {
    let start = prefix.end + spaces(&text[prefix.end..]);
    let length = Base64.length(&text[start..]);
    let holds = decoded_basic(&text[start..start + length]) && starts_word(text, prefix.start);
    holds.then(|| start..start + length)
}

fn spaces(text: &str) -> usize {
    text.bytes().take(4).take_while(|byte| *byte == b' ').count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::secrets::prefilter::texts_like_secrets;

    fn find(text: &str) -> Vec<Hit> {
        super::find(text, TextFeatures::of(text))
    }

    fn kinds(text: &str) -> Vec<(&'static str, &str)> {
        find(text).iter().map(|hit| (hit.kind, &text[hit.start..hit.end])).collect()
    }

    #[test]
    fn every_prefix_is_in_the_table_once() {
        let mut prefixes: Vec<&str> = SHAPES.iter().map(|shape| shape.prefix).collect();
        prefixes.sort_unstable();
        assert!(prefixes.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn the_shortest_shape_is_found() {
        let shortest = "Basic YTpiYw";
        assert_eq!(shortest.len(), BYTES_MIN);
        assert_eq!(kinds(shortest), [("basic credentials", "YTpiYw")]);
        for shape in SHAPES {
            if let Body::Run(_, lengths) = &shape.body {
                assert!(shape.prefix.len() + lengths.start >= BYTES_MIN, "{}", shape.prefix);
            }
        }
    }

    #[test]
    fn the_longer_prefix_names_the_kind() {
        let body = "aB3dE6gH9jK2mN5pQ8sT1vW4";
        let text = format!("{}{}{body}", "sk-", "ant-");
        assert_eq!(kinds(&text), [("Anthropic key", text.as_str())]);
    }

    #[test]
    fn a_prefix_inside_a_word_or_before_words_is_not_reported() {
        for text in [
            "the task-aB3dE6gH9jK2mN5pQ8sT1vW4 is done".to_owned(),
            format!("{}learn-pipeline-with-many-words", "sk-"),
            format!("{}{}", "ghp_", "x".repeat(36)),
            format!("{}your-api-key-goes-here-1234", "sk-proj-"),
            "Bearer authentication is required for writing".to_owned(),
            "Basic authentication works".to_owned(),
        ] {
            assert_eq!(kinds(&text), [], "{text}");
        }
    }

    #[test]
    fn a_key_block_ends_at_its_marker_or_with_the_text() {
        let begin = ["-----BEGIN ", "RSA PRIVATE", " KEY-----"].concat();
        let end = ["-----END ", "RSA PRIVATE", " KEY-----"].concat();
        let line = "MIIEowIBAAKCAQEA7bq1xY2kLmN3pQrS4tUvW5xYz6A7B8C9";
        let whole = format!("key:\n{begin}\n{line}\n{end}\nafter");
        let hits = find(&whole);
        assert_eq!(&whole[hits[0].end..], "\nafter");
        let cut = format!("{begin}\\n{line}");
        assert_eq!(find(&cut)[0].end, cut.len());
        assert_eq!(find(&format!("the file starts with {begin} and goes on")), []);
    }

    #[test]
    fn a_tasuki_token_is_recognized_by_its_checksum_at_any_position() {
        use crate::types::credential::CredentialKind;
        use crate::types::id::{ProjectId, TokenId};
        let (project, id) = (ProjectId::new(1, [1; 10]), TokenId::new(1, [2; 10]));
        // An all-zero secret does not look random, but is still a token.
        for secret in [[0; 32], [0x5a; 32]] {
            let text = Credential::new(CredentialKind::Agent, project, id, secret).text();
            assert_eq!(kinds(&format!("key{text}tail")), [("Tasuki token", text.as_str())]);
        }
        let cut = Credential::new(CredentialKind::Human, project, id, [0x5a; 32]).text();
        let cut = &cut[..cut.len() - 3];
        assert_eq!(kinds(cut), [("Tasuki token", cut)]);
    }

    #[test]
    fn an_unsigned_web_token_is_not_reported() {
        let header = "eyJhbGciOiJub25lIn0";
        let claims = "eyJzdWIiOiIxMjM0NTY3ODkwIn0";
        assert_eq!(kinds(&format!("{header}.{claims}.")), []);
        let signed = format!("{header}.{claims}.c2lnbmF0dXJlLXdpdGgtYml0cw");
        assert_eq!(kinds(&signed), [("JSON Web Token", signed.as_str())]);
    }

    proptest::proptest! {
        #[test]
        fn the_prefilter_misses_no_shape(text in texts_like_secrets()) {
            proptest::prop_assert_eq!(find(&text), search(&text));
        }
    }
}
