use mediagate_core::FileKind;
use serde_json::{Map, Value};

use crate::{
    command::CreateCommand,
    media::{MediaError, Region},
    storage::StoredFile,
};

pub(super) fn file<'a>(
    command: &'a CreateCommand,
    field: &str,
) -> Result<&'a StoredFile, MediaError> {
    command
        .files
        .get(field)
        .and_then(|files| files.first())
        .ok_or_else(|| MediaError::new(format!("no file in {field}")))
}

pub(super) fn files_of(
    command: &CreateCommand,
    media: FileKind,
) -> impl Iterator<Item = &StoredFile> {
    command
        .files
        .values()
        .flatten()
        .filter(move |file| file.content.media == Some(media))
}

/// Returns the field `region`, clipped at the left and upper edges of the picture. A missing side
/// reaches to the edge of the picture. Returns `None` if the field is absent or empty.
pub(super) fn region(command: &CreateCommand) -> Option<Region> {
    let region = command
        .input
        .get("region")?
        .as_object()
        .filter(|region| !region.is_empty())?;
    let (x, width) = span(region, "x", "width");
    let (y, height) = span(region, "y", "height");
    Some(Region::new(x, y, width, height))
}

/// Returns the start and the length of one side of a region.
fn span(region: &Map<String, Value>, start_name: &str, length_name: &str) -> (u32, u32) {
    let start = region.get(start_name).and_then(Value::as_f64);
    let start = start.unwrap_or(0.0) as i64;
    let length = region.get(length_name).and_then(Value::as_f64);
    let end = start.saturating_add(length.unwrap_or(u32::MAX.into()) as i64);
    // The document allows any int32, so a region may begin outside of the picture.
    let start = start.max(0);
    let length = end.saturating_sub(start).max(0);
    (start as u32, u32::try_from(length).unwrap_or(u32::MAX))
}
