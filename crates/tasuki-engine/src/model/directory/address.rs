//! Addresses that the exchange may send something to, checked by their form alone.
//!
//! Whether a host may be reached at all is asked when it is: a name that is harmless today may lead
//! into somebody's network tomorrow.

use crate::refusal::{Refusal, RefusalCode};

/// LIMIT: characters of the address of a webhook.
const URL_CHARACTERS_MAX: usize = 2_048;

/// LIMIT: RFC 5321.
const EMAIL_CHARACTERS_MAX: usize = 254;

/// LIMIT: RFC 5321, before the `@`.
const MAILBOX_CHARACTERS_MAX: usize = 64;

/// The address of a webhook.
pub(crate) fn must_be_url(url: &str) -> Result<(), Refusal> {
    let refuse = |message: &str, hint: &str| {
        Err(Refusal::new(RefusalCode::ArgumentInvalid, message).hint(hint))
    };
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let host = rest.map(|rest| rest.split(['/', '?', '#']).next().unwrap_or_default());
    let is_plain = url.chars().count() <= URL_CHARACTERS_MAX
        && url.chars().all(|c| c.is_ascii_graphic() && !matches!(c, '\\' | '"' | '<' | '>'));
    let Some(host) = host.filter(|host| is_plain && !host.is_empty()) else {
        return refuse(
            "a webhook has an address like `https://example.org/hooks`",
            "write it whole, with percent signs for what is no ASCII",
        );
    };
    if host.contains('@') {
        return refuse(
            "the address of a webhook has no password in it",
            "the receiver knows who asks by the signature",
        );
    }
    if url.contains('#') {
        return refuse("the address of a webhook has no `#`", "leave it out: nobody sends it");
    }
    Ok(())
}

/// The address of a mailbox.
pub(crate) fn must_be_email(address: &str) -> Result<(), Refusal> {
    let is_mailbox = |part: &str| {
        (1..=MAILBOX_CHARACTERS_MAX).contains(&part.len())
            && part.split('.').all(|atom| !atom.is_empty())
            && part
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~.".contains(&b))
    };
    let is_label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    let is_address = address.len() <= EMAIL_CHARACTERS_MAX
        && address.rsplit_once('@').is_some_and(|(mailbox, domain)| {
            is_mailbox(mailbox) && domain.split('.').all(is_label)
        });
    if is_address {
        return Ok(());
    }
    Err(Refusal::new(RefusalCode::ArgumentInvalid, "this is no address of a mailbox")
        .hint("it is written like `ana@example.org`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn webhooks_have_whole_addresses_without_credentials() {
        for url in [
            "https://example.org",
            "https://example.org:8443/hooks?a=b",
            "http://127.0.0.1:9000/",
            "https://[::1]/x",
            "https://example.org/@ana",
        ] {
            assert!(must_be_url(url).is_ok(), "{url}");
        }
        for url in [
            "",
            "example.org",
            "ftp://example.org",
            "https://",
            "https:///path",
            "https://ana:secret@example.org/",
            "https://ana@example.org",
            "https://example.org/#part",
            "https://example.org/a b",
            "https://example.org\\@evil.org",
            "https://exämple.org/",
            &format!("https://example.org/{}", "x".repeat(2_048)),
        ] {
            assert!(must_be_url(url).is_err(), "{url}");
        }
    }

    #[test]
    fn mailboxes_are_plain() {
        for address in ["a@b", "ana@example.org", "ana.b+tag@mail.example.org"] {
            assert!(must_be_email(address).is_ok(), "{address}");
        }
        for address in [
            "",
            "ana",
            "@example.org",
            "ana@",
            "ana@@example.org",
            "a b@example.org",
            "ana@-example.org",
            "ana@example..org",
            "ana@example.org\nBcc: all@example.org",
            "Ana <ana@example.org>",
            ".ana@example.org",
            &format!("{}@example.org", "a".repeat(65)),
        ] {
            assert!(must_be_email(address).is_err(), "{address}");
        }
    }
}
