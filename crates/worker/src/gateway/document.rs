//! The OpenAPI document.

use crate::openapi::SERVED;
use crate::platform::Incoming;
use crate::reply::Reply;

/// Caching: the document changes with the gateway's version alone.
const CACHE_CONTROL: &str = "public, max-age=300";

/// `GET /openapi.json`; 304 where the caller's copy is current.
pub(crate) fn document(incoming: &Incoming) -> Reply {
    let is_current = incoming
        .header("if-none-match")
        .is_some_and(|it| matches_etag(&it, &SERVED.etag));
    let mut reply = if is_current {
        Reply::not_modified()
    } else {
        Reply::bare_json(SERVED.text.clone())
    };
    reply.header("etag", SERVED.etag.as_str());
    reply.header("cache-control", CACHE_CONTROL);
    reply
}

/// Whether `If-None-Match` lists this entity tag. Tags are compared weakly: a proxy that compresses makes them weak.
fn matches_etag(list: &str, etag: &str) -> bool {
    list.split(',')
        .map(str::trim)
        .any(|it| it == "*" || it.strip_prefix("W/").unwrap_or(it) == etag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_found_in_a_list() {
        for list in ["\"a\"", "\"b\", \"a\"", "W/\"a\"", "*"] {
            assert!(matches_etag(list, "\"a\""), "{list}");
        }
        for list in ["", "a", "\"A\"", "\"a", "\"ab\"", "w/\"a\""] {
            assert!(!matches_etag(list, "\"a\""), "{list}");
        }
    }
}
