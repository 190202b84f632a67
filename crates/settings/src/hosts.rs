use url::Url;

use super::url::{has_no_credentials, is_loopback, is_public_site, is_safe};

/// Hosts, each with or without a port, or below a star: `*.storage.example`. A single star stands
/// for any public site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hosts(pub Vec<String>);

impl Hosts {
    /// Parses a URL that may be requested or returned: https, or http to this machine or a private
    /// network, without credentials, with a listed host. A port that is not http's own must be
    /// listed, except on this machine. The URL must be used as it is returned here, because other
    /// parsers see another host in some texts.
    pub fn allowed(&self, text: &str) -> Option<Url> {
        let url = Url::parse(text).ok()?;
        // The parser decodes percent-encoded characters of a host.
        if !text
            .bytes()
            .chain(url.as_str().bytes())
            .all(is_url_character)
        {
            return None;
        }
        let host = url.host_str().unwrap_or_default();
        let with_port = match url.port_or_known_default() {
            Some(port) => format!("{host}:{port}"),
            None => String::new(),
        };
        // Over http, a host in a private network may have services that are nobody else's.
        let is_usual = url.scheme() == "https" || url.port().is_none() || is_loopback(host);
        let with_any_port = if is_usual { host } else { &with_port };
        let is_listed = self.0.iter().any(|entry| match entry.as_str() {
            ANY_HOST => is_public_site(&url),
            entry => is_entry_of(entry, with_any_port) || is_entry_of(entry, &with_port),
        });
        (is_safe(&url) && has_no_credentials(&url) && is_listed).then_some(url)
    }

    pub(super) fn is_any(&self) -> bool {
        self.0.iter().any(|entry| entry == ANY_HOST)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

pub(super) const ANY_HOST: &str = "*";

/// A star stands for exactly one label.
fn is_entry_of(entry: &str, name: &str) -> bool {
    match (entry.strip_prefix("*."), name.split_once('.')) {
        (Some(parent), Some((label, rest))) => !label.is_empty() && rest == parent,
        (Some(_), None) => false,
        (None, _) => entry == name,
    }
}

/// Returns the URL as its parser writes it, with all characters escaped that a URL may not contain.
/// Returns `None` if it can't be parsed.
pub fn escaped(url: &str) -> Option<String> {
    let escape = |character: char| match u8::try_from(character) {
        Ok(byte) if !is_url_character(byte) => format!("%{byte:02X}"),
        _ => character.to_string(),
    };
    let url = Url::parse(url).ok()?;
    Some(url.as_str().chars().map(escape).collect())
}

/// Returns true if a character may be in a URL (RFC 3986), and neither ends a quoted string nor is
/// expanded in one. An agent puts an upload URL into a command of a shell.
fn is_url_character(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!&()*+,;=%".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_one_label() {
        let hosts = Hosts(vec![
            "*.storage.example".to_owned(),
            "*.s3.example:8443".to_owned(),
        ]);
        for good in [
            "https://a.storage.example/x",
            "https://a.storage.example:9000/x",
            "https://b.s3.example:8443/x",
        ] {
            assert!(hosts.allowed(good).is_some(), "{good}");
        }
        for bad in [
            "https://storage.example/x",
            "https://a.b.storage.example/x",
            "https://.storage.example/x",
            "https://astorage.example/x",
            "https://a.storage.example.evil.com/x",
            "https://b.s3.example/x",
            "http://a.storage.example/x",
            "https://x%22%24(id)%60.storage.example/x",
            "https://a%27.storage.example/x",
        ] {
            assert_eq!(hosts.allowed(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_private_host_is_reached_over_http_at_a_listed_port_only() {
        let hosts = Hosts(
            ["minio:9000", "app", "127.0.0.1"]
                .map(str::to_owned)
                .to_vec(),
        );
        for good in [
            "http://minio:9000/a",
            "http://app/a",
            "https://app:8443/a",
            "http://127.0.0.1:1/a",
        ] {
            assert!(hosts.allowed(good).is_some(), "{good}");
        }
        for bad in ["http://minio/a", "http://minio:9001/a", "http://app:3000/a"] {
            assert_eq!(hosts.allowed(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_star_alone_is_any_public_site() {
        let hosts = Hosts(vec![ANY_HOST.to_owned()]);
        for good in [
            "https://example.com/a.png",
            "https://EXAMPLE.com:443/a.png?b=c",
            "https://a.b.example/",
        ] {
            assert!(hosts.allowed(good).is_some(), "{good}");
        }
        for bad in [
            "http://example.com/",
            "https://example.com:8443/",
            "https://a:b@example.com/",
            "https://localhost/",
            "http://localhost/",
            "https://metadata.google.internal/",
            "https://93.184.215.14/",
            "https://[2606:2800:21f::1]/",
            "file:///etc/passwd",
            "data:image/png;base64,AA",
        ] {
            assert_eq!(hosts.allowed(bad), None, "{bad}");
        }
    }

    #[test]
    fn upload_urls_go_to_listed_hosts_only() {
        let hosts = Hosts(vec![
            "s3.example.com".to_owned(),
            "127.0.0.1:8788".to_owned(),
        ]);
        for good in [
            "https://s3.example.com/a?b=c",
            "https://s3.example.com:8443/a",
            "http://127.0.0.1:8788/u",
        ] {
            assert_eq!(hosts.allowed(good).map(String::from).as_deref(), Some(good));
        }
        let signed = "https://s3.example.com/a%2Fb/~c?X-Sig=a%2B%2f+b&x=(1),*;!:@/?=[0]";
        assert_eq!(
            hosts.allowed(signed).map(String::from).as_deref(),
            Some(signed),
            "a signature covers each byte"
        );
        let normal = hosts
            .allowed("HTTPS://S3.Example.com:443/a/../b")
            .map(String::from);
        assert_eq!(normal.as_deref(), Some("https://s3.example.com/b"));
        for bad in [
            "http://s3.example.com/a",
            "https://evil.example.com/",
            "https://s3.example.com.evil.com/",
            "ftp://s3.example.com/",
            "https://s3.example.com@evil.com/",
            "https://s3.exämple.com/",
            "https://S3.exⓐmple.com/",
            "https://a:b@s3.example.com/",
            "http://127.0.0.1:9999/",
            "javascript:1",
            "",
            "/a",
            "https://s3.example.com\\@evil.com/",
            "https://s3.example.com/a\\b",
            "https://s3.example.com/\"",
            "https://s3.example.com/'",
            "https://s3.example.com/$(id)",
            "https://s3.example.com/`id`",
            "https://s3.example.com/a\nb",
            "https://s3.example.com/\u{7f}",
            "\thttps://s3.example.com/",
            "https://s3.example.com/a b",
            "https://s3.example.com/ä",
        ] {
            assert_eq!(hosts.allowed(bad), None, "{bad}");
        }
    }
}
