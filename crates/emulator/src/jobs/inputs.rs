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
pub(super) fn file<'a>(command: &'a CreateCommand, field: &str) -> Result<&'a StoredFile, MediaError> {
    command.files.get(field).and_then(|it| it.first()).ok_or_else(|| MediaError::new(format!("no file in {field}")))
}

/// The files of one kind, of all fields.
pub(super) fn files_of(command: &CreateCommand, media: FileKind) -> impl Iterator<Item = &StoredFile> {
    command.files.values().flatten().filter(move |it| it.content.media == Some(media))
}

/// The field `region`; `None` where it is absent or incomplete.
pub(super) fn region(command: &CreateCommand) -> Option<Region> {
    let region = command.input.get("region")?;
    let side = |name| region.get(name).and_then(Value::as_f64).map(|it| it as u32);
    Some(Region { x: side("x")?, y: side("y")?, width: side("width")?, height: side("height")? })
}
