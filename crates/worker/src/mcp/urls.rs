//! Files by their https URL in the arguments of tools. The gateway moves each file into the
//! storage, and replaces the URL by the file's id.

use futures_util::future::{join_all, try_join_all};
use mediagate_access::refusal::Refusal;
use mediagate_core::{Capability, FileKind, Reason, is_url};
use serde_json::{Value, json};

use crate::operations::{self, RequestContext};

/// The most URLs in one call. The gateway loads all of them at the same time.
const MAX_URLS: usize = 20;

pub(super) struct Input<'a> {
    pub(super) capability: &'static Capability,
    pub(super) fields: &'a mut Value,
    /// The path of the input in the request, with a dot at its end; empty for the request itself.
    pub(super) path: String,
}

struct Place<'a> {
    path: String,
    kind: FileKind,
    value: &'a mut Value,
}

/// Replaces URLs by ids that stand for files that are not loaded yet. Returns true if there are
/// any. A call is checked with these ids before [`move_files`] loads anything.
pub(super) fn replace_urls<'a>(
    context: &RequestContext<'_>,
    inputs: impl IntoIterator<Item = Input<'a>>,
) -> bool {
    let mut has_urls = false;
    for place in inputs.into_iter().flat_map(places) {
        *place.value = context.unloaded_file().into();
        has_urls = true;
    }
    has_urls
}

/// Replaces URLs by the ids of the files. Returns the progress if a file is not there yet after
/// some seconds: the moves continue, and the client repeats the call. Nothing is loaded if one of
/// the URLs is refused. The error is the refusal of the first file that can't be moved, with its
/// place; 400 for too many URLs, and 429 for too many requests.
pub(super) async fn move_files(
    context: &RequestContext<'_>,
    inputs: impl IntoIterator<Item = Input<'_>>,
) -> Result<Option<Value>, Refusal> {
    let places: Vec<Place<'_>> = inputs.into_iter().flat_map(places).collect();
    if places.len() > MAX_URLS {
        let message = format!(
            "the call has {} URLs of files; give at most {MAX_URLS}, and load the rest by use_url",
            places.len()
        );
        return Err(Refusal::new(Reason::InvalidFields, message));
    }
    let read = |place: &Place<'_>| {
        let request = json!({"url": place.value, "kind": place.kind.name()});
        operations::read_source(context, &request).map_err(|refusal| refusal.at(&place.path))
    };
    let sources = places.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    // Callers choose what the gateway loads, so each URL counts as a request. The call is one.
    context.count_requests(places.len().saturating_sub(1))?;
    let admitted = places
        .iter()
        .zip(sources)
        .map(|(place, source)| async move {
            let admitted = operations::admit(context, source).await;
            admitted.map_err(|refusal| refusal.at(&place.path))
        });
    let admitted = try_join_all(admitted).await?;
    let found = places
        .iter()
        .zip(admitted)
        .map(|(place, admitted)| async move {
            let found = admitted.find(context).await;
            found.map_err(|refusal| refusal.at(&place.path))
        });
    let found = try_join_all(found).await?;
    let moves = places.iter().zip(found).map(|(place, found)| async move {
        let moved = found.send(context).await;
        moved.map_err(|refusal| refusal.at(&place.path))
    });
    // Not `try_join_all`: the refusal is that of the first file in the call, not in time.
    let moved: Vec<Value> = join_all(moves)
        .await
        .into_iter()
        .collect::<Result<_, _>>()?;
    if let Some(progress) = progress(&moved) {
        return Ok(Some(progress));
    }
    for (place, file) in places.into_iter().zip(moved) {
        *place.value = file["file_id"].clone();
    }
    Ok(None)
}

fn places(input: Input<'_>) -> Vec<Place<'_>> {
    let Input {
        capability,
        fields,
        path,
    } = input;
    // The create refuses an input that is no object.
    let members = fields.as_object_mut().into_iter().flatten();
    let of_files = members.filter_map(|(name, value)| {
        let kind = capability.field(name)?.kind.media()?;
        Some((format!("{path}{name}"), kind, value))
    });
    let all = of_files.flat_map(|(path, kind, value)| match value {
        Value::Array(items) => {
            let items = items.iter_mut().enumerate();
            let place = |(index, value)| Place {
                path: format!("{path}[{index}]"),
                kind,
                value,
            };
            items.map(place).collect()
        }
        value => Vec::from([Place { path, kind, value }]),
    });
    all.filter(|place| place.value.as_str().is_some_and(is_url))
        .collect()
}

/// Returns the progress of all moves together; `None` if all have ended.
fn progress(moved: &[Value]) -> Option<Value> {
    if moved.iter().all(|file| file.get("file_id").is_some()) {
        return None;
    }
    let mut loaded = 0;
    let mut total = Some(0);
    for file in moved {
        let size = file["size"].as_u64();
        loaded += size.or(file["loaded"].as_u64()).unwrap_or_default();
        let sizes = total.zip(size.or(file["total"].as_u64()));
        total = sizes.map(|(total, size)| total + size);
    }
    let mut progress = json!({"loaded": loaded});
    if let Some(total) = total {
        progress["total"] = json!(total);
        progress["progress"] = json!(loaded as f64 / total.max(1) as f64);
    }
    Some(progress)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_progress_is_that_of_all_moves() {
        let done = json!({"file_id": "f", "size": 30});
        assert_eq!(progress(&[]), None);
        assert_eq!(progress(std::slice::from_ref(&done)), None);
        let half = json!({"loaded": 35, "total": 70, "progress": 0.5});
        assert_eq!(
            progress(&[done.clone(), half]),
            Some(json!({"loaded": 65, "total": 100, "progress": 0.65}))
        );
        let unknown = json!({"loaded": 5});
        assert_eq!(progress(&[done, unknown]), Some(json!({"loaded": 35})));
    }
}
