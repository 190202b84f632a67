//! The state of a transfer in the object's storage. Times are milliseconds since 1970.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::json;
use worker::worker_sys::DurableObjectState;

use crate::objects::{KeepRequest, TransferRequest};
use crate::platform::storage::{Migrations, Storage};
use crate::refusal::Refusal;

/// The table of a transfer: its state as JSON.
const MIGRATIONS: Migrations =
    &["CREATE TABLE transfer (id INTEGER PRIMARY KEY CHECK (id = 0), state TEXT NOT NULL)"];

/// The state of a transfer.
#[derive(Clone, Serialize, Deserialize)]
pub(super) enum TransferState {
    /// The transfer runs, or waits for its alarm. `attempts` have begun.
    Pending {
        request: TransferRequest,
        attempts: u32,
    },
    /// The file is in the storage, under the upstream's own id.
    Done {
        file_id: String,
        size: u64,
        at: i64,
    },
    Failed {
        refusal: Refusal,
        at: i64,
    },
    /// A result is being moved into the bucket, or waits for its alarm. `attempts` have begun.
    Keeping {
        request: KeepRequest,
        attempts: u32,
    },
    /// A result is in the bucket, under this key, until the alarm.
    Kept {
        key: String,
    },
    /// A result must be deleted from the bucket. `attempts` have begun.
    Deleting {
        key: String,
        attempts: u32,
    },
}

/// The stored state.
pub(super) struct StoredState(Storage);

#[derive(Deserialize)]
struct Row {
    state: String,
}

impl StoredState {
    pub(super) fn new(state: DurableObjectState) -> Self {
        StoredState(Storage::new(state, MIGRATIONS))
    }

    /// Reads the state, if there is one.
    ///
    /// # Errors
    /// Those of the storage, as for every method; a damaged row.
    pub(super) fn load(&self) -> worker::Result<Option<TransferState>> {
        let rows: Vec<Row> = self.0.rows("SELECT state FROM transfer", &json!([]))?;
        Ok(rows
            .first()
            .map(|row| serde_json::from_str(&row.state))
            .transpose()?)
    }

    pub(super) fn store(&self, state: &TransferState) -> worker::Result<()> {
        self.0.run(
            "INSERT OR REPLACE INTO transfer VALUES (0, ?)",
            &json!([serde_json::to_string(state)?]),
        )
    }

    /// Deletes the state, and with it the object.
    pub(super) async fn delete(&self) -> worker::Result<()> {
        self.0.delete_all().await
    }

    /// Sets the object's alarm, instead of any earlier alarm.
    pub(super) async fn set_alarm(&self, after: Duration) -> worker::Result<()> {
        self.0.set_alarm(after).await
    }
}
