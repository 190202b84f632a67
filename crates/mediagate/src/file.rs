use std::fmt;
#[cfg(not(target_family = "wasm"))]
use std::io;
#[cfg(not(target_family = "wasm"))]
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

/// A file that is not uploaded yet: bytes; in a program a path, whose file is read in parts during
/// the upload; on a page a `File` or `Blob` of `web_sys`.
///
/// Clones are the same file. As long as there is a clone, a client uploads the file once for all
/// requests that contain it.
#[derive(Clone)]
pub struct File(Arc<Inner>);

struct Inner {
    source: Source,
    name: String,
    media_type: String,
    size: u64,
}

#[derive(Clone)]
pub(crate) enum Source {
    Bytes(Bytes),
    #[cfg(not(target_family = "wasm"))]
    Path(PathBuf),
    #[cfg(target_family = "wasm")]
    Blob(web_sys::Blob),
}

impl File {
    /// Makes a file of bytes, with a name such as `photo.png`. The media type comes from the
    /// extension of the name.
    pub fn from_bytes(name: impl Into<String>, bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        let size = bytes.len() as u64;
        File::new(name.into(), Source::Bytes(bytes), size)
    }

    /// Opens the file at a path, with its present name and size. If the file changes before it is
    /// uploaded, the upload may fail with `upload_failed`.
    ///
    /// # Errors
    /// If there is no file at the path, or its size cannot be read.
    #[cfg(not(target_family = "wasm"))]
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        // The errors of the standard library do not name the path.
        let named =
            |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        let metadata = std::fs::metadata(path).map_err(named)?;
        if !metadata.is_file() {
            let problem = "this is no file; give the path of one";
            return Err(named(io::Error::new(io::ErrorKind::InvalidInput, problem)));
        }
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        Ok(File::new(
            name,
            Source::Path(path.to_owned()),
            metadata.len(),
        ))
    }

    /// Makes a file of a blob, with a name such as `photo.png`. If the blob has no media type, it
    /// comes from the extension of the name.
    #[cfg(target_family = "wasm")]
    pub fn from_blob(name: impl Into<String>, blob: web_sys::Blob) -> Self {
        // A browser leaves the type of an unknown extension empty.
        let media_type = blob.type_();
        let size = blob.size() as u64;
        let file = File::new(name.into(), Source::Blob(blob), size);
        if media_type.is_empty() {
            file
        } else {
            file.with_media_type(media_type)
        }
    }

    fn new(name: String, source: Source, size: u64) -> Self {
        let media_type = mime_guess::from_path(&name)
            .first_raw()
            .unwrap_or_default()
            .to_owned();
        File(Arc::new(Inner {
            source,
            name,
            media_type,
            size,
        }))
    }

    /// Makes a file of the same bytes with another media type, such as `image/png`. A client
    /// uploads it as a new file.
    #[must_use]
    pub fn with_media_type(self, media_type: impl Into<String>) -> Self {
        File(Arc::new(Inner {
            source: self.0.source.clone(),
            name: self.0.name.clone(),
            media_type: media_type.into(),
            size: self.0.size,
        }))
    }

    /// Returns the name; empty if there is none.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns the media type; empty if it is unknown. The file is then sent as
    /// `application/octet-stream`.
    pub fn media_type(&self) -> &str {
        &self.0.media_type
    }

    /// Returns the size in bytes.
    pub fn size(&self) -> u64 {
        self.0.size
    }

    pub(crate) fn source(&self) -> &Source {
        &self.0.source
    }

    pub(crate) fn is_same(&self, other: &File) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub(crate) fn downgrade(&self) -> WeakFile {
        WeakFile(Arc::downgrade(&self.0))
    }
}

impl PartialEq for File {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other)
    }
}

impl Eq for File {}

impl From<&File> for File {
    fn from(file: &File) -> Self {
        file.clone()
    }
}

/// A file that a person chose or dropped on the page.
#[cfg(target_family = "wasm")]
impl From<web_sys::File> for File {
    fn from(file: web_sys::File) -> Self {
        File::from_blob(file.name(), file.into())
    }
}

impl fmt::Debug for File {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner {
            name,
            media_type,
            size,
            ..
        } = &*self.0;
        formatter
            .debug_struct("File")
            .field("name", name)
            .field("media_type", media_type)
            .field("size", size)
            .finish_non_exhaustive()
    }
}

pub(crate) struct WeakFile(std::sync::Weak<Inner>);

impl WeakFile {
    /// Returns the file; `None` if the caller has dropped it.
    pub(crate) fn upgrade(&self) -> Option<File> {
        self.0.upgrade().map(File)
    }
}

/// The progress of an upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Progress {
    /// The number of bytes that were sent.
    pub loaded: u64,
    /// The number of bytes of the file.
    pub total: u64,
}

impl Progress {
    pub(crate) fn new(loaded: u64, total: u64) -> Self {
        Progress { loaded, total }
    }
}
