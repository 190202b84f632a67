use std::rc::Rc;

use js_sys::{ArrayBuffer, Uint8Array};
use mediagate_ids::TaskName;
use mediagate_messages::ResultPlace;
use mediagate_messages::ledger::StoredMedium;
use mediagate_platform::storage::{Storage, params};
use mediagate_upstream_client::Medium;
use serde::Deserialize;

/// The most bytes in a row, and in one read. SQLite reads the bytes of a row whole for each slice
/// of them.
const PART_BYTES: usize = 64 * 1024;

/// The media of one ledger. A trigger removes the media of an entry with the entry.
pub(super) struct Media(pub(super) Rc<Storage>);

#[derive(Deserialize)]
struct SliceRow {
    #[serde(deserialize_with = "serde_wasm_bindgen::preserve::deserialize")]
    bytes: ArrayBuffer,
}

impl Media {
    /// Stores all media of a response by their positions, or none. A medium that is stored already
    /// stays as it is. `expires_at` is the time at which media without an entry are removed, in
    /// milliseconds since 1970.
    pub(super) fn store(
        &self,
        task: &TaskName,
        media: &[Option<Medium>],
        expires_at: Option<i64>,
    ) -> worker::Result<()> {
        let stored = self.insert(task, media, expires_at);
        if stored.is_err() {
            // A medium without its last parts would be served as a damaged file.
            let key = ResultPlace::task_key(task);
            self.0
                .run("DELETE FROM media WHERE task = ?", params![key])?;
        }
        stored
    }

    fn insert(
        &self,
        task: &TaskName,
        media: &[Option<Medium>],
        expires_at: Option<i64>,
    ) -> worker::Result<()> {
        let key = ResultPlace::task_key(task);
        let statement = "INSERT INTO media VALUES (?, ?, ?, ?, ?, ?)";
        for (position, medium) in media.iter().enumerate() {
            let Some(medium) = medium else { continue };
            if self.find(task, position)?.is_some() {
                continue;
            }
            for (part, bytes) in medium.bytes.chunks(PART_BYTES).enumerate() {
                let values = params![
                    key.as_str(),
                    position as i64,
                    (part * PART_BYTES) as i64,
                    medium.media_type.as_str(),
                    expires_at,
                    bytes.to_vec(),
                ];
                self.0.run(statement, values)?;
            }
        }
        Ok(())
    }

    pub(super) fn find(
        &self,
        task: &TaskName,
        position: usize,
    ) -> worker::Result<Option<StoredMedium>> {
        // The size from the last part alone: a sum would read the bytes of all parts.
        let query = "SELECT media_type, start + length(bytes) AS size FROM media
            WHERE task = ? AND position = ? ORDER BY start DESC LIMIT 1";
        let values = params![ResultPlace::task_key(task), position as i64];
        Ok(self.0.rows(query, values)?.into_iter().next())
    }

    /// Returns the bytes of a medium from an offset to the end of their row. `None` if there are
    /// none.
    pub(super) fn slice(
        &self,
        task: &TaskName,
        position: usize,
        start: u64,
    ) -> worker::Result<Option<Uint8Array>> {
        let query = "SELECT substr(bytes, ?3 - start + 1) AS bytes FROM media
            WHERE task = ?1 AND position = ?2 AND start <= ?3 ORDER BY start DESC LIMIT 1";
        let key = ResultPlace::task_key(task);
        let values = params![key, position as i64, start as i64];
        let rows: Vec<SliceRow> = self.0.rows(query, values)?;
        let slice = rows.first().map(|row| Uint8Array::new(&row.bytes));
        Ok(slice.filter(|slice| slice.length() > 0))
    }

    /// Removes expired media. Returns the time at which the next medium expires.
    pub(super) fn prune(&self, now: i64) -> worker::Result<Option<i64>> {
        self.0
            .run("DELETE FROM media WHERE expires_at <= ?", params![now])?;
        let first = "SELECT min(expires_at) AS value FROM media";
        self.0.value(first, params![])
    }
}
