//! Reads the input of a command.

use mediagate_core::FileKind;
use serde_json::Value;

use crate::{
    command::CreateCommand,
    media::{MediaError, Region},
    storage::StoredFile,
};

/// The first file in a field.
///
/// # Errors
/// No file in that field.
pub(super) fn file<'a>(
    command: &'a CreateCommand,
    field: &str,
) -> Result<&'a StoredFile, MediaError> {
    command
        .files
        .get(field)
        .and_then(|it| it.first())
        .ok_or_else(|| MediaError::new(format!("no file in {field}")))
}

/// The files of one kind, of all fields.
pub(super) fn files_of(
    command: &CreateCommand,
    media: FileKind,
) -> impl Iterator<Item = &StoredFile> {
    command
        .files
        .values()
        .flatten()
        .filter(move |it| it.content.media == Some(media))
}

/// The field `region`, without what is left of the picture or above it; `None` where it is absent or empty. A missing edge
/// is the picture's.
pub(super) fn region(command: &CreateCommand) -> Option<Region> {
    let region = command
        .input
        .get("region")?
        .as_object()
        .filter(|it| !it.is_empty())?;
    let number = |name: &str| region.get(name).and_then(Value::as_f64).map(|it| it as i64);
    let span = |start: &str, length: &str| {
        let start = number(start).unwrap_or(0);
        let end = start.saturating_add(number(length).unwrap_or(i64::from(u32::MAX)));
        let start = start.max(0);
        (
            start as u32,
            u32::try_from(end.saturating_sub(start).max(0)).unwrap_or(u32::MAX),
        )
    };
    let ((x, width), (y, height)) = (span("x", "width"), span("y", "height"));
    Some(Region {
        x,
        y,
        width,
        height,
    })
}
