//! Results as inputs: what a field takes in the place of an id of a file or an asset.

use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::file::File;
use crate::snapshot::{Output, TaskSnapshot};

/// A result in the place of an id: a task, which is waited for, or an output of one. The gateway moves a file into the storage,
/// so that none of its bytes passes through the client; the id of an asset is used as it is.
///
/// It is made of a `Task`, a `SavedTask`, a [`TaskSnapshot`], an entry of the history or an [`Output`], each by value or by
/// reference: so is what takes one, a [`FileInput`] or an [`AssetInput`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Reference {
    /// A task: its first output that fits, once it has succeeded.
    Task {
        /// Its id.
        id: String,
        /// The capability that it was created with.
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

/// What a field for a file takes: a file, which is uploaded first; the id of one that was uploaded; or a result of the media
/// service's, which the gateway moves into the storage.
///
/// ```
/// use mediagate::{File, FileInput, TaskSnapshot};
///
/// # let snapshot = TaskSnapshot::default();
/// let inputs: [FileInput; 3] = ["file_1".into(), File::from_bytes("a.png", vec![1]).into(), snapshot.into()];
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum FileInput {
    /// The id of an uploaded file.
    Id(String),
    /// A file that is not uploaded yet. It does not serialize.
    #[serde(skip)]
    File(File),
    /// A task, or an output of one.
    Result(Reference),
}

/// What is a [`Reference`].
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

/// As the gateway receives it, except for tasks and outputs, which are the objects that any client of the gateway takes.
impl Serialize for FileInput {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            FileInput::Id(id) => id.serialize(serializer),
            FileInput::Result(result) => result.serialize(serializer),
            FileInput::File(_) => Err(S::Error::custom(
                "the request has a file that is not uploaded; upload it, and give its id",
            )),
        }
    }
}

/// Reads a list of files, or one in its place.
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

/// What a field for an avatar or a voice takes: the id of an asset, or the result that is one.
///
/// ```
/// use mediagate::{AssetInput, TaskSnapshot};
///
/// # let snapshot = TaskSnapshot::default();
/// let inputs: [AssetInput; 2] = ["avatar_1".into(), snapshot.into()];
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum AssetInput {
    /// The id of an asset.
    Id(String),
    /// A task that produces an asset, or the output that is one.
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

/// What is a [`Reference`].
impl<T: Into<Reference>> From<T> for AssetInput {
    fn from(result: T) -> Self {
        AssetInput::Result(result.into())
    }
}
