//! Output URLs and produced asset ids, wherever a task record carries them (§2, §3).

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use crate::ids::{IdKind, id_kind, snake};
use crate::value::{Type, Value};

/// One thing that a task produced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The URL to load it from, as upstream sent it.
    pub url: Option<String>,
    /// The id of the reusable asset that was produced.
    pub asset_id: Option<String>,
    /// `image`, `video`, `audio` or `pdf`; `None` where the record does not show which.
    pub kind: Option<&'static str>,
}

/// Levels of nesting that are searched: more than any record has, and a bound for a hostile one.
const MAX_DEPTH: usize = 8;
/// The most outputs that are returned: more than any task has.
const MAX_OUTPUTS: usize = 100;

/// Members that repeat the request, or hold media that is not a result.
const NOT_OUTPUTS: [&str; 14] = [
    "input",
    "inputs",
    "request",
    "params",
    "parameters",
    "payload",
    "source",
    "upload",
    "thumbnail",
    "preview",
    "poster",
    "cover",
    "callback",
    "webhook",
];

/// Every output in a task record: each object with a URL or an asset id, and each URL in a list of results; 100 at most.
/// Outputs with a URL come before those with only an id.
pub fn find<V: Value<Text = String>>(record: V) -> Vec<Output> {
    let mut found = Vec::new();
    walk(&record, "", MAX_DEPTH, &mut found);
    sort(&mut found);
    found
}

/// Those with a URL come first.
pub fn sort(found: &mut [Output]) {
    found.sort_by_key(|it| it.url.is_none());
}

/// The outputs in the members of an object beside the one with this name: those that are named like an output.
pub fn find_beside<V: Value<Text = String>>(container: V, name: &str) -> Vec<Output> {
    let mut found = Vec::new();
    for key in container
        .keys()
        .filter(|it| **it != *name && !is_excluded(it))
    {
        if carries_url(&key)
            || id_kind(&key, "id") == Some(IdKind::Asset)
            || id_kind("", &key) == Some(IdKind::Asset)
        {
            container
                .get(&key)
                .into_iter()
                .for_each(|it| walk(&it, &key, MAX_DEPTH, &mut found));
        }
    }
    found
}

/// Adds a URL, or each one in a list or an object, whatever its name.
pub fn add_all<V: Value<Text = String>>(value: V, found: &mut Vec<Output>) {
    walk(&value, "url", MAX_DEPTH, found);
}

fn walk<V: Value<Text = String>>(value: &V, name: &str, depth: usize, found: &mut Vec<Output>) {
    if depth == 0 || found.len() >= MAX_OUTPUTS {
        return;
    }
    match value.kind() {
        Type::Object => object(value, name, depth, found),
        Type::List => value
            .items()
            .for_each(|it| walk(&it, name, depth - 1, found)),
        Type::Text if carries_url(name) => {
            if let Some(url) = value.text().filter(|it| is_url(it)) {
                add(
                    found,
                    Output {
                        kind: kind_of(&url, name, None),
                        url: Some(url.to_owned()),
                        asset_id: None,
                    },
                );
            }
        }
        Type::Text | Type::Number if id_kind("", name) == Some(IdKind::Asset) => {
            if let Some(id) = value.identifier() {
                add(
                    found,
                    Output {
                        url: None,
                        asset_id: Some(id),
                        kind: None,
                    },
                );
            }
        }
        _ => {}
    }
}

/// The request fields that name assets: at the top of a record they repeat the request.
const REQUEST_FIELDS: [&str; 2] = ["avatar_asset_id", "voice_asset_id"];

/// An object's first URL and first asset id belong together.
fn object<V: Value<Text = String>>(
    value: &V,
    container: &str,
    depth: usize,
    found: &mut Vec<Output>,
) {
    let is_request_field = |it: &str| container.is_empty() && REQUEST_FIELDS.contains(&it);
    let names: Vec<V::Str> = value
        .keys()
        .filter(|it| !is_excluded(it) && !is_request_field(it))
        .collect();
    let asset = |it: &&V::Str| id_kind(container, it) == Some(IdKind::Asset);
    let named = names
        .iter()
        .filter(asset)
        .find_map(|it| Some((it, value.get(it)?.identifier()?)));
    let (asset_key, mut asset_id) = named.unzip();
    let hint = ["content_type", "mime_type", "media_type", "kind", "type"]
        .iter()
        .find_map(|it| value.get(it)?.text().map(|it| it.to_owned()));
    for name in names
        .iter()
        .filter(|it| asset_key.is_none_or(|key| **key != ***it))
    {
        let Some(member) = value.get(name) else {
            continue;
        };
        let url = member.text().filter(|it| carries_url(name) && is_url(it));
        match url {
            Some(url) => add(
                found,
                Output {
                    kind: kind_of(&url, name, hint.as_deref()),
                    url: Some(url.to_owned()),
                    asset_id: asset_id.take(),
                },
            ),
            None => walk(&member, name, depth - 1, found),
        }
    }
    if asset_id.is_some() {
        add(
            found,
            Output {
                url: None,
                asset_id,
                kind: None,
            },
        );
    }
}

/// Adds an output, or merges it: records often hold a result twice, as `output_url` and in a list, or as `asset_id` and
/// as `asset`.
pub fn add(found: &mut Vec<Output>, output: Output) {
    let same = |it: &Output| match &output.url {
        Some(url) => it.url.as_ref() == Some(url),
        None => it.asset_id == output.asset_id,
    };
    if let Some(known) = found.iter_mut().find(|it| same(it)) {
        known.asset_id = known.asset_id.take().or(output.asset_id);
        known.kind = known.kind.or(output.kind);
    } else if found.len() < MAX_OUTPUTS {
        found.push(output);
    }
}

fn is_url(text: &str) -> bool {
    let http = text.starts_with("https://") || text.starts_with("http://");
    http && !text.contains(|it: char| it.is_control() || it.is_whitespace())
}

fn carries_url(name: &str) -> bool {
    let name = snake(name);
    [
        "url", "urls", "uri", "uris", "output", "outputs", "result", "results", "files", "videos",
        "images",
    ]
    .iter()
    .any(|it| {
        name.strip_suffix(it)
            .is_some_and(|it| it.is_empty() || it.ends_with('_'))
    })
}

fn is_excluded(name: &str) -> bool {
    let name = snake(name);
    NOT_OUTPUTS.iter().any(|it| {
        name.strip_prefix(it)
            .is_some_and(|it| it.is_empty() || it.starts_with('_'))
    })
}

fn kind_of(url: &str, name: &str, hint: Option<&str>) -> Option<&'static str> {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    let extension = path
        .rsplit('/')
        .next()?
        .rsplit_once('.')
        .map_or("", |it| it.1);
    let by_extension = match extension.to_ascii_lowercase().as_str() {
        "png" | "jpg" | "jpeg" | "webp" | "gif" | "avif" => Some("image"),
        "mp4" | "webm" | "mov" | "m4v" => Some("video"),
        "wav" | "mp3" | "m4a" | "aac" | "ogg" | "flac" => Some("audio"),
        "pdf" => Some("pdf"),
        _ => None,
    };
    let by_name = |text: &str| {
        ["image", "video", "audio", "pdf"]
            .into_iter()
            .find(|it| text.contains(it))
    };
    by_extension
        .or_else(|| by_name(hint?))
        .or_else(|| by_name(name))
}
