//! Recognizes values that look like secrets but are not: placeholders, references, paths, words,
//! digests.

/// Returns `true` if a value is a placeholder for a secret: `<token>`, `${VAR}`, `***`, `changeme`.
pub(super) fn is_placeholder(value: &str) -> bool {
    let lower = value.trim().to_ascii_lowercase();
    !lower.bytes().any(|byte| byte.is_ascii_alphanumeric())
        || is_variable(value.trim())
        || STAND_INS.contains(&lower.as_str())
        || STAND_IN_PARTS.iter().any(|part| lower.contains(part))
}

const STAND_INS: &[&str] = &[
    "password",
    "passwd",
    "pass",
    "pwd",
    "secret",
    "token",
    "apikey",
    "api_key",
    "api-key",
    "key",
    "string",
    "text",
    "none",
    "null",
    "nil",
    "undefined",
    "true",
    "false",
    "yes",
    "no",
    "n/a",
    "required",
    "optional",
    "missing",
    "unset",
    "empty",
    "hidden",
    "masked",
    "expired",
    "valid",
    "invalid",
    "revoked",
    "rotated",
    "unchanged",
    "removed",
    "user",
    "username",
    "secret_ref",
    "vault",
    "keyring",
    "environment",
    "argon2",
    "argon2id",
    "bcrypt",
    "scrypt",
    "pbkdf2",
    "sha256",
    "sha512",
    "hs256",
    "rs256",
    "es256",
    "ed25519",
    "oauth2",
    "base64",
    "aes-256-gcm",
];

/// Parts that identify a placeholder anywhere. They are long enough not to occur in a random text.
const STAND_IN_PARTS: &[&str] = &[
    "***",
    "...",
    "…",
    "xxxx",
    "<",
    "{{",
    "example",
    "placeholder",
    "redacted",
    "changeme",
    "change-me",
    "change_me",
    "your-",
    "your_",
    "yourpass",
    "yourtoken",
    "secret_ref",
];

/// Returns `true` for `$NAME`, `${NAME}`, `$(command)`, `%NAME%`, `{name}`, `[name]`.
fn is_variable(value: &str) -> bool {
    let is_name = |name: &str| {
        let has_digit = name.bytes().any(|byte| byte.is_ascii_digit());
        let has_lower = name.bytes().any(|byte| byte.is_ascii_lowercase());
        let is_mixed = has_digit && has_lower;
        !name.is_empty()
            && !is_mixed
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    value.starts_with("${")
        || value.starts_with("$(")
        || value.starts_with('{')
        || value.starts_with('[')
        || value.strip_prefix('$').is_some_and(is_name)
        || value.strip_prefix('%').is_some_and(|rest| is_name(rest.trim_end_matches('%')))
}

/// Returns `true` if a value refers to a secret by its location.
pub(super) fn is_reference(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    REFERENCES.iter().any(|start| lower.starts_with(start))
        || is_environment_name(value)
        || is_path(value)
        || is_digest(value)
        || is_code(value)
        || value.contains("://")
}

const REFERENCES: &[&str] = &[
    "env:",
    "env.",
    "vault:",
    "file:",
    "keyring:",
    "kms:",
    "ref:",
    "arn:",
    "projects/",
    "secrets.",
    "secrets/",
    "secret/",
    "vars.",
    "process.env",
    "os.environ",
    "os.getenv",
    "std::env",
    "hof_",
];

fn is_environment_name(value: &str) -> bool {
    value.contains('_')
        && value
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Returns `true` for a program expression: `getToken()`, `config.secret`, `Secret::new`.
fn is_code(value: &str) -> bool {
    let name = value.find('(').map_or(value, |at| &value[..at]);
    let is_call = name.len() < value.len()
        && name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic())
        && name.bytes().all(|byte| {
            byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.' | b':' | b'!' | b'[' | b']')
        });
    is_call || value.contains("::")
}

/// Returns `true` for a file: it starts like a path or ends like a file name.
pub(super) fn is_path(value: &str) -> bool {
    let starts = ["/", "./", "../", "~/", ".\\"].iter().any(|start| value.starts_with(start));
    let bytes = value.as_bytes();
    let is_drive = bytes.len() > 2 && bytes[0].is_ascii_alphabetic() && &bytes[1..3] == b":\\";
    let extension = value.rsplit_once('.').map(|(_, extension)| extension);
    let ends = extension.is_some_and(|extension| {
        (1..=5).contains(&extension.len())
            && extension.bytes().all(|byte| byte.is_ascii_lowercase())
            && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-/\\".contains(&byte))
    });
    starts || is_drive || ends
}

/// Returns `true` for a labelled digest: `sha256:…`, `sha512-…`, `SHA256:…`, `h1:…`.
pub(super) fn is_digest(value: &str) -> bool {
    let lower = value.get(..8).unwrap_or(value).to_ascii_lowercase();
    ["md5:", "h1:"].iter().any(|start| lower.starts_with(start))
        || ["sha1", "sha224", "sha256", "sha384", "sha512"].iter().any(|name| {
            lower.strip_prefix(name).is_some_and(|rest| rest.starts_with([':', '-', '=']))
        })
}

/// Returns `true` for words and small numbers with separators: `blue-horse`, `v1.2.3`,
/// `oauth2_proxy`.
pub(super) fn is_words(value: &str) -> bool {
    value
        .split(['-', '_', '.', '/', ':', '+', ' ', ','])
        .filter(|part| !part.is_empty())
        .all(is_word)
}

/// Returns `true` for letters of one case (optionally with a leading capital) and up to three
/// trailing digits, or for up to six digits.
fn is_word(part: &str) -> bool {
    let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = part.len() - letters.len();
    if letters.is_empty() {
        return digits <= 6;
    }
    let bytes = letters.as_bytes();
    let is_one_case = bytes.iter().all(u8::is_ascii_uppercase)
        || bytes[0].is_ascii_alphabetic() && bytes[1..].iter().all(u8::is_ascii_lowercase);
    digits <= 3 && letters.len() <= 15 && is_one_case
}

pub(super) fn decoded_basic(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    if body.len() < 6 || body.len() % 4 == 1 {
        return false;
    }
    let Some(decoded) = base64_decoded(body) else { return false };
    let colon = decoded.iter().position(|byte| *byte == b':');
    let is_printable = decoded.iter().all(|byte| matches!(byte, b' '..=b'~'));
    is_printable && colon.is_some_and(|at| at + 1 < decoded.len())
}

fn base64_decoded(body: &str) -> Option<Vec<u8>> {
    let mut decoded = Vec::with_capacity(body.len() * 3 / 4);
    let mut bits = 0_u32;
    let mut count = 0;
    for byte in body.bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(digit)) & 0xFFFF;
        count += 6;
        if count >= 8 {
            count -= 8;
            decoded.push(u8::try_from(bits >> count & 0xFF).ok()?);
        }
    }
    Some(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_distinguished_from_values() {
        for value in [
            "<token>",
            "${VAR}",
            "$(pass show x)",
            "$DB_PASSWORD",
            "%TOKEN%",
            "{{ token }}",
            "***",
            "xxxxxxxx",
            "changeme",
            "your-api-key",
            "required",
            "[redacted: GitHub token]",
            "...",
        ] {
            assert!(is_placeholder(value), "{value}");
        }
        for value in ["hunter2", "$ecret1x", "Tr0ub4dor&3", "correcthorse"] {
            assert!(!is_placeholder(value), "{value}");
        }
    }

    #[test]
    fn references_are_distinguished_from_values() {
        for value in [
            "env:API_TOKEN",
            "API_TOKEN",
            "vault:kv/app",
            "op://team/item/field",
            "/run/secrets/db",
            "keys/server.pem",
            "getToken()",
            "config.get(\"x\")",
            "sha256:9f2c",
            "Secret::new",
        ] {
            assert!(is_reference(value), "{value}");
        }
        for value in ["hunter2", "p4ss(word", "AKIB2C3D4E5F", "Zx9.Qw8!"] {
            assert!(!is_reference(value), "{value}");
        }
    }

    #[test]
    fn words_have_no_digits_in_the_middle() {
        for value in ["blue-horse", "v1.2.3", "oauth2_proxy", "README", "Cost incurred", "2026-11"]
        {
            assert!(is_words(value), "{value}");
        }
        for value in ["s3cr3t", "aB3dE6", "camelCase", "abc12345"] {
            assert!(!is_words(value), "{value}");
        }
    }

    #[test]
    fn basic_credentials_decode_to_user_and_password() {
        assert!(decoded_basic("YWRtaW46aHVudGVyMg=="));
        assert!(decoded_basic("dXNlcjpwYXNz"));
        assert!(!decoded_basic("authentication"));
        assert!(!decoded_basic("YWRtaW4="));
    }
}
