//! The outputs of a task: the URLs of its files, and the ids of the assets that it produced (§2,
//! §3). The document does not show their places, so they are found by a list of names.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use mediagate_core::ids::snake;
use serde_json::{Map, Value};

use crate::json::identifier;

/// One thing that a task produced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The URL of the file, as the upstream sent it.
    pub url: Option<String>,
    /// The id of the produced reusable asset.
    pub asset_id: Option<String>,
    /// `image`, `video`, `audio` or `pdf`; `None` if the record does not show the kind.
    pub kind: Option<&'static str>,
}

/// The words of which each has five names of members with outputs: with `_url`, `_urls`, `_uri`, in
/// the plural and alone.
const WORDS: [&str; 8] = [
    "output", "result", "video", "image", "audio", "pdf", "media", "file",
];
const OTHER_NAMES: [&str; 24] = [
    "task_result",
    "artifacts",
    "download_url",
    "url",
    "urls",
    "uri",
    "uris",
    "last_frame_url",
    "b64_json",
    "b64",
    "base64",
    "image_base64",
    "video_base64",
    "audio_base64",
    "pdf_base64",
    "output_base64",
    "asset_id",
    "asset_ids",
    "output_asset_id",
    "output_asset",
    "assets",
    "asset",
    "avatar_asset_id",
    "voice_asset_id",
];

/// Returns the names of members that have outputs, in the order in which they are read. Names in
/// camel case count as well. A member has a URL, media as text, an object with these names, or a
/// list of them.
pub fn output_names() -> &'static [String] {
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
        let mut names = Vec::new();
        for word in WORDS {
            for ending in ["_url", "_urls", "_uri", "s", ""] {
                names.push([word, ending].concat());
            }
        }
        names.extend(OTHER_NAMES.map(str::to_owned));
        names
    });
    &NAMES
}

const ASSET_IDS: [&str; 5] = [
    "asset_id",
    "asset_ids",
    "output_asset_id",
    "avatar_asset_id",
    "voice_asset_id",
];
/// The names of objects with an asset, whose `id` is the asset's.
const ASSETS: [&str; 3] = ["output_asset", "assets", "asset"];
/// The names of ids that are no outputs directly in a record, where they repeat the request.
const REQUESTED_ASSETS: [&str; 2] = ["avatar_asset_id", "voice_asset_id"];
/// Names that services also use for links to pages. Directly in a record, in a response or beside a
/// record, such a member counts only if its address or a media type shows a medium.
const LINKS: [&str; 6] = ["url", "urls", "uri", "uris", "result_url", "result_urls"];
/// The names of members that have the media type of the URL beside them.
const MEDIA_TYPES: [&str; 5] = ["content_type", "mime_type", "media_type", "kind", "type"];
/// Members that may also have the type of a task, such as `image_to_video`.
const AMBIGUOUS_TYPES: [&str; 2] = ["kind", "type"];
/// The extensions of pages and data. An address with such an extension is no output.
const PAGES: [&str; 11] = [
    "html", "htm", "php", "asp", "aspx", "jsp", "json", "xml", "txt", "css", "js",
];

/// The levels of nesting that are read: more than any record has, and a bound for a hostile one.
const MAX_DEPTH: usize = 8;
/// The largest number of outputs: more than any task has.
const MAX_OUTPUTS: usize = 100;

pub(crate) fn is_output_name(name: &str, left_out: &[String]) -> bool {
    let name = snake(name);
    output_names().contains(&name) && !is_left_out(&name, left_out)
}

/// Returns true if `left_out` has the name, which is in snake case.
fn is_left_out(name: &str, left_out: &[String]) -> bool {
    left_out.iter().any(|other| snake(other) == name)
}

/// Returns the outputs of a record, which may be the `data` of a response. `left_out` are names
/// that are not read.
pub fn outputs_of(record: &Value, left_out: &[String]) -> Vec<Output> {
    let linked = Linked::new();
    let mut search = Search::new(left_out, &linked);
    for value in record.get("data").into_iter().chain([record]) {
        search.read(value, None);
    }
    search.found
}

pub(crate) struct Search<'a> {
    /// The names of members that have no outputs, by the settings.
    left_out: &'a [String],
    /// The URLs that stand for media in the response, with their kinds.
    linked: &'a Linked,
    pub(crate) found: Vec<Output>,
}

pub(crate) type Linked = BTreeMap<String, Option<&'static str>>;

#[derive(Clone, Copy, Default)]
struct Context<'a> {
    /// The kind that the name of a member around shows.
    kind: Option<&'static str>,
    /// The media type beside the URL.
    media_type: Option<&'a str>,
    /// True if the URL may be a link to a page.
    may_be_link: bool,
}

impl<'a> Search<'a> {
    pub(crate) fn new(left_out: &'a [String], linked: &'a Linked) -> Self {
        Search {
            left_out,
            linked,
            found: Vec::new(),
        }
    }

    /// Reads a record, a result or an object beside a record, except for its member `skipped`.
    pub(crate) fn read(&mut self, value: &Value, skipped: Option<&str>) {
        match value {
            Value::Object(members) => {
                self.object(members, skipped, Context::default(), true, MAX_DEPTH);
            }
            Value::Array(items) => {
                for item in items {
                    match item {
                        // The items of a result have no id, so their URLs are no links to tasks.
                        Value::Object(members) if item.get("id").is_none() => {
                            self.object(members, None, Context::default(), false, MAX_DEPTH);
                        }
                        item => self.read(item, None),
                    }
                }
            }
            other => {
                let context = Context {
                    may_be_link: true,
                    ..Context::default()
                };
                self.value(other, context, MAX_DEPTH);
            }
        }
    }

    /// Reads a member that the settings name: any URL in it is an output.
    pub(crate) fn read_named(&mut self, value: &Value) {
        match value {
            Value::Array(items) => {
                for item in items {
                    self.read_named(item);
                }
            }
            Value::Object(members) => {
                let before = self.found.len();
                self.object(members, None, Context::default(), false, MAX_DEPTH);
                if self.found.len() == before {
                    // The place is the operator's, so a member with an unusual name counts.
                    for url in members.values().filter_map(Value::as_str) {
                        self.add_url(url, Context::default());
                    }
                }
            }
            Value::String(url) => self.add_url(url, Context::default()),
            _ => {}
        }
    }

    fn value(&mut self, value: &Value, context: Context<'_>, depth: usize) {
        if depth == 0 || self.found.len() >= MAX_OUTPUTS {
            return;
        }
        match value {
            Value::String(text) if self.linked.contains_key(text) || is_medium(text, context) => {
                self.add_url(text, context);
            }
            Value::Array(items) => {
                for item in items {
                    self.value(item, context, depth - 1);
                }
            }
            Value::Object(members) => self.object(members, None, context, false, depth - 1),
            _ => {}
        }
    }

    /// Reads the members of an object in the order of the list. The first URL takes the object's
    /// asset id, because both describe one result.
    fn object(
        &mut self,
        members: &Map<String, Value>,
        skipped: Option<&str>,
        context: Context<'_>,
        is_outermost: bool,
        depth: usize,
    ) {
        let mut by_name: BTreeMap<String, &Value> = BTreeMap::new();
        for (member, value) in members {
            let name = snake(member);
            let is_skipped = skipped == Some(member) || is_left_out(&name, self.left_out);
            if !is_skipped && !value.is_null() && *value != "" {
                by_name.insert(name, value);
            }
        }
        let media_type = media_type_of(&by_name, is_outermost)
            .or(context.media_type.filter(|text| !is_text_type(text)));
        // The object's own outputs, so that its asset id is not given to another object's.
        let others = std::mem::take(&mut self.found);
        for name in output_names().iter().map(String::as_str) {
            let Some(member) = by_name.get(name) else {
                continue;
            };
            if is_outermost && REQUESTED_ASSETS.contains(&name) {
                continue;
            }
            if ASSET_IDS.contains(&name) {
                let ids = member
                    .as_array()
                    .map_or(std::slice::from_ref(*member), Vec::as_slice);
                for id in ids {
                    self.add_asset(identifier(id));
                }
            } else if ASSETS.contains(&name) {
                self.assets(member, depth);
            } else {
                let context = Context {
                    kind: kind_in(name).or(context.kind),
                    media_type,
                    may_be_link: is_outermost && LINKS.contains(&name),
                };
                self.value(member, context, depth);
            }
        }
        self.merge(others);
    }

    fn merge(&mut self, others: Vec<Output>) {
        for output in std::mem::replace(&mut self.found, others) {
            add(&mut self.found, output);
        }
    }

    fn assets(&mut self, value: &Value, depth: usize) {
        if depth == 0 || self.found.len() >= MAX_OUTPUTS {
            return;
        }
        match value {
            Value::Array(items) => {
                for item in items {
                    self.assets(item, depth - 1);
                }
            }
            Value::Object(members) => {
                let others = std::mem::take(&mut self.found);
                self.object(members, None, Context::default(), false, depth - 1);
                self.add_asset(members.get("id").and_then(identifier));
                self.merge(others);
            }
            _ => {}
        }
    }

    fn add_url(&mut self, url: &str, context: Context<'_>) {
        let url = url.trim();
        // A URL that replaces a medium may be a path.
        let linked = self.linked.get(url);
        if linked.is_some() || is_url(url) {
            let output = Output {
                kind: linked.copied().flatten().or_else(|| kind_of(url, context)),
                url: Some(url.to_owned()),
                asset_id: None,
            };
            add(&mut self.found, output);
        }
    }

    /// Adds the id of an asset to the object's first output, or as an output of its own.
    fn add_asset(&mut self, asset_id: Option<String>) {
        let Some(asset_id) = asset_id else {
            return; // the object has no id
        };
        match self.found.first_mut() {
            Some(output) if output.asset_id.is_none() => output.asset_id = Some(asset_id),
            _ => add(
                &mut self.found,
                Output {
                    url: None,
                    asset_id: Some(asset_id),
                    kind: None,
                },
            ),
        }
    }
}

/// Returns the media type that an object has beside a URL. `members` have names in snake case.
fn media_type_of<'a>(members: &BTreeMap<String, &'a Value>, is_outermost: bool) -> Option<&'a str> {
    for name in MEDIA_TYPES {
        if let Some(Value::String(text)) = members.get(name) {
            let is_kind = !is_outermost && kind_in(text) == Some(text);
            if !AMBIGUOUS_TYPES.contains(&name) || text.contains('/') || is_kind {
                return Some(text);
            }
        }
    }
    None
}

fn is_same(one: &Output, other: &Output) -> bool {
    match &one.url {
        Some(url) => other.url.as_ref() == Some(url),
        None => one.asset_id == other.asset_id,
    }
}

/// Adds an output, or merges it with a known one. Records often have a result twice: as
/// `output_url` and in a list, or as `asset_id` and as `asset`.
fn add(found: &mut Vec<Output>, output: Output) {
    if let Some(known) = found.iter_mut().find(|known| is_same(&output, known)) {
        known.asset_id = known.asset_id.take().or(output.asset_id);
        known.kind = known.kind.or(output.kind);
    } else if found.len() < MAX_OUTPUTS {
        found.push(output);
    }
}

fn is_url(text: &str) -> bool {
    let (scheme, _) = text.split_once("://").unwrap_or_default();
    let is_http = scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http");
    // A text with white space is a sentence that begins with a URL.
    is_http && !text.contains(|letter: char| letter.is_control() || letter.is_whitespace())
}

/// Returns true if a URL may be the address of a medium: neither its extension nor the media type
/// beside it is that of a page or of data.
fn is_medium(url: &str, context: Context<'_>) -> bool {
    let extension = extension(url);
    let is_page = PAGES.contains(&extension.as_str());
    let media_type = context.media_type.unwrap_or_default();
    let is_shown = kind_of_extension(&extension).is_some() || kind_in(media_type).is_some();
    !is_page && !is_text_type(media_type) && (is_shown || !context.may_be_link)
}

/// Returns true if a media type is that of a page or of data.
fn is_text_type(media_type: &str) -> bool {
    let plain = media_type.split(';').next().unwrap_or_default();
    let plain = plain.trim().to_ascii_lowercase();
    plain.starts_with("text/")
        || [
            "application/json",
            "application/xml",
            "application/xhtml+xml",
        ]
        .contains(&plain.as_str())
}

/// Returns the extension of a URL's path in lower case. Empty if there is none.
fn extension(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or(url);
    let (_, after_scheme) = url.split_once("://").unwrap_or(("", url));
    // The host may have dots as well, so only a segment after it counts.
    let (_, path) = after_scheme.split_once('/').unwrap_or_default();
    let segment = path.rsplit('/').next().unwrap_or_default();
    let (_, extension) = segment.rsplit_once('.').unwrap_or_default();
    extension.to_ascii_lowercase()
}

fn kind_of_extension(extension: &str) -> Option<&'static str> {
    match extension {
        "png" | "jpg" | "jpeg" | "webp" | "gif" | "avif" | "bmp" | "tiff" | "heic" => Some("image"),
        "mp4" | "webm" | "mov" | "m4v" | "mkv" | "avi" => Some("video"),
        "wav" | "mp3" | "m4a" | "aac" | "ogg" | "opus" | "flac" => Some("audio"),
        "pdf" => Some("pdf"),
        _ => None,
    }
}

/// Returns the kind that the name of a member or a media type shows.
pub(crate) fn kind_in(text: &str) -> Option<&'static str> {
    ["image", "video", "audio", "pdf"]
        .into_iter()
        .find(|kind| text.contains(kind))
}

fn kind_of(url: &str, context: Context<'_>) -> Option<&'static str> {
    // The file's own extension is the most precise, and the name of a member the least.
    kind_of_extension(&extension(url))
        .or_else(|| kind_in(context.media_type?))
        .or(context.kind)
}
