//! The search for the parts of the response to a request for an upload URL.

use serde_json::Value;

use super::leaves::{self, Leaf, has_word, leaves, name, parent};
use super::report::Parts;

/// Words in the names of URLs that do not take an upload.
const NOT_UPLOADS: [&str; 12] = [
    "download",
    "public",
    "view",
    "get",
    "cdn",
    "preview",
    "thumbnail",
    "status",
    "docs",
    "help",
    "callback",
    "access",
];
/// Words in the names of URLs that take an upload.
const UPLOADS: [&str; 6] = ["upload", "put", "post", "presigned", "signed", "presign"];
/// Words in the names of ids that are not a file's.
const NOT_FILES: [&str; 9] = [
    "request",
    "trace",
    "session",
    "upload",
    "correlation",
    "user",
    "token",
    "nonce",
    "etag",
];
/// Words in the names of a file's id.
const FILES: [&str; 10] = [
    "file",
    "asset",
    "media",
    "object",
    "id",
    "key",
    "uuid",
    "handle",
    "ref",
    "reference",
];
/// Words in the names of an expiry.
const EXPIRY: [&str; 9] = [
    "expires",
    "expire",
    "expiry",
    "expiration",
    "ttl",
    "valid",
    "until",
    "deadline",
    "lifetime",
];

/// Returns the ways to read a response, the most likely first. Only an upload shows the right one.
/// `second` is another response to the same request.
pub(super) fn readings(first: &Value, second: &Value) -> Vec<Parts> {
    let all = leaves(first);
    let pairs = pairs(first);
    // Values in headers or form fields are none of the other parts.
    let is_free = |leaf: &&Leaf| {
        !pairs
            .iter()
            .any(|place| leaf.place.starts_with(&[place, "/"].concat()))
    };
    let free: Vec<&Leaf> = all.iter().filter(is_free).collect();
    let mut urls: Vec<&&Leaf> = free.iter().filter(|leaf| leaf.is_url()).collect();
    urls.sort_by_key(|leaf| (leaf.is_named(&NOT_UPLOADS), !leaf.is_named(&UPLOADS)));
    let mut ids: Vec<&&Leaf> = free.iter().filter(|leaf| is_id(leaf, second)).collect();
    // Many ids begin with a word for the resource: `file_…`.
    let says_file = |leaf: &Leaf| {
        leaf.text()
            .is_some_and(|text| has_word(text, &["file", "asset", "media", "object"]))
    };
    ids.sort_by_key(|leaf| {
        (
            !says_file(leaf),
            leaf.is_named(&NOT_FILES),
            !leaf.is_named(&FILES),
            !leaf.value.is_string(),
        )
    });
    let method = free.iter().find(|leaf| is_method(&leaf.value));
    let expiry = free
        .iter()
        .find(|leaf| leaf.is_named(&EXPIRY) && !leaf.value.is_boolean());
    let mut found = Vec::new();
    let Some(id) = ids.first() else {
        // Without an id, an uploaded file can't be used.
        return found;
    };
    for url in urls.iter().take(3) {
        for roles in roles(first, &pairs, method.map(|leaf| &leaf.value)) {
            let mut parts = Parts::default();
            parts.push("upload.url", &*url.place);
            parts.push("upload.file_id", &*id.place);
            parts.push("upload.method", places(method.map(|leaf| &*leaf.place)));
            parts.push("upload.headers", places(roles.headers.as_deref()));
            parts.push("upload.fields", places(roles.fields.as_deref()));
            parts.push("upload.expires_at", places(expiry.map(|leaf| &*leaf.place)));
            found.push(parts);
        }
    }
    found
}

fn places(place: Option<&str>) -> Value {
    place.into_iter().map(Value::from).collect()
}

fn is_method(value: &Value) -> bool {
    value.as_str().is_some_and(|text| {
        ["PUT", "POST"]
            .iter()
            .any(|name| name.eq_ignore_ascii_case(text))
    })
}

/// Returns true if a leaf may be the file's id, which differs from one request to the next.
fn is_id(leaf: &Leaf, second: &Value) -> bool {
    let differs = second
        .pointer(&leaf.place)
        .is_some_and(|value| *value != leaf.value);
    leaf.may_be_id() && differs && !leaf.is_named(&EXPIRY)
}

/// Returns the places of objects and lists that hold only names with strings: headers, or the
/// fields of a form.
fn pairs(response: &Value) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    leaves::each(response, &mut |place, value| {
        let is_within = found
            .iter()
            .any(|outer| place.starts_with(&[outer, "/"].concat()));
        if !is_within && (is_listed(value) || is_object(place, value)) {
            found.push(place.to_string());
        }
    });
    found
}

/// Returns true for a list of `{name, value}`.
fn is_listed(value: &Value) -> bool {
    let is_pair = |pair: &Value| {
        let has = |names: [&str; 2]| {
            names
                .iter()
                .any(|name| pair.get(*name).is_some_and(Value::is_string))
        };
        has(["name", "key"]) && pair.get("value").is_some()
    };
    value
        .as_array()
        .is_some_and(|items| !items.is_empty() && items.iter().all(is_pair))
}

/// Returns true for an object of strings that is named like headers or fields, or has members that
/// are.
fn is_object(place: &str, value: &Value) -> bool {
    let Some(members) = value.as_object().filter(|members| !members.is_empty()) else {
        return false;
    };
    let is_flat = members
        .values()
        .all(|value| value.is_string() || value.is_number());
    let has_url = members
        .values()
        .filter_map(Value::as_str)
        .any(leaves::is_url);
    is_flat
        && !has_url
        && (is_named_so(place) || members.keys().any(|name| is_header(name) || is_field(name)))
}

fn is_named_so(place: &str) -> bool {
    has_word(
        name(place),
        &[
            "header", "headers", "field", "fields", "form", "formdata", "params",
        ],
    )
}

fn is_header(name: &str) -> bool {
    name.contains('-') && !name.contains('_')
}

fn is_field(name: &str) -> bool {
    ["policy", "signature", "acl", "success_action_status"]
        .contains(&name.to_ascii_lowercase().as_str())
}

/// The places of the headers and of the form fields.
#[derive(Default)]
struct Roles {
    headers: Option<String>,
    fields: Option<String>,
}

/// Returns the possible roles of the pairs, the most likely first.
fn roles(response: &Value, pairs: &[String], method: Option<&Value>) -> Vec<Roles> {
    let is_post = method
        .and_then(Value::as_str)
        .is_some_and(|text| text.eq_ignore_ascii_case("POST"));
    let names = |place: &str| -> Vec<String> {
        match response.pointer(place) {
            Some(Value::Object(members)) => members.keys().cloned().collect(),
            Some(Value::Array(items)) => items
                .iter()
                .filter_map(|pair| {
                    Some(pair.get("name").or(pair.get("key"))?.as_str()?.to_string())
                })
                .collect(),
            _ => Vec::new(),
        }
    };
    let is_form = |place: &&String| {
        let own = name(place);
        let is_headers = has_word(own, &["header", "headers"]);
        has_word(own, &["field", "fields", "form"])
            || !is_headers && (is_post || names(place).iter().any(|name| is_field(name)))
    };
    let form = pairs.iter().find(is_form);
    let others: Vec<_> = pairs.iter().filter(|place| Some(*place) != form).collect();
    let mut found = Vec::from([Roles {
        headers: others.first().map(|place| place.to_string()),
        fields: form.cloned(),
    }]);
    // The likely roles may be wrong, so try each pair as either, and none of them.
    for place in pairs {
        found.push(Roles {
            headers: Some(place.clone()),
            fields: None,
        });
        found.push(Roles {
            headers: None,
            fields: Some(place.clone()),
        });
    }
    found.push(Roles::default());
    found
}

/// Returns the place of the object with the URL, for a message.
pub(super) fn container(parts: &Parts) -> &str {
    parts
        .0
        .iter()
        .find(|(part, _)| *part == "upload.url")
        .and_then(|(_, place)| place.as_str())
        .map_or("", parent)
}
