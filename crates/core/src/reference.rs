//! Values that a caller may give instead of the id of a file or an asset.
//!
//! A client takes all of them and replaces them by ids. The gateway takes only ids and, in a
//! pipeline, steps.

use crate::capabilities::find;
use crate::capability::Capability;
use crate::field::{FileKind, Kind};
use crate::value::{Type, Value};

/// A value that stands for an id.
pub enum Reference<V: Value> {
    /// A task: an object with its `id` and the name of its `capability`, such as a saved task or a
    /// snapshot. It stands for the first fitting output of the task, after the task's end.
    Task {
        /// The task's id.
        id: V::Text,
        /// The capability that the task was created with.
        capability: &'static Capability,
    },
    /// An output of a task: an object with the `task_id`, and the position in the task's outputs as
    /// `output`, from 0.
    Output {
        /// The id of its task.
        task_id: V::Text,
        /// The output. It may have a `url`, an `asset_id` and a `kind`.
        output: V,
    },
    /// An output of a step of the same pipeline: an object with the `step`'s name. The gateway
    /// reads it.
    Step,
    /// A file at a URL: an object with its `url`, and with its media type as `type` if the caller
    /// has it.
    Url {
        /// The file.
        file: V,
    },
}

/// Returns true if a text begins as an http or https URL.
pub fn is_url(text: &str) -> bool {
    let begins_with = |scheme: &str| {
        text.get(..scheme.len())
            .is_some_and(|begin| begin.eq_ignore_ascii_case(scheme))
    };
    begins_with("https://") || begins_with("http://")
}

impl<V: Value> Reference<V> {
    /// Reads a reference. Returns `None` for any other value.
    pub fn read(value: V) -> Option<Self> {
        let id = |name| {
            value
                .get(name)
                .filter(|member| member.kind() == Type::Text)?
                .identifier()
        };
        // Checked before the URL, because an output has a `task_id` and a `url`.
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

/// Returns true if an output may be the input of a field of this kind: it has an asset's id, or the
/// URL of a file that may hold the medium.
pub fn fits<V: Value>(kind: Kind, output: V) -> bool {
    let Some(media) = kind.media() else {
        return has(&output, "asset_id");
    };
    let output_kind = output.get("kind").and_then(|member| member.text());
    has(&output, "url") && output_kind.is_none_or(|name| media.fits(media_type(&name)))
}

/// Like [`fits`], for an output that a caller names. Accepts an output with neither a URL nor an
/// asset id, because only its task has them.
pub(crate) fn may_fit<V: Value>(kind: Kind, output: &V) -> bool {
    let is_known = has(output, "url") || has(output, "asset_id");
    fits(kind, output.clone()) || (!is_known && kind.media().is_some())
}

fn has<V: Value>(output: &V, name: &str) -> bool {
    output
        .get(name)
        .is_some_and(|member| member.kind() == Type::Text && !member.is(""))
}

/// Returns a media type for a kind of outputs. For an unknown kind it is empty, which fits every
/// field.
fn media_type(kind: &str) -> &'static str {
    match kind {
        "image" => "image/",
        "video" => "video/",
        "audio" => "audio/",
        "pdf" => "application/pdf",
        _ => "",
    }
}

pub(crate) fn wanted(kind: Kind) -> &'static str {
    kind.media().map_or(
        "an output with an asset_id, or the task",
        FileKind::described,
    )
}
