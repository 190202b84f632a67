//! Rules for URLs and hosts in settings and in responses of the upstream.

use std::net::Ipv4Addr;

use url::{Host, Url};

/// The ends of names that the internet does not have.
const PRIVATE_SUFFIXES: [&str; 6] = [
    ".home.arpa",
    ".internal",
    ".lan",
    ".local",
    ".localhost",
    ".svc",
];

/// Returns true for https, or http to this machine or into a private network, which the gateway
/// reaches only if its operator allows it.
pub fn is_safe(url: &Url) -> bool {
    // An https URL has a host: the parser refuses one without.
    url.scheme() == "https" || url.scheme() == "http" && is_private(url)
}

fn is_private(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(_)) => !is_public(url),
        Some(Host::Ipv4(address)) => is_private_v4(address),
        Some(Host::Ipv6(address)) => match address.to_ipv4_mapped() {
            Some(address) => is_private_v4(address),
            None => {
                address.is_loopback()
                    || address.is_unique_local()
                    || address.is_unicast_link_local()
            }
        },
        None => false,
    }
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    address.is_private() || address.is_loopback() || address.is_link_local()
}

pub fn is_off_the_internet(text: &str) -> bool {
    Url::parse(text.trim()).is_ok_and(|url| !is_public(&url))
}

/// Returns true for a public site: https on port 443, and a public name. The platform bounds the
/// addresses to which the name may resolve.
pub(super) fn is_public_site(url: &Url) -> bool {
    let has_name = matches!(url.host(), Some(Host::Domain(_)));
    url.scheme() == "https" && url.port().is_none() && has_name && is_public(url)
}

/// Returns true unless the host is a name or an address of this machine or of a private network.
/// The platform bounds the addresses to which a name may resolve.
pub(super) fn is_public(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            name.contains('.') && !PRIVATE_SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
        }
        Some(Host::Ipv4(address)) => is_public_v4(address),
        Some(Host::Ipv6(address)) => match address.to_ipv4() {
            Some(address) => is_public_v4(address),
            // NAT64 and 6to4 addresses may map to any IPv4 address.
            None if matches!(address.segments(), [0x64, 0xff9b, ..] | [0x2002, ..]) => false,
            None => {
                !(address.is_unique_local()
                    || address.is_unicast_link_local()
                    || address.is_multicast())
            }
        },
        None => false,
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [first, second, ..] = address.octets();
    // Networks of carriers (RFC 6598), and benchmarks (RFC 2544).
    let shared =
        first == 100 && (64..128).contains(&second) || first == 198 && (18..20).contains(&second);
    // Multicast and reserved addresses begin at 224.
    !(is_private_v4(address) || shared || first == 0 || first >= 224)
}

pub(crate) fn is_loopback(host: &str) -> bool {
    matches!(host, "localhost" | "[::1]")
        || host
            .parse::<Ipv4Addr>()
            .is_ok_and(|address| address.is_loopback())
}

/// Returns true for a port as browsers write it: 1 to 65535, without leading zeros.
pub(super) fn is_port(text: &str) -> bool {
    let is_written_plainly =
        text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    is_written_plainly && text.parse::<u16>().is_ok()
}

pub(super) fn is_on_loopback(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| is_loopback(url.host_str().unwrap_or_default()))
}

pub fn has_no_credentials(url: &Url) -> bool {
    url.username().is_empty() && url.password().is_none()
}

pub(super) fn has_no_query(url: &Url) -> bool {
    url.query().is_none() && url.fragment().is_none()
}
