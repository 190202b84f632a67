use std::{
    collections::{HashMap, HashSet},
    io,
    path::{Path, PathBuf},
    sync::Mutex,
    time::Duration,
};

use jiff::Timestamp;
use uuid::Uuid;

use super::{
    content::Content,
    records::{RecordStore, remove_files},
    upload::{StoredUpload, UploadClaim, UploadState, UploadTerms},
};
use crate::sync::lock;

#[derive(Clone, Debug)]
pub(crate) struct StoredFile {
    pub(crate) path: PathBuf,
    /// The content, detected from the bytes.
    pub(crate) content: Content,
    /// True if a request has confirmed the file.
    pub(crate) is_confirmed: bool,
}

/// All files of an emulator: uploads by file id, upload URLs by token, results by name.
pub(crate) struct Files {
    directory: PathBuf,
    uploads: Mutex<HashMap<String, StoredUpload>>,
    stored: Mutex<HashMap<String, StoredFile>>,
    records: RecordStore,
}

impl Files {
    pub(crate) fn new(directory: &Path, records: RecordStore) -> io::Result<Self> {
        std::fs::create_dir_all(directory.join("uploads"))?;
        std::fs::create_dir_all(directory.join("outputs"))?;
        let mut uploads = HashMap::new();
        let mut stored = HashMap::new();
        for upload in records.load::<StoredUpload>()? {
            let path = directory.join("uploads").join(&upload.file_id);
            if upload.state == UploadState::Waiting {
                // A process that was killed may have left a partial upload.
                let _ = std::fs::remove_file(path.with_extension("part"));
            }
            let is_confirmed = upload.state == UploadState::Confirmed;
            // Somebody may have removed the file from the directory of `--data`.
            if (is_confirmed || upload.state == UploadState::Done) && path.is_file() {
                let file = StoredFile {
                    content: Content::read(&path),
                    is_confirmed,
                    path,
                };
                stored.insert(upload.file_id.clone(), file);
            }
            uploads.insert(upload.token.clone(), upload);
        }
        Ok(Files {
            directory: directory.into(),
            uploads: Mutex::new(uploads),
            stored: Mutex::new(stored),
            records,
        })
    }

    pub(crate) fn outputs(&self) -> PathBuf {
        self.directory.join("outputs")
    }

    /// Issues an upload URL. Returns its token, and the id that the file will have.
    pub(crate) fn issue_upload(
        &self,
        terms: UploadTerms,
        lifetime: Duration,
    ) -> io::Result<(String, String)> {
        // The file id is in the bodies of creates, so the URL has a secret of its own.
        let token = Uuid::new_v4().simple().to_string();
        let file_id = format!("file_{}", Uuid::new_v4().simple());
        let expires = Timestamp::now() + lifetime;
        let upload = StoredUpload {
            token: token.clone(),
            file_id: file_id.clone(),
            terms,
            expires,
            state: UploadState::Waiting,
        };
        self.records.put(&file_id, &upload)?;
        lock(&self.uploads).insert(token.clone(), upload);
        Ok((token, file_id))
    }

    /// Reserves an upload URL for one request: two requests must not write to one file at once.
    pub(crate) fn claim_upload(&self, token: &str) -> UploadClaim {
        let mut uploads = lock(&self.uploads);
        let Some(upload) = uploads.get_mut(token) else {
            return UploadClaim::Unknown;
        };
        match upload.state {
            UploadState::Receiving | UploadState::Done | UploadState::Confirmed => {
                UploadClaim::Used
            }
            UploadState::Waiting if upload.expires <= Timestamp::now() => UploadClaim::Expired,
            UploadState::Waiting => {
                upload.state = UploadState::Receiving;
                let path = self.directory.join("uploads").join(&upload.file_id);
                UploadClaim::Send {
                    part: path.with_extension("part"),
                    path,
                    terms: upload.terms.clone(),
                }
            }
        }
    }

    /// Ends a request to an upload URL, with the stored file or with `None`. After `None`, the URL
    /// can be used again.
    pub(crate) fn finish_upload(&self, token: &str, stored: Option<StoredFile>) {
        let mut uploads = lock(&self.uploads);
        let Some(upload) = uploads.get_mut(token) else {
            // A reset removed the URL while the file was being received.
            if let Some(file) = stored {
                // A file that stays has no record, so it is never served.
                let _ = std::fs::remove_file(&file.path);
            }
            return;
        };
        upload.state = if stored.is_some() {
            UploadState::Done
        } else {
            UploadState::Waiting
        };
        if let Some(stored) = stored {
            if let Err(error) = self.records.put(&upload.file_id, upload) {
                // The file works until the next start, which then cannot find it.
                tracing::error!(%error, "the record of an upload cannot be written");
            }
            lock(&self.stored).insert(upload.file_id.clone(), stored);
        }
    }

    /// Confirms a file. Returns false if no file with this id has been uploaded.
    pub(crate) fn confirm(&self, file_id: &str) -> io::Result<bool> {
        // `finish_upload` takes the locks in this order too.
        let mut uploads = lock(&self.uploads);
        let mut stored = lock(&self.stored);
        let Some(file) = stored.get_mut(file_id) else {
            return Ok(false);
        };
        let mut uploads = uploads.values_mut();
        let Some(upload) = uploads.find(|upload| upload.file_id == file_id) else {
            return Ok(false);
        };
        upload.state = UploadState::Confirmed;
        self.records.put(file_id, upload)?;
        file.is_confirmed = true;
        Ok(true)
    }

    pub(crate) fn find(&self, file_id: &str) -> Option<StoredFile> {
        lock(&self.stored).get(file_id).cloned()
    }

    /// Writes a result. Returns the name of its file, which is the last part of its URL.
    pub(crate) fn add_output(&self, bytes: &[u8], extension: &str) -> io::Result<String> {
        let name = format!("{}.{extension}", Uuid::new_v4().simple());
        std::fs::write(self.outputs().join(&name), bytes)?;
        Ok(name)
    }

    pub(crate) fn has_output(&self, name: &str) -> bool {
        // The name comes from a URL, so it could lead to another directory.
        let is_plain = name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'.');
        is_plain && self.outputs().join(name).is_file()
    }

    pub(crate) fn remove_outputs<'a>(&self, names: impl IntoIterator<Item = &'a str>) {
        for name in names {
            // The file may have been removed already.
            let _ = std::fs::remove_file(self.outputs().join(name));
        }
    }

    /// Removes every result whose name is not among `names`.
    pub(crate) fn retain_outputs(&self, names: &HashSet<String>) -> io::Result<()> {
        remove_files(&self.outputs(), |name| names.contains(name))
    }

    pub(crate) fn clear(&self) -> io::Result<()> {
        lock(&self.uploads).clear();
        lock(&self.stored).clear();
        remove_files(&self.directory.join("uploads"), |_| false)?;
        remove_files(&self.outputs(), |_| false)?;
        self.records.clear()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upload_url_works_once_and_before_it_expires() {
        let directory = tempfile::tempdir().unwrap();
        let records = || RecordStore::new(Some(directory.path().join("records"))).unwrap();
        let files = Files::new(directory.path(), records()).unwrap();
        let terms = || UploadTerms {
            size: 4,
            ..UploadTerms::default()
        };
        let (token, file_id) = files
            .issue_upload(terms(), Duration::from_secs(60))
            .unwrap();
        let UploadClaim::Send {
            path,
            terms: claimed,
            ..
        } = files.claim_upload(&token)
        else {
            panic!("not claimed")
        };
        assert_eq!(claimed, terms());
        assert_eq!(files.claim_upload(&token), UploadClaim::Used);
        files.finish_upload(&token, None);
        assert!(
            matches!(files.claim_upload(&token), UploadClaim::Send { .. }),
            "a failed upload can be repeated"
        );
        assert!(files.find(&file_id).is_none());
        std::fs::write(&path, "%PDF").unwrap();
        files.finish_upload(
            &token,
            Some(StoredFile {
                path,
                content: Content::PDF,
                is_confirmed: false,
            }),
        );
        assert_eq!(files.claim_upload(&token), UploadClaim::Used);
        assert!(files.find(&file_id).is_some());
        assert_eq!(files.claim_upload("guess"), UploadClaim::Unknown);
        assert!(!files.confirm("guess").unwrap());
        assert!(files.confirm(&file_id).unwrap());
        assert_eq!(files.claim_upload(&token), UploadClaim::Used);
        let (expired, _) = files.issue_upload(terms(), Duration::ZERO).unwrap();
        assert_eq!(files.claim_upload(&expired), UploadClaim::Expired);

        let restarted = Files::new(directory.path(), records()).unwrap();
        let file = restarted.find(&file_id).unwrap();
        assert_eq!((file.content, file.is_confirmed), (Content::PDF, true));
        let claims = (
            restarted.claim_upload(&token),
            restarted.claim_upload(&expired),
        );
        assert_eq!(claims, (UploadClaim::Used, UploadClaim::Expired));
        restarted.clear().unwrap();
        assert!(
            restarted.find(&file_id).is_none()
                && restarted.claim_upload(&token) == UploadClaim::Unknown
        );
    }
}
