//! IP networks that a token may be used from.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// An IP network in CIDR notation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Network {
    address: IpAddr,
    bits: u8,
}

impl Network {
    /// Returns `true` if the network contains the address. An IPv4-mapped address counts as IPv4.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                let apart = own.to_bits() ^ other.to_bits();
                apart.checked_shr(32 - u32::from(self.bits)).unwrap_or(0) == 0
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                let apart = own.to_bits() ^ other.to_bits();
                apart.checked_shr(128 - u32::from(self.bits)).unwrap_or(0) == 0
            }
            _ => false,
        }
    }

    fn new(address: IpAddr, bits: u8) -> Self {
        match (address, address.to_canonical()) {
            (IpAddr::V6(_), IpAddr::V4(inner)) if bits >= 96 => {
                Self { address: IpAddr::V4(inner), bits: bits - 96 }
            }
            _ => Self { address, bits },
        }
    }

    /// Returns the address with all host bits cleared.
    fn first(&self) -> IpAddr {
        match self.address {
            IpAddr::V4(own) => {
                let mask = u32::MAX.checked_shl(32 - u32::from(self.bits)).unwrap_or(0);
                IpAddr::V4((own.to_bits() & mask).into())
            }
            IpAddr::V6(own) => {
                let mask = u128::MAX.checked_shl(128 - u32::from(self.bits)).unwrap_or(0);
                IpAddr::V6((own.to_bits() & mask).into())
            }
        }
    }
}

impl FromStr for Network {
    type Err = String;

    /// Parses `10.0.0.0/8`, `2001:db8::/32`, or a single address.
    fn from_str(text: &str) -> Result<Self, String> {
        let invalid =
            || format!("`{text}` is not a network; use CIDR notation such as `10.0.0.0/8`");
        let (address, bits) = text.split_once('/').map_or((text, None), |(a, b)| (a, Some(b)));
        let address: IpAddr = address.parse().ok().ok_or_else(invalid)?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let is_plain = |bits: &&str| bits.bytes().all(|byte| byte.is_ascii_digit());
        let bits: u8 = match bits {
            None => most,
            Some(bits) => Some(bits)
                .filter(is_plain)
                .and_then(|bits| bits.parse().ok())
                .filter(|bits| *bits <= most)
                .ok_or_else(invalid)?,
        };
        let network = Self::new(address, bits);
        let first = Self { address: network.first(), ..network };
        if first != network {
            return Err(format!("`{text}` has host bits set; did you mean `{first}`?"));
        }
        Ok(network)
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

impl TryFrom<String> for Network {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Network> for String {
    fn from(network: Network) -> Self {
        network.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(network: &str, inside: &[&str], outside: &[&str]) {
        let network: Network = network.parse().unwrap();
        for (addresses, is_in) in [(inside, true), (outside, false)] {
            for address in addresses {
                assert_eq!(network.contains(address.parse().unwrap()), is_in, "{address}");
            }
        }
    }

    #[test]
    fn a_network_contains_the_addresses_with_its_prefix() {
        check("10.0.0.0/8", &["10.0.0.0", "10.255.255.255"], &["11.0.0.0", "9.9.9.9", "::1"]);
        check("192.0.2.128/25", &["192.0.2.128", "192.0.2.255"], &["192.0.2.127"]);
        check("192.0.2.7", &["192.0.2.7"], &["192.0.2.6"]);
        check("0.0.0.0/0", &["192.0.2.7"], &["2001:db8::1"]);
        check("2001:db8::/32", &["2001:db8:ffff::1"], &["2001:db9::", "32.1.13.184"]);
        check("::/0", &["2001:db8::1", "::1"], &["192.0.2.7"]);
        check("::1", &["::1"], &["::2", "127.0.0.1"]);
    }

    #[test]
    fn an_ipv4_address_is_the_same_however_it_is_written() {
        check("10.0.0.0/8", &["::ffff:10.1.2.3"], &["::ffff:11.1.2.3"]);
        check("::ffff:10.0.0.0/104", &["10.1.2.3", "::ffff:10.1.2.3"], &["11.1.2.3"]);
        assert_eq!("::ffff:10.0.0.0/104".parse::<Network>().unwrap().to_string(), "10.0.0.0/8");
        check("::/0", &[], &["::ffff:10.1.2.3"]);
    }

    #[test]
    fn an_invalid_network_is_rejected() {
        for text in ["", "/8", "10.0.0.0/", "10.0.0.0/33", "10/8", "::/129", "a", "10.0.0.0/+8"] {
            let error = text.parse::<Network>().unwrap_err();
            assert_eq!(
                error,
                format!("`{text}` is not a network; use CIDR notation such as `10.0.0.0/8`")
            );
        }
        assert_eq!(
            "10.1.2.3/8".parse::<Network>().unwrap_err(),
            "`10.1.2.3/8` has host bits set; did you mean `10.0.0.0/8`?"
        );
    }

    #[test]
    fn a_network_is_stored_as_it_is_displayed() {
        for text in ["10.0.0.0/8", "192.0.2.7/32", "2001:db8::/32"] {
            let network: Network = text.parse().unwrap();
            let stored = serde_json::to_string(&network).unwrap();
            assert_eq!(stored, format!("\"{text}\""));
            assert_eq!(serde_json::from_str::<Network>(&stored).unwrap(), network);
        }
    }
}
