//! The origins in settings: exact origins, this machine on any port, and preview deployments.

use url::Url;

use super::parse::valid;
use super::url::{is_on_loopback, is_port};

/// The end of an origin on this machine with any port. The server of a page in development takes
/// any free port.
const ANY_PORT: &str = ":*";

const HTTPS: &str = "https://";

pub fn is_listed(list: &[String], origin: &str) -> bool {
    // The host of a page never contains a star, but a sender of requests may write one.
    let is_possible = !origin.contains('*');
    list.iter().any(|listed| {
        is_possible && listed == origin
            || without_port(listed).is_some_and(|base| has_base(origin, base))
            || is_preview_of(listed, origin)
    })
}

fn is_preview_of(listed: &str, origin: &str) -> bool {
    match (listed.strip_prefix(HTTPS), origin.strip_prefix(HTTPS)) {
        (Some(listed), Some(host)) => listed.contains('*') && has_host(listed, host),
        _ => false,
    }
}

/// A star in the listed host matches a label or a part of a label.
pub fn has_host(listed: &str, host: &str) -> bool {
    let Some((before, after)) = listed.split_once('*') else {
        return listed.eq_ignore_ascii_case(host);
    };
    let host = host.to_ascii_lowercase();
    let Some(rest) = host.strip_prefix(before) else {
        return false;
    };
    let label = rest.strip_suffix(after).unwrap_or_default();
    !label.is_empty() && label.bytes().all(is_label_byte)
}

fn is_label_byte(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'
}

/// Returns the parts of an origin before and after a star in its first label.
fn around_star(text: &str) -> Option<(&str, &str)> {
    let (before, after) = text.split_once('*')?;
    let is_in_first_label = before.strip_prefix(HTTPS)?.bytes().all(is_label_byte);
    let is_exact_otherwise = is_exact(&[before, "a", after].concat());
    (is_in_first_label && after.starts_with(['-', '.']) && is_exact_otherwise)
        .then_some((before, after))
}

/// Returns true for a pattern of preview deployments, such as `https://*-myteam.vercel.app`.
///
/// The domain after the star's label needs a label of its own. Whether anyone can have a name
/// there, as below `vercel.app`, is checked by the commands of an operator: the list of such
/// domains is too large for a Worker.
fn is_preview(text: &str) -> bool {
    let (_, after) = around_star(text).unwrap_or_default();
    let (_, domain) = after.split_once('.').unwrap_or_default();
    domain.contains('.')
}

/// Returns the host of a pattern of preview deployments after the star, such as
/// `-myteam.vercel.app`. `None` for any other origin.
pub fn host_after_star(origin: &str) -> Option<&str> {
    let (_, after) = around_star(origin)?;
    after.split(':').next()
}

pub const SHARED_STAR: &str = "has an origin whose star also matches the hosts of others, since \
    anyone can have a name there; put a name of your own after the star, as in \
    https://*-myteam.vercel.app or https://*.preview.example.com";

fn has_base(origin: &str, base: &str) -> bool {
    match origin.strip_prefix(base) {
        Some("") => true,
        Some(rest) => rest.strip_prefix(':').is_some_and(is_port),
        None => false,
    }
}

pub(super) fn exact_origin(text: &str) -> Result<String, &'static str> {
    let problem = "has an entry that is not an exact origin; give origins such as \
        https://www.example.com (no *, no path, no / at the end)";
    valid(text, is_exact(text), problem)
}

/// Returns true for an exact origin: scheme, host, and the port if it is not the scheme's own.
fn is_exact(text: &str) -> bool {
    let Ok(url) = Url::parse(text) else {
        return false;
    };
    // The parser refuses every impossible port but 0, and takes a star as part of a host's name.
    let is_possible = url.port() != Some(0) && !text.contains('*');
    let is_web = matches!(url.scheme(), "http" | "https");
    is_possible && is_web && url.origin().ascii_serialization() == text
}

fn is_exact_or_local(text: &str) -> bool {
    is_exact(text) || without_port(text).is_some_and(is_local)
}

/// Schemes that no app has for itself: those of the web, and those without an origin, such as
/// `file`.
const NOT_APP_SCHEMES: [&str; 9] = [
    "http",
    "https",
    "ws",
    "wss",
    "ftp",
    "file",
    "data",
    "blob",
    "javascript",
];

/// Returns true for the origin of an app, such as `tauri://localhost`: a scheme of its own, and a
/// host.
fn is_app(text: &str) -> bool {
    let Some((scheme, authority)) = text.split_once("://") else {
        return false;
    };
    let (host, port) = match authority.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    };
    let is_scheme = scheme.starts_with(|letter: char| letter.is_ascii_lowercase())
        && scheme.bytes().all(|letter| {
            letter.is_ascii_lowercase() || letter.is_ascii_digit() || b"+-.".contains(&letter)
        });
    let is_host = !host.is_empty()
        && host.bytes().all(|letter| {
            letter.is_ascii_lowercase() || letter.is_ascii_digit() || b"-._".contains(&letter)
        });
    is_scheme && is_host && port.is_none_or(is_port) && !NOT_APP_SCHEMES.contains(&scheme)
}

pub(super) fn page_origin(text: &str) -> Result<String, &'static str> {
    valid(text, is_page_origin(text), problem(text))
}

/// The origin of desktop apps whose pages are files. A browser sends `null` for such a page.
const APP_FILES: &str = "file://";

fn is_page_origin(text: &str) -> bool {
    is_exact_or_local(text) || is_app(text) || text == APP_FILES || is_preview(text)
}

fn problem(text: &str) -> &'static str {
    let without_slash = text.trim_end_matches('/');
    if text == "null" {
        "has null, the origin of pages from files in a browser and of sandboxed frames: every such \
         page could call the gateway. Serve the page over http, as on http://localhost; a desktop \
         app whose pages are files has the origin file://"
    } else if without_slash != text && is_page_origin(without_slash) {
        "has an origin with a slash at its end; leave the slash out, as in \
         https://www.example.com"
    } else if around_star(without_slash).is_some() {
        SHARED_STAR
    } else if Url::parse(text).is_ok_and(|url| url.has_host() && url.path().len() > 1) {
        "has an origin with a path; leave the path out, as in https://www.example.com"
    } else {
        "has an entry that is not an exact origin; give origins such as https://www.example.com or \
         tauri://localhost (no path, no / at the end; * only as the port of this machine, as in \
         http://localhost:*, or once in the first label, before - or ., as in \
         https://*-myteam.vercel.app)"
    }
}

fn is_local(text: &str) -> bool {
    let has_no_port = Url::parse(text).is_ok_and(|url| url.port().is_none());
    has_no_port && is_on_loopback(text) && is_exact(text)
}

/// Returns the host of an origin, also of an origin with any port.
pub(super) fn host(origin: &str) -> Option<String> {
    Url::parse(without_port(origin).unwrap_or(origin))
        .ok()?
        .host_str()
        .map(str::to_owned)
}

fn without_port(origin: &str) -> Option<&str> {
    origin.strip_suffix(ANY_PORT)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_listed(list: &[&str], listed: &[&str], others: &[&str]) {
        let list: Vec<_> = list.iter().map(|origin| (*origin).to_owned()).collect();
        for origin in listed {
            assert!(is_listed(&list, origin), "{origin}");
        }
        for origin in others {
            assert!(!is_listed(&list, origin), "{origin}");
        }
    }

    #[test]
    fn pages_have_exact_origins_or_those_of_this_machine_of_apps_and_of_previews() {
        for right in [
            "http://localhost:*",
            "http://127.0.0.1:*",
            "https://127.9.9.9:*",
            "http://[::1]:*",
            "http://localhost",
            "tauri://localhost",
            "ionic://localhost",
            "chrome-extension://abcdefghijklmnopabcdefghijklmnop",
            "moz-extension://7f4a1b2c-0000-4000-8000-000000000000",
            "app://my.app:8080",
            "file://",
            "https://*-myteam.vercel.app",
            "https://myapp-*-myteam.vercel.app",
            "https://*.myproject.pages.dev",
            "https://*--mysite.netlify.app",
            "https://*.preview.example.com",
            "https://*.example.com",
            "https://pr-*.example.co.uk:8443",
            "https://*-web.example.com",
            "https://*.apps.internal",
        ] {
            assert!(is_page_origin(right), "{right}");
        }
        for wrong in [
            "https://example.com:*",
            "http://*:*",
            "*",
            ":*",
            "http://localhost:*/",
            "http://localhost:80*",
            "localhost:*",
            "http://localhost:5173:*",
            "http://localhost.example.com:*",
            "http://a@localhost:*",
            "http://10.0.0.1:*",
            "file://localhost:*",
            "http://LOCALHOST:*",
            "null",
            "file:///",
            "file://localhost",
            "tauri://",
            "tauri://localhost/",
            "tauri://LOCALHOST",
            "tauri://*",
            "tauri://a@localhost",
            "tauri://localhost:0",
            "data://x",
            "://x",
            "1app://x",
            "https://*.com",
            "https://*-team.com",
            "https://*-team",
            "https://*.internal",
            "https://*",
            "https://*example.com",
            "https://*myteam.vercel.app",
            "https://www.*.example.com",
            "https://*.*.example.com",
            "https://**-myteam.vercel.app",
            "https://*-myteam.vercel.app/",
            "https://*-myteam.vercel.app:*",
            "http://*-myteam.vercel.app",
            "https://a@*-myteam.vercel.app",
            "https://*-MYTEAM.vercel.app",
            "https://*.1.2.3.4",
        ] {
            assert!(!is_page_origin(wrong), "{wrong}");
        }
    }

    #[test]
    fn a_refused_origin_has_its_own_problem() {
        for (text, word) in [
            ("null", "file://"),
            ("https://www.example.com/", "slash"),
            ("http://localhost:5173/", "slash"),
            ("tauri://localhost/", "slash"),
            ("https://www.example.com/app", "path"),
            ("https://*.com", "hosts of others"),
            ("https://*-team.com", "hosts of others"),
            ("https://*.com/", "hosts of others"),
            ("https://*-myteam.vercel.app/", "slash"),
            ("*", "not an exact origin"),
            ("www.example.com", "not an exact origin"),
            ("localhost:5173", "not an exact origin"),
        ] {
            assert!(problem(text).contains(word), "{text}: {}", problem(text));
        }
    }

    #[test]
    fn a_star_stands_for_a_part_of_one_label() {
        assert_listed(
            &["https://*-myteam.vercel.app", "https://pr-*.example.com"],
            &[
                "https://app-git-main-myteam.vercel.app",
                "https://a-myteam.vercel.app",
                "https://pr-17.example.com",
            ],
            &[
                "https://-myteam.vercel.app",
                "https://evil.com.a-myteam.vercel.app",
                "https://evil.com/a-myteam.vercel.app",
                "https://a@b-myteam.vercel.app",
                "https://evil.com:80-myteam.vercel.app",
                "http://a-myteam.vercel.app",
                "https://a-myteam.vercel.app:8443",
                "https://a-myteam.vercel.app.evil.com",
                "https://pr-.example.com",
                "https://pr-1.2.example.com",
                "https://*-myteam.vercel.app",
                "null",
            ],
        );
    }

    #[test]
    fn any_port_is_a_port_and_nothing_else() {
        assert_listed(
            &[
                "https://a.example",
                "http://localhost:*",
                "tauri://localhost",
            ],
            &[
                "https://a.example",
                "http://localhost",
                "http://localhost:1",
                "http://localhost:65535",
                "tauri://localhost",
            ],
            &[
                "https://a.example:8443",
                "http://localhost:",
                "http://localhost:0",
                "http://localhost:080",
                "http://localhost:+80",
                "http://localhost:65536",
                "http://localhost:99999999",
                "http://localhost:1.evil.example",
                "http://localhost.evil.example",
                "https://localhost:5173",
                "http://localhost:80@evil.example",
                "null",
                "",
            ],
        );
    }
}
