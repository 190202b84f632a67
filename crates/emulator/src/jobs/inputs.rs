//! Reads the inputs of a command.

use mediagate_core::FileKind;

use crate::{
    command::CreateCommand,
    media::{MediaError, Region},
    storage::StoredFile,
};

/// Returns the first file in a field.
///
/// # Errors
/// A field without a file.
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

/// Returns the files of one kind from all fields.
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
    let number = |name: &str| {
        let number = region.get(name)?.as_f64()?;
        Some(number as i64)
    };
    let span = |start_name: &str, length_name: &str| {
        let start = number(start_name).unwrap_or(0);
        let end = start.saturating_add(number(length_name).unwrap_or(i64::from(u32::MAX)));
        // The document allows any int32, so a region may begin outside of the picture.
        let start = start.max(0);
        let length = end.saturating_sub(start).max(0);
        (start as u32, u32::try_from(length).unwrap_or(u32::MAX))
    };
    let (x, width) = span("x", "width");
    let (y, height) = span("y", "height");
    Some(Region::new(x, y, width, height))
}
