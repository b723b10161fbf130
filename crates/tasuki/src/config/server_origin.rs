//! The origin of a server: scheme, host and port.
//!
//! Trust is given to an origin, not to an address: every path of a host is served by the same
//! program. The characters of a host are limited, because an origin is printed as an argument of a
//! command.

use std::fmt;
use std::net::IpAddr;

use super::values::{Address, InvalidValue};
use crate::output::escape::excerpt;

/// The origin of a server: `https://tasuki.example`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ServerOrigin {
    is_encrypted: bool,
    host: String,
    /// The port, unless it is the default of the scheme.
    port: Option<u16>,
}

impl ServerOrigin {
    pub(crate) fn parse(text: &str) -> Result<Self, InvalidValue> {
        Self::of(&Address::parse(text)?)
    }

    /// Returns the origin of an address.
    pub(crate) fn of(address: &Address) -> Result<Self, InvalidValue> {
        let invalid = || {
            let message = format!("`{}` is not a valid server address", excerpt(address.as_str()));
            InvalidValue::new(message, "use the form `https://tasuki.example:7420`")
        };
        let (scheme, rest) = address.as_str().split_once("://").ok_or_else(invalid)?;
        let is_encrypted = scheme == "https";
        let authority = rest.split('/').next().unwrap_or_default();
        let (host, port) = split_port(authority).ok_or_else(invalid)?;
        let default = if is_encrypted { 443 } else { 80 };
        let port = port.filter(|port| *port != default);
        Ok(Self { is_encrypted, host: host.to_ascii_lowercase(), port })
    }

    /// Returns `true` if what is sent there can be read on the way: plain http to another machine.
    pub(crate) fn is_exposed(&self) -> bool {
        !self.is_encrypted && !self.is_this_machine()
    }

    fn is_this_machine(&self) -> bool {
        let address = self.host.trim_start_matches('[').trim_end_matches(']');
        self.host == "localhost" || address.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
    }
}

impl fmt::Display for ServerOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_encrypted { "https" } else { "http" };
        write!(f, "{scheme}://{}", self.host)?;
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

/// Splits an authority into its host and its port; `None` if either is malformed.
fn split_port(authority: &str) -> Option<(&str, Option<u16>)> {
    let end = if authority.starts_with('[') { authority.find(']')? + 1 } else { 0 };
    let colon = authority[end..].find(':').map_or(authority.len(), |at| end + at);
    let (host, port) = authority.split_at(colon);
    let port = match port.strip_prefix(':') {
        Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            Some(digits.parse().ok()?)
        }
        Some(_) => return None,
        None => None,
    };
    is_host(host).then_some((host, port))
}

/// Returns `true` for a name, an IPv4 address, or an IPv6 address in brackets.
fn is_host(host: &str) -> bool {
    let inside = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    if let Some(address) = inside {
        return address.parse::<std::net::Ipv6Addr>().is_ok();
    }
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    !host.is_empty() && host.bytes().all(is_part) && !host.starts_with(['-', '.'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_scheme_host_and_port() {
        for (address, origin) in [
            ("https://Tasuki.Example/base/v1", "https://tasuki.example"),
            ("https://tasuki.example:443", "https://tasuki.example"),
            ("http://tasuki.example:80/", "http://tasuki.example"),
            ("https://tasuki.example:80", "https://tasuki.example:80"),
            ("http://127.0.0.1:7420", "http://127.0.0.1:7420"),
            ("http://[::1]:7420/x", "http://[::1]:7420"),
        ] {
            assert_eq!(ServerOrigin::parse(address).unwrap().to_string(), origin, "{address}");
        }
    }

    #[test]
    fn a_host_is_never_a_command() {
        for address in [
            "https://x;touch${IFS}pwned",
            "https://`id`",
            "https://$(id)",
            "https://x|y",
            "https://x&y",
            "https://'x'",
            "https://x:1:2",
            "https://x:y",
            "https://x:99999",
            "https://[::1",
            "https://[x]",
            "https://-rf",
        ] {
            assert!(ServerOrigin::parse(address).is_err(), "{address}");
        }
    }

    #[test]
    fn only_plain_http_to_another_machine_is_exposed() {
        for address in ["http://127.0.0.1:1", "http://localhost", "http://[::1]", "https://a.b"] {
            assert!(!ServerOrigin::parse(address).unwrap().is_exposed(), "{address}");
        }
        for address in ["http://10.0.0.5", "http://127.0.0.1.evil.example", "http://0.0.0.0:7420"] {
            assert!(ServerOrigin::parse(address).unwrap().is_exposed(), "{address}");
        }
    }
}
