//! Finds random text: long runs of base64 or hex that no other recognizer has identified.
//!
//! Shannon entropy cannot distinguish a random text from a long identifier. It is therefore
//! combined with the rate of changes between character classes and the share of words. Digests,
//! ids, and the contents of URLs and paths are skipped, because packets are full of them.

use super::false_positives::is_placeholder;
use super::hit::{Hit, covers};
use super::names::Name;
use super::{address, shapes};
use crate::schema::field::Format;

const KIND: &str = "high-entropy string";

/// LIMIT: a shorter run of base64 is not significant.
pub(super) const RUN_MIN: usize = 20;

/// LIMIT: keys are short. A longer run is data, which `lint` reports.
const RUN_MAX: usize = 256;

/// LIMIT: a shorter run of hex digits is an id.
const HEX_MIN: usize = 32;

/// Returns the random runs of `text` that overlap none of `known`.
pub(super) fn find(text: &str, name: Option<Name<'_>>, known: &[Hit]) -> Vec<Hit> {
    let mut hits = Vec::new();
    if is_public(text) {
        return hits;
    }
    let mut skipped: Option<Vec<(usize, usize)>> = None;
    for (start, end) in runs(text) {
        let Some((start, end)) = candidate(text, start, end) else { continue };
        // Candidates are rare, so the name is only checked when there is one.
        if name.is_some_and(|name| names_a_digest(name.text)) {
            return Vec::new();
        }
        if covers(known, start, end) {
            continue;
        }
        let skipped = skipped.get_or_insert_with(|| ranges_to_skip(text));
        let next = skipped.partition_point(|(_, skip_end)| *skip_end <= start);
        if skipped.get(next).is_none_or(|(skip_start, _)| *skip_start >= end) {
            hits.push(Hit { kind: KIND, start, end });
        }
    }
    hits
}

/// Returns `true` if the whole text has a public format that is common in packets. No other
/// recognizer finds a secret in one either.
pub(super) fn is_public(text: &str) -> bool {
    Format::Digest.holds(text) || text.starts_with("00-") && Format::Traceparent.holds(text)
}

/// Returns `true` if a run is random, judged by its mix of characters.
pub(super) fn is_random(run: &str) -> bool {
    if run.len() < RUN_MIN || !run.is_ascii() {
        return false;
    }
    let mix = CharacterMix::of(run);
    let enough = if run.len() < 32 { 3.5 } else { 4.0 };
    let is_mixed = mix.upper >= 3 && mix.lower >= 3;
    let is_one_case = mix.upper == 0 || mix.lower == 0;
    // A name has words and few changes; a path has words, and changes at every separator.
    let changes_min = if mix.separators == 0 { 0.35 } else { 0.50 };
    let is_drawn = is_mixed
        && 2.0 * mix.changes - mix.words >= changes_min
        && mix.separators * 5 <= run.len()
        && (mix.digits > 0 || run.len() >= 24 && mix.changes >= 0.45);
    // A text of one case changes class only at digits.
    let is_drawn_in_one_case = is_one_case
        && run.len() >= 32
        && mix.digits >= 5
        && mix.changes >= 0.25
        && mix.separators == 0;
    let looks_drawn = is_drawn || is_drawn_in_one_case;
    looks_drawn && entropy(run) >= enough
}

/// Returns the candidate part of a run: the run itself, or a long piece of hex in it.
fn candidate(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let run = &text[start..end];
    if run.len() <= RUN_MAX && is_random(run) && !is_known(text, start, run) {
        return Some((start, end));
    }
    let (hex_start, hex) = longest_hex(run)?;
    let start = start + hex_start;
    let is_secret = (HEX_MIN..=RUN_MAX).contains(&hex.len())
        && entropy(hex) >= 3.0
        && !is_hex_known(text, start, hex);
    is_secret.then_some((start, start + hex.len()))
}

/// Returns the maximal runs of base64 characters that are long enough.
fn runs(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let start = at;
            while at < bytes.len() && is_run_byte(bytes[at]) {
                at += 1;
            }
            let end = at;
            at += 1;
            if end - start >= RUN_MIN {
                return Some((start, end));
            }
        }
        None
    })
}

pub(super) fn is_run_byte(byte: u8) -> bool {
    const TABLE: [bool; 256] = {
        let mut table = [false; 256];
        let mut byte = 0_u8;
        while byte < 128 {
            table[byte as usize] =
                byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-');
            byte += 1;
        }
        table
    };
    TABLE[usize::from(byte)]
}

struct CharacterMix {
    upper: usize,
    lower: usize,
    digits: usize,
    separators: usize,
    /// The share of neighbours in different classes. Random base64 has 0.6, a name 0.3.
    changes: f64,
    /// The share of characters in sequences of three or more lower-case letters. Random base64 has
    /// 0.15.
    words: f64,
}

impl CharacterMix {
    #[expect(clippy::cast_precision_loss, reason = "a run has at most a few hundred characters")]
    fn of(run: &str) -> Self {
        let class = |byte: u8| match byte {
            b'A'..=b'Z' => 0_usize,
            b'a'..=b'z' => 1,
            b'0'..=b'9' => 2,
            _ => 3,
        };
        let mut counts = [0_usize; 4];
        let (mut changes, mut in_words, mut small) = (0_usize, 0_usize, 0_usize);
        let mut last = None;
        for byte in run.bytes() {
            let class = class(byte);
            counts[class] += 1;
            changes += usize::from(last.is_some_and(|last| last != class));
            last = Some(class);
            small = if class == 1 { small + 1 } else { 0 };
            in_words += match small {
                0..=2 => 0,
                3 => 3,
                _ => 1,
            };
        }
        let length = run.len() as f64;
        Self {
            upper: counts[0],
            lower: counts[1],
            digits: counts[2],
            separators: counts[3],
            changes: changes as f64 / length,
            words: in_words as f64 / length,
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a run has at most a few hundred characters")]
fn entropy(run: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in run.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let length = run.len() as f64;
    let bits = counts.iter().filter(|count| **count > 0).map(|count| {
        let share = f64::from(*count) / length;
        -share * share.log2()
    });
    bits.sum()
}

/// Returns `true` for a base64 run of another kind: a digest, a public key, a placeholder.
fn is_known(text: &str, start: usize, run: &str) -> bool {
    let before = before(text, start);
    is_placeholder(run)
        || crate::check::secrets::false_positives::is_digest(run)
        || ends_in_digest_name(&before)
        || run.starts_with("AAAA") && (before.contains("ssh-") || before.contains("ecdsa-"))
        || before.ends_with("base64,")
        || is_ulid(run)
        || is_public_id(run)
}

/// The id prefixes of systems whose ids have letters of both cases, so that only the prefix tells
/// them from keys. Such an id grants no access by itself.
const ID_PREFIXES: &[&str] = &[
    "run_",
    "resp_",
    "msg_",
    "req_",
    "call_",
    "thread_",
    "asst_",
    "toolu_",
    "chatcmpl-",
    "batch_",
    "evt_",
    "job_",
    "session_",
    "trace_",
    "item_",
    "file-",
];

/// Returns `true` for an id of another system: a known prefix and one word after it, or any kind of
/// thing and a ULID, such as `step_01J9…`.
fn is_public_id(run: &str) -> bool {
    let body = ID_PREFIXES.iter().find_map(|prefix| run.strip_prefix(prefix));
    body.is_some_and(|body| body.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        || run.rfind('_').is_some_and(|at| is_ulid(&run[at + 1..]) && ends_in_kind(&run[..=at]))
}

/// LIMIT: letters of the kind of thing in an id, such as `conversation`.
const KIND_LETTERS_MAX: usize = 12;

/// Words before `_` that announce a credential, beside the prefixes of known formats.
const CREDENTIAL_WORDS: &[&str] = &[
    "access",
    "api",
    "apikey",
    "auth",
    "bearer",
    "cookie",
    "cred",
    "credential",
    "jwt",
    "key",
    "live",
    "pass",
    "password",
    "pat",
    "pk",
    "private",
    "prod",
    "pwd",
    "refresh",
    "rk",
    "secret",
    "sec",
    "sig",
    "signing",
    "sk",
    "test",
    "token",
];

/// Returns `true` if a text ends in the kind of thing that an id names: `step_`, `span_`. A word
/// that announces a credential is none.
fn ends_in_kind(before: &str) -> bool {
    let Some(before) = before.strip_suffix('_') else { return false };
    let bytes = before.as_bytes().iter().rev();
    let letters = bytes.take_while(|byte| byte.is_ascii_lowercase()).count();
    let (rest, kind) = before.split_at(before.len() - letters);
    let is_one_word = !rest.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-'));
    (2..=KIND_LETTERS_MAX).contains(&letters)
        && is_one_word
        && !CREDENTIAL_WORDS.contains(&kind)
        && !shapes::starts_a_token(kind)
}

/// Returns `true` for a hex run of another kind: a commit, an id, part of a path, a named digest.
fn is_hex_known(text: &str, start: usize, hex: &str) -> bool {
    let bytes = text.as_bytes();
    let end = start + hex.len();
    let before = before(text, start);
    let is_in_path = start > 0 && bytes[start - 1] == b'/' || bytes.get(end) == Some(&b'/');
    // `sha256sum` prints the digest, two spaces and the file.
    let is_sum = text[end..].starts_with("  ") || text[end..].starts_with(" *");
    hex.len() == 40
        || is_in_path
        || is_sum
        || names_a_digest(&before)
        || OWN_PREFIXES.iter().chain(ID_PREFIXES).any(|prefix| ends_in_word(&before, prefix))
        || ends_in_kind(&text[..start])
        || before.ends_with("00-") && text[end..].starts_with('-')
        || is_placeholder(hex)
}

/// The id prefixes of this system, each followed by 32 hex digits.
const OWN_PREFIXES: &[&str] = &[
    "hof_", "clm_", "chk_", "ret_", "vrd_", "dec_", "qst_", "sub_", "pty_", "prj_", "tok_", "tsk_",
];

/// Returns `true` if a text ends in a word that starts there: `secret_` does not end in `ret_`.
fn ends_in_word(text: &str, word: &str) -> bool {
    let rest = text.strip_suffix(word);
    rest.is_some_and(|rest| !rest.ends_with(|c: char| c.is_ascii_alphanumeric()))
}

fn before(text: &str, start: usize) -> String {
    let bytes = &text.as_bytes()[start.saturating_sub(40)..start];
    bytes.iter().map(|byte| char::from(byte.to_ascii_lowercase())).collect()
}

/// Returns `true` if a name, or the words before a value, identify it as a digest, an id or another
/// public value.
fn names_a_digest(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    DIGEST_PARTS.iter().any(|part| lower.contains(part))
        || lower
            .split(|c: char| !c.is_ascii_alphanumeric())
            .any(|word| DIGEST_WORDS.contains(&word))
}

const DIGEST_PARTS: &[&str] = &[
    "sha1",
    "sha2",
    "sha-2",
    "sha5",
    "sha-5",
    "digest",
    "checksum",
    "commit",
    "fingerprint",
    "integrity",
    "revision",
    "traceparent",
    "trace",
    "public",
    "pubkey",
    "certificate",
    "signature",
    "container",
    "artifact",
    "blake",
];

const DIGEST_WORDS: &[&str] = &[
    "md5", "hash", "hashes", "etag", "span", "tree", "blob", "object", "image", "layer", "build",
    "id", "uuid", "guid", "sha", "head", "base", "parent", "leaf", "root", "cursor", "request",
];

fn ends_in_digest_name(before: &str) -> bool {
    let before = before.trim_end_matches(['-', ':', '=', '"', ' ']);
    ["sha1", "sha256", "sha384", "sha512", "h1", "integrity", "fingerprint", "digest"]
        .iter()
        .any(|name| before.ends_with(name))
}

/// Returns `true` for a ULID (Crockford base32 with a timestamp), which is an id and not a key.
fn is_ulid(run: &str) -> bool {
    run.len() == 26
        && matches!(run.as_bytes()[0], b'0'..=b'7')
        && run.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
}

/// Returns the longest piece of hex between separators that has both digits and letters.
fn longest_hex(run: &str) -> Option<(usize, &str)> {
    if run.len() < HEX_MIN {
        return None;
    }
    let mut at = 0;
    let mut longest = None;
    for piece in run.split(|c: char| !c.is_ascii_alphanumeric()) {
        let is_longest = longest.is_none_or(|(_, best): (usize, &str)| piece.len() > best.len());
        if piece.len() >= HEX_MIN && is_longest && is_hex(piece) {
            longest = Some((at, piece));
        }
        at += piece.len() + 1;
    }
    longest
}

fn is_hex(piece: &str) -> bool {
    piece.bytes().all(|byte| byte.is_ascii_hexdigit())
        && piece.bytes().any(|byte| byte.is_ascii_digit())
        && piece.bytes().any(|byte| byte.is_ascii_alphabetic())
}

fn ranges_to_skip(text: &str) -> Vec<(usize, usize)> {
    let mut ranges = address::ranges(text);
    let mut from = 0;
    while let Some(begin) = text[from..].find("-----BEGIN ") {
        let begin = from + begin;
        let end = text[begin..].find("-----END ").map_or(text.len(), |end| begin + end);
        // A private key without key material is not a hit of `shapes`, so the text after it must be
        // scanned.
        let label = text[begin + 11..end].split("-----").next().unwrap_or_default();
        if !label.contains("PRIVATE") {
            ranges.push((begin, end));
        }
        from = end.max(begin + 11);
    }
    ranges.sort_unstable();
    ranges
}

#[cfg(test)]
mod tests {
    use super::super::names;
    use super::*;

    fn check(text: &str, secret: Option<&str>) {
        let found = find(text, None, &[]);
        let found: Vec<&str> = found.iter().map(|hit| &text[hit.start..hit.end]).collect();
        assert_eq!(found, secret.into_iter().collect::<Vec<_>>(), "{text}");
    }

    #[test]
    fn random_runs_are_found() {
        for run in [
            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzQ3kT9vL2m",
            "q8Zt3Vn1Kx7Rb5Lm2Wd9",
            "Yk3bT9xQz_Lw-7RvN2mPdJ5s",
            "4f1d8a0c6b3e9f275d81c40ab9e63f7288d1a6c5e0f47b932ac5d86e1b70f394",
            "9d4e1cf03ba87265e0a94b7c8d1f2630",
            "k3x9q2m7v5l1z8r4b6n0w2y7c4h9d3f6",
        ] {
            check(&format!("use {run} now"), Some(run));
        }
    }

    #[test]
    fn ordinary_long_runs_are_not_reported() {
        for text in [
            "crates/tasuki-packet/src/secrets/ordinary",
            "/usr/lib/x86_64-linux-gnu/libX11",
            "ETag/304/Last-Modified",
            "AbstractSingletonProxyFactoryBean2",
            "getHTTPResponseCode404FromServerV2",
            "commit 9f2c1e0aa81b2c3d4e5f60718293a4b5c6d7e8f9",
            "sha256:4f1d8a0c6b3e9f275d81c40ab9e63f7288d1a6c5e0f47b932ac5d86e1b70f394",
            "4f1d8a0c6b3e9f275d81c40ab9e63f7288d1a6c5e0f47b932ac5d86e1b70f394  dist/bundle.js",
            "hof_0192f0c1a2b37c4d8e5f60718293a4b5",
            "step_01J9ZQ4M7X2K8V5T3R6W1Y0HNB, id=tsk_01J9ZQ4M7X2K8V5T3R6W1Y0HNB",
            "step_68a1c2d3e4f5061728394a5b6c7d8e9f0a1b2c3d4e5f6071",
            "123e4567-e89b-12d3-a456-426614174000",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "trace:4bf92f3577b34da6a3ce929d0e0e4736",
            "507f1f77bcf86cd799439011",
            "01ARZ3NDEKTSV4RRFFQ69G5FAV",
            "sha512-q8Zt3Vn1Kx7Rb5Lm2Wd9Yk3bT9xQzLw7RvN2mPdJ5sA==",
            "https://docs.example/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit",
            "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0x7Kq2Wm9Vb4Rt8Zd3Lp6Nc1Yf5Hg",
        ] {
            check(text, None);
        }
    }

    #[test]
    fn a_word_that_announces_a_credential_does_not_name_an_id() {
        let hex = "9d4e1cf03ba87265e0a94b7c8d1f2630";
        for word in ["sk", "pk", "key", "api", "token", "secret", "ghp", "acme_live", "acme-api"] {
            check(&format!("use {word}_{hex} now"), Some(hex));
        }
        for run in ["key_01J9ZQ4M7X2K8V5T3R6W1Y0HNB", "abc_api_01J9ZQ4M7X2K8V5T3R6W1Y0HNB"] {
            check(&format!("use {run} now"), Some(run));
        }
    }

    #[test]
    fn a_public_format_would_not_be_reported_anyway() {
        let mut state = 1_u64;
        for _ in 0..500 {
            let mut hex = |length: usize| -> String {
                let mut digit = || {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    char::from_digit(u32::try_from(state >> 60).unwrap(), 16).unwrap()
                };
                (0..length).map(|_| digit()).collect()
            };
            let digest = format!("sha256:{}", hex(64));
            let trace = format!("00-{}-{}-01", hex(32), hex(16));
            for text in [digest, trace] {
                assert!(is_public(&text));
                let mut candidates = runs(&text).map(|(start, end)| candidate(&text, start, end));
                assert!(candidates.all(|candidate| candidate.is_none()), "{text}");
                let others = [shapes::search(&text), address::find(&text), names::find(&text)];
                assert_eq!(others.concat(), [], "{text}");
            }
        }
    }

    #[test]
    fn the_name_of_a_digest_excuses_its_value() {
        let run = "4f1d8a0c6b3e9f275d81c40ab9e63f7288d1a6c5e0f47b932ac5d86e1b70f394";
        assert_eq!(find(run, Some(Name::of("prev_hash")), &[]), []);
        assert_eq!(find(run, Some(Name::of("blob_sha256")), &[]), []);
        assert_eq!(find(run, Some(Name::of("note")), &[]).len(), 1);
    }
}
