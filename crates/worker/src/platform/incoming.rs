//! A request as it arrived.

use std::net::Ipv6Addr;
use std::time::Duration;

use web_sys::Request;

use super::host::{discard, head};

/// A request as it arrived.
pub(crate) struct Incoming {
    pub(crate) raw: Request,
    pub(crate) method: String,
    /// The gateway's own origin, as the client addressed it: scheme and authority of the URL.
    pub(crate) base_url: String,
    pub(crate) path: String,
    query: String,
    /// The header `Origin`: the origin of the page that sent the request, where a browser did.
    pub(crate) origin: Option<String>,
    authorization: Option<String>,
    address: String,
}

impl Incoming {
    /// Splits the URL.
    pub(crate) fn new(raw: Request) -> Self {
        let head = head(&raw);
        let (first, headers) = head.split_once('\n').unwrap_or((&head, ""));
        let (method, url) = first.split_once(' ').unwrap_or((first, ""));
        let header = |name: &str| {
            let mut lines = headers.split('\n').filter_map(|it| it.split_once(": "));
            lines.find(|it| it.0 == name).map(|it| it.1.to_owned())
        };
        let authority = url.find("://").map_or(0, |it| it + 3);
        let end = url[authority..].find(['/', '?', '#']).map_or(url.len(), |it| authority + it);
        let target = url[end..].split('#').next().unwrap_or_default();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let path = if path.is_empty() { "/" } else { path };
        Incoming {
            method: method.to_owned(),
            base_url: url[..end].to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            origin: header("origin"),
            authorization: header("authorization"),
            address: header("cf-connecting-ip").unwrap_or_default(),
            raw,
        }
    }

    /// The value of a header, where the request has it.
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        self.raw.headers().get(name).ok().flatten()
    }

    /// The value of a query parameter, where the URL has it. Others are ignored.
    pub(crate) fn parameter(&self, name: &str) -> Option<String> {
        let mut pairs = url::form_urlencoded::parse(self.query.as_bytes());
        pairs.find(|it| it.0 == name).map(|it| it.1.into_owned())
    }

    /// The bearer token, where there is one.
    pub(crate) fn bearer(&self) -> Option<String> {
        let (scheme, token) = self.authorization.as_deref()?.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim().to_owned())
    }

    /// The client's address, as Cloudflare reports it; empty where it does not.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// The client's network, for limits: of an IPv6 address the /64 network, since a client that has one address has the
    /// 2^64 of its network.
    pub(crate) fn network(&self) -> String {
        match self.address.parse::<Ipv6Addr>() {
            Ok(it) => {
                let [a, b, c, d, ..] = it.segments();
                Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).to_string()
            }
            Err(_) => self.address.clone(),
        }
    }

    /// Drops what is left of the body as it arrives, for a limited time: left unread, it would break the connection for
    /// the next request.
    pub(crate) async fn discard(&self, limit: Duration) {
        discard(&self.raw, limit.as_millis() as u32).await;
    }
}
