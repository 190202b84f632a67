use std::cell::Cell;
use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

use mediagate_platform::{discard, now_ms, random_name};
use mediagate_settings::MCP_PATH;
use web_sys::Request;

/// The network of all unreadable addresses. They share one limit, or a client could invent
/// addresses to have a limit for each.
const UNKNOWN_NETWORK: &str = "unknown";

/// An incoming request, with the measurements of its handling.
pub(crate) struct Incoming {
    pub(crate) raw: Request,
    /// Unique, for the log and for the caller.
    pub(crate) id: String,
    /// In milliseconds since 1970.
    pub(crate) arrived_at: f64,
    /// Milliseconds spent waiting for the upstream.
    pub(crate) upstream_ms: Cell<f64>,
    pub(crate) method: String,
    /// The gateway's own origin as the client addressed it, without a slash at its end.
    pub(crate) base_url: String,
    pub(crate) path: String,
    query: String,
    /// The origin of the page, if a browser sent the request.
    pub(crate) origin: Option<String>,
    authorization: Option<String>,
    address: Option<String>,
}

impl Incoming {
    pub(crate) fn new(raw: Request) -> Self {
        let url = raw.url();
        let headers = raw.headers();
        let header = |name: &str| headers.get(name).ok().flatten();
        let authority = url.find("://").map_or(0, |index| index + 3);
        let end = url[authority..]
            .find(['/', '?', '#'])
            .map_or(url.len(), |length| authority + length);
        let target = url[end..].split('#').next().unwrap_or_default();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let path = match path {
            "" => "/",
            // Some clients of MCP append a slash.
            "/mcp/" => MCP_PATH,
            other => other,
        };
        Incoming {
            id: random_name(),
            arrived_at: now_ms(),
            upstream_ms: Cell::default(),
            method: raw.method(),
            base_url: url[..end].to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            origin: header("origin"),
            authorization: header("authorization"),
            address: header("cf-connecting-ip").filter(|address| !address.is_empty()),
            raw,
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<String> {
        self.raw.headers().get(name).ok().flatten()
    }

    /// Returns the first value of a query parameter.
    pub(crate) fn parameter(&self, name: &str) -> Option<String> {
        let mut pairs = url::form_urlencoded::parse(self.query.as_bytes());
        let (_, value) = pairs.find(|(parameter, _)| parameter == name)?;
        Some(value.into_owned())
    }

    pub(crate) fn bearer(&self) -> Option<String> {
        let (scheme, token) = self.authorization.as_deref()?.split_once(' ')?;
        scheme
            .eq_ignore_ascii_case("bearer")
            .then(|| token.trim().to_owned())
    }

    pub(crate) fn address(&self) -> Option<&str> {
        self.address.as_deref()
    }

    /// Returns the client's network, for limits. `None` if the platform reports no address. See
    /// [`network_of`].
    pub(crate) fn network(&self) -> Option<String> {
        self.address().map(network_of)
    }

    /// Reads and drops the rest of the body. An unread body would break the connection for the next
    /// request.
    pub(crate) async fn discard(&self, limit: Duration) {
        discard(&self.raw, limit.as_millis() as u32).await;
    }
}

/// Returns the network of an address. An IPv4 address is its own network, also if it is mapped into
/// IPv6. The network of an IPv6 address has 64 bits, since a client with one address has all
/// addresses of this network.
fn network_of(address: &str) -> String {
    // The zone is an interface of the machine that received the request, not a part of the address.
    let without_zone = address
        .split_once('%')
        .map_or(address, |(address, _)| address);
    match without_zone
        .parse::<IpAddr>()
        .map(|address| address.to_canonical())
    {
        Ok(IpAddr::V4(address)) => address.to_string(),
        Ok(IpAddr::V6(address)) => {
            let [a, b, c, d, ..] = address.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).to_string()
        }
        Err(_) => UNKNOWN_NETWORK.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_client_are_one_network() {
        for (address, network) in [
            ("203.0.113.7", "203.0.113.7"),
            ("::ffff:203.0.113.7", "203.0.113.7"),
            ("::ffff:cb00:7107", "203.0.113.7"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
            ("2001:DB8:1:2::", "2001:db8:1:2::"),
            ("fe80::1%eth0", "fe80::"),
            ("fe80::2%eth1", "fe80::"),
            ("fe80::1%", "fe80::"),
            ("::1", "::"),
        ] {
            assert_eq!(network_of(address), network, "{address}");
        }
    }

    #[test]
    fn addresses_that_cannot_be_read_share_a_network() {
        for address in [
            "unknown",
            "[2001:db8::1]",
            "203.0.113.7:80",
            "203.0.113.07",
            "%eth0",
            " ",
            "1",
            "a, b",
        ] {
            assert_eq!(network_of(address), UNKNOWN_NETWORK, "{address}");
        }
    }
}
