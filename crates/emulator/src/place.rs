//! The directory of an emulator: a temporary one, or one that stays.

use std::{
    fs::{self, File, TryLockError},
    path::Path,
};

use tempfile::TempDir;

use crate::server::EmulatorError;

/// Where files are.
pub(crate) enum Place {
    /// Gone with the value.
    Temporary(TempDir),
    /// Stays; locked against a second emulator as long as the value lives.
    Kept { directory: std::path::PathBuf, _lock: File },
}

impl Place {
    /// A new temporary directory, or the one that is to stay.
    pub(crate) fn new(kept: Option<&Path>) -> Result<Self, EmulatorError> {
        let Some(directory) = kept else {
            let directory = tempfile::Builder::new().prefix("mediagate-emulator-").tempdir();
            return directory.map(Place::Temporary).map_err(EmulatorError::Storage);
        };
        let unusable = |error| EmulatorError::Data(directory.into(), error);
        fs::create_dir_all(directory).map_err(unusable)?;
        let lock = File::create(directory.join("lock")).map_err(unusable)?;
        match lock.try_lock() {
            Ok(()) => Ok(Place::Kept { directory: directory.into(), _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(EmulatorError::InUse(directory.into())),
            Err(TryLockError::Error(error)) => Err(unusable(error)),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        match self {
            Place::Temporary(directory) => directory.path(),
            Place::Kept { directory, .. } => directory,
        }
    }
}
