use std::{
    fs::{self, File, TryLockError},
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use crate::error::EmulatorError;

pub(crate) enum DataDirectory {
    /// Removed when the value is dropped.
    Temporary(TempDir),
    /// Stays on disk. The lock keeps a second emulator out until the value is dropped.
    Persistent { directory: PathBuf, _lock: File },
}

impl DataDirectory {
    /// Creates a temporary directory, or opens the `persistent` one, which is created if it is
    /// missing. Fails if another emulator uses it.
    pub(crate) fn new(persistent: Option<&Path>) -> Result<Self, EmulatorError> {
        let Some(directory) = persistent else {
            let directory = tempfile::Builder::new()
                .prefix("mediagate-emulator-")
                .tempdir();
            return directory
                .map(DataDirectory::Temporary)
                .map_err(EmulatorError::Storage);
        };
        let unusable = |error| EmulatorError::Data(directory.into(), error);
        fs::create_dir_all(directory).map_err(unusable)?;
        let lock = File::create(directory.join("lock")).map_err(unusable)?;
        match lock.try_lock() {
            Ok(()) => Ok(DataDirectory::Persistent {
                directory: directory.into(),
                _lock: lock,
            }),
            Err(TryLockError::WouldBlock) => Err(EmulatorError::InUse(directory.into())),
            Err(TryLockError::Error(error)) => Err(unusable(error)),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        match self {
            DataDirectory::Temporary(directory) => directory.path(),
            DataDirectory::Persistent { directory, .. } => directory,
        }
    }
}
