use std::{
    collections::{HashMap, HashSet},
    fs, io,
    path::PathBuf,
    sync::Mutex,
};

use serde::{Deserialize, Serialize};
use tempfile::{NamedTempFile, TempPath};
use uuid::Uuid;

use super::records::{RecordStore, remove_files};
use crate::sync::lock;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct StoredObject {
    key: String,
    /// The name of the file with the bytes. It is unique, as a key may be no valid file name.
    file: String,
    content_type: Option<String>,
}

/// All objects of the bucket, by key. They are independent of tasks: they stay when a task expires,
/// and after a reset.
pub(crate) struct Objects {
    directory: PathBuf,
    objects: Mutex<HashMap<String, StoredObject>>,
    records: RecordStore,
}

impl Objects {
    pub(crate) fn new(directory: PathBuf, records: RecordStore) -> io::Result<Self> {
        fs::create_dir_all(&directory)?;
        let objects = records.load::<StoredObject>()?;
        let names: HashSet<&str> = objects.iter().map(|object| &*object.file).collect();
        // A process that was killed may have left files without a record.
        remove_files(&directory, |name| names.contains(name))?;
        let by_key = objects
            .into_iter()
            .map(|object| (object.key.clone(), object))
            .collect();
        Ok(Objects {
            directory,
            objects: Mutex::new(by_key),
            records,
        })
    }

    /// Creates a file for the bytes of a new object. The file is removed when the value is dropped.
    pub(crate) fn receive(&self) -> io::Result<NamedTempFile> {
        NamedTempFile::new_in(&self.directory)
    }

    /// Stores a received file as the object with this key, and removes an earlier object.
    pub(crate) fn put(
        &self,
        key: String,
        content_type: Option<String>,
        received: TempPath,
    ) -> io::Result<()> {
        let object = StoredObject {
            key: key.clone(),
            file: Uuid::new_v4().simple().to_string(),
            content_type,
        };
        let mut objects = lock(&self.objects);
        received.persist(self.directory.join(&object.file))?;
        self.records.put(&object.file, &object)?;
        if let Some(earlier) = objects.insert(key, object) {
            self.remove_files_of(&earlier)?;
        }
        Ok(())
    }

    /// Returns the path of an object's bytes, and its media type.
    pub(crate) fn find(&self, key: &str) -> Option<(PathBuf, Option<String>)> {
        let objects = lock(&self.objects);
        let object = objects.get(key)?;
        Some((
            self.directory.join(&object.file),
            object.content_type.clone(),
        ))
    }

    pub(crate) fn remove(&self, key: &str) -> io::Result<()> {
        match lock(&self.objects).remove(key) {
            Some(object) => self.remove_files_of(&object),
            None => Ok(()),
        }
    }

    fn remove_files_of(&self, object: &StoredObject) -> io::Result<()> {
        // The record first: the next start removes a file without a record, but not the reverse.
        self.records.remove(&object.file)?;
        fs::remove_file(self.directory.join(&object.file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_replaced_removed_and_loaded_again() {
        let folder = tempfile::tempdir().unwrap();
        let open = || {
            let records = RecordStore::new(Some(folder.path().join("records"))).unwrap();
            Objects::new(folder.path().join("objects"), records).unwrap()
        };
        let files = || fs::read_dir(folder.path().join("objects")).unwrap().count();
        let objects = open();
        let put = |key: &str, text: &str| {
            let file = objects.receive().unwrap();
            fs::write(file.path(), text).unwrap();
            let media_type = Some(format!("text/{text}"));
            objects
                .put(key.into(), media_type, file.into_temp_path())
                .unwrap();
        };
        put("a/b", "one");
        put("a/b", "two");
        put("../c", "three");
        drop(objects.receive().unwrap());
        assert_eq!(
            files(),
            2,
            "neither the replaced one nor the unfinished one"
        );
        objects.remove("../c").unwrap();
        objects.remove("../c").unwrap();
        fs::write(folder.path().join("objects/unfinished"), "").unwrap();

        let restarted = open();
        let (path, media_type) = restarted.find("a/b").unwrap();
        assert_eq!(fs::read(path).unwrap(), b"two");
        assert_eq!(media_type.unwrap(), "text/two");
        assert_eq!((restarted.find("../c"), files()), (None, 1));
    }
}
