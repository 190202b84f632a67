//! Uploaded files and results, on disk in the directory of the emulator.

use std::{
    collections::{HashMap, HashSet},
    io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use jiff::Timestamp;
use mediagate_core::Media;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::store::{Store, empty};

/// A file that was uploaded.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    /// Where its bytes are.
    pub(crate) path: PathBuf,
    /// What its bytes are, whatever its name says.
    pub(crate) content: Content,
}

/// What a file's first bytes show it to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Content {
    /// The kind of media; `None` for anything else.
    pub(crate) media: Option<Media>,
    /// The extension that goes with it.
    pub(crate) extension: &'static str,
    /// The media type.
    pub(crate) mime: &'static str,
}

impl Content {
    pub(crate) const PDF: Content = Content::of(Media::Pdf, "pdf", "application/pdf");
    pub(crate) const PNG: Content = Content::of(Media::Image, "png", "image/png");
    pub(crate) const MP4: Content = Content::of(Media::Video, "mp4", "video/mp4");
    pub(crate) const WAV: Content = Content::of(Media::Audio, "wav", "audio/wav");
    /// The sounds that can be written.
    pub(crate) const SOUNDS: [Content; 6] = [
        Content::WAV,
        Content::of(Media::Audio, "mp3", "audio/mpeg"),
        Content::of(Media::Audio, "m4a", "audio/m4a"),
        Content::of(Media::Audio, "ogg", "audio/ogg"),
        Content::of(Media::Audio, "opus", "audio/opus"),
        Content::of(Media::Audio, "flac", "audio/x-flac"),
    ];
    const UNKNOWN: Content = Content { media: None, extension: "bin", mime: "application/octet-stream" };

    const fn of(media: Media, extension: &'static str, mime: &'static str) -> Self {
        Content { media: Some(media), extension, mime }
    }

    /// What the file at a path holds.
    pub(crate) fn read(path: &Path) -> Self {
        let Ok(Some(found)) = infer::get_from_path(path) else { return Content::UNKNOWN };
        let media = match found.matcher_type() {
            infer::MatcherType::Image => Media::Image,
            infer::MatcherType::Video => Media::Video,
            infer::MatcherType::Audio => Media::Audio,
            _ if found.mime_type() == Content::PDF.mime => Media::Pdf,
            _ => return Content::UNKNOWN,
        };
        match found.mime_type() {
            "audio/x-wav" => Content::WAV,
            mime => Content::of(media, found.extension(), mime),
        }
    }
}

/// An upload that was asked for.
#[derive(Serialize, Deserialize)]
struct Upload {
    token: String,
    file_id: String,
    size: u64,
    expires: Timestamp,
    state: State,
}

#[derive(PartialEq, Serialize, Deserialize)]
enum State {
    Waiting,
    /// Never kept: what was being received at a restart can be sent again.
    Receiving,
    Done,
}

/// What an upload URL allows at this moment.
#[derive(Debug, PartialEq)]
pub(crate) enum Claim {
    /// To send this many bytes to `part`, which becomes `path` once it is whole.
    Send { part: PathBuf, path: PathBuf, size: u64 },
    /// Nothing: it was never given out.
    Unknown,
    /// Nothing: its time is over.
    Expired,
    /// Nothing: it was used, or is being used.
    Used,
}

/// All files.
pub(crate) struct Files {
    directory: PathBuf,
    uploads: Mutex<HashMap<String, Upload>>,
    stored: Mutex<HashMap<String, Stored>>,
    store: Store,
}

impl Files {
    /// The files in a directory, and what a store has kept of them.
    pub(crate) fn new(directory: &Path, store: Store) -> io::Result<Self> {
        std::fs::create_dir_all(directory.join("uploads"))?;
        std::fs::create_dir_all(directory.join("outputs"))?;
        let uploads = store.load::<Upload>()?;
        for unfinished in uploads.iter().filter(|it| it.state == State::Waiting) {
            // What a process that was killed was receiving.
            let _ = std::fs::remove_file(directory.join("uploads").join(&unfinished.file_id).with_extension("part"));
        }
        let stored = uploads.iter().filter(|it| it.state == State::Done).filter_map(|it| {
            let path = directory.join("uploads").join(&it.file_id);
            let content = Content::read(&path);
            path.is_file().then(|| (it.file_id.clone(), Stored { path, content }))
        });
        let stored = Mutex::new(stored.collect());
        let uploads = Mutex::new(uploads.into_iter().map(|it| (it.token.clone(), it)).collect());
        Ok(Files { directory: directory.into(), uploads, stored, store })
    }

    /// Where results are, one file each.
    pub(crate) fn outputs(&self) -> PathBuf {
        self.directory.join("outputs")
    }

    /// Gives out an upload URL's secret part and the id that the file will have.
    pub(crate) fn expect(&self, size: u64, lasts: Duration) -> io::Result<(String, String)> {
        let token = Uuid::new_v4().simple().to_string();
        let file_id = format!("file_{}", Uuid::new_v4().simple());
        let expires = Timestamp::now() + lasts;
        let upload = Upload { token: token.clone(), file_id: file_id.clone(), size, expires, state: State::Waiting };
        self.store.put(&file_id, &upload)?;
        lock(&self.uploads).insert(token.clone(), upload);
        Ok((token, file_id))
    }

    /// Takes an upload URL into use, so that nobody else sends to it at the same time.
    pub(crate) fn claim(&self, token: &str) -> Claim {
        let mut uploads = lock(&self.uploads);
        let Some(upload) = uploads.get_mut(token) else { return Claim::Unknown };
        match upload.state {
            State::Receiving | State::Done => Claim::Used,
            State::Waiting if upload.expires <= Timestamp::now() => Claim::Expired,
            State::Waiting => {
                upload.state = State::Receiving;
                let path = self.directory.join("uploads").join(&upload.file_id);
                Claim::Send { part: path.with_extension("part"), path, size: upload.size }
            }
        }
    }

    /// Ends the use of an upload URL: with a file, or to be tried again.
    pub(crate) fn settle(&self, token: &str, stored: Option<Stored>) {
        let mut uploads = lock(&self.uploads);
        let Some(upload) = uploads.get_mut(token) else {
            // Everything was reset while it was received.
            stored.iter().for_each(|it| drop(std::fs::remove_file(&it.path)));
            return;
        };
        upload.state = if stored.is_some() { State::Done } else { State::Waiting };
        if let Some(stored) = stored {
            if let Err(error) = self.store.put(&upload.file_id, upload) {
                tracing::error!(%error, "an upload could not be kept");
            }
            lock(&self.stored).insert(upload.file_id.clone(), stored);
        }
    }

    /// The file of this id, where it has been uploaded.
    pub(crate) fn find(&self, file_id: &str) -> Option<Stored> {
        lock(&self.stored).get(file_id).cloned()
    }

    /// Keeps a result; the name under which it is served.
    pub(crate) fn publish(&self, bytes: &[u8], extension: &str) -> io::Result<String> {
        let name = format!("{}.{extension}", Uuid::new_v4().simple());
        std::fs::write(self.outputs().join(&name), bytes)?;
        Ok(name)
    }

    /// Drops results.
    pub(crate) fn drop_outputs<'a>(&self, names: impl IntoIterator<Item = &'a str>) {
        for name in names {
            // Gone is gone.
            let _ = std::fs::remove_file(self.outputs().join(name));
        }
    }

    /// Drops every result but these: what a process that was killed had not told anybody of.
    pub(crate) fn keep_outputs(&self, names: &HashSet<String>) -> io::Result<()> {
        for file in std::fs::read_dir(self.outputs())? {
            let file = file?;
            if file.file_name().to_str().is_none_or(|it| !names.contains(it)) {
                std::fs::remove_file(file.path())?;
            }
        }
        Ok(())
    }

    /// Drops every file and every upload URL.
    pub(crate) fn clear(&self) -> io::Result<()> {
        lock(&self.uploads).clear();
        lock(&self.stored).clear();
        empty(&self.directory.join("uploads"))?;
        empty(&self.outputs())?;
        self.store.clear()
    }
}

/// Locks, also where another thread panicked with the lock: what these locks guard is never half changed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upload_url_works_once_and_in_time() {
        let directory = tempfile::tempdir().unwrap();
        let store = || Store::new(Some(directory.path().join("records"))).unwrap();
        let files = Files::new(directory.path(), store()).unwrap();
        let (token, file_id) = files.expect(4, Duration::from_secs(60)).unwrap();
        let Claim::Send { path, size: 4, .. } = files.claim(&token) else { panic!("not given") };
        assert_eq!(files.claim(&token), Claim::Used);
        files.settle(&token, None);
        assert!(matches!(files.claim(&token), Claim::Send { .. }), "a failed upload can be repeated");
        assert!(files.find(&file_id).is_none());
        std::fs::write(&path, "%PDF").unwrap();
        files.settle(&token, Some(Stored { path, content: Content::PDF }));
        assert_eq!(files.claim(&token), Claim::Used);
        assert!(files.find(&file_id).is_some());
        assert_eq!(files.claim("guess"), Claim::Unknown);
        let (late, _) = files.expect(4, Duration::ZERO).unwrap();
        assert_eq!(files.claim(&late), Claim::Expired);

        let restarted = Files::new(directory.path(), store()).unwrap();
        assert_eq!(restarted.find(&file_id).unwrap().content, Content::PDF);
        assert_eq!((restarted.claim(&token), restarted.claim(&late)), (Claim::Used, Claim::Expired));
        restarted.clear().unwrap();
        assert!(restarted.find(&file_id).is_none() && restarted.claim(&token) == Claim::Unknown);
    }
}
