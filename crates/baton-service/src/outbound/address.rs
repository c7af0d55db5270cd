//! Which addresses are public: the pure rule, from the IANA registries of special-purpose addresses. An IPv6
//! address that carries an IPv4 one is judged by neither half: no such address is called.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address belongs to the public internet.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = match (a, b, c) {
        (0 | 10 | 127, ..) => true,                // this network, private, loopback
        (100, 64..=127, _) => true,                // shared by carriers (CGNAT)
        (169, 254, _) => true,                     // link-local, where clouds keep their secrets
        (172, 16..=31, _) | (192, 168, _) => true, // private
        (192, 0, 0 | 2) => true,                   // protocol assignments, documentation
        (192, 31, 196) | (192, 52, 193) | (192, 175, 48) => true, // AS112, AMT
        (192, 88, 99) => true,                     // 6to4 relays
        (198, 18..=19, _) => true,                 // benchmarks
        (198, 51, 100) | (203, 0, 113) => true,    // documentation
        (224.., ..) => true,                       // multicast, reserved, broadcast
        _ => false,
    };
    !is_special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    // Global unicast is 2000::/3 and nothing else: loopback, unspecified, mapped (::ffff:0:0/96), NAT64
    // (64:ff9b::/96 and 64:ff9b:1::/48), discard, unique-local, link-local, site-local and multicast lie outside it.
    let is_global_unicast = first & 0xe000 == 0x2000;
    let is_special = match (first, second) {
        (0x2001, 0x0000..=0x01ff) => true, // protocol assignments: Teredo, benchmarks, ORCHID
        (0x2001, 0x0db8) => true,          // documentation
        (0x2002, _) => true,               // 6to4 carries an IPv4 address
        (0x2620, 0x004f) => address.segments()[2] == 0x8000, // AS112
        (0x3fff, 0x0000..=0x0fff) => true, // documentation
        _ => false,
    };
    is_global_unicast && !is_special
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First and last address of each range that is refused, with a neighbour that is not.
    const REFUSED: &[&str] = &[
        "0.0.0.0",
        "0.255.255.255",
        "10.0.0.0",
        "10.255.255.255",
        "127.0.0.1",
        "127.255.255.255",
        "100.64.0.0",
        "100.127.255.255",
        "169.254.0.1",
        "169.254.169.254",
        "172.16.0.0",
        "172.31.255.255",
        "192.168.0.0",
        "192.168.255.255",
        "192.0.0.1",
        "192.0.2.1",
        "192.88.99.1",
        "198.18.0.1",
        "198.19.255.255",
        "198.51.100.7",
        "203.0.113.7",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::7f00:1",
        "::ffff:127.0.0.1",
        "::ffff:8.8.8.8",
        "64:ff9b::808:808",
        "64:ff9b:1::1",
        "100::1",
        "2001::1",
        "2001:2::1",
        "2001:10::1",
        "2001:20::1",
        "2001:db8::1",
        "2002:7f00:1::",
        "2002:808:808::1",
        "3fff::1",
        "5f00::1",
        "fc00::1",
        "fdff::1",
        "fe80::1",
        "febf::1",
        "fec0::1",
        "ff02::1",
    ];
    const PUBLIC: &[&str] = &[
        "1.1.1.1",
        "8.8.8.8",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.0",
        "169.253.255.255",
        "169.255.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "192.0.1.0",
        "192.167.255.255",
        "192.169.0.0",
        "198.17.255.255",
        "198.20.0.0",
        "203.0.112.255",
        "203.0.114.0",
        "223.255.255.255",
        "2001:200::1",
        "2001:4860:4860::8888",
        "2600::1",
        "2a00::1",
        "3ffe:ffff::1",
    ];

    #[test]
    fn every_special_range_is_refused_and_its_neighbours_are_not() {
        for text in REFUSED {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
        for text in PUBLIC {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
    }
}
