//! Finds passwords in URLs: `scheme://user:password@host`.

use super::false_positives::is_placeholder;
use super::hit::Hit;

const KIND: &str = "password in an address";

const SEPARATOR: &[u8; 3] = b"://";

/// Returns the password, or the token in place of a user, of every URL in `text`.
pub(super) fn find(text: &str) -> Vec<Hit> {
    separators(text).filter_map(|at| credentials(text, at)).collect()
}

/// Returns the ranges of all URLs in `text`, from the scheme to the next white space or quote.
pub(super) fn ranges(text: &str) -> Vec<(usize, usize)> {
    let mut ranges = Vec::new();
    for at in separators(text) {
        let start = at - scheme_length(text, at);
        if start < at && ranges.last().is_none_or(|(_, end)| *end <= start) {
            let rest = at + SEPARATOR.len();
            ranges.push((start, rest + length(&text[rest..])));
        }
    }
    ranges
}

/// Returns the position of each `://`. Most texts are short, and setting up a searcher would take
/// longer than this.
fn separators(text: &str) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes().array_windows().enumerate();
    bytes.filter(|(_, found)| *found == SEPARATOR).map(|(at, _)| at)
}

fn credentials(text: &str, at: usize) -> Option<Hit> {
    let scheme = &text[at - scheme_length(text, at)..at];
    let address = address(text, at);
    let user_info = user_info(address)?;
    let start = at + 3;
    if let Some((user, password)) = user_info.split_once(':') {
        let host = &address[user_info.len() + 1..];
        let is_default = user == password && is_this_machine(host);
        let is_harmless = password.is_empty() || is_placeholder(password) || is_default;
        let start = start + user.len() + 1;
        return (!is_harmless).then(|| Hit { kind: KIND, start, end: start + password.len() });
    }
    // `https://<token>@host`: user names are shorter, and only `ssh` and `git` use them alone.
    let is_secret = scheme.starts_with("http")
        && user_info.len() >= 20
        && user_info.bytes().any(|byte| byte.is_ascii_digit())
        && !is_placeholder(user_info);
    is_secret.then(|| Hit { kind: KIND, start, end: start + user_info.len() })
}

fn scheme_length(text: &str, at: usize) -> usize {
    let before = text.as_bytes()[..at].iter().rev().take(24);
    before
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
        .count()
}

/// Returns the text after `://`, up to the maximum extent of a password, or nothing if it cannot
/// contain one.
fn address(text: &str, at: usize) -> &str {
    // LIMIT: a text that consists of `://` must not be read to its end once per URL.
    let mut end = text.len().min(at + 3 + 512);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let rest = &text[at + 3..end];
    // Nearly all URLs end here: without an `@` there are no credentials.
    if !rest.as_bytes().contains(&b'@') {
        return "";
    }
    &rest[..length(rest)]
}

/// Returns the length up to white space or a quote. `<password>` inside a URL is a placeholder and
/// does not end it.
fn length(address: &str) -> usize {
    address
        .find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`'))
        .unwrap_or(address.len())
}

/// Returns the part before the `@`. This includes a password with a raw `/`: the text after the
/// colon is then not a port.
fn user_info(address: &str) -> Option<&str> {
    let authority_end = address.find(['/', '?', '#']).unwrap_or(address.len());
    let authority = &address[..authority_end];
    if let Some(at) = authority.rfind('@') {
        return Some(&authority[..at]);
    }
    let (_, port) = authority.rsplit_once(':')?;
    let is_port = port.bytes().all(|byte| byte.is_ascii_digit() || byte == b']');
    let at = address.find('@')?;
    (!is_port).then(|| &address[..at])
}

fn is_this_machine(host: &str) -> bool {
    ["localhost", "127.0.0.1", "[::1]"].iter().any(|name| host.starts_with(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, secret: Option<&str>) {
        let found = find(text);
        let found: Vec<&str> = found.iter().map(|hit| &text[hit.start..hit.end]).collect();
        assert_eq!(found, secret.into_iter().collect::<Vec<_>>(), "{text}");
    }

    #[test]
    fn a_password_in_an_address_is_found() {
        check("postgres://admin:hunter2@db.internal/app", Some("hunter2"));
        check("use redis://:s3cr3t@cache:6379/0.", Some("s3cr3t"));
        check("amqp://svc:p@ss@queue", Some("p@ss"));
        check("mysql://svc:pa/ss9@db/app", Some("pa/ss9"));
        check("mongodb+srv://svc:Tr0ub4dor@cluster0.example.net", Some("Tr0ub4dor"));
    }

    #[test]
    fn an_address_without_a_password_is_not_reported() {
        for text in [
            "https://example.org/a:b@c",
            "http://host:8080/path@v1",
            "http://[::1]:7420/x@y",
            "ssh://git@github.com/org/repo",
            "postgres://user:${DB_PASSWORD}@db/app",
            "postgres://user:<password>@db/app",
            "postgres://user:***@db/app",
            "postgres://postgres:postgres@localhost:5432/app",
            "see https://example.org, mail a@b.example",
        ] {
            check(text, None);
        }
    }
}
