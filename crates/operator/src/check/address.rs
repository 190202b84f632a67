use anyhow::{Result, bail, ensure};
use http::Uri;

#[derive(Debug)]
pub(super) struct Address(String);

impl Address {
    /// Parses a base URL: https, or http on this machine, without a user, a query and a fragment.
    /// The error is a sentence with a remedy.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let text = text.trim().trim_end_matches('/');
        let Ok(uri) = text.parse::<Uri>() else {
            bail!("the base URL is not a URL; give one such as https://api.example.com")
        };
        let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
            bail!(
                "the base URL has no scheme or no host; give one such as https://api.example.com"
            );
        };
        // Requests to this machine pass no network, so nobody can read the key on its way.
        let is_local = matches!(authority.host(), "127.0.0.1" | "localhost" | "[::1]");
        ensure!(
            scheme == "https" || scheme == "http" && is_local,
            "the base URL is not https, so others could read the key on its way; give an https URL"
        );
        ensure!(
            !authority.as_str().contains('@'),
            "the base URL has a user; leave it out, as the key is given separately"
        );
        ensure!(
            uri.query().is_none() && !text.contains('#'),
            "the base URL has a query or a fragment; leave it out"
        );
        Ok(Address(text.to_owned()))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn is_origin_of(&self, url: &str) -> bool {
        let origin = |url: &str| {
            let parts = url.parse::<Uri>().ok()?.into_parts();
            Some((parts.scheme, parts.authority))
        };
        origin(&self.0) == origin(url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_goes_only_where_no_one_else_reads_it() {
        let right = "https://api.example.com/base/ http://127.0.0.1:8788 http://[::1]:1";
        for right in right.split(' ') {
            let address = Address::parse(right).unwrap();
            assert_eq!(address.as_str(), right.trim_end_matches('/'));
        }
        let wrong = "|api.example.com|http://api.example.com|http://127.0.0.1.example.com|\
            https://user@host|https://host?x=1|https://host/#a|ftp://host|\
            http://localhost@evil.example|https://";
        for wrong in wrong.split('|') {
            assert!(Address::parse(wrong).is_err(), "{wrong}");
        }
        let address = Address::parse("https://api.example.com/base").unwrap();
        assert!(address.is_origin_of("https://API.example.com/y"));
        let others = "https://api.example.com@evil.example/ https://api.example.comx/ \
            http://api.example.com/ /x";
        for other in others.split(' ') {
            assert!(!address.is_origin_of(other), "{other}");
        }
    }
}
