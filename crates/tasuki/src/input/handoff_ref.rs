//! Parses references to handoffs, such as `1a2b3c@2:ben`.

use tasuki_engine::query::resolve;
use tasuki_engine::steps::decision::DIGITS_MIN;

use crate::exit::Failure;
use crate::output::escape::excerpt;

/// Returns `true` if a reference is an id or its last digits.
pub(crate) fn matches_id(id: &str, prefix: &str, written: &str) -> bool {
    resolve::ending_in(written, prefix).is_some_and(|ending| id.ends_with(&ending))
}

/// Parses the revision after the `@`.
pub(crate) fn parse_revision(written: &str) -> Result<Option<u32>, Failure> {
    Ok(parse_seen(written)?.map(|(revision, _)| revision))
}

/// Parses the version after the `@`: a revision, optionally with a receiver.
pub(crate) fn parse_seen(written: &str) -> Result<Option<(u32, Option<String>)>, Failure> {
    let Some((_, seen)) = written.split_once('@') else { return Ok(None) };
    let (revision, receiver) = match seen.split_once(':') {
        Some((revision, receiver)) => (revision, Some(receiver.to_owned())),
        None => (seen, None),
    };
    let number = revision.parse().ok().filter(|number| *number > 0);
    let number = number.ok_or_else(|| {
        Failure::usage(format!("`{}` is not a revision number", excerpt(revision)))
            .hint("use the form `1a2b3c@2`")
    })?;
    Ok(Some((number, receiver)))
}

/// Splits the receiver from the digits of the action after it. `to` is the current receiver, whose
/// name may itself end like digits.
pub(crate) fn split_action(named: String, to: &str) -> (String, Option<String>) {
    let is_digits =
        |text: &str| text.len() >= DIGITS_MIN && text.bytes().all(|b| b.is_ascii_hexdigit());
    match named.rsplit_once(':') {
        Some((receiver, digits)) if named != to && receiver != "role" && is_digits(digits) => {
            (receiver.to_owned(), Some(digits.to_ascii_lowercase()))
        }
        _ => (named, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_is_named_behind_the_receiver() {
        for (named, to, expected) in [
            ("ben", "ben", ("ben", None)),
            ("ben:0123456789abcdEF", "ben", ("ben", Some("0123456789abcdef"))),
            ("ben:0123456789abcde", "ben", ("ben:0123456789abcde", None)),
            ("role:ops:0123456789abcdef", "ben", ("role:ops", Some("0123456789abcdef"))),
            // A name stays a name.
            ("role:deadbeefdeadbeef", "ben", ("role:deadbeefdeadbeef", None)),
            ("bot:deadbeefdeadbeef", "bot:deadbeefdeadbeef", ("bot:deadbeefdeadbeef", None)),
        ] {
            let (receiver, action) = split_action(named.to_owned(), to);
            assert_eq!((receiver.as_str(), action.as_deref()), expected, "{named}");
        }
    }
}
