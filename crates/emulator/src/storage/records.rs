//! Records that survive a restart, each in a JSON file. Without `--data`, nothing is written.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Serialize, de::DeserializeOwned};

/// The records of one kind, such as tasks.
#[derive(Debug)]
pub(crate) struct RecordStore(Option<PathBuf>);

impl RecordStore {
    /// Returns the records in a directory, which is created if it is missing. `None` stores
    /// nothing.
    pub(crate) fn new(directory: Option<PathBuf>) -> io::Result<Self> {
        directory.iter().try_for_each(fs::create_dir_all)?;
        Ok(RecordStore(directory))
    }

    /// Reads every record. A record that cannot be read is logged and left on disk.
    pub(crate) fn load<T: DeserializeOwned>(&self) -> io::Result<Vec<T>> {
        let Some(directory) = &self.0 else {
            return Ok(Vec::new());
        };
        let mut records = Vec::new();
        for file in fs::read_dir(directory)? {
            let path = file?.path();
            if path.extension().is_none_or(|extension| extension != "json") {
                // A temporary file of a write that was interrupted.
                continue;
            }
            match serde_json::from_slice(&fs::read(&path)?) {
                Ok(record) => records.push(record),
                Err(error) => {
                    tracing::warn!(file = %path.display(), %error, "a record cannot be read")
                }
            }
        }
        Ok(records)
    }

    /// Writes a record, and replaces an earlier record of this name. The write is atomic.
    pub(crate) fn put(&self, name: &str, record: &impl Serialize) -> io::Result<()> {
        let Some(directory) = &self.0 else {
            return Ok(());
        };
        // Renamed into place: a process that is killed leaves the earlier record or the new one.
        let file = tempfile::NamedTempFile::new_in(directory)?;
        serde_json::to_writer(&file, record)?;
        file.persist(path(directory, name))?;
        Ok(())
    }

    pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
        match &self.0 {
            Some(directory) => fs::remove_file(path(directory, name)),
            None => Ok(()),
        }
    }

    pub(crate) fn clear(&self) -> io::Result<()> {
        self.0
            .iter()
            .try_for_each(|directory| remove_files(directory, |_| false))
    }
}

fn path(directory: &Path, name: &str) -> PathBuf {
    directory.join(name).with_extension("json")
}

pub(super) fn remove_files(directory: &Path, is_kept: impl Fn(&str) -> bool) -> io::Result<()> {
    for file in fs::read_dir(directory)? {
        let file = file?;
        if file.file_name().to_str().is_some_and(&is_kept) {
            continue;
        }
        match fs::remove_file(file.path()) {
            // Another thread or program may have removed the file already.
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_loaded_and_damaged_ones_are_skipped() {
        let directory = tempfile::tempdir().unwrap();
        let store = || RecordStore::new(Some(directory.path().join("kind"))).unwrap();
        store().put("a", &1).unwrap();
        store().put("a", &2).unwrap();
        fs::write(directory.path().join("kind/b.json"), "{").unwrap();
        assert_eq!(store().load::<i32>().unwrap(), [2]);
        store().clear().unwrap();
        assert!(store().load::<i32>().unwrap().is_empty());
        let nothing = RecordStore::new(None).unwrap();
        nothing.put("a", &1).unwrap();
        assert!(nothing.load::<i32>().unwrap().is_empty());
    }
}
