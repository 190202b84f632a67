//! The stored state of a transfer. Times are milliseconds since 1970.

use mediagate_messages::transfer::{Keep, Move, TransferReport};
use serde::{Deserialize, Serialize};

#[derive(Clone, Serialize, Deserialize)]
pub(super) enum TransferState {
    /// The transfer runs, or waits for its alarm. `attempts` have begun.
    Pending { request: Move, attempts: u32 },
    /// The transfer is over. A request after `expires_at` begins it again.
    Ended {
        report: TransferReport,
        expires_at: i64,
    },
    /// The result is being moved, or waits for its alarm. `attempts` have begun.
    Keeping { request: Keep, attempts: u32 },
    /// The result is in the bucket under this key, until the alarm.
    Kept { key: String },
    /// The result must be deleted from the bucket. `attempts` have begun.
    Deleting { key: String, attempts: u32 },
}

impl TransferState {
    /// Returns true if no caller waits for the work of the next alarm.
    pub(super) fn may_wait(&self) -> bool {
        match self {
            TransferState::Pending { attempts, .. } => *attempts > 0,
            TransferState::Keeping { .. }
            | TransferState::Kept { .. }
            | TransferState::Deleting { .. } => true,
            TransferState::Ended { .. } => false,
        }
    }
}
