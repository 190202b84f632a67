use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::file::File;
use crate::snapshot::{Output, TaskSnapshot};

/// A result instead of an id: a task, which the create waits for, or an output of a task. The
/// gateway moves a file into the storage, so none of its bytes passes through the client. For an
/// asset, the client sends the id in the output.
///
/// A `Task`, a `SavedTask`, a [`TaskSnapshot`], an entry of the history and an [`Output`] convert
/// into a reference, by value and by reference. They also convert into a [`FileInput`] and an
/// [`AssetInput`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Reference {
    /// A task. The create waits for it, and uses its first output that fits.
    Task {
        /// The id of the task.
        id: String,
        /// The capability of the task.
        capability: String,
    },
    /// An output, by its `task_id` and its position.
    Output(Output),
}

impl From<Output> for Reference {
    fn from(output: Output) -> Self {
        Reference::Output(output)
    }
}

impl From<&Output> for Reference {
    fn from(output: &Output) -> Self {
        Reference::Output(output.clone())
    }
}

impl From<TaskSnapshot> for Reference {
    fn from(TaskSnapshot { id, capability, .. }: TaskSnapshot) -> Self {
        Reference::Task { id, capability }
    }
}

impl From<&TaskSnapshot> for Reference {
    fn from(TaskSnapshot { id, capability, .. }: &TaskSnapshot) -> Self {
        Reference::Task {
            id: id.clone(),
            capability: capability.clone(),
        }
    }
}

/// A file at an https URL, which is loaded without a login. The gateway moves it into the storage,
/// so none of its bytes passes through the client. Its setting `INPUT_HOSTS` must allow the host.
///
/// With a data URI, it is the file in the URI, which the client uploads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct FileUrl {
    /// The URL.
    pub url: String,
    /// The media type, such as `image/png`. It replaces the type that the server states.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
}

impl FileUrl {
    /// Makes the file at a URL.
    pub fn new(url: impl Into<String>) -> Self {
        FileUrl {
            url: url.into(),
            media_type: None,
        }
    }

    /// Sets the media type.
    #[must_use]
    pub fn with_media_type(mut self, media_type: impl Into<String>) -> Self {
        self.media_type = Some(media_type.into());
        self
    }
}

/// The value of a field for a file: a file, which is uploaded first; the id of an uploaded file; a
/// data URI, whose file is uploaded first; or the URL of a file or a result of the media service,
/// which the gateway moves into the storage.
///
/// ```
/// use mediagate::{File, FileInput, FileUrl, TaskSnapshot};
///
/// # let snapshot = TaskSnapshot::default();
/// let inputs: [FileInput; 4] = [
///     "file_1".into(),
///     File::from_bytes("a.png", vec![1]).into(),
///     FileUrl::new("https://cdn.example.com/a.png").into(),
///     snapshot.into(),
/// ];
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum FileInput {
    /// The id of an uploaded file, or a data URI.
    Id(String),
    /// A file that is not uploaded yet. It does not serialize.
    #[serde(skip)]
    File(File),
    /// A file at a URL.
    Url(FileUrl),
    /// A task, or an output of a task.
    Result(Reference),
}

impl<T: Into<Reference>> From<T> for FileInput {
    fn from(result: T) -> Self {
        FileInput::Result(result.into())
    }
}

impl From<File> for FileInput {
    fn from(file: File) -> Self {
        FileInput::File(file)
    }
}

impl From<FileUrl> for FileInput {
    fn from(url: FileUrl) -> Self {
        FileInput::Url(url)
    }
}

impl From<&File> for FileInput {
    fn from(file: &File) -> Self {
        FileInput::File(file.clone())
    }
}

impl From<String> for FileInput {
    fn from(id: String) -> Self {
        FileInput::Id(id)
    }
}

impl From<&str> for FileInput {
    fn from(id: &str) -> Self {
        FileInput::Id(id.to_owned())
    }
}

/// Writes the form that the gateway receives. A task or an output is an object that any client of
/// the gateway accepts.
impl Serialize for FileInput {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            FileInput::Id(id) => id.serialize(serializer),
            FileInput::Url(url) => url.serialize(serializer),
            FileInput::Result(result) => result.serialize(serializer),
            FileInput::File(_) => Err(S::Error::custom(
                "the request has a file that is not uploaded; upload it, and give its id",
            )),
        }
    }
}

/// Reads a list of files, or one file instead of a list.
pub(crate) fn one_or_many<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Vec<FileInput>>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMany {
        One(FileInput),
        Many(Vec<FileInput>),
    }
    let read = Option::<OneOrMany>::deserialize(deserializer)?;
    Ok(read.map(|read| match read {
        OneOrMany::One(file) => Vec::from([file]),
        OneOrMany::Many(files) => files,
    }))
}

/// The value of a field for an avatar or a voice: the id of an asset, or a result that is an asset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum AssetInput {
    /// The id of an asset.
    Id(String),
    /// A task that produces an asset, or an output that is an asset.
    Result(Reference),
}

impl From<String> for AssetInput {
    fn from(id: String) -> Self {
        AssetInput::Id(id)
    }
}

impl From<&String> for AssetInput {
    fn from(id: &String) -> Self {
        AssetInput::Id(id.clone())
    }
}

impl From<&str> for AssetInput {
    fn from(id: &str) -> Self {
        AssetInput::Id(id.to_owned())
    }
}

impl<T: Into<Reference>> From<T> for AssetInput {
    fn from(result: T) -> Self {
        AssetInput::Result(result.into())
    }
}
