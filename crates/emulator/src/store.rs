//! Records that survive a restart, as one JSON file each; none where nothing is asked to survive.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Serialize, de::DeserializeOwned};

/// The records of one kind.
#[derive(Debug)]
pub(crate) struct Store(Option<PathBuf>);

impl Store {
    /// The records in a directory, which is made where it is missing; `None` keeps nothing.
    pub(crate) fn new(directory: Option<PathBuf>) -> io::Result<Self> {
        directory.iter().try_for_each(fs::create_dir_all)?;
        Ok(Store(directory))
    }

    /// Every record that can be read; one that cannot is left where it is, and logged.
    pub(crate) fn load<T: DeserializeOwned>(&self) -> io::Result<Vec<T>> {
        let Some(directory) = &self.0 else { return Ok(Vec::new()) };
        let mut records = Vec::new();
        for file in fs::read_dir(directory)? {
            let path = file?.path();
            if path.extension().is_none_or(|it| it != "json") {
                continue;
            }
            match serde_json::from_slice(&fs::read(&path)?) {
                Ok(record) => records.push(record),
                Err(error) => tracing::warn!(file = %path.display(), %error, "a record cannot be read"),
            }
        }
        Ok(records)
    }

    /// Keeps a record, in place of an earlier one of the same name: all of it or nothing.
    pub(crate) fn put(&self, name: &str, record: &impl Serialize) -> io::Result<()> {
        let Some(directory) = &self.0 else { return Ok(()) };
        let file = tempfile::NamedTempFile::new_in(directory)?;
        serde_json::to_writer(&file, record)?;
        file.persist(path(directory, name))?;
        Ok(())
    }

    /// Drops every record.
    pub(crate) fn clear(&self) -> io::Result<()> {
        self.0.iter().try_for_each(|it| empty(it))
    }
}

fn path(directory: &Path, name: &str) -> PathBuf {
    directory.join(name).with_extension("json")
}

/// Removes every file in a directory.
pub(crate) fn empty(directory: &Path) -> io::Result<()> {
    for file in fs::read_dir(directory)? {
        match fs::remove_file(file?.path()) {
            // Gone is gone, whoever removed it.
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
    fn records_come_back_and_damaged_ones_do_not() {
        let directory = tempfile::tempdir().unwrap();
        let store = || Store::new(Some(directory.path().join("kind"))).unwrap();
        store().put("a", &1).unwrap();
        store().put("a", &2).unwrap();
        fs::write(directory.path().join("kind/b.json"), "{").unwrap();
        assert_eq!(store().load::<i32>().unwrap(), [2]);
        store().clear().unwrap();
        assert!(store().load::<i32>().unwrap().is_empty());
        let nothing = Store::new(None).unwrap();
        nothing.put("a", &1).unwrap();
        assert!(nothing.load::<i32>().unwrap().is_empty());
    }
}
