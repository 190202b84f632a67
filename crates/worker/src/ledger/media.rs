//! The bytes of media in the responses to creates.

use std::rc::Rc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::ids::EntryRef;
use crate::objects::MediumPart;
use crate::platform::storage::{Storage, params};
use crate::upstream::Medium;

/// The bytes of a part, before it is encoded as base64. SQLite limits the size of a row to 2 MB.
const PART_BYTES: usize = 750_000;

/// The media of one ledger. A trigger removes media with the row of their create.
pub(super) struct Media(pub(super) Rc<Storage>);

impl Media {
    /// Stores the media of an entry's create by their positions. If one fails, none is stored.
    ///
    /// # Errors
    /// Those of the storage, as for every method.
    pub(super) fn store(&self, entry: EntryRef, media: &[Option<Medium>]) -> worker::Result<()> {
        let stored = self.insert(entry, media);
        if stored.is_err() {
            // A medium without its last parts would be served as a damaged file.
            self.0
                .run("DELETE FROM media WHERE entry = ?", params![entry.number])?;
        }
        stored
    }

    fn insert(&self, entry: EntryRef, media: &[Option<Medium>]) -> worker::Result<()> {
        let statement = "INSERT INTO media VALUES (?, ?, ?, ?, ?)";
        for (position, medium) in media.iter().enumerate() {
            let Some(medium) = medium else { continue };
            for (part, bytes) in medium.bytes.chunks(PART_BYTES).enumerate() {
                let text = STANDARD.encode(bytes);
                let values = params![
                    entry.number,
                    position as i64,
                    part as i64,
                    medium.media_type.as_str(),
                    text
                ];
                self.0.run(statement, values)?;
            }
        }
        Ok(())
    }

    /// Returns a part of a medium, or `None` after the last one.
    pub(super) fn part(
        &self,
        entry: EntryRef,
        position: usize,
        part: usize,
    ) -> worker::Result<Option<MediumPart>> {
        let query = "SELECT media_type, text FROM media JOIN creates ON number = entry
            WHERE entry = ? AND created_at = ? AND capability IS NOT NULL
            AND position = ? AND part = ?";
        let values = params![entry.number, entry.created_at, position as i64, part as i64];
        Ok(self.0.rows(query, values)?.into_iter().next())
    }
}
