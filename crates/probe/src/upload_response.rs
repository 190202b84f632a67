//! Reads the response to a request for an upload URL: which of its members is what.

use serde_json::Value;

use super::leaves::{self, Leaf, has_word, leaves, name, parent};
use super::report::Parts;

/// Words in the names of URLs that do not take an upload.
const NOT_UPLOADS: &[&str] = &[
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
const UPLOADS: &[&str] = &["upload", "put", "post", "presigned", "signed", "presign"];
/// Words in the names of ids that are no file's.
const NOT_FILES: &[&str] = &[
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
const FILES: &[&str] = &[
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
const EXPIRY: &[&str] = &[
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

/// The ways to read a response, the most likely first. Only an upload shows which is right.
pub(super) fn readings(first: &Value, second: &Value) -> Vec<Parts> {
    let all = leaves(first);
    let pairs = pairs(first);
    // What is in headers or fields is none of the other parts.
    let is_free = |it: &&Leaf| {
        !pairs
            .iter()
            .any(|place| it.place.starts_with(&[place, "/"].concat()))
    };
    let free: Vec<&Leaf> = all.iter().filter(is_free).collect();
    let mut urls: Vec<&&Leaf> = free.iter().filter(|it| it.is_url()).collect();
    urls.sort_by_key(|it| (it.is_named(NOT_UPLOADS), !it.is_named(UPLOADS)));
    let mut ids: Vec<&&Leaf> = free.iter().filter(|it| is_id(it, second)).collect();
    // Many ids begin with the kind of what they name: `file_…`.
    let says_file = |it: &Leaf| it.text().is_some_and(|it| has_word(it, &FILES[..4]));
    ids.sort_by_key(|it| {
        (
            !says_file(it),
            it.is_named(NOT_FILES),
            !it.is_named(FILES),
            !it.value.is_string(),
        )
    });
    let method = free.iter().find(|it| is_method(&it.value));
    let expiry = free
        .iter()
        .find(|it| it.is_named(EXPIRY) && !it.value.is_boolean());
    let mut found = Vec::new();
    let Some(id) = ids.first() else { return found };
    for url in urls.iter().take(3) {
        for roles in roles(first, &pairs, method.map(|it| &it.value)) {
            let mut parts = Parts::default();
            parts.push("upload.url", &*url.place);
            parts.push("upload.file_id", &*id.place);
            parts.push("upload.method", places(method.map(|it| &*it.place)));
            parts.push("upload.headers", places(roles.headers.as_deref()));
            parts.push("upload.fields", places(roles.fields.as_deref()));
            parts.push("upload.expires_at", places(expiry.map(|it| &*it.place)));
            found.push(parts);
        }
    }
    found
}

fn places(place: Option<&str>) -> Value {
    place.into_iter().map(Value::from).collect()
}

fn is_method(value: &Value) -> bool {
    value.as_str().is_some_and(|it| {
        ["PUT", "POST"]
            .iter()
            .any(|name| name.eq_ignore_ascii_case(it))
    })
}

/// Whether it may be the file's id: it differs from one request to the next.
fn is_id(leaf: &Leaf, second: &Value) -> bool {
    let differs = second
        .pointer(&leaf.place)
        .is_some_and(|it| *it != leaf.value);
    leaf.may_be_id() && differs && !leaf.is_named(EXPIRY)
}

/// The objects and lists that have names with strings, and nothing else: headers, or the fields of a form.
fn pairs(response: &Value) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    leaves::each(response, &mut |place, value| {
        let is_within = found
            .iter()
            .any(|it| place.starts_with(&[it, "/"].concat()));
        if !is_within && (is_listed(value) || is_object(place, value)) {
            found.push(place.to_string());
        }
    });
    found
}

/// A list of `{name, value}`.
fn is_listed(value: &Value) -> bool {
    let is_pair = |it: &Value| {
        let has = |names: [&str; 2]| {
            names
                .iter()
                .any(|name| it.get(*name).is_some_and(Value::is_string))
        };
        has(["name", "key"]) && it.get("value").is_some()
    };
    value
        .as_array()
        .is_some_and(|it| !it.is_empty() && it.iter().all(is_pair))
}

/// An object of strings that has the name of headers or fields, or names that these have.
fn is_object(place: &str, value: &Value) -> bool {
    let Some(members) = value.as_object().filter(|it| !it.is_empty()) else {
        return false;
    };
    let is_flat = members.values().all(|it| it.is_string() || it.is_number());
    let has_url = members
        .values()
        .filter_map(Value::as_str)
        .any(leaves::is_url);
    is_flat
        && !has_url
        && (is_named_so(place) || members.keys().any(|it| is_header(it) || is_field(it)))
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

/// Which pairs are headers, and which are fields.
#[derive(Default)]
struct Roles {
    headers: Option<String>,
    fields: Option<String>,
}

/// The likely roles, the most likely first.
fn roles(response: &Value, pairs: &[String], method: Option<&Value>) -> Vec<Roles> {
    let is_post = method
        .and_then(Value::as_str)
        .is_some_and(|it| it.eq_ignore_ascii_case("POST"));
    let names = |place: &str| -> Vec<String> {
        match response.pointer(place) {
            Some(Value::Object(members)) => members.keys().cloned().collect(),
            Some(Value::Array(items)) => items
                .iter()
                .filter_map(|it| Some(it.get("name").or(it.get("key"))?.as_str()?.to_string()))
                .collect(),
            _ => Vec::new(),
        }
    };
    let is_form = |place: &&String| {
        let own = name(place);
        let is_headers = has_word(own, &["header", "headers"]);
        has_word(own, &["field", "fields", "form"])
            || !is_headers && (is_post || names(place).iter().any(|it| is_field(it)))
    };
    let form = pairs.iter().find(is_form);
    let others: Vec<_> = pairs.iter().filter(|it| Some(*it) != form).collect();
    let mut found = Vec::from([Roles {
        headers: others.first().map(|it| it.to_string()),
        fields: form.cloned(),
    }]);
    // The other way round, and without them.
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

/// The place of the object that has the URL, to name in a message.
pub(super) fn container(parts: &Parts) -> &str {
    parts
        .0
        .iter()
        .find(|it| it.0 == "upload.url")
        .and_then(|it| it.1.as_str())
        .map_or("", parent)
}
