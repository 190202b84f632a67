//! A task of the caller's, or one of its outputs, in the place of the id of a file or an asset; a
//! file at a URL; in a pipeline also a step. A client takes them; on the wire there are ids and
//! steps alone.

use crate::capabilities::find;
use crate::capability::Capability;
use crate::field::{FileKind, Kind};
use crate::value::{Type, Value};

/// What stands in the place of an id.
pub enum Reference<V: Value> {
    /// A task: an object with its `id` and the name of its `capability`, such as a saved task or a snapshot. One of its
    /// outputs is meant, once it has ended.
    Task {
        /// Its id.
        id: V::Text,
        /// What it was created with.
        capability: &'static Capability,
    },
    /// An output of a task: an object with the `task_id`, and the position in the task's outputs as `output`, from 0.
    Output {
        /// The id of its task.
        task_id: V::Text,
        /// The output, with `url`, `asset_id` and `kind` as far as they are known.
        output: V,
    },
    /// An output of a step of the same pipeline: an object with the `step`'s name. The gateway reads it.
    Step,
    /// A file at a URL: an object with its `url`, and with its media type as `type` if that is
    /// known.
    Url {
        /// The file.
        file: V,
    },
}

/// Returns true if a text is a URL by http or https.
pub fn is_url(text: &str) -> bool {
    let begins_with = |scheme: &str| {
        text.get(..scheme.len())
            .is_some_and(|begin| begin.eq_ignore_ascii_case(scheme))
    };
    begins_with("https://") || begins_with("http://")
}

impl<V: Value> Reference<V> {
    /// Reads a reference; `None` for any other value.
    pub fn read(value: V) -> Option<Self> {
        let id = |name| {
            value
                .get(name)
                .filter(|it| it.kind() == Type::Text)?
                .identifier()
        };
        if let Some(task_id) = id("task_id") {
            return value.get("output")?.number().map(|_| Reference::Output {
                task_id,
                output: value,
            });
        }
        if value.get("step").is_some() {
            return Some(Reference::Step);
        }
        if let Some(capability) = value.get("capability") {
            return Some(Reference::Task {
                id: id("id")?,
                capability: find(&capability.text()?)?,
            });
        }
        let has_url = value.get("url")?.kind() == Type::Text;
        has_url.then_some(Reference::Url { file: value })
    }
}

/// Whether an output may be the input of a field of this kind: it has an asset's id, or a URL of a file that may hold the
/// medium.
pub fn fits<V: Value>(kind: Kind, output: V) -> bool {
    let Some(media) = kind.media() else {
        return has(&output, "asset_id");
    };
    let shown = output.get("kind").and_then(|kind| kind.text());
    has(&output, "url") && shown.is_none_or(|it| media.fits(media_type(&it)))
}

/// The same of what a caller names: by its place alone, an output may be any file.
pub(crate) fn may_fit<V: Value>(kind: Kind, output: &V) -> bool {
    let is_known = has(output, "url") || has(output, "asset_id");
    fits(kind, output.clone()) || (!is_known && kind.media().is_some())
}

fn has<V: Value>(output: &V, name: &str) -> bool {
    output
        .get(name)
        .is_some_and(|it| it.kind() == Type::Text && !it.is(""))
}

/// A media type that stands for a kind of outputs; empty for any other kind.
fn media_type(kind: &str) -> &'static str {
    match kind {
        "image" => "image/",
        "video" => "video/",
        "audio" => "audio/",
        "pdf" => "application/pdf",
        _ => "",
    }
}

/// What a field of this kind wants of an output, in words.
pub(crate) fn wanted(kind: Kind) -> &'static str {
    kind.media()
        .map_or("an output with an asset_id, or the task", FileKind::accept)
}
