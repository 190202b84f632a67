//! Media that a response has as text, at the places of outputs.

use serde_json::Value;

use super::inline::{InlineMedium, inline_medium};
use crate::outputs::{Linked, is_output_name, kind_in};

const MAX_DEPTH: usize = 8;

/// Returns the URL that replaces the medium, or `None` if it stays.
pub(super) type Link<'a> = dyn FnMut(&InlineMedium<'_>) -> Option<String> + 'a;

/// Replaces the media in the members with output names by URLs. Returns the URLs with their kinds.
pub(super) fn link_media(value: &mut Value, left_out: &[String], link: &mut Link<'_>) -> Linked {
    let mut linked = Linked::new();
    replace(value, "", left_out, link, &mut linked, MAX_DEPTH);
    linked
}

fn replace(
    value: &mut Value,
    name: &str,
    left_out: &[String],
    link: &mut Link<'_>,
    linked: &mut Linked,
    depth: usize,
) {
    if depth == 0 {
        return; // deeper levels have no outputs
    }
    match value {
        Value::String(text) => {
            if let Some(medium) = inline_medium(name, text)
                && let Some(url) = link(&medium)
            {
                linked.insert(url.clone(), kind_in(medium.media_type));
                *text = url;
            }
        }
        Value::Array(items) => {
            for item in items {
                replace(item, name, left_out, link, linked, depth - 1);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                if is_output_name(name, left_out) {
                    replace(member, name, left_out, link, linked, depth - 1);
                }
            }
        }
        _ => {}
    }
}
