use std::collections::BTreeMap;
use std::fmt;

use mediagate_client::HostValue;
use mediagate_core::Capability;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value as Json;

use crate::data_uri::with_files;
use crate::reference::{AssetInput, FileInput};
use crate::request::{Region, Segment, VideoSize};
use crate::value::Value;

/// The fields of a request by name, with files and results.
///
/// If all files are uploaded, it serializes in the form that the gateway receives. A task or an
/// output is an object that any client of the gateway accepts. `Debug` shows only the names of the
/// fields: prompts are private.
#[derive(Clone, Default)]
pub struct Input {
    fields: BTreeMap<String, Field>,
}

#[derive(Clone, Serialize)]
#[serde(untagged)]
pub(super) enum Field {
    Json(Json),
    File(FileInput),
    Files(Vec<FileInput>),
}

pub(super) trait Member {
    /// Returns the field, or `None` if the value is not set.
    fn field(self) -> Option<Field>;
}

impl<T: Member> Member for Option<T> {
    fn field(self) -> Option<Field> {
        self?.field()
    }
}

impl Member for FileInput {
    fn field(self) -> Option<Field> {
        Some(Field::File(self))
    }
}

impl Member for Vec<FileInput> {
    fn field(self) -> Option<Field> {
        Some(Field::Files(self))
    }
}

impl Member for AssetInput {
    fn field(self) -> Option<Field> {
        Some(match self {
            AssetInput::Id(id) => Field::Json(id.into()),
            AssetInput::Result(result) => Field::File(result.into()),
        })
    }
}

macro_rules! json_members {
    ($($value:ty),*) => {$(
        impl Member for $value {
            fn field(self) -> Option<Field> {
                Some(Field::Json(self.into()))
            }
        }
    )*};
}

json_members!(
    String,
    Vec<String>,
    bool,
    i32,
    i64,
    f64,
    Region,
    Segment,
    Vec<Segment>,
    VideoSize
);

impl Input {
    /// Makes an input without fields.
    pub fn new() -> Self {
        Input::default()
    }

    /// Sets a field.
    #[must_use]
    pub fn with(self, name: impl Into<String>, value: impl Into<Json>) -> Self {
        self.set(name, Field::Json(value.into()))
    }

    /// Sets a field to a file, the id of a file, or a result.
    #[must_use]
    pub fn file(self, name: impl Into<String>, file: impl Into<FileInput>) -> Self {
        self.member(name, file.into())
    }

    /// Sets a field to an avatar or a voice: the id of an asset, or a result that is an asset.
    #[must_use]
    pub fn asset(self, name: impl Into<String>, asset: impl Into<AssetInput>) -> Self {
        self.member(name, asset.into())
    }

    /// Sets a field to a list of files, ids of files, or results.
    #[must_use]
    pub fn files(
        self,
        name: impl Into<String>,
        files: impl IntoIterator<Item = impl Into<FileInput>>,
    ) -> Self {
        let files: Vec<FileInput> = files.into_iter().map(Into::into).collect();
        self.member(name, files)
    }

    pub(super) fn member(self, name: impl Into<String>, value: impl Member) -> Self {
        match value.field() {
            Some(field) => self.set(name, field),
            None => self,
        }
    }

    /// Writes only the names of the fields, after the name of their request.
    pub(super) fn debug_as(
        &self,
        request: &str,
        formatter: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        formatter.debug_tuple(request).field(self).finish()
    }

    fn set(mut self, name: impl Into<String>, field: Field) -> Self {
        self.fields.insert(name.into(), field);
        self
    }

    /// Returns the input as a value for the client. Data URIs become files.
    pub(crate) fn into_value(self, capability: &Capability) -> Value {
        let value = |field| match field {
            Field::Json(json) => Value::from(json),
            Field::File(file) => file_value(file),
            Field::Files(files) => Value::from_items(files.into_iter().map(file_value).collect()),
        };
        let members = self
            .fields
            .into_iter()
            .map(|(name, field)| (name, value(field)));
        let input = Value::Object(std::sync::Arc::new(members.collect()));
        with_files(capability, input)
    }
}

fn file_value(file: FileInput) -> Value {
    match file {
        FileInput::Id(id) => Value::from_text(&id),
        FileInput::File(file) => Value::File(file),
        FileInput::Url(url) => serde_json::to_value(url).unwrap_or_default().into(),
        FileInput::Result(result) => serde_json::to_value(result).unwrap_or_default().into(),
    }
}

/// Makes fields of an object's members. Any other value has no fields.
impl From<Json> for Input {
    fn from(json: Json) -> Self {
        let Json::Object(members) = json else {
            // The validation of the create then reports the missing fields.
            return Input::new();
        };
        Input {
            fields: members
                .into_iter()
                .map(|(name, value)| (name, Field::Json(value)))
                .collect(),
        }
    }
}

impl Serialize for Input {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(&self.fields)
    }
}

impl<'de> Deserialize<'de> for Input {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        serde_json::Map::deserialize(deserializer).map(|members| Input::from(Json::Object(members)))
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.fields.keys()).finish()
    }
}
