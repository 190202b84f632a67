//! The host that a request names. A page can make the name of its own host resolve to this machine.

use std::net::{Ipv4Addr, Ipv6Addr};

use axum::{
    extract::Request,
    http::{header::HOST, uri::Authority},
};

use crate::http::header_text;

/// Returns the host that a request names, with its port.
pub(super) fn host(request: &Request) -> Option<&str> {
    // HTTP/2 has the host in the URI.
    header_text(request.headers(), &HOST)
        .or_else(|| request.uri().authority().map(Authority::as_str))
}

/// Returns true if a host is an IP address or `localhost`, with or without a port. Any other name
/// may be a page's, even a name without a dot: a network's own DNS server resolves such names.
pub(super) fn is_local(host: &str) -> bool {
    let Ok(authority) = host.parse::<Authority>() else {
        return false;
    };
    // `Authority` accepts a user name before the host, which a `Host` header never has.
    if host.contains('@') {
        return false;
    }
    let name = authority.host();
    let in_brackets = name
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    match in_brackets {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => name.eq_ignore_ascii_case("localhost") || name.parse::<Ipv4Addr>().is_ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_and_localhost_are_local() {
        let local = "127.0.0.1:8789|[::1]:8789|[::ffff:127.0.0.1]|192.168.1.5|localhost|\
            localhost:8789|LOCALHOST";
        for host in local.split('|') {
            assert!(is_local(host), "{host}");
        }
        let foreign = "evil.example|evil.example:8789|127.0.0.1.evil.example|\
            localhost.evil.example|1.2.3.4@evil.example|evil.example@127.0.0.1|emulator:8789|\
            intranet|a.localhost|localhost.|127.0.0.1.|2130706433|0x7f.1|::1|[::1|[127.0.0.1]|[]||\
            a b";
        for host in foreign.split('|') {
            assert!(!is_local(host), "{host}");
        }
    }
}
