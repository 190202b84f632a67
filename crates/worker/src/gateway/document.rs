//! The OpenAPI document.

use crate::incoming::Incoming;
use crate::openapi::Served;
use crate::reply::Reply;

/// The `Cache-Control` of the document, which changes only with the gateway's version and with
/// `CAPABILITIES`.
const CACHE_CONTROL: &str = "public, max-age=300";

/// `GET /openapi.json`. Returns 304 if the caller's copy is current.
pub(crate) fn document(served: &Served, incoming: &Incoming) -> Reply {
    let is_current = incoming
        .header("if-none-match")
        .is_some_and(|list| matches_etag(&list, &served.etag));
    let mut reply = if is_current {
        Reply::not_modified()
    } else {
        Reply::bare_json(served.text.clone())
    };
    reply.header("etag", served.etag.as_str());
    reply.header("cache-control", CACHE_CONTROL);
    reply
}

/// Returns true if `If-None-Match` lists this entity tag. Tags are compared weakly, because a proxy
/// that compresses makes them weak.
fn matches_etag(list: &str, etag: &str) -> bool {
    list.split(',')
        .map(str::trim)
        .any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag)
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
