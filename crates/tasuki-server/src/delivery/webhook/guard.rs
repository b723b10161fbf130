//! Allows webhooks to reach only public internet addresses (SSRF protection).
//!
//! The check applies to the address of the connection, after the name was resolved. A name
//! therefore cannot resolve to one address when it is checked and to another when it is used.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IPv4 networks that are not public.
const CLOSED_V4: &[([u8; 4], u8)] = &[
    ([0, 0, 0, 0], 8),       // this network
    ([10, 0, 0, 0], 8),      // private
    ([100, 64, 0, 0], 10),   // carriers' own
    ([127, 0, 0, 0], 8),     // this machine
    ([169, 254, 0, 0], 16),  // link-local, and the metadata of clouds
    ([172, 16, 0, 0], 12),   // private
    ([192, 0, 0, 0], 24),    // protocols
    ([192, 0, 2, 0], 24),    // documentation
    ([192, 88, 99, 0], 24),  // 6to4 relays
    ([192, 168, 0, 0], 16),  // private
    ([198, 18, 0, 0], 15),   // benchmarks
    ([198, 51, 100, 0], 24), // documentation
    ([203, 0, 113, 0], 24),  // documentation
    ([224, 0, 0, 0], 4),     // multicast
    ([240, 0, 0, 0], 4),     // reserved, and broadcast
];

/// IPv6 networks within `2000::/3` that are not public. Everything outside `2000::/3` is closed:
/// loopback, mapped addresses, NAT64, private, link-local, multicast, segment routing.
const CLOSED_V6: &[([u16; 2], u8)] = &[
    ([0x2001, 0x0000], 23), // protocols: Teredo, benchmarks, ORCHID
    ([0x2001, 0x0db8], 32), // documentation
    ([0x2002, 0x0000], 16), // 6to4, which holds an address of version 4
    ([0x3fff, 0x0000], 20), // documentation
];

/// Returns `true` for a public internet address.
pub(super) fn is_open(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_open_v4(address),
        IpAddr::V6(address) => is_open_v6(address),
    }
}

fn is_open_v4(address: Ipv4Addr) -> bool {
    let bits = u32::from(address);
    let is_in = |(network, length): &([u8; 4], u8)| {
        bits >> (32 - length) == u32::from_be_bytes(*network) >> (32 - length)
    };
    !CLOSED_V4.iter().any(is_in)
}

fn is_open_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let bits = (u32::from(segments[0]) << 16) | u32::from(segments[1]);
    let is_in = |([high, low], length): &([u16; 2], u8)| {
        let network = (u32::from(*high) << 16) | u32::from(*low);
        bits >> (32 - length) == network >> (32 - length)
    };
    bits >> 29 == 1 && !CLOSED_V6.iter().any(is_in)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_addresses_are_open() {
        for open in [
            "1.1.1.1",
            "8.8.8.8",
            "100.63.255.255",
            "100.128.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "198.20.0.0",
            "223.255.255.255",
            "2606:4700:4700::1111",
            "2a00:1450::1",
            "2001:200::1",
            "2400:cb00::1",
        ] {
            assert!(is_open(open.parse().unwrap()), "{open}");
        }
        for closed in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:7f00:1",
            "::ffff:8.8.8.8",
            "::ffff:0:10.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::8.8.8.8",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:0:4136:e378::1",
            "2001:2::1",
            "2001:10::1",
            "2001:20::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "2002:a00:1::",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_open(closed.parse().unwrap()), "{closed}");
        }
    }
}
