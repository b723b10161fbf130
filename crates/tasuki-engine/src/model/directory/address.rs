//! Validates the form of webhook URLs, ntfy topics and email addresses.
//!
//! The host of a webhook is checked on every delivery instead, because a name that is harmless
//! today may later resolve to an address in an internal network.

use crate::refusal::{Refusal, RefusalCode};

/// LIMIT: characters of a webhook URL.
const URL_CHARACTERS_MAX: usize = 2_048;

/// LIMIT: characters of the name of an ntfy topic.
const TOPIC_CHARACTERS_MAX: usize = 64;

/// LIMIT: RFC 5321.
const EMAIL_CHARACTERS_MAX: usize = 254;

/// LIMIT: RFC 5321, before the `@`.
const MAILBOX_CHARACTERS_MAX: usize = 64;

/// Validates a webhook URL.
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
            "invalid webhook URL; expected a URL such as `https://example.org/hooks`",
            "use an absolute `http` or `https` URL and percent-encode other characters",
        );
    };
    if host.contains('@') {
        return refuse(
            "a webhook URL must not contain credentials",
            "the receiver authenticates requests by their signature",
        );
    }
    if url.contains('#') {
        return refuse(
            "a webhook URL must not contain `#`",
            "remove the fragment: it is never sent",
        );
    }
    Ok(())
}

/// Validates the URL of an ntfy topic: the URL of a server and the name of the topic.
pub(crate) fn must_be_topic(url: &str) -> Result<(), Refusal> {
    must_be_url(url)?;
    let path = url.split_once("://").and_then(|(_, rest)| rest.split_once('/'));
    let topic = path.map(|(_, path)| path.rsplit('/').next().unwrap_or_default());
    let is_name = |topic: &str| {
        (1..=TOPIC_CHARACTERS_MAX).contains(&topic.len())
            && topic.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
    };
    if topic.is_some_and(is_name) {
        return Ok(());
    }
    Err(Refusal::new(RefusalCode::ArgumentInvalid, "invalid URL of an ntfy topic")
        .hint("use the form `https://ntfy.sh/TOPIC`; a topic has letters, digits, `-` and `_`"))
}

/// Validates an email address.
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
    Err(Refusal::new(RefusalCode::ArgumentInvalid, "invalid email address")
        .hint("use the form `ana@example.org`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn webhook_urls_are_absolute_and_have_no_credentials() {
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
    fn a_topic_is_the_last_segment_of_its_url() {
        for url in ["https://ntfy.sh/alerts_1", "https://example.org/ntfy/ops-7"] {
            assert!(must_be_topic(url).is_ok(), "{url}");
        }
        for url in ["https://ntfy.sh", "https://ntfy.sh/", "https://ntfy.sh/a?b=c", "ntfy.sh/x"] {
            assert!(must_be_topic(url).is_err(), "{url}");
        }
        assert!(must_be_topic(&format!("https://ntfy.sh/{}", "x".repeat(65))).is_err());
    }

    #[test]
    fn email_addresses_are_plain() {
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
