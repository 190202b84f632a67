//! The gateway's own description.

use crate::http::Incoming;
use crate::openapi::SERVED;
use crate::reply::Reply;

/// How long a reader may keep it before asking again, in seconds: it changes with the gateway's version alone.
const MAX_AGE: &str = "public, max-age=300";

/// `GET /openapi.json`; nothing but its name, where the caller has it already.
pub(crate) fn document(incoming: &Incoming) -> Reply {
    let known = incoming.header("if-none-match").is_some_and(|it| names(&it, &SERVED.etag));
    let mut reply = if known { Reply::not_modified() } else { Reply::plain(SERVED.text.clone()) };
    reply.header("etag", SERVED.etag.as_str());
    reply.header("cache-control", MAX_AGE);
    reply
}

/// Whether a list of tags names this one. A proxy that compresses calls a tag weak, which is good enough for a text.
fn names(list: &str, etag: &str) -> bool {
    list.split(',').map(str::trim).any(|it| it == "*" || it.strip_prefix("W/").unwrap_or(it) == etag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_found_in_a_list() {
        for list in ["\"a\"", "\"b\", \"a\"", "W/\"a\"", "*"] {
            assert!(names(list, "\"a\""), "{list}");
        }
        for list in ["", "a", "\"A\"", "\"a", "\"ab\"", "w/\"a\""] {
            assert!(!names(list, "\"a\""), "{list}");
        }
    }
}
