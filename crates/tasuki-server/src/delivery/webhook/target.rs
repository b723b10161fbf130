//! Parses webhook URLs strictly. If two programs parse a URL differently, a request can reach a
//! host that was never checked.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The parsed URL of a webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Scheme, host and port to connect to.
    pub origin: Origin,
    /// The path with the query.
    pub path: String,
}

/// Scheme, host and port.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Origin {
    /// `true` for `https`.
    pub is_tls: bool,
    /// The host.
    pub host: Host,
    /// The port.
    pub port: u16,
}

/// A host given by name or address.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Host {
    /// A name in lower case.
    Name(String),
    /// A literal IP address.
    Address(IpAddr),
}

impl Target {
    /// Parses a URL. Returns `None` if it is invalid or ambiguous to other parsers.
    pub fn read(url: &str) -> Option<Self> {
        let is_plain = url.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
        if !is_plain || url.contains('#') {
            return None;
        }
        let (is_tls, rest) = match (url.strip_prefix("https://"), url.strip_prefix("http://")) {
            (Some(rest), _) => (true, rest),
            (None, Some(rest)) => (false, rest),
            (None, None) => return None,
        };
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (place, path) = rest.split_at(end);
        let (host, port) = place_of(place)?;
        let port = port.unwrap_or(if is_tls { 443 } else { 80 });
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        Some(Self { origin: Origin { is_tls, host, port }, path })
    }
}

impl Origin {
    /// Parses an origin such as `http://127.0.0.1:9000`.
    pub fn read(text: &str) -> Option<Self> {
        let target = Target::read(text)?;
        let is_bare = target.path == "/" && !text.contains('?');
        is_bare.then_some(target.origin)
    }

    /// Returns host and port as in the `Host` header.
    pub fn authority(&self) -> String {
        let host = self.host.to_string();
        let usual = if self.is_tls { 443 } else { 80 };
        if self.port == usual { host } else { format!("{host}:{}", self.port) }
    }
}

impl std::fmt::Display for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(IpAddr::V4(address)) => write!(f, "{address}"),
            Self::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
        }
    }
}

fn place_of(place: &str) -> Option<(Host, Option<u16>)> {
    if let Some(inner) = place.strip_prefix('[') {
        let (address, after) = inner.split_once(']')?;
        let address: Ipv6Addr = address.parse().ok()?;
        let port = match after.strip_prefix(':') {
            Some(port) => Some(port_of(port)?),
            None if after.is_empty() => None,
            None => return None,
        };
        return Some((Host::Address(address.into()), port));
    }
    let (host, port) = match place.split_once(':') {
        Some((host, port)) => (host, Some(port_of(port)?)),
        None => (place, None),
    };
    Some((named_or_numbered(host)?, port))
}

fn port_of(text: &str) -> Option<u16> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    text.parse().ok().filter(|port| is_plain && *port > 0)
}

/// Parses an IPv4 address, or a name whose last label is not numeric in any notation: some programs
/// treat `127.1`, `0x7f000001` and `017700000001` as addresses.
fn named_or_numbered(host: &str) -> Option<Host> {
    if let Ok(address) = host.parse::<Ipv4Addr>() {
        return Some(Host::Address(address.into()));
    }
    let host = host.to_ascii_lowercase();
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    let last = host.rsplit('.').next()?;
    let is_number = last.bytes().all(|byte| byte.is_ascii_digit()) || last.starts_with("0x");
    let is_name = host.len() <= 253 && host.split('.').all(is_label) && !is_number;
    is_name.then_some(Host::Name(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_parsed() {
        let shown = |url: &str| {
            let target = Target::read(url).unwrap();
            (target.origin.is_tls, target.origin.authority(), target.origin.port, target.path)
        };
        let is = |tls, authority: &str, port, path: &str| {
            (tls, authority.to_owned(), port, path.to_owned())
        };
        assert_eq!(shown("https://Example.org"), is(true, "example.org", 443, "/"));
        assert_eq!(
            shown("https://example.org:8443/a?b=c"),
            is(true, "example.org:8443", 8443, "/a?b=c")
        );
        assert_eq!(shown("http://127.0.0.1:9000?x"), is(false, "127.0.0.1:9000", 9000, "/?x"));
        assert_eq!(shown("https://[2606:4700::1]/"), is(true, "[2606:4700::1]", 443, "/"));
        assert!(Origin::read("http://127.0.0.1:9000").is_some());
        assert!(Origin::read("http://127.0.0.1:9000/a").is_none());
    }

    #[test]
    fn an_ambiguous_url_is_rejected() {
        for url in [
            "https://0x7f000001/",
            "https://0x7f.0.0.1/",
            "https://127.1/",
            "https://2130706433/",
            "https://017700000001/",
            "https://0177.0.0.1/",
            "https://127.0.0.1.",
            "https://localhost.",
            "https://ana:secret@example.org/",
            "https://example.org@127.0.0.1/",
            "https://example.org\\@127.0.0.1/",
            "https://example.org:0443/",
            "https://example.org:/",
            "https://example.org:99999/",
            "https://[::1",
            "https://[::1]x/",
            "https://[fe80::1%25eth0]/",
            "https://exämple.org/",
            "https://①②⑦.0.0.1/",
            "https://",
            "ftp://example.org/",
            "file:///etc/passwd",
            "gopher://example.org/",
        ] {
            assert_eq!(Target::read(url), None, "{url}");
        }
    }
}
