//! The address and the key of the media service.

use anyhow::{Result, bail, ensure};
use http::Uri;

/// The base URL of a service, as the gateway's `UPSTREAM_BASE_URL` would have it.
#[derive(Debug)]
pub struct Address(pub(super) String);

impl Address {
    /// Checks a base URL: https, or http on this machine, without a user, a query and a fragment.
    ///
    /// # Errors
    /// What is wrong with it, and what to give instead.
    pub fn parse(text: &str) -> Result<Self> {
        let text = text.trim().trim_end_matches('/');
        let Ok(uri) = text.parse::<Uri>() else {
            bail!("the base URL is no URL; give one such as https://api.example.com")
        };
        let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
            bail!(
                "the base URL has no scheme or no host; give one such as https://api.example.com"
            );
        };
        let is_local = matches!(authority.host(), "127.0.0.1" | "localhost" | "[::1]");
        ensure!(
            scheme == "https" || scheme == "http" && is_local,
            "the base URL is not https, and its host is not this machine; others could read the key on its way"
        );
        ensure!(
            !authority.as_str().contains('@'),
            "the base URL has a user; the key is given apart from it"
        );
        ensure!(
            uri.query().is_none() && !text.contains('#'),
            "the base URL has a query or a fragment; leave it out"
        );
        Ok(Address(text.to_owned()))
    }

    /// The base URL, without a slash at its end.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a URL has its scheme, its host and its port.
    pub fn is_origin_of(&self, url: &str) -> bool {
        let origin = |it: &str| {
            it.parse::<Uri>().ok().map(|it| {
                (
                    it.scheme_str().map(str::to_owned),
                    it.into_parts().authority,
                )
            })
        };
        origin(&self.0) == origin(url)
    }
}

/// Checks the form of a key.
///
/// # Errors
/// What is wrong with it. The message does not have the key.
pub fn check_key(key: &str) -> Result<()> {
    ensure!(
        key.len() >= 8,
        "the API key has fewer than 8 characters; copy the whole of it"
    );
    ensure!(
        key.bytes().all(|it| it.is_ascii_graphic()),
        "the API key has a space or a character that no key has"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_goes_only_where_no_one_else_reads_it() {
        for right in [
            "https://api.example.com",
            "https://api.example.com/base/",
            "http://127.0.0.1:8788",
            "http://[::1]:1",
        ] {
            assert_eq!(
                Address::parse(right).unwrap().0,
                right.trim_end_matches('/')
            );
        }
        for wrong in [
            "",
            "api.example.com",
            "http://api.example.com",
            "http://127.0.0.1.example.com",
            "https://user@host",
            "https://host?x=1",
            "https://host/#a",
            "ftp://host",
            "http://localhost@evil.example",
            "https://",
        ] {
            assert!(Address::parse(wrong).is_err(), "{wrong}");
        }
        let address = Address::parse("https://api.example.com/base").unwrap();
        assert!(
            address.is_origin_of("https://api.example.com/base/x")
                && address.is_origin_of("https://API.example.com/y")
        );
        for other in [
            "https://api.example.com@evil.example/",
            "https://api.example.comx/",
            "http://api.example.com/",
            "/x",
        ] {
            assert!(!address.is_origin_of(other), "{other}");
        }
        assert!(
            check_key("sk-12345").is_ok()
                && check_key("short").is_err()
                && check_key("sk-12345 x").is_err()
        );
    }
}
