use mediagate_access::crypto::hash;
use mediagate_core::CAPABILITIES;
use mediagate_settings::Offers;

use crate::description::OPENAPI;
use crate::incoming::Incoming;
use crate::reply::Reply;

pub(crate) struct Served {
    /// The JSON text.
    text: String,
    /// The entity tag: a part of the hash of the text, in quotes.
    etag: String,
}

impl Served {
    /// Joins the document of a gateway that offers some capabilities.
    pub(crate) fn new(offers: &Offers) -> Self {
        let offered = CAPABILITIES.iter().enumerate();
        let offered = offered
            .filter(|(_, capability)| offers.contains(capability))
            .fold(0, |bits, (position, _)| bits | 1 << position);
        let mut text = String::new();
        for (needed_by, piece) in OPENAPI {
            if needed_by == 0 {
                // Without what follows it, the last member has a comma too much.
                if piece.starts_with([']', '}']) && text.ends_with(',') {
                    text.pop();
                }
                text += piece;
            } else if needed_by & offered != 0 {
                text += piece;
            }
        }
        let etag = format!("\"{}\"", &hash(&[&text])[..32]);
        Served { text, etag }
    }
}

/// The `Cache-Control` of the document, which changes only with the gateway's version and with
/// `CAPABILITIES`.
const CACHE_CONTROL: &str = "public, max-age=300";

/// `GET /openapi.json`: 304 if the caller's copy is current.
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

/// Returns true if `If-None-Match` lists this entity tag. Compares weakly, because a proxy that
/// compresses makes entity tags weak.
fn matches_etag(list: &str, etag: &str) -> bool {
    list.split(',')
        .map(str::trim)
        .any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag)
}

#[cfg(test)]
mod tests {
    use mediagate_settings::Settings;
    use serde_json::Value;

    use super::*;

    fn served(capabilities: &str) -> Value {
        let settings = Settings::for_tests(&[("CAPABILITIES", capabilities)]);
        serde_json::from_str(&Served::new(&settings.offers).text).expect("JSON")
    }

    #[test]
    fn the_document_has_the_capabilities_that_are_offered() {
        let creates = |document: &Value| -> Vec<String> {
            let is_create =
                |path: &&String| path.contains("/generate/") || path.contains("/process/");
            let paths = document["paths"].as_object().expect("paths").keys();
            let paths = paths.filter(|path| !path.contains("{id}"));
            paths.filter(is_create).cloned().collect()
        };
        assert_eq!(creates(&served("")).len(), 19);
        let one = served("text_to_video");
        assert_eq!(creates(&one), ["/api/app/v1/generate/video/text_to_video"]);
        let alternatives = one["components"]["schemas"]["EstimateInput"]["oneOf"].as_array();
        assert_eq!(alternatives.map(Vec::len), Some(1));
        let schemas = &one["components"]["schemas"];
        assert!(schemas["TextToVideoInput"].is_object() && schemas["SplitPdfInput"].is_null());
    }

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
