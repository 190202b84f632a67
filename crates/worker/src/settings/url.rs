//! Which URLs and hosts settings and upload URLs may name.

use std::net::Ipv4Addr;

use url::{Host, Url};

/// Whether a URL is https, or http to this machine.
pub(crate) fn is_safe(url: &Url) -> bool {
    // An https URL has a host: the parser refuses one without.
    url.scheme() == "https"
        || url.scheme() == "http" && is_loopback(url.host_str().unwrap_or_default())
}

/// Returns true if a URL is of a public site: https on port 443, and a public name.
/// Which address the name resolves to is bounded by the platform.
pub(super) fn is_public_site(url: &Url) -> bool {
    let has_name = matches!(url.host(), Some(Host::Domain(_)));
    url.scheme() == "https" && url.port().is_none() && has_name && is_public(url)
}

/// Whether a host may be on the internet: no name or address of this machine or of a private network. Which address a name
/// resolves to is bounded by the platform.
pub(super) fn is_public(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            name.contains('.')
                && ![".localhost", ".local", ".internal"]
                    .iter()
                    .any(|it| name.ends_with(it))
        }
        Some(Host::Ipv4(it)) => is_public_v4(it),
        Some(Host::Ipv6(it)) => match it.to_ipv4() {
            Some(it) => is_public_v4(it),
            // NAT64 and 6to4 addresses may map to any IPv4 address.
            None if matches!(it.segments(), [0x64, 0xff9b, ..] | [0x2002, ..]) => false,
            None => !(it.is_unique_local() || it.is_unicast_link_local() || it.is_multicast()),
        },
        None => false,
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [first, second, ..] = address.octets();
    let shared =
        first == 100 && (64..128).contains(&second) || first == 198 && (18..20).contains(&second);
    let own = address.is_private() || address.is_loopback() || address.is_link_local() || shared;
    !(own || first == 0 || first >= 224)
}

/// Whether a host is this machine.
pub(crate) fn is_loopback(host: &str) -> bool {
    matches!(host, "localhost" | "[::1]")
        || host.parse::<Ipv4Addr>().is_ok_and(|it| it.is_loopback())
}

/// Returns whether a text is a port as browsers write one: 1 to 65535, without leading zeros.
pub(super) fn is_port(text: &str) -> bool {
    let is_written_plainly =
        text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    is_written_plainly && text.parse::<u16>().is_ok()
}

/// Whether a URL's host is this machine.
pub(super) fn is_on_loopback(url: &str) -> bool {
    Url::parse(url).is_ok_and(|it| is_loopback(it.host_str().unwrap_or_default()))
}

/// The path of a URL that has neither query nor fragment.
pub(super) fn path(url: &str) -> Option<String> {
    let url = Url::parse(url)
        .ok()
        .filter(|it| it.query().is_none() && it.fragment().is_none())?;
    Some(url.path().to_owned())
}
