//! Which handoff is meant, and which revision of it is named.

use tasuki_engine::decision::DIGITS_MIN;
use tasuki_engine::find;

use crate::exit::Failure;
use crate::output::escape::shown;

/// Whether a person means this id: the whole of it, or its last digits.
pub(crate) fn ends_with(id: &str, prefix: &str, written: &str) -> bool {
    find::ending_in(written, prefix).is_some_and(|ending| id.ends_with(&ending))
}

/// The revision that is named behind the `@`.
pub(crate) fn revision_in(written: &str) -> Result<Option<u32>, Failure> {
    Ok(seen_in(written)?.map(|(revision, _)| revision))
}

/// What somebody says they saw, behind the `@`: a revision, and a receiver if they name one.
pub(crate) fn seen_in(written: &str) -> Result<Option<(u32, Option<String>)>, Failure> {
    let Some((_, seen)) = written.split_once('@') else { return Ok(None) };
    let (revision, receiver) = match seen.split_once(':') {
        Some((revision, receiver)) => (revision, Some(receiver.to_owned())),
        None => (seen, None),
    };
    let number = revision.parse().ok().filter(|number| *number > 0);
    let number = number.ok_or_else(|| {
        Failure::usage(format!("`{}` is not the number of a revision", shown(revision)))
            .hint("write it as `1a2b3c@2`")
    })?;
    Ok(Some((number, receiver)))
}

/// The receiver and, behind it, the first digits of the action that was seen, in what stands behind a
/// revision. `to` is the receiver by now, whose own name may end like digits.
pub(crate) fn receiver_and_action(named: String, to: &str) -> (String, Option<String>) {
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
            let (receiver, action) = receiver_and_action(named.to_owned(), to);
            assert_eq!((receiver.as_str(), action.as_deref()), expected, "{named}");
        }
    }
}
