//! A search for output URLs and produced asset ids in a task record. The document does not show
//! their place (§2, §3).

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use crate::ids::{IdKind, id_kind, snake};
use crate::value::{Type, Value};

/// One thing that a task produced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The URL of the file, as upstream sent it.
    pub url: Option<String>,
    /// The id of the produced reusable asset.
    pub asset_id: Option<String>,
    /// `image`, `video`, `audio` or `pdf`; `None` if the record does not show the kind.
    pub kind: Option<&'static str>,
}

/// The levels of nesting that are searched: more than any record has, and a bound for a hostile
/// one.
const MAX_DEPTH: usize = 8;
/// The largest number of outputs that are returned: more than any task has.
const MAX_OUTPUTS: usize = 100;

/// Members that repeat the request.
const REQUEST: [&str; 7] = [
    "input",
    "inputs",
    "request",
    "params",
    "parameters",
    "payload",
    "source",
];

/// Members with media that is not a result.
const NOT_OUTPUTS: [&str; 7] = [
    "upload",
    "thumbnail",
    "preview",
    "poster",
    "cover",
    "callback",
    "webhook",
];

/// The first words of names such as `status_url`, whose URL is not a result.
const LINKS: [&str; 30] = [
    "api",
    "billing",
    "cancel",
    "console",
    "dashboard",
    "delete",
    "detail",
    "details",
    "doc",
    "docs",
    "documentation",
    "error",
    "events",
    "fetch",
    "get",
    "help",
    "info",
    "log",
    "logs",
    "poll",
    "polling",
    "progress",
    "query",
    "queue",
    "response",
    "retry",
    "self",
    "status",
    "stream",
    "support",
];

/// Returns every output in a task record, 100 at most: each object with a URL or an asset id, and
/// each URL in a list of results.
///
/// Outputs with a URL come before outputs with only an id. Skips members whose name is in
/// `left_out`.
pub fn find<V: Value<Text = String>>(record: V, left_out: &[String]) -> Vec<Output> {
    let mut search = Search::new(left_out);
    search.walk(&record, "", MAX_DEPTH);
    sort(&mut search.found);
    search.found
}

/// Moves the outputs with a URL to the front. Keeps the order otherwise.
pub fn sort(found: &mut [Output]) {
    found.sort_by_key(|output| output.url.is_none());
}

/// Returns the outputs in an object's members that are named like an output, except in the member
/// called `name`.
pub fn find_beside<V: Value<Text = String>>(
    container: V,
    name: &str,
    left_out: &[String],
) -> Vec<Output> {
    let mut search = Search::new(left_out);
    for key in container.keys() {
        // The objects around a record have other URLs, too, so only a telling name counts.
        let is_named = carries_url(&key)
            || id_kind(&key, "id") == Some(IdKind::Asset)
            || id_kind("", &key) == Some(IdKind::Asset);
        if is_named
            && *key != *name
            && !is_left_out(&key, left_out)
            && let Some(member) = container.get(&key)
        {
            search.walk(&member, &key, MAX_DEPTH);
        }
    }
    search.found
}

/// Adds a URL or a list of URLs, or the outputs in an object, whatever the name of the value.
pub fn add_all<V: Value<Text = String>>(value: V, found: &mut Vec<Output>) {
    let mut search = Search::new(&[]);
    // With this name, a plain string counts as the URL of a result.
    search.walk(&value, "url", MAX_DEPTH);
    for output in search.found {
        add(found, output);
    }
}

/// Returns true if a member repeats the request, such as `input`.
pub fn repeats_request(name: &str) -> bool {
    begins_with(&snake(name), &REQUEST)
}

/// Returns true if a member has no results: it repeats the request, has other media such as a
/// thumbnail, or is in `left_out`.
pub fn is_left_out(name: &str, left_out: &[String]) -> bool {
    let snake = snake(name);
    begins_with(&snake, &REQUEST)
        || begins_with(&snake, &NOT_OUTPUTS)
        || left_out.iter().any(|other| other == name)
}

/// The request fields that name assets. At the top of a record they repeat the request.
const REQUEST_FIELDS: [&str; 2] = ["avatar_asset_id", "voice_asset_id"];

struct Search<'a> {
    left_out: &'a [String],
    found: Vec<Output>,
}

impl<'a> Search<'a> {
    fn new(left_out: &'a [String]) -> Self {
        Search {
            left_out,
            found: Vec::new(),
        }
    }

    fn walk<V: Value<Text = String>>(&mut self, value: &V, name: &str, depth: usize) {
        if depth == 0 || self.found.len() >= MAX_OUTPUTS {
            return;
        }
        match value.kind() {
            Type::Object => self.object(value, name, depth),
            Type::List => value
                .items()
                .for_each(|item| self.walk(&item, name, depth - 1)),
            Type::Text if carries_url(name) => {
                if let Some(url) = value.text().filter(|url| is_url(url)) {
                    self.add_url(&url, name, None, None);
                }
            }
            Type::Text | Type::Number if id_kind("", name) == Some(IdKind::Asset) => {
                self.add_asset(value.identifier());
            }
            _ => {}
        }
    }

    /// Searches an object. Its first URL and its first asset id become one output.
    fn object<V: Value<Text = String>>(&mut self, value: &V, container: &str, depth: usize) {
        let is_request_field = |name: &str| container.is_empty() && REQUEST_FIELDS.contains(&name);
        let names: Vec<V::Str> = value
            .keys()
            .filter(|name| !is_left_out(name, self.left_out) && !is_request_field(name))
            .collect();
        let is_asset = |name: &&V::Str| id_kind(container, name) == Some(IdKind::Asset);
        let asset = names
            .iter()
            .filter(is_asset)
            .find_map(|name| Some((name, value.get(name)?.identifier()?)));
        // The id is taken by the object's first URL: both describe one result.
        let (asset_name, mut asset_id) = asset.unzip();
        let hint = ["content_type", "mime_type", "media_type", "kind", "type"]
            .iter()
            .find_map(|name| value.get(name)?.text().map(|text| text.to_owned()));
        for name in &names {
            if asset_name.is_some_and(|own| **own == **name) {
                continue;
            }
            let Some(member) = value.get(name) else {
                continue;
            };
            let url = member.text().filter(|url| carries_url(name) && is_url(url));
            match url {
                Some(url) => self.add_url(&url, name, hint.as_deref(), asset_id.take()),
                None => self.walk(&member, name, depth - 1),
            }
        }
        self.add_asset(asset_id);
    }

    fn add_url(&mut self, url: &str, name: &str, hint: Option<&str>, asset_id: Option<String>) {
        let output = Output {
            kind: kind_of(url, name, hint),
            url: Some(url.to_owned()),
            asset_id,
        };
        add(&mut self.found, output);
    }

    fn add_asset(&mut self, asset_id: Option<String>) {
        if asset_id.is_some() {
            let output = Output {
                url: None,
                asset_id,
                kind: None,
            };
            add(&mut self.found, output);
        }
    }
}

/// Adds an output, or merges it with a known one. Records often hold a result twice: as
/// `output_url` and in a list, or as `asset_id` and as `asset`.
pub fn add(found: &mut Vec<Output>, output: Output) {
    let same = |known: &Output| match &output.url {
        Some(url) => known.url.as_ref() == Some(url),
        None => known.asset_id == output.asset_id,
    };
    if let Some(known) = found.iter_mut().find(|known| same(known)) {
        known.asset_id = known.asset_id.take().or(output.asset_id);
        known.kind = known.kind.or(output.kind);
    } else if found.len() < MAX_OUTPUTS {
        found.push(output);
    }
}

fn is_url(text: &str) -> bool {
    let http = text.starts_with("https://") || text.starts_with("http://");
    // A text with white space is a sentence that begins with a URL.
    http && !text.contains(|letter: char| letter.is_control() || letter.is_whitespace())
}

/// Returns true if a member with this name may have the URL of a result.
fn carries_url(name: &str) -> bool {
    const ENDINGS: [&str; 11] = [
        "url", "urls", "uri", "uris", "output", "outputs", "result", "results", "files", "videos",
        "images",
    ];
    let name = snake(name);
    let words = ENDINGS
        .iter()
        .find_map(|ending| name.strip_suffix(ending))
        .filter(|words| words.is_empty() || words.ends_with('_'));
    words.is_some_and(|words| !LINKS.contains(&words.trim_end_matches('_')))
}

fn begins_with(name: &str, words: &[&str]) -> bool {
    words.iter().any(|word| {
        name.strip_prefix(word)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    })
}

fn kind_of(url: &str, name: &str, hint: Option<&str>) -> Option<&'static str> {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    let extension = path
        .rsplit('/')
        .next()?
        .rsplit_once('.')
        .map_or("", |parts| parts.1);
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
            .find(|kind| text.contains(kind))
    };
    // The file's own extension is the most precise, and the name of the member the least.
    by_extension
        .or_else(|| by_name(hint?))
        .or_else(|| by_name(name))
}
