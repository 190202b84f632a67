//! The catalogue as JSON: the data that a form needs of each capability.

use anyhow::{Context, Result};
use mediagate_core::{AssetCategory, Capability, Code, Field, Kind, PREFIX};
use serde_json::{Map, Value, json};

/// Renders the whole catalogue. Fails if a default or an example in the catalogue is not JSON.
pub(super) fn render(capabilities: &[&Capability]) -> Result<String> {
    let capabilities = capabilities
        .iter()
        .map(|entry| capability(entry))
        .collect::<Result<Vec<_>>>()?;
    let catalogue = json!({ "prefix": PREFIX, "capabilities": capabilities });
    Ok(serde_json::to_string_pretty(&catalogue)? + "\n")
}

fn capability(capability: &Capability) -> Result<Value> {
    let fields = capability
        .fields()
        .map(|entry| field(capability, entry))
        .collect::<Result<Vec<_>>>()?;
    Ok(json!({
        "name": capability.name(),
        "method": super::types::camel_case(capability.name()),
        "path": capability.path,
        "group": capability.group().name(),
        "medium": capability.medium(),
        "title": capability.title,
        "summary": capability.summary,
        "extension": capability.is_extension,
        "keywords": capability.keywords,
        "documentedModel": capability.documented_model,
        "defaultModel": capability.default_model,
        "anyOf": capability.any_of,
        "codes": capability.codes.iter().copied().map(code).collect::<Vec<_>>(),
        "fields": fields,
    }))
}

fn code(code: Code) -> Value {
    json!({ "code": code.0, "name": code.name(), "message": code.message() })
}

fn field(capability: &Capability, field: &Field) -> Result<Value> {
    let context = || format!("{}.{} in the catalogue", capability.name(), field.name);
    let default = field
        .default
        .map(serde_json::from_str::<Value>)
        .transpose()
        .with_context(context)?;
    let example = serde_json::from_str::<Value>(field.example_json()).with_context(context)?;
    let mut members = Map::from_iter([
        ("name".to_owned(), json!(field.name)),
        ("kind".to_owned(), json!(kind_name(field.kind))),
        ("required".to_owned(), json!(field.required)),
        ("doc".to_owned(), json!(field.doc)),
        ("expected".to_owned(), json!(field.kind.expected())),
        ("default".to_owned(), default.unwrap_or(Value::Null)),
        ("example".to_owned(), example),
        ("values".to_owned(), json!(field.values)),
    ]);
    members.extend(limits(field.kind).map(|(name, value)| (name.to_owned(), value)));
    Ok(Value::Object(members))
}

fn limits(kind: Kind) -> impl Iterator<Item = (&'static str, Value)> {
    let pairs = match kind {
        Kind::File(media) | Kind::Files(media) | Kind::FileOrFiles(media) => {
            vec![
                ("media", json!(media.name())),
                ("accept", json!(media.accept())),
            ]
        }
        Kind::PositiveInteger | Kind::PositiveInt32 | Kind::Size => vec![("minimum", json!(1))],
        Kind::Asset(AssetCategory::Avatar) => vec![("category", json!("avatar"))],
        Kind::Asset(AssetCategory::Voice) => vec![("category", json!("voice"))],
        _ => vec![],
    };
    pairs.into_iter()
}

const fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Text | Kind::FilledText | Kind::Choice => "text",
        Kind::File(_) => "file",
        Kind::Files(_) => "files",
        Kind::FileOrFiles(_) => "file_or_files",
        Kind::Asset(_) => "asset",
        Kind::Integer | Kind::PositiveInteger | Kind::Int32 | Kind::PositiveInt32 | Kind::Size => {
            "integer"
        }
        Kind::Number => "number",
        Kind::Boolean => "boolean",
        Kind::TextList => "text_list",
        Kind::Time => "time",
        Kind::Segment => "segment",
        Kind::Segments => "segments",
        Kind::PageRange => "page_range",
        Kind::Volume => "volume",
        Kind::Region => "region",
        Kind::VideoSize => "video_size",
    }
}
